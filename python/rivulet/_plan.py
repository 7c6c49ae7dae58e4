"""What a stream will do, before there is any data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from . import _core
from ._settings import Budget, Declared
from ._stream import request_options


class Plan(_core.PlanBase):
    """The promise, the noise at any step, the errors to expect, the paper's bounds and the memory of a request.

        >>> import rivulet
        >>> plan = rivulet.plan(budget=(1, 1e-6), target="spend", release_every=100,
        ...                     bounds={"age": (18, 90), "spend": (0, 5000)})
        >>> plan.noise_at(1000).cross < plan.noise_at(100_000).cross
        True
        >>> sorted(plan.standard_errors(1000))
        ['(intercept)', 'age']
        >>> print(str(plan).splitlines()[1])
          budget                  epsilon 1, delta 1e-06 for all releases together
    """

    def standard_errors(self, step: int) -> dict[str, float]:
        """What the privacy noise alone makes of each coefficient at a step, in your units.

        For columns that are spread evenly over their bounds and unrelated to each other, and coefficients well inside the
        constraint set; sampling noise comes on top. Empty with a sketch and for losses other than squared.
        """
        return dict(zip(self.options.schema.coordinate_names, self._standard_errors(step)))

    def to_dict(self, steps: Sequence[int] = (), noise_share: float = 0.1, beta: float = 0.05, sketches: bool = False) -> dict[str, Any]:
        """Everything, as `rivulet plan --json` prints it; `steps` are those to report."""
        return dict(json.loads(self._json(list(steps), noise_share, beta, sketches)))

    def text(self, steps: Sequence[int] = (), noise_share: float = 0.1, beta: float = 0.05, sketches: bool = False) -> str:
        """The same for people."""
        return self._text(list(steps), noise_share, beta, sketches)

    def __str__(self) -> str:
        return self.text()


def plan(*, budget: Budget | tuple[float, float] | None = None, bounds: Mapping[str, Declared] | None = None,
         target: str | None = None, classes: tuple[Any, Any] | None = None, schema: _core.Schema | None = None,
         features: Sequence[str] | None = None, **settings: Any) -> Plan:
    """The plan of a stream with these keywords, which are those of `Stream`. Needs no data and spends nothing."""
    return Plan(request_options(budget, bounds, target, classes, schema, features, settings))
