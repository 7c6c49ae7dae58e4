"""The doors that rows come in by, for row_oracle.py: how each is fed a pair of rows, and what it has published then."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse

import rivulet
from rivulet._settings import make_options, settings_from
from hostile_rows import LEVELS, Colliding, Renamed, Whole, mapping, number, word

BOUNDS = {"age": (-1, 1), "income": (-2, 3), "colour": LEVELS, "y": (-1, 1)}
# Sums of integers all the way: a tree's releases are exact in doubles, where other strategies round in the last digits.
EXACT = {"strategy": "tree", "tree_decoding": "paper"}
PAIRS_A_STREAM = 4000  # sums stay small enough for doubles to hold every unit of the lattice


class Door:
    name = ""
    batch = 500  # pairs between two looks at the sums
    options: dict = {}

    def stream(self):
        return rivulet.Stream(budget=(4, 1e-6), bounds=BOUNDS, target="y", release_every=2, horizon=PAIRS_A_STREAM, insecure_seed=11,
                              **EXACT, **self.options)

    def pair(self, pick):
        """Two rows, the row that says nothing, and whatever must be the same for all four."""
        raise NotImplementedError

    def feed(self, stream, first, second, shared):
        stream.observe(*first)
        stream.observe(*second)

    def sums(self, stream):
        step = stream.step
        statistics = stream._range(step, step)[0].statistics
        return np.concatenate([statistics.gram.ravel(), statistics.cross, [statistics.target_square]])

    def rows(self, stream):
        return stream.rows

    def close(self, stream):
        pass


class DictDoor(Door):
    name = "dict"

    def pair(self, pick):
        def row():
            return (mapping(pick),) if pick.random() < 0.5 else (mapping(pick), number(pick))
        return row(), row(), ({"age": None}, None), None


class UnitDoor(Door):
    name = "unit"
    options = {"unit": ("who", 1000)}

    def __init__(self):
        self.people = 0

    def pair(self, pick):
        def row():
            self.people += 1
            unit = pick.choice([f"p{self.people}", f" p{self.people}\t", self.people, "NA", "", None, b"b%d" % self.people, self.people / 2, [1],
                                10**5000 + self.people, f"\udcff{self.people}", Whole(self.people), Whole(TypeError())])
            if pick.random() < 0.5:
                return mapping(pick), number(pick), unit
            try:
                return ({**mapping(pick), "who": unit}, number(pick))
            except RuntimeError:
                return ({"who": unit}, number(pick))
        return row(), row(), ({"age": None}, None, f"zero{self.people}"), None


class SequenceDoor(Door):
    name = "sequence"

    def pair(self, pick):
        def row():
            cells = [number(pick), number(pick), word(pick)]
            kind = pick.randrange(4)
            if kind == 0:
                return cells, number(pick)
            if kind == 1:
                return tuple(cells), number(pick)
            if kind == 2:
                wrapped = np.empty(3, dtype=object)
                for i, cell in enumerate(cells):
                    wrapped[i] = cell
                return wrapped, number(pick)
            indicators = np.array([pick.uniform(-1, 1) for _ in range(5)])
            return indicators[::-1] if pick.random() < 0.5 else np.ma.masked_array(indicators, indicators > 0.8), number(pick)
        return row(), row(), ([None, None, None], None), None


class SparseDictDoor(Door):
    name = "sparse dict"

    def stream(self):
        bounds = {"age": (-1, 1), "w": rivulet.Block(6, -1, 1), "colour": LEVELS, "y": (-1, 1)}
        return rivulet.Stream(budget=(4, 1e-6), bounds=bounds, target="y", release_every=2, horizon=PAIRS_A_STREAM, clip_norm=2.0, insecure_seed=11,
                              **EXACT)

    def pair(self, pick):
        def row():
            entries = {f"w{i}": number(pick) for i in range(8) if pick.random() < 0.4}
            entries.update({f"w{pick.randrange(8)}\0": 0.5} if pick.random() < 0.2 else {})
            entries.update({Renamed("w1"): 0.5} if pick.random() < 0.2 else {})
            if pick.random() < 0.8:
                entries.update({"age": number(pick), "colour": word(pick)})
            return entries, number(pick)
        return row(), row(), ({"age": None}, None), None


class TableDoor(Door):
    """Two-row tables of cells, in every form that has no types of its own."""

    name = "cells"
    names = ("age", "income", "colour", "y")

    def pair(self, pick):
        def row():
            return [number(pick), number(pick), word(pick), number(pick)]
        return row(), row(), [None] * 4, (pick.randrange(6), pick.random())

    def feed(self, stream, first, second, shared):
        form, _ = shared
        columns = {name: [first[i], second[i]] for i, name in enumerate(self.names)}
        if form == 0:
            stream.observe_many(columns)
        elif form == 1:
            stream.observe_many([first[:3], tuple(second[:3])], [first[3], second[3]])
        elif form == 2:
            stream.observe_many({name: as_objects(cells) for name, cells in columns.items()})
        elif form == 3:
            matrix = np.empty((2, 3), dtype=object)
            for i in range(3):
                matrix[0, i], matrix[1, i] = first[i], second[i]
            stream.observe_many(matrix[:, ::1] if shared[1] < 0.5 else np.asfortranarray(matrix), (first[3], second[3]))
        elif form == 4:
            stream.observe_many(pd.DataFrame({name: pd.Series(as_objects(cells), dtype=object) for name, cells in columns.items()}))
        else:
            stream.observe_many(pd.DataFrame({name: pd.Series(as_objects(cells), dtype=object) for name, cells in columns.items() if name != "y"}),
                                as_objects(columns["y"]))


def as_objects(cells):
    array = np.empty(len(cells), dtype=object)
    for i, cell in enumerate(cells):
        array[i] = cell
    return array


class ArrowDoor(Door):
    """Typed tables: masks, offsets, chunk borders, empty chunks, dictionaries that differ from chunk to chunk."""

    name = "arrow"
    number_types = [pa.float64(), pa.float32(), pa.int8(), pa.uint64(), pa.bool_(), pa.null(), pa.float16()]
    word_types = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.uint32(), pa.large_string()),
                  pa.int32(), pa.null()]

    @staticmethod
    def cell(pick, kind):
        if pick.random() < 0.15 or pa.types.is_null(kind):
            return None
        if pa.types.is_boolean(kind):
            return pick.random() < 0.5
        if pa.types.is_integer(kind):
            return pick.choice([0, 1, 7, 2]) if pa.types.is_unsigned_integer(kind) else pick.choice([0, 1, -1, 7, -100])
        if pa.types.is_floating(kind):
            value = pick.choice([pick.uniform(-1, 1), pick.uniform(-1, 1), float("nan"), float("inf"), -0.0, 60000.0])
            return float(np.float16(value)) if kind == pa.float16() else value
        return pick.choice([*LEVELS, " red", "blue", "", "\0", "red\0", "a text that is longer than twelve bytes"])

    def pair(self, pick):
        kinds = [pick.choice(self.number_types), pick.choice(self.number_types), pick.choice(self.word_types), pick.choice(self.number_types)]

        def row():
            return [self.cell(pick, kind) for kind in kinds]
        return row(), row(), [None] * 4, (kinds, [row() for _ in range(3)], pick.random(), pick.random())

    def feed(self, stream, first, second, shared):
        kinds, around, layout, form = shared

        def array(cells, kind):
            if pa.types.is_dictionary(kind):
                return pa.array(cells, kind.value_type).dictionary_encode().cast(kind)
            if kind == pa.float16():
                return pa.array([None if cell is None else np.float16(cell) for cell in cells], kind)
            return pa.array(cells, kind)

        columns = {}
        for i, name in enumerate(("age", "income", "colour", "y")):
            before, after = [row[i] for row in around[:2]], [around[2][i]]
            if layout < 0.4:
                columns[name] = pa.chunked_array([array([first[i]], kinds[i]), array([], kinds[i]), array([second[i]], kinds[i])])
            elif layout < 0.8:
                columns[name] = pa.chunked_array([array([*before, first[i], second[i], *after], kinds[i]).slice(2, 2)])
            else:
                columns[name] = pa.chunked_array([array([*before, first[i]], kinds[i]).slice(2), array([second[i], *after], kinds[i]).slice(0, 1)])
        table = pa.table(columns)
        if form < 0.6:
            stream.observe_many(table)
        elif form < 0.8 and not any(kind in (pa.null(), pa.float16()) for kind in kinds):
            stream.observe_many(pl.from_arrow(table))
        else:
            stream.observe_many(pa.RecordBatchReader.from_batches(table.schema, table.to_batches()))


class ArrayDoor(Door):
    """Arrays of numbers: layouts, types, masks; CSR matrices that are no good ones."""

    name = "array"

    def pair(self, pick):
        def row():
            return [pick.choice([pick.uniform(-1, 1), pick.uniform(-1, 1), 0.0, float("nan"), float("inf"), 1e-310, 5.0]) for _ in range(6)]
        return row(), row(), [float("nan")] * 6, pick.randrange(8)

    def feed(self, stream, first, second, form):
        values = np.array([first, second])
        X, y = values[:, :5], values[:, 5]
        if form == 1:
            X = np.asfortranarray(X)
        elif form == 2:
            X = np.ascontiguousarray(X[:, ::-1])[:, ::-1]
        elif form == 3:
            X = np.ma.masked_array(np.nan_to_num(X, nan=0.25, posinf=2.0), np.isnan(X))
        elif form == 4:
            X = X.astype(np.longdouble)
        elif form == 5:
            X = scipy.sparse.csr_array(X)
        elif form == 6:  # a column named twice, columns in any order; the first row's says so
            X = scipy.sparse.csr_array((np.concatenate([X[0], X[1]]), np.array([4, 3, 2, 1, 1, 0, 1, 2, 3, 4]), np.array([0, 5, 10])), shape=(2, 5))
        elif form == 7:
            X = np.ascontiguousarray(X)
            y = np.ascontiguousarray(y)
        stream.observe_many(X, y)


class RiverDoor(Door):
    name = "river"

    def stream(self):
        import rivulet.river

        return self.exact(rivulet.river.PrivateLinearRegression(features={name: BOUNDS[name] for name in BOUNDS if name != "y"}, target_bounds=(-1, 1),
                                                                budget=(4, 1e-6), release_every=2, horizon=PAIRS_A_STREAM, insecure_seed=11))

    @staticmethod
    def exact(model):
        model._options = make_options({**json.loads(model._options.settings()), **settings_from(EXACT)})
        return model

    def pair(self, pick):
        return (mapping(pick), number(pick)), (mapping(pick), number(pick)), ({"age": None}, None), None

    def feed(self, model, first, second, shared):
        model.learn_one(*first)
        model.learn_one(*second)

    def sums(self, model):
        return super().sums(model._stream)

    def rows(self, model):
        return 0 if model._stream is None else model._stream.rows


class RiverClassDoor(RiverDoor):
    name = "river classes"

    def stream(self):
        import rivulet.river

        return self.exact(rivulet.river.PrivateLogisticRegression(features={name: BOUNDS[name] for name in BOUNDS if name != "y"}, budget=(4, 1e-6),
                                                                  release_every=2, horizon=PAIRS_A_STREAM, insecure_seed=11))

    def pair(self, pick):
        def label():
            return pick.choice([True, False, 1, 0, "yes", None, float("nan"), Colliding("True", "x", None), np.array([True, False]), number(pick)])
        return (mapping(pick), label()), (mapping(pick), label()), ({"age": None}, None), None


class SklearnDoor(Door):
    name = "scikit-learn"
    batch = 50

    def stream(self):
        import rivulet.sklearn

        class Exact(rivulet.sklearn.PrivateLinearRegression):
            def _settings(self):
                return EXACT

        return Exact(budget=(4, 1e-6), bounds=(-1, 1), target_bounds=(-1, 1), horizon=PAIRS_A_STREAM, insecure_seed=11)

    def pair(self, pick):
        def row():
            return [number(pick) for _ in range(4)]
        return row(), row(), [None] * 4, pick.randrange(3)

    def feed(self, model, first, second, form):
        X, y = [first[:3], second[:3]], [first[3], second[3]]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if form == 0:
                model.partial_fit([list(X[0]), list(X[1])], as_objects(y))
            else:
                matrix = np.empty((2, 3), dtype=object)
                for i in range(2):
                    for j in range(3):
                        matrix[i, j] = X[i][j]
                model.partial_fit(matrix if form == 1 else pd.DataFrame(matrix, dtype=object), as_objects(y))

    def sums(self, model):
        return super().sums(model._stream)

    def rows(self, model):
        return 0 if not hasattr(model, "_stream") else model._stream.rows


DOORS = {door.name: door for door in (DictDoor, UnitDoor, SequenceDoor, SparseDictDoor, TableDoor, ArrowDoor, ArrayDoor, RiverDoor, RiverClassDoor,
                                      SklearnDoor)}
