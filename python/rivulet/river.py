"""Estimators for River: a row at a time, a private model after every `release_every` rows, one budget for all of them.

    >>> from rivulet.river import PrivateLinearRegression
    >>> model = PrivateLinearRegression(features={"x": (-1, 1)}, target_bounds=(-1, 1), budget=(1, 1e-6), release_every=10)
    >>> for i in range(10):
    ...     model.learn_one({"x": i / 10}, i / 10)
    >>> isinstance(model.predict_one({"x": 0.5}), float)
    True

Rows are dicts. Features are declared with their bounds or levels; others are ignored, and a row that lacks a declared one
counts as a zero row. A copy or pickle of a model that has learnt holds what was published: it predicts, and refuses to
learn, because going on in two places would publish the same steps twice. `clone()` gives a new model with a new budget.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from river import base

from . import _core
from ._errors import PrivacyError
from ._guard import Spend, others_overlap, record, warn
from ._published import Releases
from ._rows import class_code
from ._settings import Budget, Declared, declared_columns, make_options, settings_from
from ._stream import Stream

__all__ = ["PrivateLinearRegression", "PrivateLogisticRegression"]

_TARGET = "target"


class _PrivateRiverModel:
    """What the two have in common."""

    features: Mapping[str, Declared]
    budget: tuple[float, float]
    release_every: int
    constraint: str
    intercept: bool
    clip_norm: float | None
    horizon: int | None
    neighbours: str
    insecure_seed: int | None

    def _columns(self) -> dict[str, Any]:
        raise NotImplementedError

    def _settings(self) -> dict[str, Any]:
        return {}

    def _code(self, y: Any) -> Any:
        return y

    def _begin(self) -> None:
        # Nothing is checked later than here, and nothing is spent before the first row.
        self._options = make_options({**self._columns(), **settings_from(dict(
            budget=self.budget, intercept=self.intercept, clip_norm=self.clip_norm, release_every=self.release_every, horizon=self.horizon, constraint=self.constraint,
            neighbours=self.neighbours, insecure_seed=self.insecure_seed, **self._settings()))})
        self._stream: Stream | None = None
        self._spend: Spend | None = None
        self._next_look = 1
        self._releases: Releases | None = None
        self._detached = False
        self._predictor: tuple[float, list[tuple[str, Any]]] | None = None

    def _live(self) -> Stream:
        if self._stream is None:
            if self._detached:
                raise PrivacyError(f"{type(self).__name__}: this is a copy (or was pickled), which holds what was published and not the "
                                   "stream; going on here and there would publish the same steps twice. Go on with the original, "
                                   "begin anew with clone(), or keep a rivulet.Stream in a file")
            stream = Stream.__new__(Stream)
            _core.StreamBase.__init__(stream, self._options, None, True, None)
            if self.insecure_seed is None:
                stream._watch()
                self._spend = Spend(Budget(*self.budget))
            self._stream = stream
        return self._stream

    def _released(self) -> None:
        self._predictor = None
        stream = self._stream
        if self._spend is None or stream is None or stream.step < self._next_look:
            return
        # Rows that another model had are noticed after 1, 2, 4, 8, ... releases.
        self._next_look = 2 * stream.step
        rows = stream._fingerprint()
        if others_overlap(rows, self._spend):
            self._next_look = 2**62  # once is enough
            warn(rows, self._spend, type(self).__name__, stacklevel=4)
        record(rows, self._spend)

    def learn_one(self, x: dict[Any, Any], y: Any) -> None:
        """Takes one row."""
        stream = self._stream
        if stream is None:
            stream = self._live()
        if stream.observe(x, y):
            self._released()

    def learn_many(self, X: Any, y: Any) -> None:
        """Takes the rows of a data frame, as if one by one."""
        columns: dict[str, Any] = {}
        for name, domain in self._options.schema.features:
            if name in X.columns:
                columns[name] = np.asarray(X[name])
            else:
                missing: Any = np.nan if isinstance(domain, tuple) else None
                columns[name] = np.full(len(X), missing, dtype=float if isinstance(domain, tuple) else object)
        if self._live().observe_many(columns, self._codes(y)):
            self._released()

    def _codes(self, y: Any) -> Any:
        return y

    # --- what was published

    @property
    def releases(self) -> Releases | None:
        """Everything that was published so far, for refits, summaries and plots; None before the first release."""
        if self._stream is not None and self._stream.step > 0:
            if self._releases is None or self._releases.step != self._stream.step:
                self._releases = self._stream.published()
        return self._releases

    def _newest(self) -> _core.Model | None:
        if self._stream is not None:
            return self._stream.model() if self._stream.step > 0 else None
        return None if self._releases is None else self._releases.model()

    def _score(self, x: dict[Any, Any]) -> float | None:
        """The linear prediction; missing values stand in the middle of their bounds. None before the first release."""
        if self._predictor is None:
            model = self._newest()
            if model is None:
                return None
            self._predictor = (model.intercept, _terms(model))
        score, terms = self._predictor
        for name, term in terms:
            if isinstance(term, dict):
                score += term.get(x.get(name), 0.0)
            else:
                value = x.get(name)
                slope, middle = term
                try:
                    number = middle if value is None else float(value)
                except (TypeError, ValueError):
                    number = middle
                score += slope * (number if math.isfinite(number) else middle)
        return score

    def _scores(self, X: Any) -> list[float | None]:
        names = [name for name in self._options.schema.feature_names if name in X.columns]
        columns = [np.asarray(X[name]).tolist() for name in names]
        if not columns:
            return [self._score({}) for _ in range(len(X))]
        return [self._score(dict(zip(names, row))) for row in zip(*columns)]

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        if self._stream is not None:
            state["_releases"] = self.releases
            state["_detached"] = True
        state["_stream"] = state["_spend"] = state["_predictor"] = None
        return state


def _terms(model: _core.Model) -> list[tuple[str, Any]]:
    """For each feature its slope and the middle of its bounds, or the shifts of its levels."""
    known = model.coefficients
    terms: list[tuple[str, Any]] = []
    for name, domain in model.schema.features:
        if isinstance(domain, tuple):
            terms.append((name, (known.get(name, 0.0), (domain[0] + domain[1]) / 2)))
        else:
            terms.append((name, {level: known.get(f"{name}={level}", 0.0) for level in domain}))
    return terms


def _series(values: list[Any], X: Any, name: str) -> Any:
    if hasattr(X, "index"):
        import pandas

        return pandas.Series(values, index=X.index, name=name)
    import polars

    return polars.Series(name, values)


class PrivateLinearRegression(_PrivateRiverModel, base.MiniBatchRegressor):
    """Linear regression, (epsilon, delta)-differentially private for every row, for as long as the stream lasts.

    Parameters
    ----------
    features
        The declared features: (lo, hi) for numbers, a list of levels for words.
    target_bounds
        (lo, hi) of the target.
    budget
        (epsilon, delta) of everything that is ever published.
    release_every
        Rows in a step: a new model after each.
    constraint
        The set coefficients are fitted over, each column scaled to [-1, 1].
    intercept
        Whether there is one.
    clip_norm
        Shorten rows above this norm, each column scaled to [-1, 1].
    horizon
        How many steps the promise covers; any number when None.
    neighbours
        'replace' or 'zero-out'.
    insecure_seed
        Deterministic noise for tests: NOT private.

    Examples
    --------
    >>> from river import datasets, metrics
    >>> from rivulet.river import PrivateLinearRegression
    >>> polls = {name: (0, 100) for name in ("gallup", "ipsos", "morning_consult", "rasmussen", "you_gov")}
    >>> model = PrivateLinearRegression(features=polls, target_bounds=(0, 100), budget=(1, 1e-6), release_every=100)
    >>> metric = metrics.MAE()
    >>> for x, y in datasets.TrumpApproval():
    ...     metric.update(y, model.predict_one(x))
    ...     model.learn_one(x, y)
    >>> model.releases.step
    10
    """

    def __init__(self, features: Mapping[str, Declared], target_bounds: tuple[float, float], budget: tuple[float, float],
                 release_every: int = 100, constraint: str = "l2:2", intercept: bool = True, clip_norm: float | None = None,
                 horizon: int | None = None, neighbours: str = "replace", insecure_seed: int | None = None) -> None:
        self.features = features
        self.target_bounds = target_bounds
        self.budget = budget
        self.release_every = release_every
        self.constraint = constraint
        self.intercept = intercept
        self.clip_norm = clip_norm
        self.horizon = horizon
        self.neighbours = neighbours
        self.insecure_seed = insecure_seed
        self._begin()

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"features": {"x": (-1, 1)}, "target_bounds": (-1, 1), "budget": (1, 1e-6)}

    def _columns(self) -> dict[str, Any]:
        target = _free_name(self.features)
        return declared_columns({**self.features, target: self.target_bounds}, target)

    def predict_one(self, x: dict[Any, Any]) -> float:
        """The newest model's prediction; the middle of the target's bounds before there is one."""
        score = self._score(x)
        return (self.target_bounds[0] + self.target_bounds[1]) / 2 if score is None else score

    def predict_many(self, X: Any) -> Any:
        """The same for the rows of a data frame."""
        middle = (self.target_bounds[0] + self.target_bounds[1]) / 2
        return _series([middle if score is None else score for score in self._scores(X)], X, _TARGET)


class PrivateLogisticRegression(_PrivateRiverModel, base.MiniBatchClassifier):
    """Logistic regression of two classes, (epsilon, delta)-differentially private for every row.

    From the same private sums as linear regression, with a parabola in place of the loss that is good for log-odds up to
    `margin`. A target other than the two classes makes its row a zero row.

    Parameters
    ----------
    features
        The declared features: (lo, hi) for numbers, a list of levels for words.
    budget
        (epsilon, delta) of everything that is ever published.
    classes
        The two classes, negative first.
    release_every
        Rows in a step: a new model after each.
    margin
        Log-odds the parabola is to be good for: a public guess.
    constraint
        The set coefficients are fitted over, each column scaled to [-1, 1].
    intercept
        Whether there is one.
    clip_norm
        Shorten rows above this norm, each column scaled to [-1, 1].
    horizon
        How many steps the promise covers; any number when None.
    neighbours
        'replace' or 'zero-out'.
    insecure_seed
        Deterministic noise for tests: NOT private.

    Examples
    --------
    >>> from rivulet.river import PrivateLogisticRegression
    >>> model = PrivateLogisticRegression(features={"x": (-1, 1)}, budget=(1, 1e-6))
    >>> model.predict_proba_one({"x": 0.5})
    {False: 0.5, True: 0.5}
    """

    def __init__(self, features: Mapping[str, Declared], budget: tuple[float, float], classes: tuple[Any, Any] = (False, True),
                 release_every: int = 100, margin: float = 4.0, constraint: str = "l2:5", intercept: bool = True,
                 clip_norm: float | None = None, horizon: int | None = None, neighbours: str = "replace",
                 insecure_seed: int | None = None) -> None:
        self.features = features
        self.budget = budget
        self.classes = classes
        self.release_every = release_every
        self.margin = margin
        self.constraint = constraint
        self.intercept = intercept
        self.clip_norm = clip_norm
        self.horizon = horizon
        self.neighbours = neighbours
        self.insecure_seed = insecure_seed
        self._begin()

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"features": {"x": (-1, 1)}, "budget": (1, 1e-6)}

    @property
    def _multiclass(self) -> bool:
        return False

    def _columns(self) -> dict[str, Any]:
        return declared_columns(self.features, _free_name(self.features), classes=(0.0, 1.0))

    def _settings(self) -> dict[str, Any]:
        return {"mechanism": "surrogate", "surrogate_margin": float(self.margin)}

    def _class_code(self, y: Any) -> float:
        return class_code(y, self.classes[0], self.classes[1])

    def _codes(self, y: Any) -> NDArray[np.float64]:
        return np.array([self._class_code(label) for label in _listed(y)], dtype=np.float64)

    def learn_one(self, x: dict[Any, Any], y: Any) -> None:
        """Takes one row."""
        super().learn_one(x, self._class_code(y))

    def predict_proba_one(self, x: dict[Any, Any]) -> dict[Any, float]:
        """Probabilities of the two classes; even before the first release."""
        positive = 0.5 * (1.0 + math.tanh(0.5 * (self._score(x) or 0.0)))
        return {self.classes[0]: 1.0 - positive, self.classes[1]: positive}

    def predict_proba_many(self, X: Any) -> Any:
        """The same for the rows of a data frame."""
        positive = [0.5 * (1.0 + math.tanh(0.5 * (score or 0.0))) for score in self._scores(X)]
        columns = {self.classes[0]: [1.0 - share for share in positive], self.classes[1]: positive}
        if hasattr(X, "index"):
            import pandas

            return pandas.DataFrame(columns, index=X.index)
        import polars

        return polars.DataFrame({str(name): values for name, values in columns.items()})


def _listed(values: Any) -> list[Any]:
    return list(values.tolist() if hasattr(values, "tolist") else values)


def _free_name(features: Mapping[str, Any]) -> str:
    name = _TARGET
    while name in features:
        name += "_"
    return name
