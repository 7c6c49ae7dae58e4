"""Every row stands alone: what one row says never reaches another, and never decides whether a row counts."""

from __future__ import annotations

import math
import traceback
from collections import UserDict as Mapping

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import rivulet
import rivulet.river
import rivulet.sklearn
import row_oracle
from conftest import box, small_rows


class Renamed(str):
    """A key that says it is something else."""

    def __str__(self):
        return "age"


HOSTILE_ROWS = [
    {"age": 0.5, "age\0": 0.5},
    {"age": 0.5, "age\0income": 0.5},
    {"age": 0.5, Renamed("income\0"): 0.5},
    {"age": 0.5, Renamed("zip"): 0.5},
    {"age": 0.5, "zip": 0.5},
    {"age": 0.5},
]


@pytest.mark.parametrize("hostile", HOSTILE_ROWS, ids=range(len(HOSTILE_ROWS)))
@pytest.mark.parametrize("door", ["observe", "learn_one"])
def test_one_row_is_not_seen_in_the_rows_that_follow_it(hostile, door):
    """The noise is secure, and the rows after the victim leave out its column. Were its value used for them, the released
    sum of age * income would differ by 1000 / 3, more than 50 standard deviations; two independent releases differ by more than
    10 * sqrt(2) with probability below 1e-11."""

    def released(victim):
        rivulet.forget_rows()
        bounds = {"age": (-1, 1), "income": (-1, 1)}
        if door == "observe":
            stream = rivulet.Stream(budget=(1, 1e-6), bounds={**bounds, "y": (-1, 1)}, target="y", release_every=1001, horizon=1)
            stream.observe({"age": 0.5, "income": victim}, 0.0)
            for _ in range(1000):
                stream.observe(hostile, 0.0)
        else:
            model = rivulet.river.PrivateLinearRegression(features=bounds, target_bounds=(-1, 1), budget=(1, 1e-6), release_every=1001, horizon=1)
            model.learn_one({"age": 0.5, "income": victim}, 0.0)
            for _ in range(1000):
                model.learn_one(hostile, 0.0)
            stream = model._stream
        statistics = next(iter(stream)).statistics
        assert not statistics.not_private and stream.rows == 1001
        return statistics.gram[1][2], statistics.noise.gram_offdiagonal

    (low, noise), (high, _) = released(-1.0), released(1.0)
    assert abs(high - low) < 10 * math.sqrt(2) * noise


@pytest.mark.parametrize("door", sorted(row_oracle.DOORS))
@pytest.mark.filterwarnings("ignore")
def test_the_oracle_finds_no_pair_of_rows_that_know_of_each_other(door):
    row_oracle.run(row_oracle.DOORS[door](), 100 if door == "scikit-learn" else 1500, seed=20)


SECRET = "123-45-6789"


class Refuses:
    """A value that fails whatever is asked of it, with something in its text that nobody may read."""

    def _fail(self, *_):
        raise RuntimeError(SECRET)

    __float__ = __index__ = __str__ = __repr__ = __eq__ = __bool__ = __len__ = __iter__ = _fail
    __hash__ = object.__hash__


ODD_CELLS = [SECRET, "\udcff", b"\xff", None, 10**400, 10**5000, object(), [1], {}, Refuses(), 1j, float("nan")]


def test_what_a_row_says_does_not_decide_whether_it_counts():
    stream = rivulet.Stream(**box(release_every=10_000, unit=("who", 3)))
    rows = [{}, {"x0": 1.0}, {"\udcff": 1}, {Refuses(): 1}, {b"x0": 1}, {3: 4}, Mapping({"x0": SECRET})]
    rows += [{"x0": cell, "x1": 0.5, "x2": cell} for cell in ODD_CELLS] + [[cell, cell, 0.5] for cell in ODD_CELLS]
    for row in rows:
        for cell in ODD_CELLS:
            stream.observe(row, cell, unit=cell)
    assert stream.rows == len(rows) * len(ODD_CELLS)
    # One bad cell among a thousand rows.
    X, y = small_rows(1000)
    for cell in ODD_CELLS:
        objects = X.astype(object)
        objects[500, 1] = cell
        targets = y.astype(object)
        targets[400] = cell
        units = [f"p{i}" for i in range(999)] + [cell]
        before = stream.rows
        stream.observe_many(objects, targets, units)
        stream.observe_many(objects.tolist(), targets.tolist(), units)
        stream.observe_many({f"x{i}": objects[:, i] for i in range(3)}, targets.tolist(), units)
        stream.observe_many(pd.DataFrame(objects, columns=["x0", "x1", "x2"]), targets, units)
        assert stream.rows == before + 4000


