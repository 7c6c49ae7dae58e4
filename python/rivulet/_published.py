"""What can be done with publications: models, refits, intervals, pictures. All of it is free."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._errors import RequestError
from ._rows import rows_of
from ._summary import Summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_RELEASES_AT_ONCE = 64


class Prediction(NamedTuple):
    """Predictions with the interval of a new row's target, in the target's units."""

    value: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


class Published:
    """A sequence of releases. Going through it, and everything below, costs no privacy."""

    if TYPE_CHECKING:
        @property
        def options(self) -> _core.Options: ...
        @property
        def step(self) -> int: ...

        def _at(self, step: int) -> _core.Release: ...
        def _range(self, first: int, last: int) -> list[_core.Release]: ...

    @property
    def _first_kept(self) -> int:
        return 1

    @property
    def schema(self) -> _core.Schema:
        """The declared columns."""
        return self.options.schema

    @property
    def promise(self) -> str:
        """What is promised, in one sentence."""
        options = self.options
        if options.insecure_seed is not None:
            return (f"NOT PRIVATE: the noise came from insecure_seed={options.insecure_seed} and anyone can remove it. "
                    "For tests only.")
        epsilon, delta = options.budget
        replace = options.neighbours == "replace"
        who = "row"
        change = "exchanging any one row for another" if replace else "leaving out any one row"
        if options.unit is not None:
            who, most = options.unit
            change = f"{'exchanging' if replace else 'leaving out'} all rows of any one {who} (of which {most} count)"
        releases = "the one release is" if self.step == 1 else f"all {self.step} releases together are"
        factor = f"{math.exp(epsilon):.4g}" if epsilon <= 20 else f"e^{epsilon:g}"
        return (f"Privacy: {releases} ({epsilon:g}, {delta:g})-differentially private for every {who}: {change} changes the "
                f"probability of anything published by a factor of at most {factor}, but for an event of probability {delta:g}.")

    def at(self, t: int | None = None) -> _core.Release:
        """Release number `t`, counted from 1; the newest unless given."""
        return self._at(self.step if t is None else _whole(t))

    def __iter__(self) -> Iterator[_core.Release]:
        """The releases that are kept, oldest first."""
        first = max(1, self._first_kept)
        while first <= self.step:
            releases = self._range(first, first + _RELEASES_AT_ONCE - 1)
            if not releases:
                return
            yield from releases
            first = releases[-1].step + 1

    def model(self, t: int | None = None) -> _core.Model:
        """The model of release `t`; the newest unless given."""
        return self.at(t).model

    def statistics(self, t: int | None = None) -> _core.Statistics:
        """The private sums release `t` was made from."""
        statistics = self.at(t).statistics
        if statistics is None:
            raise RequestError("t: this mechanism publishes models alone, there are no sums behind them")
        return statistics

    def predict(self, X: Any, t: int | None = None) -> NDArray[np.float64]:
        """Predictions of the model of release `t` for many rows, in the target's units."""
        return self.model(t).predict(X)

    def predict_interval(self, X: Any, t: int | None = None, level: float = 0.95) -> Prediction:
        """Predictions with intervals that count sampling noise, privacy noise and the spread of a new row."""
        return Prediction(*self.inference(t, level)._predict(rows_of(self.schema, X)))

    def refit(self, *, constraint: str | None = None, features: Sequence[str] | None = None,
              regularisation: str | None = None, solver: str | None = None, surrogate_margin: float | None = None,
              t: int | None = None) -> _core.Model:
        """Another model from the same published sums: another constraint, fewer features, another regularisation.

        Costs no rows and no budget. With nothing given it is the published model, bit for bit.
        """
        release = self.at(t)
        if release.statistics is None:
            raise RequestError("refit: this mechanism publishes models alone, there are no sums to fit another one to")
        start = None
        if self.options.has_sketch and release.step > self._first_kept:
            start = self._at(release.step - 1).model.theta.tolist()
        chosen = None if features is None else list(features)
        return _core.Refit(self.options, constraint, solver, chosen, regularisation,
                           surrogate_margin).fit(release.statistics, start)

    def inference(self, t: int | None = None, level: float = 0.95) -> _core.Inference:
        """Standard errors and intervals of release `t`, sampling and privacy noise counted together."""
        return _core.Inference(self.schema, self.statistics(t), level)

    def summary(self, t: int | None = None, level: float = 0.95) -> Summary:
        """A table of the coefficients of release `t`; prints as text, and as a table in notebooks."""
        return Summary.of(self.at(t), self.options, self.promise, level)

    def plot(self, coefficients: Iterable[str] | None = None, level: float = 0.95, figure: Figure | None = None) -> Figure:
        """Coefficients over the releases with their intervals, and the noise level below (matplotlib)."""
        from ._plot import plot

        return plot(self, coefficients, level, figure)

    def _repr_html_(self) -> str:
        if self.step == 0:
            return f"<p>{type(self).__name__}: nothing was published yet.</p>"
        return self.summary()._repr_html_()


def _whole(t: Any) -> int:
    try:
        number = int(t)
    except (TypeError, ValueError):
        number = -1
    if number != t or number < 1:
        raise RequestError(f"t: {t!r} is not accepted; accepted: the number of a release, 1 or more")
    return number


class Releases(Published):
    """Published releases alone, without the stream they came from: may be copied, pickled and shared.

        >>> import numpy, pickle, rivulet
        >>> stream = rivulet.Stream(budget=(1, 1e-6), bounds={"x": (-1, 1), "y": (-1, 1)}, target="y", release_every=2)
        >>> stream.observe_many(numpy.zeros((4, 1)), numpy.zeros(4))
        2
        >>> copy = pickle.loads(pickle.dumps(stream.published()))
        >>> copy.step
        2
    """

    def __init__(self, options: _core.Options, releases: Iterable[_core.Release]) -> None:
        self._options = options
        self._releases = list(releases)

    @property
    def options(self) -> _core.Options:
        return self._options

    @property
    def step(self) -> int:
        return self._releases[-1].step if self._releases else 0

    @property
    def _first_kept(self) -> int:
        return self._releases[0].step if self._releases else 1

    def _at(self, step: int) -> _core.Release:
        if not self._first_kept <= step <= self.step:
            raise RequestError(f"t: there is no release {step}; accepted: {self._first_kept} to {self.step}")
        return self._releases[step - self._first_kept]

    def _range(self, first: int, last: int) -> list[_core.Release]:
        begin = max(first - self._first_kept, 0)
        return self._releases[begin:max(last - self._first_kept + 1, 0)]

    def __repr__(self) -> str:
        return f"<rivulet.Releases: {len(self._releases)}>"
