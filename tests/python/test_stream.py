"""The native interface."""

from __future__ import annotations

import copy
import ctypes
import os
import pickle
import platform
import signal

import numpy as np
import pytest

import rivulet
from conftest import box, small_rows


def filled(**more):
    stream = rivulet.Stream(**box(**more))
    stream.observe_many(*small_rows())
    return stream


def test_a_release_comes_after_every_step_and_none_before():
    stream = rivulet.Stream(**box(release_every=3))
    assert [stream.observe([0.1, 0.2, 0.3], 0.5) for _ in range(7)] == [False, False, True, False, False, True, False]
    assert (stream.step, stream.rows, stream.waiting_rows) == (2, 7, 1)
    assert stream.release().rows == 7
    assert (stream.step, stream.waiting_rows) == (3, 0)
    assert stream.release().step == 3  # nothing new to publish


def test_models_of_all_releases_can_be_asked_for():
    stream = filled()
    assert [release.step for release in stream] == list(range(1, 11))
    assert stream.model(1).rows == 100 and stream.model().rows == 1000
    for t in (0, 11, -1, 1.5, "x"):
        with pytest.raises(rivulet.RequestError, match="t: "):
            stream.model(t)
    with pytest.raises(rivulet.RequestError, match="nothing was published yet"):
        rivulet.Stream(**box()).model()


def test_history_keeps_the_newest_releases():
    stream = filled(history=3)
    assert [release.step for release in stream] == [8, 9, 10]
    with pytest.raises(rivulet.RequestError, match="no longer kept"):
        stream.model(7)


def test_noise_is_fresh_unless_seeded():
    assert filled().model().intercept != filled().model().intercept
    assert filled(insecure_seed=3).model().intercept == filled(insecure_seed=3).model().intercept
    assert filled(insecure_seed=3).model().not_private and not filled().model().not_private
    assert "NOT PRIVATE" in filled(insecure_seed=3).promise and "(1, 1e-06)" in filled().promise


def test_refits_are_free_and_of_the_chosen_features():
    stream = filled()
    assert stream.refit().coefficients == stream.model().coefficients
    small = stream.refit(constraint="l1:0.1", features=["x0"])
    assert list(small.coefficients) == ["x0"]
    assert abs(small.coefficients["x0"]) <= 0.1 + 1e-12
    assert stream.refit(t=1).coefficients == stream.model(1).coefficients
    with pytest.raises(rivulet.RequestError, match="constraint"):
        stream.refit(constraint="l7")


def test_predictions_of_one_row_and_of_many_agree():
    X, _ = small_rows()
    model = filled().model()
    many = model.predict(X)
    assert many.shape == (1000,)
    assert model.predict_one(X[3]) == many[3] == model.predict_one(dict(zip(("x0", "x1", "x2"), X[3])))
    np.testing.assert_allclose(many, X @ model.coef + model.intercept, rtol=1e-12, atol=1e-15)  # terms of size 1 may cancel
    value, lower, upper = filled().predict_interval(X)
    assert np.all(lower <= value) and np.all(value <= upper)


def test_summary_is_a_table_in_text_and_in_notebooks():
    summary = filled().summary()
    assert "x1" in str(summary) and "95%" in str(summary) and "Privacy: all 10 releases" in str(summary)
    assert summary._repr_html_().count("<tr>") == 5
    assert summary.to_dict()["lines"][0]["name"] == "(intercept)"
    odd = rivulet.Stream(budget=(1, 1e-6), bounds={"<b>": (0, 1), "y": (0, 1)}, target="y")
    odd.observe([0.5], 0.5)
    assert "<b>" not in odd.summary()._repr_html_().replace("<b>Model", "")


def test_plot_draws_coefficients_with_intervals_and_the_noise():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    figure = filled().plot()
    above, below = figure.axes
    assert [text.get_text() for text in above.get_legend().get_texts()]
    assert len(above.lines) == 3 and len(above.collections) == 3 and len(below.lines) == 1
    assert len(filled().plot(["x1"]).axes[0].lines) == 1
    with pytest.raises(rivulet.RequestError, match="nothing was published"):
        rivulet.Stream(**box()).plot()
    matplotlib.pyplot.close("all")


def test_requests_that_cannot_be_honoured_name_the_field():
    for change, field in (
            ({"budget": (0, 1e-6)}, "epsilon"), ({"budget": (1, 2)}, "delta"), ({"constraint": "l2"}, "constraint"),
            ({"release_every": 0}, "release"), ({"release_every": "x"}, "release_every"), ({"neighbours": "x"}, "neighbours"),
            ({"strategy": "x"}, "strategy"), ({"horizon": 0}, "horizon"), ({"only_if": ["x9=0:1"]}, "only_if"),
            ({"target": "z"}, "bounds z"), ({"bounds": None}, "bounds"), ({"bounds": {"x": (1, 0), "y": (0, 1)}}, "x"),
            ({"sketch": {"dimensions": 3}}, "sketch dimensions"), ({"profile": "paper"}, "horizon"), ({"solver": "x"}, "solver"),
            ({"mechanism": "x"}, "mechanism"), ({"mechanism": "surrogate"}, "classes"), ({"loss": "huber:0.5", "mechanism": "full"}, "mechanism"),
            ({"mechanism": "full", "sketch": 2}, "sketch"), ({"erm": 3}, "erm"), ({"loss": "x"}, "loss"),
            ({"bounds": {"x": rivulet.Block(9, 0, 1), "y": (0, 1)}}, "clip_norm")):
        with pytest.raises(rivulet.RequestError) as refused:
            rivulet.Stream(**{**box(), **change})
        assert field in str(refused.value), change
        assert isinstance(refused.value, ValueError)
    with pytest.raises(rivulet.RequestError, match="epsilon: not given; a privacy budget has no default"):
        rivulet.Stream(bounds={"y": (0, 1)}, target="y")
    with pytest.raises(rivulet.RequestError, match="did you mean \"release-every\""):
        rivulet.Stream(**box(), releese_every=3)


