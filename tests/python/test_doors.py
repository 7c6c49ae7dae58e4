"""The same rows must not be counted twice because they came once from Python and once from the command-line tool."""

from __future__ import annotations

import gzip
import subprocess

import pytest

import rivulet
from conftest import BUILD, box, small_rows

ROWS = 30_351
FIRST = 5_500


@pytest.fixture
def rows(tmp_path):
    X, y = small_rows(ROWS)
    names = [f"x{i}" for i in range(X.shape[1])]
    path = tmp_path / "rows.csv.gz"
    with gzip.open(path, "wt") as out:
        out.write(",".join([*names, "y"]) + "\n")
        for values, target in zip(X, y):
            out.write(",".join(repr(float(value)) for value in [*values, target]) + "\n")
    return X, y, path


def fit(model, *arguments):
    return subprocess.run([BUILD / "rivulet", "fit", "--model", model, "--quiet", *map(str, arguments)], capture_output=True, text=True)


def test_rows_from_python_are_not_counted_again_by_the_tool(tmp_path, rows):
    X, y, csv = rows
    model = tmp_path / "model.rivulet"
    with rivulet.Stream(**box(insecure_seed=3), path=model) as stream:
        stream.observe_many(X[:FIRST], y[:FIRST])
    before = model.read_bytes()
    refused = fit(model, csv)
    assert refused.returncode == 4 and refused.stdout == ""
    assert f"{FIRST} rows through python" in refused.stderr and "--from-row N" in refused.stderr and str(FIRST) in refused.stderr
    assert model.read_bytes() == before and rivulet.ReleaseLog(model).step == FIRST // 100
    inspected = subprocess.run([BUILD / "rivulet", "inspect", model], capture_output=True, text=True)
    assert f"{FIRST} rows through python" in inspected.stderr and "python" not in inspected.stdout

    done = fit(model, csv, "--from-row", FIRST)
    assert done.returncode == 0, done.stderr
    straight = rivulet.Stream(**box(insecure_seed=3))
    straight.observe_many(X, y)
    straight.release()
    assert [release.rows for release in rivulet.ReleaseLog(model)] == [release.rows for release in straight]
    assert list(rivulet.ReleaseLog(model).model().theta) == list(straight.model().theta)
    assert fit(model).returncode == 0 and rivulet.ReleaseLog(model).model().rows == ROWS


def test_the_tool_then_python_then_the_tool(tmp_path, rows):
    X, y, csv = rows
    part = tmp_path / "part.csv"
    with gzip.open(csv, "rt") as source:
        part.write_text("".join(line for _, line in zip(range(1001), source)))
    model = tmp_path / "model.rivulet"
    options = ["--target", "y", "--epsilon", 1, "--delta", 1e-6, "--release-every", 100, "--bound", "y=-1:1"]
    for i in range(X.shape[1]):
        options += ["--features", f"x{i}", "--bound", f"x{i}=-1:1"]
    assert fit(model, part, *options).returncode == 0
    with rivulet.Stream.open(model) as stream:
        assert stream.rows == 1000
        stream.observe_many(X[1000:FIRST], y[1000:FIRST])
    with gzip.open(csv, "rt") as source:
        part.write_text(source.read())
    refused = fit(model, part)
    assert refused.returncode == 4 and f"{FIRST - 1000} rows through python" in refused.stderr
    assert fit(model, part, "--from-row", FIRST).returncode == 0
    assert rivulet.ReleaseLog(model).model().rows == ROWS
