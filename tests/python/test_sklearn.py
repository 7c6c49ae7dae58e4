"""Estimators for scikit-learn: its own checks, its tools, and what must not be spent twice."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator

import rivulet
from conftest import small_rows
from rivulet.sklearn import PrivateLasso, PrivateLinearRegression, PrivateLogisticRegression

BOX = dict(budget=(1, 1e-6), bounds=(-1, 1), target_bounds=(-1, 1))
# Bounds that hold the checks' data, and a budget that leaves something to see of their 30 to 300 rows.
WIDE = dict(budget=(1e6, 1e-6), bounds=(-10, 10))
REGRESSION = dict(WIDE, target_bounds=(-10, 10))

NOISE = "randomised output: the noise is fresh in every fit, so two fits differ"
DROWNED = "randomised output: at epsilon 1 the noise drowns the 200 to 300 rows of the check"
CONTENT = "what a cell says must not decide whether its row counts: the row is a zero row, and nothing is raised"
ALONE = {"check_dtype_object": CONTENT}
TARGET_ALONE = {**ALONE, "check_supervised_y_no_nan": CONTENT}
SPENT = "fit() spent the whole budget on its one release, so that partial_fit() after it is refused"

SEEDED = [
    (PrivateLinearRegression(**REGRESSION, constraint="l2:50", horizon="unbounded", insecure_seed=1), TARGET_ALONE),
    (PrivateLinearRegression(**REGRESSION, constraint="l2:50", insecure_seed=1), {"check_fit_score_takes_y": SPENT, **TARGET_ALONE}),
    (PrivateLasso(**REGRESSION, radius=50, horizon="unbounded", insecure_seed=1), TARGET_ALONE),
    (PrivateLogisticRegression(**WIDE, constraint="l2:50", horizon="unbounded", insecure_seed=1), ALONE),
    (PrivateLogisticRegression(budget=(100, 1e-6), bounds=(-10, 10), constraint="l2:50", method="erm", horizon=1000, release_every=30,
                               insecure_seed=1), ALONE),
]
SECURE = [
    (PrivateLinearRegression(budget=(1, 1e-6), bounds=(-10, 10), target_bounds=(-10, 10), horizon="unbounded"),
     {"check_regressors_train": DROWNED, "check_regressor_data_not_an_array": NOISE, "check_supervised_y_2d": NOISE,
      "check_regressors_int": NOISE, "check_fit_idempotent": NOISE, **TARGET_ALONE}),
    (PrivateLasso(budget=(1, 1e-6), bounds=(-10, 10), target_bounds=(-10, 10), horizon="unbounded"),
     {"check_regressors_train": DROWNED, "check_regressor_data_not_an_array": NOISE, "check_supervised_y_2d": NOISE,
      "check_regressors_int": NOISE, "check_fit_idempotent": NOISE, **TARGET_ALONE}),
    (PrivateLogisticRegression(budget=(1, 1e-6), bounds=(-10, 10), horizon="unbounded"),
     {"check_classifiers_train": DROWNED, "check_classifier_data_not_an_array": NOISE, "check_supervised_y_2d": NOISE,
      "check_fit_idempotent": NOISE, **ALONE}),
]


def named(entry):
    estimator, _ = entry
    return f"{type(estimator).__name__}-{'seeded' if estimator.insecure_seed is not None else 'secure'}"


@pytest.mark.parametrize("entry", SEEDED + SECURE, ids=named)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_own_checks_pass(entry):
    estimator, expected = entry
    results = check_estimator(estimator, expected_failed_checks=expected, on_fail=None, on_skip=None)
    statuses = [result["status"] for result in results]
    failed = {result["check_name"]: repr(result["exception"]) for result in results if result["status"] == "failed"}
    assert not failed, failed
    # Skipped: the array API, which needs an environment variable, and comparisons of fits that fresh noise rules out.
    assert statuses.count("skipped") <= (1 if estimator.insecure_seed is not None else 2)
    assert statuses.count("passed") + sum(reason is CONTENT for reason in expected.values()) >= 38
    # What is expected to fail does: two fits with fresh noise are never the same.
    for check in ("check_fit_idempotent", "check_fit_score_takes_y"):
        assert (check in expected) == any(result["check_name"] == check and result["status"] == "xfail" for result in results)


def test_it_learns():
    X, y = small_rows(20_000)
    for model in (PrivateLinearRegression(**BOX, insecure_seed=1), PrivateLasso(**BOX, insecure_seed=1)):
        assert model.fit(X, y).score(X, y) > 0.85
        assert model.coef_.shape == (3,) and model.releases_.step == 1
        assert "x1" in str(model.summary())
    labels = np.where(y > 0, "yes", "no")
    for method in ("surrogate", "erm"):
        model = PrivateLogisticRegression(budget=(1, 1e-6), bounds=(-1, 1), classes=("no", "yes"), method=method,
                                          insecure_seed=1).fit(X, labels)
        assert model.score(X, labels) > 0.85
        assert model.classes_.tolist() == ["no", "yes"] and model.coef_.shape == (1, 3)
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_partial_fit_is_one_stream_with_one_budget():
    X, y = small_rows(6000)
    model = PrivateLinearRegression(**BOX)
    for part in range(6):
        model.partial_fit(X[part * 1000:(part + 1) * 1000], y[part * 1000:(part + 1) * 1000])
    assert [release.rows for release in model.releases_] == [1000 * (i + 1) for i in range(6)]
    assert model.releases_.options.budget == (1, 1e-6)
    stepped = PrivateLinearRegression(**BOX, release_every=250).partial_fit(X[:1000] + 0, -y[:1000])
    assert stepped.releases_.step == 4


def test_what_must_be_declared_is_asked_for():
    X, y = small_rows(50)
    for change, field in (({"budget": None}, "budget"), ({"bounds": None}, "bounds"), ({"target_bounds": None}, "target_bounds"),
                          ({"bounds": [(0, 1)]}, "bounds"), ({"bounds": {"a": (0, 1)}}, "bounds"), ({"bounds": (1, 0)}, "x0")):
        with pytest.raises(rivulet.RequestError, match=field):
            PrivateLinearRegression(**{**BOX, **change}).fit(X, y)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = PrivateLinearRegression(**{**BOX, "bounds": {"a": (-1, 1), "b": (-1, 1), "c": (-1, 1)}}).fit(frame, y)
    assert list(model.model_.coefficients) == ["a", "b", "c"]
    with pytest.warns(rivulet.PrivacyWarning, match="classes were read from y"):
        PrivateLogisticRegression(budget=(1, 1e-6), bounds=(-1, 1)).fit(X, y > 0)


def test_fitting_the_same_rows_twice_is_warned_about_with_the_composed_budget():
    X, y = small_rows(5000)
    model = PrivateLinearRegression(**BOX).fit(X, y)
    with pytest.warns(rivulet.PrivacyWarning, match=r"1 earlier private fit .* \(2, 2e-06\)"):
        model.fit(X, y)
    with pytest.warns(rivulet.PrivacyWarning, match=r"2 earlier private fits .* \(3, 3e-06\)"):
        clone(model).fit(X[1000:3000], y[1000:3000])  # some of the rows, another object
    other_X, other_y = small_rows(5000, seed=8)
    PrivateLinearRegression(**BOX).fit(other_X, other_y)  # other rows: no warning, which would be an error here
    rivulet.forget_rows()
    PrivateLinearRegression(**BOX).fit(X, y)


def test_a_warning_made_an_error_comes_before_the_spending():
    X, y = small_rows(500)
    PrivateLinearRegression(**BOX).fit(X, y)
    model = PrivateLinearRegression(**BOX)
    with pytest.raises(rivulet.PrivacyWarning):
        model.fit(X, y)
    assert not hasattr(model, "releases_")


def test_grid_search_and_cross_validation_are_warned_about():
    X, y = small_rows(2000)
    with pytest.warns(rivulet.PrivacyWarning) as told:
        GridSearchCV(PrivateLinearRegression(**BOX), {"constraint": ["l2:1", "l2:2"]}, cv=3).fit(X, y)
    # 2 candidates in 3 folds and the last fit: all but the first.
    assert len(told) == 6
    assert "(7, 7e-06)" in str(told[-1].message)
    rivulet.forget_rows()
    with pytest.warns(rivulet.PrivacyWarning, match="Cross-validation"):
        cross_val_score(PrivateLasso(**BOX), X, y, cv=5)


def test_a_pipeline_of_what_is_known_beforehand():
    X, y = small_rows(20_000)
    model = make_pipeline(FunctionTransformer(lambda rows: rows / 2), PrivateLinearRegression(**{**BOX, "bounds": (-0.5, 0.5)}, insecure_seed=1))
    assert model.fit(X, y).score(X, y) > 0.85


def test_selection_by_refitting_finds_the_better_model_for_free():
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, (40_000, 10))
    y = np.clip(0.8 * X[:, 0] + random.normal(0, 0.05, 40_000), -1, 1)
    model = PrivateLinearRegression(**BOX, release_every=1000, insecure_seed=1).fit(X, y)
    found = model.refit_search([{"constraint": "l2:0.1"}, {"constraint": "l1:1"}, {"features": ["x3", "x4"]}])
    assert found.best_params == {"constraint": "l1:1"}
    assert found.best_estimator.score(X, y) > 0.95
    assert found.candidates[0].held_out_rows == 10_000
    # The held-out error is what it claims to be.
    truth = np.mean((model.releases_.refit(constraint="l1:1", t=30).predict(X[30_000:]) - y[30_000:]) ** 2)
    assert abs(found.candidates[1].error - truth) < 5 * found.candidates[1].noise + 1e-3
    refitted = model.refit(features=["x0"])
    assert refitted.coef_.shape == (10,) and np.count_nonzero(refitted.coef_) == 1
    with pytest.raises(rivulet.RequestError, match="two releases"):
        PrivateLasso(**BOX).fit(-X, y).refit_search([{}])


def test_copies_hold_what_was_published_and_refuse_to_go_on():
    X, y = small_rows(3000)
    model = PrivateLinearRegression(**BOX).partial_fit(X[:1000], y[:1000])
    for same in (pickle.loads(pickle.dumps(model)), copy.copy(model), copy.deepcopy(model)):
        assert np.array_equal(same.predict(X), model.predict(X))
        assert same.releases_.refit(constraint="l1:0.1").coefficients == model.releases_.refit(constraint="l1:0.1").coefficients
        with pytest.raises(rivulet.PrivacyError, match="copy"):
            same.partial_fit(X[1000:2000], y[1000:2000])
    model.partial_fit(X[1000:2000], y[1000:2000])  # the original goes on
    assert model.releases_.step == 2
    fresh = clone(model)
    assert not hasattr(fresh, "releases_") and fresh.get_params() == model.get_params()
    spent = PrivateLinearRegression(**BOX).fit(X[2000:], y[2000:])
    with pytest.raises(rivulet.PrivacyError, match="whole budget"):
        spent.partial_fit(-X, y)


def test_the_same_rows_again_in_one_stream_are_warned_about():
    X, y = small_rows(1000)
    model = PrivateLinearRegression(**BOX).partial_fit(X, y)
    with pytest.warns(rivulet.PrivacyWarning, match=r"\(2, 2e-06\)"):
        model.partial_fit(X, y)


def test_no_attribute_is_set_but_the_parameters():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind in (PrivateLinearRegression, PrivateLasso, PrivateLogisticRegression):
            model = kind()
            assert set(vars(model)) == set(model.get_params())
