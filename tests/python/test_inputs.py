"""Rows in every form: defined answers, no crash, and nothing taken of what is refused."""

from __future__ import annotations

import random

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import rivulet
from conftest import box, small_rows


def fitted(X, y, **more):
    stream = rivulet.Stream(**box(insecure_seed=5, **more))
    stream.observe_many(X, y)
    return stream.model().coefficients


def test_layouts_and_dtypes_of_the_same_numbers_give_the_same_model():
    X, y = small_rows()
    X, y = np.round(X * 8) / 8, np.round(y * 8) / 8  # representable everywhere
    expected = fitted(X, y)
    read_only = X.copy()
    read_only.flags.writeable = False
    wide = np.zeros((1000, 6))
    wide[:, ::2] = X
    unaligned = np.frombuffer(b"\0" + X.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(X.shape)
    for same in (np.asfortranarray(X), read_only, wide[:, ::2], X[::-1][::-1], X.astype(np.float32), X.astype(np.float16),
                 X.astype(">f8"), X.astype(object), X.tolist(), unaligned, scipy.sparse.csr_array(X), scipy.sparse.coo_matrix(X),
                 pd.DataFrame(X, columns=["x0", "x1", "x2"]), pl.DataFrame(X, schema=["x0", "x1", "x2"]),
                 pa.table({f"x{i}": X[:, i] for i in range(3)}), {f"x{i}": X[:, i].tolist() for i in range(3)},
                 pd.DataFrame(X[:, ::-1], columns=["x2", "x1", "x0"]), np.ma.masked_array(X)):
        assert fitted(same, y) == expected
    for same in (y.tolist(), y.astype(np.float32), pd.Series(y), pl.Series(y), y[::-1][::-1], y.astype(object)):
        assert fitted(X, same) == expected
    whole = np.sign(X)
    expected = fitted(whole, y)
    for same in (whole.astype(np.int8), whole.astype(np.int64), pa.table({f"x{i}": whole[:, i].astype(np.int16) for i in range(3)})):
        assert fitted(same, y) == expected


def test_missing_values_of_every_kind_make_zero_rows():
    X, y = small_rows()
    X[3, 1] = X[50, 0] = np.nan
    expected = fitted(X, y)
    objects = X.astype(object)
    objects[3, 1] = objects[50, 0] = None
    frame = pd.DataFrame(X, columns=["x0", "x1", "x2"])
    nullable = frame.convert_dtypes()
    nulls = pa.table({name: pa.array([None if np.isnan(value) else value for value in frame[name]]) for name in frame})
    for same in (objects, frame, nullable, nulls, pl.DataFrame(frame.to_dict("list")).fill_nan(None),
                 {name: objects[:, i] for i, name in enumerate(frame)}, {name: nullable[name] for name in frame}):
        assert fitted(same, y) == expected
    infinite = X.copy()
    infinite[3, 1] = np.inf
    infinite[50, 0] = -np.inf
    assert fitted(infinite, y) == expected


def test_levels_from_words_dictionaries_and_numbers_agree():
    names = ["red", "a name longer than twelve bytes", "blue"]
    random_codes = np.random.default_rng(1).integers(0, 4, 500)
    words = [None if code == 3 else names[code] for code in random_codes]
    y = (random_codes == 1).astype(float)
    bounds = {"colour": names, "y": (0, 1)}

    def model(table):
        stream = rivulet.Stream(budget=(1, 1e-6), bounds=bounds, target="y", release_every=100, insecure_seed=1)
        stream.observe_many(table, y)
        return stream.model().coefficients

    expected = model({"colour": words})
    assert list(expected) == ["colour=a name longer than twelve bytes", "colour=blue"]
    column = pa.array(words)
    for same in (pa.table({"colour": column}), pa.table({"colour": column.cast(pa.large_string())}),
                 pa.table({"colour": column.cast(pa.string_view())}), pa.table({"colour": column.dictionary_encode()}),
                 pl.DataFrame({"colour": words}), pl.DataFrame({"colour": pl.Series(words, dtype=pl.Categorical)}),
                 pd.DataFrame({"colour": pd.Categorical(words)}), np.array(words, dtype=object).reshape(-1, 1)):
        assert model(same) == expected
    numbers = rivulet.Stream(budget=(1, 1e-6), bounds={"n": ["0", "1", "2", "3"], "y": (0, 1)}, target="y", insecure_seed=1, release_every=100)
    numbers.observe_many({"n": random_codes}, y)
    texts = rivulet.Stream(budget=(1, 1e-6), bounds={"n": ["0", "1", "2", "3"], "y": (0, 1)}, target="y", insecure_seed=1, release_every=100)
    texts.observe_many(pa.table({"n": random_codes}), y)
    assert numbers.model().coefficients == texts.model().coefficients


def test_what_is_refused_is_refused_before_a_row_is_taken():
    X, y = small_rows(10)
    stream = rivulet.Stream(**box())
    for bad, targets in (
            (X[:, :2], y), (X[0], y), (X[None], y), (X, y[:9]), (X, y.reshape(-1, 1)), (X.astype(complex), y), (X, y.astype(str)),
            (X.astype("datetime64[s]"), y), (pd.DataFrame(X), y), (pd.DataFrame(X, columns=["x0", "x1", "z"]), y), (pa.table({"x0": [1]}), y),
            (pl.DataFrame(X, schema=["x0", "x1", "x2"]).cast(pl.String), y), (pa.table({f"x{i}": pa.array(["a secret"] * 10).dictionary_encode() for i in range(3)}), y),
            ([[1, 2, 3], [4, 5]], [0, 0]), (None, y), (object(), y), ([1, 2, 3], [0, 0, 0]),
            ([{"x0": 1}], [0]), (X, None), (scipy.sparse.csr_array(X[:, :2]), y), (pa.table({f"x{i}": [[1.0]] for i in range(3)}), [0.0]),
            ({"x0": [1], "x1": [1, 2], "x2": [1]}, [0])):
        with pytest.raises(rivulet.RequestError) as refused:
            stream.observe_many(bad, targets)
        assert "secret" not in str(refused.value)
    for bad in ([1, 2], [1, 2, 3, 4], "abc", 5, None, np.zeros(2), np.zeros((3, 1)), pd.DataFrame(X, columns=["x0", "x1", "x2"])):
        with pytest.raises(rivulet.RequestError) as refused:
            stream.observe(bad, 0.5)
        assert "secret" not in str(refused.value)
    with pytest.raises(rivulet.RequestError, match="single rows"):
        stream.observe([0, 0, 0], 0.5, unit="me")
    assert stream.rows == 0


def test_nothing_is_made_of_nothing():
    stream = rivulet.Stream(**box())
    for empty in (np.zeros((0, 3)), [], pd.DataFrame({"x0": [], "x1": [], "x2": []}), pa.table({f"x{i}": pa.array([], pa.float64()) for i in range(3)}),
                  scipy.sparse.csr_array((0, 3))):
        assert stream.observe_many(empty, []) == 0
    assert stream.rows == 0 and stream._flush() is False


def test_a_frame_that_cannot_speak_arrow_is_read_by_columns():
    class Frame(pd.DataFrame):
        def __arrow_c_stream__(self, requested_schema=None):
            raise ImportError("pyarrow")

    X, y = small_rows()
    frame = pd.DataFrame(X, columns=["x0", "x1", "x2"])
    assert fitted(Frame(frame), y) == fitted(frame, y)
    assert fitted(Frame(frame.assign(y=y)), None) == fitted(frame, y)


def test_rows_of_dicts_in_any_order_with_more_and_less():
    by_dict, by_list = rivulet.Stream(**box(insecure_seed=1)), rivulet.Stream(**box(insecure_seed=1))
    generator = random.Random(0)
    X, y = small_rows(300)
    for row, target in zip(X.tolist(), y.tolist()):
        entries = [("x0", row[0]), ("x1", row[1]), ("x2", row[2]), ("more", "ignored"), (7, 8)]
        generator.shuffle(entries)
        if generator.random() < 0.1:
            entries = [entry for entry in entries if entry[0] != "x1"]
            row[1] = float("nan")
        by_dict.observe(dict(entries), target)
        by_list.observe(row, target)
    assert by_dict.model().coefficients == by_list.model().coefficients
    assert by_dict.operator_counts() == by_list.operator_counts()


def test_an_arrow_stream_that_fails_halfway_keeps_the_rows_before():
    X, y = small_rows(400)
    batch = pa.record_batch({**{f"x{i}": X[:, i] for i in range(3)}, "y": y})

    def batches():
        yield batch
        raise OSError("the disk is gone")

    stream = rivulet.Stream(**box())
    with pytest.raises(rivulet.IoError, match="failed"):
        stream.observe_many(pa.RecordBatchReader.from_batches(batch.schema, batches()))
    assert stream.rows == 400


def test_a_fuzz_loop_finds_no_crash_and_no_row_in_an_error():
    generator = np.random.default_rng(11)
    pick = random.Random(11)
    stream = rivulet.Stream(budget=(1, 1e-6), bounds={"a": (-1, 1), "c": ["u", "v"], "y": (-1, 1)}, target="y", release_every=7)
    atoms = [0.5, -3, None, float("nan"), float("inf"), "u", "v", "secret-w", "", True, b"u", 10**400, object(), [1], {}, np.float32(1), np.int8(2),
             np.str_("v"), "\udcff", pd.NA, (1, 2)]
    dtypes = ["f8", "f4", "f2", "i1", "u8", "?", "O", "U3", "c16", "M8[s]", "S2", ">f8"]
    refused = taken = 0
    for turn in range(3000):
        kind = pick.randrange(6)
        try:
            if kind == 0:
                stream.observe({pick.choice(["a", "c", "y", "z", 3]): pick.choice(atoms) for _ in range(pick.randrange(5))}, pick.choice(atoms))
            elif kind == 1:
                stream.observe([pick.choice(atoms) for _ in range(pick.randrange(4))], pick.choice(atoms))
            elif kind == 2:
                shape = tuple(pick.randrange(4) for _ in range(pick.randrange(4)))
                values = generator.normal(size=shape).astype("O" if (dtype := pick.choice(dtypes)) == "O" else "f8")
                with np.errstate(all="ignore"):
                    array = values if dtype == "O" else values.astype("i8").astype(dtype) if dtype[0] in "MSU" else values.astype(dtype)
                stream.observe_many(array.T if pick.random() < 0.5 else array, generator.normal(size=pick.randrange(4)))
            elif kind == 3:
                stream.observe_many({name: [pick.choice(atoms) for _ in range(pick.randrange(3))] for name in ("a", "c", "y")})
            elif kind == 4:
                columns = {name: pick.choice([pa.array([1.0, None]), pa.array(["u", None]), pa.array([1, 2], pa.int8()), pa.nulls(2),
                                              pa.array([True, False]), pa.array(["u", "v"]).dictionary_encode(), pa.array([[1], [2]]),
                                              pa.array([b"u", b"v"]), pa.chunked_array([["u"], ["v"]]), pa.array([1.0, 2.0], pa.float16())])
                           for name in pick.sample(["a", "c", "y", "z"], pick.randrange(1, 5))}
                table = pa.table(columns)
                stream.observe_many(table.slice(pick.randrange(3)), None if pick.random() < 0.7 else [pick.random()] * pick.randrange(3))
            else:
                stream.model().predict(generator.normal(size=(pick.randrange(3), pick.randrange(4))))
            taken += 1
        except rivulet.Error as error:
            assert "secret-w" not in str(error)
            refused += 1
    assert taken > 200 and refused > 500
    assert stream.step == stream.rows // 7 and np.all(np.isfinite(stream.model().coef))
