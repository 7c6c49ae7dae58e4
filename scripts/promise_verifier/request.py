"""What was promised, and the public settings that the accounting needs: the request, read anew."""

from __future__ import annotations

import json

import mpmath
from mpmath import mpf

from .report import Broken

STEP_CAP = 2**40  # an unbounded horizon ends here (section 1)
REQUEST_KEYS = set("target features intercept clip-norm epsilon delta neighbours unit only-if profile horizon release-every strategy "
                   "buffers tree-decoding constraint solver noise-aware-ridge insecure-seed".split())
OPTIONAL_KEYS = {"sketch", "row-set", "loss", "surrogate-margin", "erm"}


def whole(value: object, name: str, most: int, least: int = 1) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise Broken("request", f"{name} is {value!r}; accepted: a whole number from {least} to {most}")
    return value


def number(value: object, name: str) -> mpf:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < float("inf"):
        raise Broken("request", f"{name} is {value!r}; accepted: a finite number")
    return mpf(float(value))  # the stored text is the shortest that reads back as the same double


def one_of(value: object, name: str, words: str) -> str:
    if value not in words.split():
        raise Broken("request", f"{name} is {value!r}; accepted: {words}")
    return str(value)


def without_repetition(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise Broken("request", "a key stands in it twice")
    return dict(pairs)


class Request:
    """What was promised, and the public settings that the accounting needs."""

    def __init__(self, data: bytes) -> None:
        try:
            fields = json.loads(data, object_pairs_hook=without_repetition)
            keys = set(fields)
        except (ValueError, TypeError):
            raise Broken("request", "it is not a JSON object") from None
        if not REQUEST_KEYS <= keys <= REQUEST_KEYS | OPTIONAL_KEYS:
            raise Broken("request", f"it has not the keys of a request: {sorted(keys ^ REQUEST_KEYS)}")
        self.epsilon, self.delta = number(fields["epsilon"], "epsilon"), number(fields["delta"], "delta")
        if not (self.epsilon > 0 and 0 < self.delta < 1):
            raise Broken("request", "(epsilon, delta) is not a budget; accepted: epsilon > 0 and 0 < delta < 1")
        self.replace = one_of(fields["neighbours"], "neighbours", "replace zero-out") == "replace"
        self.rows_per_unit = 1 if fields["unit"] is None else whole(fields["unit"]["max-rows"], "max-rows of the unit", 2**20)
        self.changed_rows = (2 if self.replace else 1) * self.rows_per_unit  # f of section 7: opposite gradients for replace
        self.paper = one_of(fields["profile"], "profile", "tight paper") == "paper"
        horizon = fields["horizon"]
        self.horizon = None if horizon == "unbounded" else whole(horizon, "horizon", STEP_CAP)
        self.rows_per_step = whole(fields["release-every"], "release-every", 2**30)
        self.insecure = fields["insecure-seed"] is not None
        self.loss = fields.get("loss", "squared")
        self.erm = fields.get("erm")
        if (self.erm is None) == (fields["strategy"] is None):
            raise Broken("request", "it must name a strategy, or settings of PrivIncERM, and not both")
        self.strategy = None if self.erm is not None else one_of(fields["strategy"], "strategy", "blt tree hybrid")
        self.buffers = fields["buffers"]
        self.read_schema(fields)
        sketch = fields.get("sketch")
        self.dimension = self.coordinates if sketch is None else whole(sketch["dimension"], "dimension of the sketch", 20000)
        if self.dimension > 20000:
            raise Broken("request", f"{self.dimension} coordinates; accepted: up to 20000")

    def read_schema(self, fields: dict) -> None:
        """Coordinates of a row, ||K|| in unit-ball units, and what both need of the columns."""
        intercept = fields["intercept"]
        if not isinstance(intercept, bool):
            raise Broken("request", "intercept must be true or false")
        self.coordinates = norm_squared = int(intercept)
        for feature in fields["features"]:
            if "columns" in feature:  # a block
                self.coordinates += whole(feature["columns"], "columns of a block", 2**31)
                norm_squared += feature["columns"]
            elif "levels" in feature:  # with an intercept the first level has no coordinate; one level at a time is 1
                self.coordinates += len(feature["levels"]) - int(intercept)
                norm_squared += 1
            else:
                self.coordinates += 1
                norm_squared += 1
        if self.coordinates < 1:
            raise Broken("request", "it has no coordinates")
        norm_limit = mpmath.sqrt(norm_squared)
        if fields["clip-norm"] is not None:
            norm_limit = min(norm_limit, number(fields["clip-norm"], "clip-norm"))
        self.constraint = fields["constraint"]
        self.diameter = largest_norm(self.constraint, self.coordinates) * norm_limit
        if not self.diameter > 0:
            raise Broken("request", f"the constraint {self.constraint} holds the origin alone")


def largest_norm(constraint: str, coordinates: int) -> mpf:
    """sup ||v|| over the set. In every ball ||v|| is at most the norm that defines it, and equal to it on an axis. An elastic
    net has A r + (1 - A) r^2 <= 1 on an axis, r in units of its radius, hence r = 1."""
    kind, _, rest = str(constraint).partition(":")
    try:
        if kind == "polytope":
            return max(mpmath.sqrt(sum(number(x, "a vertex") ** 2 for x in vertex)) for vertex in json.loads(rest))
        if kind == "box":
            low, high = (abs(mpf(float(part))) for part in rest.split(":"))
            return mpmath.sqrt(coordinates) * max(low, high)
        if kind == "simplex":
            return mpf(float(rest)) if rest else mpf(1)
        if kind in ("l2", "l1", "lp", "group", "elastic"):
            return mpf(float(rest.rsplit(":", 1)[-1]))
    except (ValueError, TypeError):
        pass
    raise Broken("request", f"the constraint {constraint!r} cannot be read")
