"""Every row stands alone: what one row says never reaches another, and never decides whether a row counts."""

from __future__ import annotations

import math

import pytest

import rivulet


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
            river = pytest.importorskip("rivulet.river")
            model = river.PrivateLinearRegression(features=bounds, target_bounds=(-1, 1), budget=(1, 1e-6), release_every=1001, horizon=1)
            model.learn_one({"age": 0.5, "income": victim}, 0.0)
            for _ in range(1000):
                model.learn_one(hostile, 0.0)
            stream = model._stream
        statistics = next(iter(stream)).statistics
        assert not statistics.not_private and stream.rows == 1001
        return statistics.gram[1][2], statistics.noise.gram_offdiagonal

    (low, noise), (high, _) = released(-1.0), released(1.0)
    assert abs(high - low) < 10 * math.sqrt(2) * noise
