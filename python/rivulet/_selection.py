"""Choosing among refits by their error on rows that came later: post-processing of published sums, free.

The sums of release t less those of release s are private sums of the rows in between, which a model fitted to release s has
not seen. A model's mean squared error on them is theta^T Q theta - 2 q^T theta + sum y^2, over their number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._errors import RequestError
from ._published import Published


@dataclass(frozen=True)
class Candidate:
    """Held-out error of one refit: mean squared, in the target's units; `noise` is the privacy noise in it (1 sigma)."""

    params: dict[str, Any]
    error: float
    noise: float
    fitted_rows: int
    held_out_rows: int


def _split(published: Published, holdout: float) -> int:
    if not 0.0 < holdout < 1.0:
        raise RequestError(f"holdout: {holdout!r} is not accepted; accepted: a share of the rows between 0 and 1")
    last = published.at()
    first = published._first_kept
    if last.step <= first:
        raise RequestError("refit_search: needs two releases or more: rows that came after an earlier one are what is measured on; use "
                           "partial_fit, or fit with release_every=N")
    step = first
    for release in published:
        if release.step < last.step and release.rows <= (1.0 - holdout) * last.rows:
            step = release.step
    return step


def held_out_risk(published: Published, params: dict[str, Any], holdout: float) -> Candidate:
    options = published.options
    if options.loss != "squared" or options.has_sketch or options.has_erm:
        raise RequestError("refit_search: compares squared errors of linear regression; accepted: for PrivateLinearRegression and "
                           "PrivateLasso, e.g. another constraint by refit() otherwise")
    step = _split(published, holdout)
    early, late = published.statistics(step), published.statistics()
    if late.target_square is None or early.target_square is None:
        raise RequestError("refit_search: profile 'paper' does not release what the error is measured by")
    model = published.refit(t=step, **params)
    schema = published.schema
    known = dict(zip(model.schema.coordinate_names, model.theta))
    theta = np.array([known.get(name, 0.0) for name in schema.coordinate_names])
    gram, cross = late.gram - early.gram, late.cross - early.cross
    square = late.target_square - early.target_square
    rows = late.rows - early.rows
    lo, hi = schema.target_bounds
    unit = (hi - lo) / 2 if schema.has_intercept else max(abs(lo), abs(hi))
    error = (theta @ gram @ theta - 2 * cross @ theta + square) / rows * unit**2
    # Two prefixes' noise, taken as independent.
    noise = 0.0
    for statistics in (early, late):
        level = statistics.noise
        outer = np.outer(theta, theta)
        noise += (level.gram_diagonal**2 * float(np.sum(np.diag(outer) ** 2))
                  + level.gram_offdiagonal**2 * float(np.sum((2 * np.triu(outer, 1)) ** 2))
                  + 4 * level.cross**2 * float(theta @ theta) + statistics.target_square_stddev**2)
    return Candidate(params, float(error), math.sqrt(noise) / rows * unit**2, early.rows, rows)
