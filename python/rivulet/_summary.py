"""Tables for people."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass, field
from typing import Any

from . import _core


@dataclass(frozen=True)
class SummaryLine:
    """One coefficient. Without intervals (sketches, profile `paper`, PrivIncERM) all but the first two are None."""

    name: str
    published: float
    estimate: float | None = None
    standard_error: float | None = None
    lower: float | None = None
    upper: float | None = None
    p_value: float | None = None
    mark: str = ""
    determined: bool | None = None


@dataclass(frozen=True)
class Summary:
    """The model of a release (`published`), beside it the unconstrained estimates with standard errors and intervals
    that count sampling and privacy noise, and how good the model is.

    `r_squared` and what goes with it are those of the published coefficients on the rows so far, with an interval for
    the privacy noise; None where that cannot be told. `better_than_baseline`: whether the model is better than always
    saying the mean of the target (`baseline` "zero", without an intercept: than saying 0); None where that cannot be
    told. `quality` says it in a sentence. `residual_stddev` is that of the estimates.
    """

    target: str
    step: int
    rows: int
    level: float
    promise: str
    lines: list[SummaryLine] = field(default_factory=list)
    r_squared: float | None = None
    residual_stddev: float | None = None
    r_squared_stddev: float | None = None
    r_squared_lower: float | None = None
    r_squared_upper: float | None = None
    baseline: str | None = None
    better_than_baseline: bool | None = None
    quality: str = ""

    @classmethod
    def of(cls, release: _core.Release, options: _core.Options, promise: str, level: float) -> Summary:
        schema, model, statistics = options.schema, release.model, release.statistics
        inference = None
        if statistics is not None and statistics.target_square is not None and not options.has_sketch \
                and options.loss == "squared":
            inference = _core.Inference(schema, statistics, level)
        published: dict[str, float] = {}
        if schema.has_intercept:
            published["(intercept)"] = model.intercept
        published.update(model.coefficients)
        intervals = {} if inference is None else {line.name: line for line in inference.coefficients}
        lines = []
        for name, value in published.items():
            line = intervals.get(name)
            if line is None:
                lines.append(SummaryLine(name, value))
            else:
                lines.append(SummaryLine(name, value, line.estimate, line.standard_error, line.lower, line.upper,
                                         line.p_value, line.mark, line.determined))
        quality = _core.model_quality(options, statistics, model, level)
        r_squared = quality.r_squared
        return cls(schema.target_name, release.step, release.rows, level, promise, lines,
                   None if r_squared is None else r_squared.value,
                   None if inference is None else inference.residual_stddev,
                   None if r_squared is None else r_squared.stddev,
                   None if r_squared is None else r_squared.lower,
                   None if r_squared is None else r_squared.upper,
                   None if quality.not_known_because else quality.baseline, quality.better_than_baseline, str(quality))

    @property
    def has_intervals(self) -> bool:
        return any(line.determined is not None for line in self.lines)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, e.g. for JSON or a data frame of `["lines"]`."""
        return {"target": self.target, "step": self.step, "rows": self.rows, "level": self.level,
                "promise": self.promise, "r_squared": self.r_squared, "r_squared_stddev": self.r_squared_stddev,
                "r_squared_lower": self.r_squared_lower, "r_squared_upper": self.r_squared_upper,
                "baseline": self.baseline, "better_than_baseline": self.better_than_baseline,
                "quality": self.quality, "residual_stddev": self.residual_stddev,
                "lines": [dict(vars(line)) for line in self.lines]}

    def _cells(self) -> list[list[str]]:
        head = ["", "per unit"]
        if self.has_intervals:
            head += ["estimate", "std. error", f"{100 * self.level:.4g}% from", "to", ""]
        cells = [head]
        for line in self.lines:
            row = [line.name, f"{line.published:.6g}"]
            if self.has_intervals and line.determined:
                row += [f"{line.estimate:.6g}", f"{line.standard_error:.3g}", f"{line.lower:.6g}", f"{line.upper:.6g}", line.mark]
            elif self.has_intervals:
                row += ["not determined yet", "", "", "", ""]
            cells.append(row)
        return cells

    def _title(self) -> str:
        return f"Model of {self.target} after {self.rows} rows (release {self.step})"

    def _notes(self) -> list[str]:
        notes = [self.quality]
        if self.has_intervals:
            notes.append("per unit: the model. estimate, std. error, interval: the best linear prediction without constraint.")
        if self.residual_stddev is not None and math.isfinite(self.residual_stddev):
            notes.append(f"The estimates' residual standard deviation is {self.residual_stddev:.4g}.")
        return notes

    def __str__(self) -> str:
        cells = self._cells()
        widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
        lines = [self._title(), ""]
        for row in cells:
            name = row[0].ljust(widths[0])
            lines.append(("  " + name + "".join("  " + cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))).rstrip())
        lines.append("")
        lines += ["  " + note for note in self._notes()]
        lines.append("  " + self.promise)
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head, *body = self._cells()
        parts = [f"<p><b>{html.escape(self._title())}</b></p>", "<table><thead><tr>"]
        parts += [f"<th>{html.escape(cell)}</th>" for cell in head]
        parts.append("</tr></thead><tbody>")
        for row in body:
            parts.append("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>")
        parts.append("</tbody></table>")
        parts += [f"<p>{html.escape(note)}</p>" for note in self._notes()]
        parts.append(f"<p><small>{html.escape(self.promise)}</small></p>")
        return "".join(parts)
