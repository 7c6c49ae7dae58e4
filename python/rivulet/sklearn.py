"""Estimators for scikit-learn.

    >>> import numpy, rivulet.sklearn
    >>> X = numpy.random.default_rng(0).uniform(0, 10, (20_000, 2))
    >>> y = 3 * X[:, 0] - X[:, 1]
    >>> model = rivulet.sklearn.PrivateLinearRegression(budget=(1, 1e-6), bounds=(0, 10), target_bounds=(-10, 30))
    >>> model.fit(X, y).score(X, y) > 0.9
    True

`fit` makes one release of all rows and spends the whole budget on it. `partial_fit` goes on for ever: every call is a step
of one stream, and everything it publishes, together, has the one budget. Preprocessing that learns from the rows
(StandardScaler, PCA, a vocabulary) is outside the promise: use what is known beforehand.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import type_of_target

from . import _core
from ._errors import PrivacyWarning, RequestError
from ._estimator import PrivateLinearModel, RefitSearch
from ._rows import class_code, numbers_of

__all__ = ["PrivateLasso", "PrivateLinearRegression", "PrivateLogisticRegression", "RefitSearch"]

class _PrivateRegressor(RegressorMixin, PrivateLinearModel):
    def _target(self) -> dict[str, Any]:
        if self.target_bounds is None:
            raise RequestError("target_bounds: not declared; nothing learns a bound from data: give (lo, hi) of the target")
        lo, hi = self.target_bounds
        return {"bounds": (float(lo), float(hi))}

    def fit(self, X: ArrayLike, y: ArrayLike) -> Any:
        """Fits one private model to all rows, and spends the whole budget on it."""
        rows, targets = self._checked(X, y, reset=True)
        self._fit(rows, numbers_of(targets))
        return self

    def partial_fit(self, X: ArrayLike, y: ArrayLike) -> Any:
        """Takes more rows of the stream and publishes: one step a call, or every `release_every` rows."""
        rows, targets = self._checked(X, y, reset=not hasattr(self, "n_features_in_"))
        self._partial_fit(rows, numbers_of(targets))
        return self

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predictions of the newest model; NaN for rows that cannot be used."""
        return self._linear(X)


class PrivateLinearRegression(_PrivateRegressor):
    """Linear regression, (epsilon, delta)-differentially private for every row.

    Parameters
    ----------
    budget : (epsilon, delta)
        Of everything this estimator publishes. Must be given.
    bounds : (lo, hi), one such pair a column, or a dict by column name
        Declared, never learned; values outside are moved to them. Must be given.
    target_bounds : (lo, hi)
        The same for the target. Must be given.
    constraint : str
        The set coefficients are fitted over, each column scaled to [-1, 1]: "l2:R", "l1:R", ...; docs/constraints.md.
    fit_intercept : bool
    clip_norm : float or None
        Shorten rows above this norm, each column scaled to [-1, 1]: less noise if most rows are shorter.
    release_every : int or None
        Publish every so many rows. None: once at the end of `fit`, and at the end of every `partial_fit`.
    horizon : int, "unbounded" or None
        How many steps the promise covers. None: one for `fit`, any number for `partial_fit`.
    neighbours : "replace" or "zero-out"
        What is hidden: a row's whole content, or its presence (less noise).
    insecure_seed : int or None
        Deterministic noise for tests: the output is NOT private.

    Attributes
    ----------
    coef_, intercept_
        Of the newest model.
    model_ : rivulet.Model
    releases_ : rivulet.Releases
        Everything that was published: models, sums, refits, plots. A pickle or copy of the estimator holds it, and can
        predict and refit; it cannot go on with `partial_fit`, which would publish the same steps twice.

    Examples
    --------
    >>> import numpy
    >>> from rivulet.sklearn import PrivateLinearRegression
    >>> X = numpy.random.default_rng(0).uniform(-1, 1, (10_000, 3))
    >>> model = PrivateLinearRegression(budget=(1, 1e-6), bounds=(-1, 1), target_bounds=(-1, 1))
    >>> model.fit(X, X[:, 0] / 2).coef_.shape
    (3,)
    """

    def __init__(self, *, budget: tuple[float, float] | None = None, bounds: Any = None,
                 target_bounds: tuple[float, float] | None = None, constraint: str = "l2:2", fit_intercept: bool = True,
                 clip_norm: float | None = None, release_every: int | None = None, horizon: int | str | None = None,
                 neighbours: str = "replace", insecure_seed: int | None = None) -> None:
        self.budget = budget
        self.bounds = bounds
        self.target_bounds = target_bounds
        self.constraint = constraint
        self.fit_intercept = fit_intercept
        self.clip_norm = clip_norm
        self.release_every = release_every
        self.horizon = horizon
        self.neighbours = neighbours
        self.insecure_seed = insecure_seed

    def _constraint(self) -> str:
        return str(self.constraint)


