"""Estimators for River: its own checks, and what must not be spent twice."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from river import checks, compose, datasets, evaluate, metrics

import rivulet
from conftest import small_rows
from rivulet.river import PrivateLinearRegression, PrivateLogisticRegression

POLLS = {name: (0, 100) for name in ("gallup", "ipsos", "morning_consult", "rasmussen", "you_gov")} | {"ordinal_date": (730_000, 740_000)}
PHISHING = {name: (-1, 1) for name in next(iter(datasets.Phishing()))[0]}

NOISE = "randomised output: two streams of the same rows publish different models"
FEW = {"check_shuffle_features_no_impact": NOISE, "check_learn_many_matches_learn_one": NOISE}


def models(seed):
    return [PrivateLinearRegression(features=POLLS, target_bounds=(0, 100), budget=(1, 1e-6), release_every=20, insecure_seed=seed),
            PrivateLogisticRegression(features=PHISHING, budget=(1, 1e-6), release_every=20, insecure_seed=seed)]


@pytest.mark.parametrize("model", models(1), ids=lambda model: type(model).__name__)
@pytest.mark.filterwarnings("ignore")
def test_rivers_own_checks_pass(model):
    checks.check_estimator(model)


@pytest.mark.parametrize("model", models(None), ids=lambda model: type(model).__name__)
@pytest.mark.filterwarnings("ignore")
def test_with_secure_noise_only_checks_that_compare_two_streams_fail(model):
    done = set()
    for check in checks.yield_checks(model):
        done.add(check.__name__)
        if check.__name__ in FEW:
            with pytest.raises(AssertionError):
                check(model.clone())
        else:
            check(model.clone())
    assert set(FEW) < done


def rows_of(X, y):
    return [({f"x{i}": value for i, value in enumerate(row)}, target) for row, target in zip(X.tolist(), y.tolist())]


def box(**more):
    return {"features": {f"x{i}": (-1, 1) for i in range(3)}, "target_bounds": (-1, 1), "budget": (1, 1e-6), **more}


def test_it_learns_row_by_row():
    X, y = small_rows(20_000)
    model = PrivateLinearRegression(**box(insecure_seed=1))
    metric = metrics.R2()
    assert model.predict_one({}) == 0.0  # the middle of the bounds
    evaluate.progressive_val_score(rows_of(X, y), model, metric)
    assert metric.get() > 0.75
    assert model.releases.step == 200 and model.releases.summary().rows == 20_000
    classes = PrivateLogisticRegression(features=box()["features"], budget=(1, 1e-6), insecure_seed=1)
    accuracy = evaluate.progressive_val_score(((x, target > 0) for x, target in rows_of(X, -y)), classes, metrics.Accuracy())
    assert accuracy.get() > 0.85


def test_rows_in_batches_are_the_same_rows():
    X, y = small_rows(1000)
    one, pandas, polars = (PrivateLinearRegression(**box(insecure_seed=3)) for _ in range(3))
    for x, target in rows_of(X, y):
        one.learn_one(x, target)
    frame = pd.DataFrame(X, columns=["x0", "x1", "x2"])
    pandas.learn_many(frame, pd.Series(y))
    polars.learn_many(pl.DataFrame(frame.to_dict("list")), pl.Series(y))
    assert one.releases.model().coefficients == pandas.releases.model().coefficients == polars.releases.model().coefficients
    np.testing.assert_allclose(one.predict_many(frame), one.releases.predict(X), rtol=1e-12)


def test_levels_and_missing_values():
    model = PrivateLinearRegression(features={"x": (0, 2), "city": ["a", "b"]}, target_bounds=(0, 1), budget=(1, 1e-6), release_every=10)
    for i in range(40):
        model.learn_one({"x": i % 3, "city": "b" if i % 2 else "a", "other": "ignored"}, i % 2)
    model.learn_one({"x": 1}, 1)
    middle = model.predict_one({"city": "a"})
    assert middle == model.predict_one({"x": 1, "city": "a"}) == model.predict_one({"x": float("nan"), "city": "a"})
    assert model.predict_one({"x": 1, "city": "b"}) != middle
    with pytest.raises(rivulet.RequestError, match="bounds"):
        PrivateLinearRegression(features={"x": 3}, target_bounds=(0, 1), budget=(1, 1e-6))
    with pytest.raises(rivulet.RequestError, match="epsilon"):
        PrivateLinearRegression(**{**box(), "budget": (-1, 1e-6)})


def test_copies_predict_and_refuse_to_learn():
    X, y = small_rows(500)
    model = PrivateLinearRegression(**box())
    rows = rows_of(X, y)
    for x, target in rows:
        model.learn_one(x, target)
    for same in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model)):
        assert same.predict_one(rows[0][0]) == model.predict_one(rows[0][0])
        assert same.releases.step == 5
        with pytest.raises(rivulet.PrivacyError, match="twice"):
            same.learn_one(*rows[0])
    model.learn_one({"x0": 0, "x1": 0, "x2": 0}, 0)
    new = model.clone()
    assert new.releases is None
    with pytest.warns(rivulet.PrivacyWarning, match=r"\(2, 2e-06\)"):
        for x, target in rows:
            new.learn_one(x, target)


def test_in_a_pipeline():
    X, y = small_rows(300)
    model = compose.Pipeline(compose.Select("x0", "x1"), PrivateLinearRegression(**{**box(), "features": {"x0": (-1, 1), "x1": (-1, 1)}}))
    for x, target in rows_of(X, y):
        model.learn_one(x, target)
    assert np.isfinite(model.predict_one({"x0": 0.5, "x1": 0.5}))
