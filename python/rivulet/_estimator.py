"""What the estimators for scikit-learn have in common."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted, column_or_1d, validate_data

from . import _core
from ._errors import PrivacyError, RequestError
from ._guard import Spend, record, warn
from ._rows import matrix_of, rows_of
from ._selection import Candidate, held_out_risk
from ._settings import Budget, budget_pair, make_options, settings_from
from ._stream import Stream
from ._summary import Summary

# Rows of a step that ends with the call of partial_fit.
_NEVER = 2**30


@dataclass(frozen=True)
class RefitSearch:
    """What `refit_search` found. Held-out errors carry privacy noise of the given size: closer ones are not told apart."""

    best_estimator: Any
    best_params: dict[str, Any]
    candidates: list[Candidate]

    def __str__(self) -> str:
        lines = [f"{'held-out error':>14}  {'noise':>9}  candidate"]
        for candidate in sorted(self.candidates, key=lambda found: found.error):
            lines.append(f"{candidate.error:>14.6g}  {candidate.noise:>9.2g}  {candidate.params}")
        return "\n".join(lines)


class PrivateLinearModel(BaseEstimator):
    """What the estimators have in common: rows go into a stream, publications come out."""

    def _constraint(self) -> str:
        raise NotImplementedError

    def _target(self) -> dict[str, Any]:
        """Bounds or classes of the target."""
        raise NotImplementedError

    def _settings(self) -> dict[str, Any]:
        return {}

    # --- rows: a cell that is no number is NaN, and its row a zero row that counts

    def _matrix(self, X: Any) -> NDArray[np.float64]:
        return np.asarray(check_array(matrix_of(X), dtype=np.float64, ensure_all_finite=False, estimator=self, input_name="X"))

    def _checked(self, X: Any, y: Any, reset: bool) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """Rows and targets of fitting shapes and types; what the cells say is nobody's business here."""
        rows = self._matrix(X)
        validate_data(self, X, y, reset=reset, skip_check_array=True)
        targets = column_or_1d(y, warn=True)
        check_consistent_length(rows, targets)
        return rows, targets

    # --- the stream

    def _declared_bounds(self, width: int) -> list[tuple[float, float]]:
        bounds = self.bounds
        if bounds is None:
            raise RequestError("bounds: not declared; nothing learns a bound from data: give (lo, hi) for all columns, one pair for "
                               "each, or a dict by column name")
        if isinstance(bounds, Mapping):
            names = getattr(self, "feature_names_in_", None)
            if names is None:
                raise RequestError("bounds: are by column name, and X has no names; accepted: (lo, hi), or one pair for each column")
            missing = [str(name) for name in names if name not in bounds]
            if missing:
                raise RequestError(f"bounds: not declared for {', '.join(missing[:5])}; every column needs them")
            return [(float(bounds[name][0]), float(bounds[name][1])) for name in names]
        array = np.asarray(bounds, dtype=float)
        if array.shape == (2,):
            return [(float(array[0]), float(array[1]))] * width
        if array.shape != (width, 2):
            raise RequestError(f"bounds: of shape {array.shape} were given; accepted: (lo, hi), or {width} such pairs, one for each "
                               "column")
        return [(float(lo), float(hi)) for lo, hi in array]

    def _columns(self, width: int) -> dict[str, Any]:
        names = [str(name) for name in getattr(self, "feature_names_in_", [f"x{i}" for i in range(width)])]
        target = "target"
        while target in names:
            target += "_"
        declared: dict[str, Any] = {"target": target, "features": names, "intercept": bool(self.fit_intercept),
                                    "bounds": dict(zip(names, self._declared_bounds(width)))}
        of_target = self._target()
        if "bounds" in of_target:
            declared["bounds"][target] = of_target["bounds"]
        else:
            declared.update(of_target)
        if self.clip_norm is not None:
            declared["clip-norm"] = float(self.clip_norm)
        return declared

    def _budget(self) -> Budget:
        epsilon, delta = budget_pair(self.budget)
        return Budget(float(epsilon), float(delta))

    def _new_stream(self, width: int, release_every: int, horizon: int | str | None) -> Stream:
        options = make_options({**self._columns(width), **settings_from(dict(
            budget=tuple(self._budget()), release_every=release_every, horizon=horizon, constraint=self._constraint(),
            neighbours=self.neighbours, insecure_seed=self.insecure_seed, **self._settings()))})
        stream = Stream.__new__(Stream)
        _core.StreamBase.__init__(stream, options, None, True, None)
        return stream

    def _spend_on(self, spend: Spend, schema: _core.Schema, X: NDArray[np.float64], y: NDArray[np.float64], what: str) -> None:
        if self.insecure_seed is not None:
            return  # promises nothing
        rows = _core.Fingerprint()
        rows.add(rows_of(schema, X, y))
        warn(rows, spend, f"{type(self).__name__}.{what}", stacklevel=5)
        record(rows, spend)

    def _fit(self, X: NDArray[np.float64], y: NDArray[np.float64]) -> None:
        self._forget_stream()
        one_release = self.release_every is None and self.horizon is None
        every = len(X) if self.release_every is None else self.release_every
        stream = self._new_stream(X.shape[1], every, 1 if one_release else self.horizon)
        spend = Spend(self._budget())
        self._spend_on(spend, stream.options.schema, X, y, "fit")  # warnings come before the spending: as errors they prevent it
        stream.observe_many(X, y)
        stream.release()
        if not one_release:
            self._stream, self._spend = stream, spend
        self._publish(stream)

    def _partial_fit(self, X: NDArray[np.float64], y: NDArray[np.float64]) -> None:
        stream = getattr(self, "_stream", None)
        if stream is None and hasattr(self, "releases_"):
            raise PrivacyError(f"{type(self).__name__}.partial_fit: " + (
                "this is a copy (or was pickled), which holds what was published and not the stream; going on here and there would "
                "publish the same steps twice. Go on with the original, or keep a rivulet.Stream in a file"
                if getattr(self, "_detached", False) else
                "fit() made one release and spent the whole budget on it; begin with partial_fit(), or give fit() a horizon of "
                "several steps (horizon='unbounded' for any number)"))
        if stream is None:
            if self.release_every is None and self._settings().get("mechanism") == "erm":
                raise RequestError("release_every: not given; method 'erm' plans its calls by the rows of a step, so partial_fit needs it")
            every = _NEVER if self.release_every is None else self.release_every
            stream = self._new_stream(X.shape[1], every, self.horizon)
            self._spend = Spend(self._budget())
        self._spend_on(self._spend, stream.options.schema, X, y, "partial_fit")
        self._stream = stream
        stream.observe_many(X, y)
        if self.release_every is None:
            stream.release()
        if stream.step > 0:
            self._publish(stream)

    def _forget_stream(self) -> None:
        for name in ("_stream", "_spend", "_detached"):
            if hasattr(self, name):
                delattr(self, name)

    def _publish(self, stream: Stream) -> None:
        self.releases_ = stream.published()
        self._use(self.releases_.model())

    def _use(self, model: _core.Model) -> None:
        names = list(self.releases_.schema.feature_names)
        known = model.coefficients
        self.model_ = model
        self.coef_ = self._shaped(np.array([known.get(name, 0.0) for name in names]))
        self.intercept_ = self._shaped_intercept(model.intercept)

    def _shaped(self, coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
        return coefficients

    def _shaped_intercept(self, intercept: float) -> Any:
        return intercept

    def __getstate__(self) -> dict[str, Any]:
        # What was published may be copied and pickled; the stream may not, and the copy knows that it has none.
        state = dict(super().__getstate__())
        state.pop("_spend", None)
        if state.pop("_stream", None) is not None:
            state["_detached"] = True
        return state

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "releases_")

    # --- what was published

    def _linear(self, X: ArrayLike) -> NDArray[np.float64]:
        check_is_fitted(self)
        checked = self._matrix(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        with np.errstate(invalid="ignore"):  # a row that cannot be used has no prediction
            return np.asarray(checked @ np.ravel(self.coef_) + np.ravel(self.intercept_)[0], dtype=np.float64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = self.insecure_seed is None
        tags.input_tags.allow_nan = True  # a row that cannot be used counts as a zero row
        return tags

    def summary(self, level: float = 0.95) -> Summary:
        """The coefficients with standard errors and intervals that count sampling and privacy noise."""
        check_is_fitted(self)
        return self.releases_.summary(level=level)

    def refit(self, *, constraint: str | None = None, features: Sequence[str] | None = None,
              regularisation: str | None = None) -> Any:
        """Another fitted estimator from the same publications: no rows, no budget.

        It can predict and be refitted; only this one can go on with partial_fit.
        """
        check_is_fitted(self)
        fitted = copy.copy(self)
        fitted._forget_stream()
        fitted._detached = True
        fitted._use(self.releases_.refit(constraint=constraint, features=features, regularisation=regularisation))
        return fitted

    def refit_search(self, candidates: Sequence[Mapping[str, Any]], holdout: float = 0.25) -> RefitSearch:
        """Chooses among refits by their error on the newest rows, for free.

        Each candidate is a dict of keywords of `refit()`. It is fitted to an earlier release and measured on the rows that
        came after it, by the difference of the two releases' published sums; the best is then refitted to all. Needs
        several releases: partial_fit, or fit with release_every.
        """
        check_is_fitted(self)
        found = [held_out_risk(self.releases_, dict(params), holdout) for params in candidates]
        if not found:
            raise RequestError("candidates: none were given")
        best = min(found, key=lambda candidate: candidate.error)
        return RefitSearch(self.refit(**best.params), dict(best.params), found)
