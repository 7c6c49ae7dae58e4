"""The same rows and the same insecure seed: Python and the command-line tool agree to the last bit."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pytest
import scipy.sparse

import rivulet
from conftest import SOURCE, box, releases_of, small_rows

FLIGHTS = {"arr_delay": (-60, 180), "dep_delay": (-60, 180), "distance": (0, 5000), "hour": (0, 23), "weekday": (1, 7),
           "month": (1, 12), "origin": ["EWR", "JFK", "LGA"]}
FEATURES = ["dep_delay", "distance", "hour", "weekday", "month", "origin"]
ROWS = 20_000


@pytest.fixture(scope="module")
def flights(tmp_path_factory):
    """The beginning of the bundled stream, missing values included."""
    path = tmp_path_factory.mktemp("flights") / "flights.csv"
    with gzip.open(SOURCE / "data" / "flights.csv.gz", "rt") as source:
        path.write_text("".join(line for _, line in zip(range(ROWS + 1), source)))
    return path


@pytest.fixture(scope="module")
def flight_releases(flights, tmp_path_factory):
    import subprocess

    from conftest import BUILD

    out = tmp_path_factory.mktemp("releases") / "releases.jsonl"
    subprocess.run([BUILD / "rivulet", "fit", flights, "--config", SOURCE / "data" / "flights.toml", "--releases", out, "--quiet",
                    "--insecure-seed", "7"], check=True, capture_output=True)
    return releases_of(out)


def flight_stream(**more):
    return rivulet.Stream(budget=(1, 1e-6), bounds=FLIGHTS, target="arr_delay", features=FEATURES, release_every=1000,
                          insecure_seed=7, **more)


def assert_same(stream, releases, kind=""):
    assert stream.step == len(releases), kind
    for release, line in zip(stream, releases, strict=True):
        model = release.model
        assert (model.step, model.rows, model.intercept) == (line["step"], line["rows"], line["intercept"]), kind
        assert model.coefficients == line["coefficients"], kind
        assert [model.noise.gram_diagonal, model.noise.gram_offdiagonal, model.noise.cross] == list(line["noise"].values())


def tables(path):
    frame = pd.read_csv(path)
    yield "pandas", frame
    yield "pandas categories", frame.assign(origin=frame["origin"].astype("category"))
    yield "polars", pl.read_csv(path)
    yield "polars categories", pl.read_csv(path).with_columns(pl.col("origin").cast(pl.Categorical))
    table = pa.csv.read_csv(path)
    yield "pyarrow", table
    yield "pyarrow dictionary, sliced", pa.concat_tables([table.slice(0, 777), table.slice(777)]).set_column(
        table.schema.get_field_index("origin"), "origin", table["origin"].dictionary_encode())
    yield "record batches", pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=999))
    yield "columns", {name: frame[name].to_numpy() for name in frame.columns}


def test_every_kind_of_table_gives_the_tools_releases(flights, flight_releases):
    for kind, table in tables(flights):
        stream = flight_stream()
        stream.observe_many(table)
        stream.release()
        assert_same(stream, flight_releases, kind)


def test_rows_one_by_one_give_the_tools_releases(flights, flight_releases):
    rows = pd.read_csv(flights).to_dict("records")
    stream = flight_stream()
    for row in rows:
        stream.observe(row)
    stream.release()
    assert_same(stream, flight_releases)
    lists = flight_stream()
    for row in rows:
        lists.observe([row[name] for name in FEATURES], row["arr_delay"])
    lists.release()
    assert_same(lists, flight_releases)


def test_the_two_read_and_continue_each_others_model_files(flights, flight_releases, cli, tmp_path):
    lines = flights.read_text().splitlines(keepends=True)
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    half = ROWS // 2
    first.write_text("".join(lines[:half + 1]))
    second.write_text(lines[0] + "".join(lines[half + 1:]))

    made_here = tmp_path / "here.rivulet"
    with flight_stream(path=made_here) as stream:
        stream.observe_many(pd.read_csv(first))
    cli("fit", second, "--model", made_here, "--quiet", "--next-input")
    assert_same(rivulet.ReleaseLog(made_here), flight_releases)

    made_there = tmp_path / "there.rivulet"
    cli("fit", first, "--config", SOURCE / "data" / "flights.toml", "--model", made_there, "--insecure-seed", "7", "--quiet")
    with rivulet.Stream.open(made_there) as stream:
        assert stream.rows == half
        stream.observe_many(pd.read_csv(second))
    assert_same(rivulet.ReleaseLog(made_there), flight_releases)


def test_summary_refit_and_predictions_are_the_tools(flights, cli, tmp_path):
    path = tmp_path / "model.rivulet"
    with flight_stream(path=path) as stream:
        stream.observe_many(pd.read_csv(flights))
    log = rivulet.ReleaseLog(path)
    told = json.loads(cli("summary", path, "--json", "--at", 7).stdout)
    summary = log.summary(t=7)
    for name in ("r_squared", "r_squared_stddev", "r_squared_lower", "r_squared_upper", "baseline", "better_than_baseline"):
        assert getattr(summary, name) == told[name] == summary.to_dict()[name], name
    table = cli("summary", path, "--at", 7).stdout
    assert summary.quality in table and summary.quality in str(summary)
    for line, entry in zip(summary.lines, told["coefficients"], strict=True):
        assert (line.name, line.published) == (entry["name"], entry["published"])
        for name in ("estimate", "lower", "upper", "p_value"):
            value = getattr(line, name)
            assert entry[name] == (value if np.isfinite(value) else None)  # JSON has no infinity
    refit = json.loads(cli("refit", path, "--constraint", "l1:0.7", "--features", "dep_delay,origin", "--json").stdout)
    model = log.refit(constraint="l1:0.7", features=["dep_delay", "origin"])
    assert (model.coefficients, model.intercept) == (refit["coefficients"], refit["intercept"])
    assert log.refit().coefficients == log.model().coefficients
    export = tmp_path / "export.rivulet"
    log.export(export.as_posix())
    assert rivulet.ReleaseLog(export).is_export
    assert rivulet.ReleaseLog(export).model().coefficients == log.model().coefficients


def test_sketches_of_sparse_rows_are_the_tools(cli, tmp_path):
    random = np.random.default_rng(3)
    matrix = scipy.sparse.random(600, 500, density=0.02, random_state=random, format="csr")
    y = np.clip(np.asarray(matrix[:, :5].sum(axis=1)).ravel(), 0, 1)
    source, out = tmp_path / "rows.svm", tmp_path / "releases.jsonl"
    with open(source, "w") as lines:
        for row in range(600):
            part = matrix[row]
            entries = sorted(zip(part.indices.tolist(), part.data.tolist()))
            lines.write(" ".join([repr(float(y[row]))] + [f"{place + 1}:{value!r}" for place, value in entries]) + "\n")
    cli("fit", source, "--dimension", 500, "--bound", "x=0:1", "--bound", "y=0:1", "--clip-norm", 1.5, "--sketch", 40, "--sketch-seed", 5,
        "--constraint", "l1:1", "--epsilon", 1, "--delta", 1e-6, "--release-every", 150, "--insecure-seed", 2, "--releases", out, "--quiet")
    settings = dict(budget=(1, 1e-6), bounds={"x": rivulet.Block(500, 0, 1), "y": (0, 1)}, target="y", clip_norm=1.5,
                    sketch={"dimension": 40, "seed": 5}, constraint="l1:1", release_every=150, insecure_seed=2)
    stream = rivulet.Stream(**settings)
    assert stream.observe_many(matrix, y) == 4
    for release, line in zip(stream, releases_of(out), strict=True):
        assert release.model.intercept == line["intercept"]
        assert release.model.coefficients == line["coefficients"]
    by_dict = rivulet.Stream(**settings)
    for row in range(600):
        part = matrix[row]
        by_dict.observe({f"x{place + 1}": value for place, value in zip(part.indices.tolist(), part.data.tolist())}, float(y[row]))
    assert by_dict.model().coefficients == stream.model().coefficients


def test_r_squared_is_that_of_the_published_coefficients():
    """A set that keeps the model far from least squares: the estimates explain the target, the model is worse than its mean."""
    X, y = small_rows(3000, 2)
    stream = rivulet.Stream(**{**box(2, insecure_seed=4), "budget": (100, 1e-6), "constraint": "l2:0.05", "release_every": 3000})
    shifted = np.clip(0.6 + 0.3 * y, -1, 1)
    stream.observe_many(X, shifted)
    truth = 1 - np.sum((shifted - stream.model().predict(X)) ** 2) / np.sum((shifted - shifted.mean()) ** 2)
    summary = stream.summary(level=0.999999)
    assert truth < 0 < stream.inference().r_squared
    assert summary.r_squared_lower <= truth <= summary.r_squared_upper
    assert abs(summary.r_squared - truth) < 0.2 * abs(truth)
    assert summary.better_than_baseline is False
    for shown in (str(summary), summary._repr_html_()):
        assert "no better than the mean of the target" in shown
        for line in summary.lines:
            assert f"{line.estimate:.6g}" in shown and f"{line.published:.6g}" in shown


def test_where_r_squared_is_not_known_the_summary_says_so():
    X, y = small_rows(600, 2)
    for settings in ({"profile": "paper", "horizon": 4}, {"loss": "huber:0.3", "horizon": 4}):
        stream = rivulet.Stream(**{**box(2, insecure_seed=4), "release_every": 300, **settings})
        stream.observe_many(X, y)
        summary = stream.summary()
        assert summary.r_squared is None and summary.better_than_baseline is None
        assert "R² of the model is not known: " in str(summary) and "is not known" in summary._repr_html_()


def test_units_are_counted_as_the_tool_counts_them(cli, tmp_path):
    X, y = small_rows(900, 2)
    units = np.arange(900) // 6
    frame = pd.DataFrame({"x0": X[:, 0], "x1": X[:, 1], "y": y, "person": units})
    source, out = tmp_path / "rows.csv", tmp_path / "releases.jsonl"
    frame.to_csv(source, index=False)
    cli("fit", source, "--target", "y", "--features", "x0,x1", "--bound", "x0=-1:1", "--bound", "x1=-1:1", "--bound", "y=-1:1", "--unit",
        "person", "--max-rows-per-unit", 2, "--epsilon", 1, "--delta", 1e-6, "--release-every", 100, "--insecure-seed", 9, "--releases", out,
        "--quiet")
    settings = box(2, unit=("person", 2), insecure_seed=9)
    table, arrays = rivulet.Stream(**settings), rivulet.Stream(**settings)
    table.observe_many(frame)
    arrays.observe_many(X, y, unit=units)
    assert_same(table, releases_of(out))
    assert_same(arrays, releases_of(out))
    with pytest.raises(rivulet.RequestError, match="every row must say whose"):
        arrays.observe_many(X, y)


ODD_NUMBERS = ["0.5", " 0.25\t", "+1", ".5", "1e-400", "-1e-400", "1e400", "abc", "", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "inf", "0x1", "1_0",
               "1,5", "\u0661", "123-45-6789"]
ODD_WORDS = ["u", " u ", "v", "NA", " NA", "w", "", "null", "U", "u\u00a0"]


def test_odd_cells_mean_the_same_through_every_door(cli, tmp_path):
    """Not one of them is refused, and what cannot be used is a zero row that counts."""
    random = np.random.default_rng(4)
    rows = [{"a": random.choice(ODD_NUMBERS), "c": random.choice(ODD_WORDS), "y": random.choice(ODD_NUMBERS[:9])} for _ in range(2000)]
    source, out = tmp_path / "rows.csv", tmp_path / "releases.jsonl"
    pd.DataFrame(rows).to_csv(source, index=False)
    cli("fit", source, "--target", "y", "--features", "a,c", "--bound", "a=-1:1", "--levels", "c=u|v|NA", "--bound", "y=-1:1", "--epsilon", 1,
        "--delta", 1e-6, "--release-every", 100, "--insecure-seed", 9, "--releases", out, "--quiet")

    def stream():
        return rivulet.Stream(budget=(1, 1e-6), bounds={"a": (-1, 1), "c": ["u", "v", "NA"], "y": (-1, 1)}, target="y", release_every=100, insecure_seed=9)

    doors = {name: stream() for name in ("dict", "list", "columns", "rows", "objects", "frame")}
    columns = {name: [str(row[name]) for row in rows] for name in ("a", "c", "y")}
    for row in rows:
        doors["dict"].observe({name: str(cell) for name, cell in row.items()})
        doors["list"].observe([str(row["a"]), str(row["c"])], str(row["y"]).encode())
    doors["columns"].observe_many(columns)
    doors["rows"].observe_many([[str(row["a"]), str(row["c"])] for row in rows], columns["y"])
    doors["objects"].observe_many(np.array([[str(row["a"]), str(row["c"])] for row in rows], dtype=object), np.array(columns["y"], dtype=object))
    doors["frame"].observe_many(pd.DataFrame(columns, dtype=object))
    for name, door in doors.items():
        assert_same(door, releases_of(out), name)
        assert door.operator_counts() == doors["dict"].operator_counts()


def test_units_have_one_name_through_every_door(cli, tmp_path):
    """Blanks around it are no part of it, and the words for a missing value are nobody."""
    random = np.random.default_rng(5)
    names = ["p1", " p1", "p1\t", "7", " 7 ", "NA", "null", "", "N/A", "P1", "p 1", "True"]
    units = [str(name) for name in random.choice(names, 600)]
    X, y = small_rows(600, 2)
    source, out = tmp_path / "rows.csv", tmp_path / "releases.jsonl"
    pd.DataFrame({"x0": X[:, 0], "x1": X[:, 1], "y": y, "person": units}).to_csv(source, index=False)
    cli("fit", source, "--target", "y", "--features", "x0,x1", "--bound", "x0=-1:1", "--bound", "x1=-1:1", "--bound", "y=-1:1", "--unit",
        "person", "--max-rows-per-unit", 40, "--epsilon", 1, "--delta", 1e-6, "--release-every", 100, "--insecure-seed", 9, "--releases", out,
        "--quiet")

    def other(unit):
        """The same unit as another type says it."""
        text = unit.strip(" \t")
        return {"7": 7, "True": True, "NA": None, "null": pd.NA, "": float("nan"), "N/A": 0.5}.get(text, text.encode())

    settings = box(2, unit=("person", 40), insecure_seed=9)
    doors = {name: rivulet.Stream(**settings) for name in ("given", "typed", "dict", "list", "arrow", "dictionary", "object")}
    for i, unit in enumerate(units):
        row = {"x0": X[i, 0], "x1": X[i, 1]}
        doors["given"].observe(row, y[i], unit)
        doors["typed"].observe(X[i], y[i], other(unit))
        doors["dict"].observe({**row, "person": unit, "y": y[i]})
    doors["list"].observe_many(X, y, [other(unit) if i % 2 else unit for i, unit in enumerate(units)])
    table = {"x0": X[:, 0], "x1": X[:, 1], "y": y}
    doors["arrow"].observe_many(pa.table({**table, "person": units}))
    doors["dictionary"].observe_many(pa.table({**table, "person": pa.array(units).dictionary_encode()}))
    doors["object"].observe_many(pd.DataFrame({**table, "person": pd.Series([other(unit) for unit in units], dtype=object)}))
    for name, door in doors.items():
        assert_same(door, releases_of(out), name)
    for fractions in (np.arange(600) / 2, pa.array(np.arange(600) / 2)):
        with pytest.raises(rivulet.RequestError, match="whole"):
            doors["arrow"].observe_many(pa.table({**table, "person": fractions}))
    with pytest.raises(rivulet.RequestError, match="unit"):
        doors["arrow"].observe_many(X, y, np.arange(600) / 2)
    assert doors["arrow"].rows == 600


def test_classes_quantiles_and_outliers_are_the_tools(cli, tmp_path):
    X, y = small_rows(1200, 2)
    words = np.where(y > 0, "yes", "no")
    source = tmp_path / "rows.csv"
    pd.DataFrame({"x0": X[:, 0], "x1": X[:, 1], "y": y, "word": words}).to_csv(source, index=False)
    common = ["--features", "x0,x1", "--bound", "x0=-1:1", "--bound", "x1=-1:1", "--epsilon", 1, "--delta", 1e-6, "--release-every", 300, "--insecure-seed",
              3, "--quiet"]
    numbers = {"target": "y", "bounds": {"x0": (-1, 1), "x1": (-1, 1), "y": (-1, 1)}}
    classes = {"target": "word", "bounds": {"x0": (-1, 1), "x1": (-1, 1)}, "classes": ("no", "yes")}
    for place, (flags, settings, targets) in enumerate((
            (["--target", "word", "--classes", "no,yes", "--mechanism", "surrogate", "--margin", 3],
             {**classes, "mechanism": "surrogate", "surrogate_margin": 3.0}, words),
            (["--target", "word", "--classes", "no,yes", "--horizon", 4, "--tau", 2], {**classes, "horizon": 4, "erm": {"tau": 2}}, words),
            (["--target", "y", "--bound", "y=-1:1", "--loss", "huber:0.3", "--horizon", 4], {**numbers, "loss": "huber:0.3", "horizon": 4}, y),
            (["--target", "y", "--bound", "y=-1:1", "--loss", "quantile:0.9", "--ridge", 0.1], {**numbers, "loss": "quantile:0.9", "erm": {"ridge": 0.1}}, y))):
        out = tmp_path / f"releases{place}.jsonl"
        cli("fit", source, *flags, *common, "--releases", out)
        stream = rivulet.Stream(budget=(1, 1e-6), release_every=300, insecure_seed=3, **settings)
        stream.observe_many(X, targets)
        for release, line in zip(stream, releases_of(out), strict=True):
            assert release.model.intercept == line["intercept"], flags
            assert release.model.coefficients == line["coefficients"], flags
        table = rivulet.Stream(budget=(1, 1e-6), release_every=300, insecure_seed=3, **settings)
        table.observe_many(pl.read_csv(source))
        assert table.model().coefficients == stream.model().coefficients