@pytest.mark.parametrize("cell", ODD_CELLS, ids=range(len(ODD_CELLS)))
@pytest.mark.filterwarnings("ignore::rivulet.PrivacyWarning")
def test_estimators_count_every_row_and_show_no_cell(cell):
    X, y = small_rows(300)
    objects, targets = X.astype(object), y.astype(object)
    objects[7, 1] = cell
    targets[9] = cell
    labels = np.where(y > 0, "yes", "no").astype(object)
    labels[11] = cell
    frame = pd.DataFrame(objects, columns=["x0", "x1", "x2"])
    box = dict(budget=(1, 1e-6), bounds=(-1, 1))
    for rows in (objects, objects.tolist(), frame):
        for model in (rivulet.sklearn.PrivateLinearRegression(**box, target_bounds=(-1, 1)), rivulet.sklearn.PrivateLasso(**box, target_bounds=(-1, 1))):
            assert model.fit(rows, targets).releases_.model().rows == 300
            model = model.__class__(**model.get_params())
            assert model.partial_fit(rows, targets).partial_fit(rows, targets).releases_.model().rows == 600
            assert (~np.isfinite(model.predict(rows))).sum() == 1
        model = rivulet.sklearn.PrivateLogisticRegression(**box, classes=("no", "yes"))
        assert model.partial_fit(rows, labels).releases_.model().rows == 300
    learner = rivulet.river.PrivateLinearRegression({"x0": (-1, 1)}, (-1, 1), (1, 1e-6), release_every=2)
    classifier = rivulet.river.PrivateLogisticRegression({"x0": (-1, 1)}, (1, 1e-6), release_every=2)
    for model in (learner, classifier):
        model.learn_one({"x0": cell}, 0.5)
        model.learn_one({"x0": 0.5}, cell)
        model.learn_many(frame[:10], pd.Series(targets[:10]))
        assert model._stream.rows == 12


def test_no_cell_stands_in_an_error_or_its_causes():
    """Of tables that are refused by shape or type, through libraries that like to show what they choked on."""
    X, y = small_rows(4)
    objects = X.astype(object)
    objects[1, 1] = SECRET
    frame = pd.DataFrame(objects, columns=["x0", "x1", "x2"])
    stream = rivulet.Stream(**box())
    model = rivulet.sklearn.PrivateLinearRegression(budget=(1, 1e-6), bounds=(-1, 1), target_bounds=(-1, 1))
    classifier = rivulet.sklearn.PrivateLogisticRegression(budget=(1, 1e-6), bounds=(-1, 1))

    def batches():
        yield pa.record_batch({**{f"x{i}": X[:, i] for i in range(3)}, "y": y})
        raise OSError(SECRET)

    failing = pa.RecordBatchReader.from_batches(pa.schema([("x0", "double"), ("x1", "double"), ("x2", "double"), ("y", "double")]), batches())
    calls = [
        lambda: stream.observe_many(frame[["x0", "x1"]], y),
        lambda: stream.observe_many(frame, y[:2]),
        lambda: stream.observe_many(frame.astype({"x1": "string"}).rename(columns={"x2": "z"}), y),
        lambda: stream.observe_many(pa.table({f"x{i}": [SECRET] * 4 for i in range(3)}), y),
        lambda: stream.observe_many([[SECRET, 1, 2], [3, SECRET]], [0, 0]),
        lambda: stream.observe_many(np.array([[SECRET] * 2] * 4), y),
        lambda: stream.observe_many(Refuses(), y),
        lambda: stream.observe_many(X, Refuses()),
        lambda: stream.observe_many(failing),
        lambda: stream.observe([SECRET] * 4, 0.0),
        lambda: model.fit([[SECRET, 1], [2]], [0, 0]),
        lambda: model.fit(frame, y[:2]),
        lambda: model.fit(frame, objects[:, :2]),
        lambda: classifier.fit(X, [SECRET, 1.5, None, "b"]),
        lambda: classifier.fit(X, objects[:, 1]),
    ]
    for call in calls:
        with pytest.raises((rivulet.Error, ValueError, TypeError)) as refused:
            call()
        assert SECRET not in "".join(traceback.format_exception(refused.value))


def test_true_and_false_are_no_seeds_and_no_counts():
    """insecure_seed=False once was the deterministic seed 0."""
    for setting in ("insecure_seed", "release_every", "horizon", "buffers"):
        for value in (True, False):
            with pytest.raises(rivulet.RequestError, match=setting):
                rivulet.Stream(**{**box(), setting: value})
    X, y = small_rows(10)
    with pytest.raises(rivulet.RequestError, match="insecure_seed"):
        rivulet.sklearn.PrivateLinearRegression(budget=(1, 1e-6), bounds=(-1, 1), target_bounds=(-1, 1), insecure_seed=False).fit(X, y)
    with pytest.raises(rivulet.RequestError, match="insecure_seed"):
        rivulet.river.PrivateLinearRegression({"x0": (-1, 1)}, (-1, 1), (1, 1e-6), insecure_seed=False)
