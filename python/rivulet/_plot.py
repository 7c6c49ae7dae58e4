"""Pictures of a stream's releases."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from . import _core
from ._errors import RequestError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ._published import Published

_MOST_LINES = 8
_MOST_POINTS = 200


def plot(published: Published, coefficients: Iterable[str] | None, level: float, figure: Figure | None) -> Figure:
    import matplotlib.pyplot as plt

    if published.step == 0:
        raise RequestError("plot: nothing was published yet")
    first, last = published._first_kept, published.step
    steps = np.unique(np.linspace(first, last, min(_MOST_POINTS, last - first + 1)).astype(int))
    releases = [published.at(int(step)) for step in steps]
    names = _chosen(releases[-1].model, coefficients)
    rows = np.array([release.rows for release in releases])
    options = published.options
    with_intervals = options.loss == "squared" and not options.has_sketch and all(
        release.statistics is not None and release.statistics.target_square is not None for release in releases)
    if figure is None:
        figure = plt.figure(figsize=(8, 6), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[3, 1])
    for name in names:
        values = [release.model.coefficients.get(name, 0.0) for release in releases]
        (line,) = above.plot(rows, values, label=name)
        if with_intervals:
            lower, upper = _intervals(releases, options.schema, name, level)
            above.fill_between(rows, lower, upper, color=line.get_color(), alpha=0.15, linewidth=0)
    above.set_ylabel(f"{published.schema.target_name} per unit")
    above.legend(loc="best", fontsize="small")
    # Where nothing is determined yet the whole line would be filled: the models set the scale.
    shown = np.array([[release.model.coefficients.get(name, 0.0) for name in names] for release in releases])
    spread = max(float(np.ptp(shown)), 1e-12)
    above.set_ylim(float(shown.min()) - 0.5 * spread, float(shown.max()) + 0.5 * spread)
    if not any(release.model.noise.cross > 0 for release in releases):
        below.set_visible(False)  # PrivIncERM: its noise is in the gradients
    below.plot(rows, [release.model.noise.cross / release.rows for release in releases], color="0.3")
    below.set_yscale("log" if all(release.model.noise.cross > 0 for release in releases) else "linear")
    below.set_ylabel("noise a row")
    below.set_xlabel("rows")
    return figure


def _chosen(model: _core.Model, coefficients: Iterable[str] | None) -> list[str]:
    known = model.coefficients
    if coefficients is None:
        return sorted(known, key=lambda name: -abs(known[name]))[:_MOST_LINES]
    names = list(coefficients)
    for name in names:
        if name not in known:
            raise RequestError(f"coefficients: {name!r} is none; accepted: {', '.join(list(known)[:20])}")
    return names


def _intervals(releases: list[_core.Release], schema: _core.Schema, name: str,
               level: float) -> tuple[list[float], list[float]]:
    lower, upper = [], []
    for release in releases:
        assert release.statistics is not None
        found = {line.name: line for line in _core.Inference(schema, release.statistics, level).coefficients}[name]
        lower.append(found.lower if found.determined else float("nan"))
        upper.append(found.upper if found.determined else float("nan"))
    return lower, upper
