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
    """Coefficients of a release with standard errors and intervals that count sampling and privacy noise."""

    target: str
    step: int
    rows: int
    level: float
    promise: str
    lines: list[SummaryLine] = field(default_factory=list)
    r_squared: float | None = None
    residual_stddev: float | None = None

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
        return cls(schema.target_name, release.step, release.rows, level, promise, lines,
                   None if inference is None else inference.r_squared,
                   None if inference is None else inference.residual_stddev)

    @property
    def has_intervals(self) -> bool:
        return any(line.determined is not None for line in self.lines)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, e.g. for JSON or a data frame of `["lines"]`."""
        return {"target": self.target, "step": self.step, "rows": self.rows, "level": self.level,
                "promise": self.promise, "r_squared": self.r_squared, "residual_stddev": self.residual_stddev,
                "lines": [dict(vars(line)) for line in self.lines]}

    def _cells(self) -> list[list[str]]:
        head = ["", "per unit"]
        if self.has_intervals:
            head += ["std. error", f"{100 * self.level:.4g}% from", "to", ""]
        cells = [head]
        for line in self.lines:
            row = [line.name, f"{line.published:.6g}"]
            if self.has_intervals and line.determined:
                row += [f"{line.standard_error:.3g}", f"{line.lower:.6g}", f"{line.upper:.6g}", line.mark]
            elif self.has_intervals:
                row += ["not determined yet", "", "", ""]
            cells.append(row)
        return cells

    def _title(self) -> str:
        return f"Model of {self.target} after {self.rows} rows (release {self.step})"

    def _quality(self) -> str:
        if self.residual_stddev is None or self.r_squared is None or not math.isfinite(self.residual_stddev):
            return ""
        return f"R² {self.r_squared:.4f}, residual standard deviation {self.residual_stddev:.4g}."

    def __str__(self) -> str:
        cells = self._cells()
        widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
        lines = [self._title(), ""]
        for row in cells:
            name = row[0].ljust(widths[0])
            lines.append(("  " + name + "".join("  " + cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))).rstrip())
        lines.append("")
        if self._quality():
            lines.append("  " + self._quality())
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
        if self._quality():
            parts.append(f"<p>{html.escape(self._quality())}</p>")
        parts.append(f"<p><small>{html.escape(self.promise)}</small></p>")
        return "".join(parts)
