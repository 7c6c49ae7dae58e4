"""What Python costs: rates of the package against the C++ library's own and against River's, within one run.

    PYTHONPATH=build/release/python build/venv/bin/python bench/python_ingest.py build/release/ingest_bench [--quick]

Processor time throughout, medians of several repetitions that take turns, so that a busy machine does not matter much.
--quick: few rows, once. It shows that everything runs; the figures mean nothing.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

import numpy as np

import rivulet

ROWS, COLUMNS, RELEASES = 1_000_000, 20, 100
REPETITIONS = 5
FEW = 300_000  # rows of the comparisons row by row


def rate(rows, work):
    start = time.process_time()
    work()
    return rows / (time.process_time() - start)


def stream(columns, every, **more):
    bounds = {f"x{i}": (-1, 1) for i in range(columns)} | {"y": (-1, 1)}
    return rivulet.Stream(budget=(1, 1e-6), bounds=bounds, target="y", release_every=every, **more)


def against_the_library(program):
    random = np.random.default_rng(1)
    X, y = random.uniform(-1, 1, (ROWS, COLUMNS)), random.uniform(-1, 1, ROWS)
    ours, theirs = [], []
    for _ in range(REPETITIONS):
        told = subprocess.run([program, str(ROWS), str(COLUMNS), str(RELEASES), "1"], capture_output=True, text=True, check=True).stdout
        theirs.append(float(told.split()[0]))
        live = stream(COLUMNS, ROWS // RELEASES)
        ours.append(rate(ROWS, lambda: (live.observe_many(X, y), live.model())))
        assert live.step == RELEASES
    share = statistics.median(a / b for a, b in zip(ours, theirs))
    print(f"observe_many, {ROWS} x {COLUMNS} doubles, {RELEASES} releases: {statistics.median(ours):,.0f} rows/s; the C++ library: "
          f"{statistics.median(theirs):,.0f} rows/s; share {share:.0%} (target 80%)")
    import pyarrow

    table = pyarrow.table({f"x{i}": X[:, i] for i in range(COLUMNS)} | {"y": y})
    arrow = []
    for _ in range(REPETITIONS):
        live = stream(COLUMNS, ROWS // RELEASES)
        arrow.append(rate(ROWS, lambda: live.observe_many(table)))
    print(f"observe_many, the same as an Arrow table: {statistics.median(arrow):,.0f} rows/s")


def row_by_row(columns, every):
    from river import linear_model

    from rivulet.river import PrivateLinearRegression

    random = np.random.default_rng(2)
    X, y = random.uniform(-1, 1, (FEW, columns)), random.uniform(-1, 1, FEW)
    names = [f"x{i}" for i in range(columns)]
    lists, targets = X.tolist(), y.tolist()
    dicts = [dict(zip(names, row)) for row in lists]

    def each(learn, rows):
        def work():
            for row, target in zip(rows, targets):
                learn(row, target)

        return rate(FEW, work)

    def private():
        return PrivateLinearRegression(features={name: (-1, 1) for name in names}, target_bounds=(-1, 1), budget=(1, 1e-6), release_every=every)

    import pandas

    frame, series = pandas.DataFrame(X, columns=names), pandas.Series(y)
    rates = {name: [] for name in ("river", "dicts", "lists", "learn_one", "learn_many", "observe_many")}
    for _ in range(REPETITIONS):
        rivulet.forget_rows()
        rates["river"].append(each(linear_model.LinearRegression().learn_one, dicts))
        rates["dicts"].append(each(stream(columns, every).observe, dicts))
        rates["lists"].append(each(stream(columns, every).observe, lists))
        rates["learn_one"].append(each(private().learn_one, dicts))
        rivulet.forget_rows()
        batches, live = private(), stream(columns, every)
        rates["learn_many"].append(rate(FEW, lambda: batches.learn_many(frame, series)))
        rates["observe_many"].append(rate(FEW, lambda: live.observe_many(X, y)))
    print(f"\n{columns} columns, a private release every {every} rows, the same {FEW} rows; River's own LinearRegression.learn_one, not private: "
          f"{statistics.median(rates['river']):,.0f} rows/s")
    for name, what in (("observe_many", "Stream.observe_many, an array"), ("learn_many", "PrivateLinearRegression.learn_many, a data frame"),
                       ("lists", "Stream.observe, a list a row"), ("dicts", "Stream.observe, a dict a row"),
                       ("learn_one", "PrivateLinearRegression.learn_one, a dict a row")):
        ratio = statistics.median(a / b for a, b in zip(rates[name], rates["river"]))
        print(f"  {what:<52} {statistics.median(rates[name]):>12,.0f} rows/s, {ratio:5.1f} times River's")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--quick"]):
        sys.exit("usage: python_ingest.py PATH-OF-ingest_bench [--quick]")
    if sys.argv[2:]:
        ROWS, REPETITIONS, FEW = 10_000, 1, 1000
    against_the_library(sys.argv[1])
    row_by_row(5, 100)
    row_by_row(20, 100)