class PrivateLasso(_PrivateRegressor):
    """Linear regression over an L1 ball: few coefficients other than 0, and an error that hardly grows with the columns.

    `radius` bounds the sum of absolute coefficients with each column scaled to [-1, 1], the intercept included; it is the
    constrained form of the lasso. The others are those of `PrivateLinearRegression`.

    Examples
    --------
    >>> import numpy
    >>> from rivulet.sklearn import PrivateLasso
    >>> X = numpy.random.default_rng(0).uniform(-1, 1, (10_000, 30))
    >>> model = PrivateLasso(budget=(1, 1e-6), bounds=(-1, 1), target_bounds=(-1, 1), radius=0.5)
    >>> float(abs(model.fit(X, X[:, 0] / 2).coef_).sum()) <= 0.5 + 1e-9
    True
    """

    def __init__(self, *, budget: tuple[float, float] | None = None, bounds: Any = None,
                 target_bounds: tuple[float, float] | None = None, radius: float = 1.0, fit_intercept: bool = True,
                 clip_norm: float | None = None, release_every: int | None = None, horizon: int | str | None = None,
                 neighbours: str = "replace", insecure_seed: int | None = None) -> None:
        self.budget = budget
        self.bounds = bounds
        self.target_bounds = target_bounds
        self.radius = radius
        self.fit_intercept = fit_intercept
        self.clip_norm = clip_norm
        self.release_every = release_every
        self.horizon = horizon
        self.neighbours = neighbours
        self.insecure_seed = insecure_seed

    def _constraint(self) -> str:
        return f"l1:{float(self.radius)!r}"