def test_a_target_that_was_forgotten_is_not_taken_for_a_missing_one():
    stream = rivulet.Stream(**box(release_every=2))
    for row in ([0.1, 0.2, 0.3], np.zeros(3)):  # by their type they cannot hold it
        with pytest.raises(rivulet.RequestError, match="y: not given"):
            stream.observe(row)
    assert stream.rows == 0
    assert stream.observe([0.1, 0.2, 0.3], None) is False  # missing: a zero row
    assert stream.rows == 1
    # Whether a dict holds it is what the row says: the row counts, and the operator is told.
    with pytest.warns(UserWarning, match="y: not given"):
        assert stream.observe({"x0": 0.1, "x1": 0.2, "x2": 0.3}) is True
    assert stream.rows == 2


@pytest.mark.parametrize("budget", [1, 1.0, (1,), {"epsilon": 1, "delta": 1e-6}])
def test_a_budget_that_is_no_pair_is_named(budget):
    with pytest.raises(rivulet.RequestError, match="budget: .*accepted: \\(epsilon, delta\\)"):
        rivulet.Stream(**{**box(), "budget": budget})


def test_a_known_horizon_ends_the_stream():
    stream = rivulet.Stream(**box(horizon=2))
    with pytest.raises(rivulet.HorizonExceeded):
        stream.observe_many(*small_rows())
    assert stream.step == 2 and stream.model().rows == 200


def test_a_live_stream_is_neither_copied_nor_pickled_but_what_it_published_is():
    stream = filled()
    for copying in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(rivulet.PrivacyError, match="twice"):
            copying(stream)
    with pytest.raises(rivulet.PrivacyError, match="memory"):
        stream.save("somewhere.rivulet")
    published = pickle.loads(pickle.dumps(stream.published()))
    assert [release.model.coefficients for release in published] == [release.model.coefficients for release in stream]
    assert published.refit(constraint="l1:0.2").coefficients == stream.refit(constraint="l1:0.2").coefficients
    assert str(published.summary()) == str(stream.summary())
    model = copy.deepcopy(stream.model())
    assert model.coefficients == stream.model().coefficients and model.predict_one([0, 0, 0]) == model.intercept


def bare_clone():
    """A copy of the process by the system call itself, which runs no fork handler."""
    number = {"x86_64": 56, "aarch64": 220}.get(platform.machine())
    if number is None:
        pytest.skip("the number of clone is not known here")
    return ctypes.CDLL(None).syscall(number, signal.SIGCHLD, None, None, None, None)


@pytest.mark.parametrize("copied", [os.fork, bare_clone])
def test_a_copy_of_the_process_is_refused_the_stream(copied):
    stream = filled()
    reader, writer = os.pipe()
    child = copied()
    if child == 0:
        try:
            stream.observe([0, 0, 0], 0)
            os.write(writer, b"went on")
        except rivulet.PrivacyError:
            os.write(writer, b"refused")
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 100) == b"refused"
    assert stream.observe([0, 0, 0], 0) is False  # the parent goes on


def test_losses_of_classes_give_scores():
    X, y = small_rows(4000, 2)
    words = np.where(y > 0, "yes", "no")
    settings = dict(budget=(20, 1e-6), bounds={"x0": (-1, 1), "x1": (-1, 1)}, target="answer", classes=("no", "yes"), constraint="l2:5",
                    insecure_seed=1)
    surrogate = rivulet.Stream(**settings, mechanism="surrogate", release_every=1000)
    surrogate.observe_many(X, words)
    assert np.mean((surrogate.predict(X) > 0) == (y > 0)) > 0.9
    assert surrogate.refit(surrogate_margin=1.0).coefficients != surrogate.model().coefficients
    erm = rivulet.Stream(**settings, horizon=4, release_every=1000)
    assert erm.options.loss == "logistic" and erm.options.has_erm
    for row, word in zip(X.tolist(), words.tolist()):
        erm.observe(row, word)
    assert np.mean((erm.predict(X) > 0) == (y > 0)) > 0.9
    assert erm.at().statistics is None
    with pytest.raises(rivulet.RequestError, match="models alone"):
        erm.refit()
    assert "answer" in str(erm.summary())


def test_operator_counts_are_exact():
    stream = rivulet.Stream(**box())
    X, y = small_rows()
    X[5, 1] = np.nan
    X[7, 0] = np.inf
    stream.observe_many(X, y)
    assert stream.operator_counts()["unusable_rows"] == 2