class PrivateLogisticRegression(ClassifierMixin, PrivateLinearModel):
    """Logistic regression of two classes, (epsilon, delta)-differentially private for every row.

    Parameters
    ----------
    classes : pair or None
        The two classes, negative first. None: read from `y`, with a warning, because which classes there are is then
        taken to be public.
    method : "surrogate" or "erm"
        "surrogate" fits a parabola in place of the loss, from the same private sums as linear regression: constant memory,
        any number of steps, free refits; its order of predictions is good, its log-odds are those of a parabola good for
        |log-odds| up to `margin`. "erm" (PrivIncERM) minimises the loss itself by noisy gradients over all rows so far,
        which it keeps; no refits.
    margin : float
        Of the surrogate. A public guess.

    The others are those of `PrivateLinearRegression`.

    Examples
    --------
    >>> import numpy
    >>> from rivulet.sklearn import PrivateLogisticRegression
    >>> X = numpy.random.default_rng(0).uniform(-1, 1, (20_000, 2))
    >>> y = numpy.where(X[:, 0] > 0, "yes", "no")
    >>> model = PrivateLogisticRegression(budget=(1, 1e-6), bounds=(-1, 1), classes=("no", "yes"))
    >>> model.fit(X, y).score(X, y) > 0.9
    True
    """

    def __init__(self, *, budget: tuple[float, float] | None = None, bounds: Any = None,
                 classes: tuple[Any, Any] | None = None, method: str = "surrogate", margin: float = 4.0,
                 constraint: str = "l2:5", fit_intercept: bool = True, clip_norm: float | None = None,
                 release_every: int | None = None, horizon: int | str | None = None, neighbours: str = "replace",
                 insecure_seed: int | None = None) -> None:
        self.budget = budget
        self.bounds = bounds
        self.classes = classes
        self.method = method
        self.margin = margin
        self.constraint = constraint
        self.fit_intercept = fit_intercept
        self.clip_norm = clip_norm
        self.release_every = release_every
        self.horizon = horizon
        self.neighbours = neighbours
        self.insecure_seed = insecure_seed

    def _constraint(self) -> str:
        return str(self.constraint)

    def _target(self) -> dict[str, Any]:
        return {"classes": (0.0, 1.0)}

    def _settings(self) -> dict[str, Any]:
        if self.method == "surrogate":
            return {"mechanism": "surrogate", "surrogate_margin": float(self.margin)}
        if self.method == "erm":
            return {"mechanism": "erm"}
        raise RequestError(f"method: {self.method!r} is not accepted; accepted: 'surrogate', 'erm'")

    def _learn_classes(self, y: Any, classes: Any) -> None:
        declared = self.classes if self.classes is not None else classes
        if declared is not None:
            found = np.asarray(declared)
            if found.shape != (2,) or found[0] == found[1]:
                raise RequestError("classes: two different ones are needed, negative first")
        else:
            kind = self._check_labels(y)
            found = np.unique(y)
            if len(found) > 2:
                raise ValueError(f"Only binary classification is supported. The type of the target is {kind}.")
            if len(found) < 2:
                raise ValueError("y holds one class; two are needed: declare them (classes=...) if the other may still come")
            if self.insecure_seed is None:
                warnings.warn("PrivateLogisticRegression: classes were read from y, so that which classes there are is taken to be "
                              "public; declare them (classes=...) if it is not", PrivacyWarning, stacklevel=3)
        self.classes_ = found

    def _codes(self, y: NDArray[Any]) -> NDArray[np.float64]:
        """0 and 1; NaN for a label that is neither class: its row is a zero row."""
        negative, positive = self.classes_.tolist()
        return np.array([class_code(label, negative, positive) for label in y.tolist()], dtype=np.float64)

    def fit(self, X: ArrayLike, y: ArrayLike) -> PrivateLogisticRegression:
        """Fits one private model to all rows, and spends the whole budget on it."""
        rows, labels = self._checked(X, y, reset=True)
        self._learn_classes(labels, None)
        self._fit(rows, self._codes(labels))
        return self

    def partial_fit(self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None) -> PrivateLogisticRegression:
        """Takes more rows of the stream and publishes. `classes` declares them with the first call."""
        rows, labels = self._checked(X, y, reset=not hasattr(self, "n_features_in_"))
        if not hasattr(self, "classes_"):
            self._learn_classes(labels, classes)
        self._partial_fit(rows, self._codes(labels))
        return self

    @staticmethod
    def _check_labels(y: Any) -> str:
        try:
            kind = type_of_target(y, input_name="y")
        except Exception:  # its text may hold a label
            kind = "unknown"
        if kind not in ("binary", "multiclass"):
            raise ValueError(f"Unknown label type: {kind}. Only binary classification is supported. The type of the target is {kind}.")
        return kind

    def _shaped(self, coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
        return coefficients.reshape(1, -1)

    def _shaped_intercept(self, intercept: float) -> NDArray[np.float64]:
        return np.array([intercept])

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Log-odds of the positive class."""
        return self._linear(X)

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Probabilities of the two classes, in the order of `classes_`."""
        positive = 0.5 * (1.0 + np.tanh(0.5 * self.decision_function(X)))
        return np.column_stack([1.0 - positive, positive])

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The more probable class."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
