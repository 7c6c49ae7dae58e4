"""What a stream is asked for, from keywords."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Union

from . import _core
from ._errors import RequestError


class Budget(NamedTuple):
    """The (epsilon, delta) of everything a stream ever publishes, not of one release."""

    epsilon: float
    delta: float


class Block(NamedTuple):
    """Many numeric columns of the same bounds, name1 to nameN, most of them 0 in any row."""

    columns: int
    lo: float
    hi: float


# What is declared of a column: bounds, levels, or a block of columns.
Declared = Union[tuple[float, float], Sequence[str], Block]


def _pair(field: str, value: Any) -> tuple[float, float]:
    try:
        lo, hi = value
        return float(lo), float(hi)
    except (TypeError, ValueError):
        raise _refusal(field, f"{value!r} is not accepted; accepted: (lo, hi) of numbers, a list of levels, or a Block") from None


def _refusal(field: str, explanation: str) -> RequestError:
    error = RequestError(f"{field}: {explanation}")
    error.field = field
    return error


def make_schema(bounds: Mapping[str, Declared], target: str, *, classes: tuple[Any, Any] | None = None,
                features: Sequence[str] | None = None, intercept: bool = True, clip_norm: float | None = None,
                only_if: Sequence[str] = ()) -> _core.Schema:
    """The schema of declared columns; all in `bounds` but the target are features, or those that `features` lists."""
    schema = _core.Schema()
    names = [name for name in bounds if name != target] if features is None else list(features)
    for name in names:
        if name not in bounds:
            raise _refusal(f"bounds {name}", "not declared; nothing learns a bound from data, so every column needs one")
        declared = bounds[name]
        if isinstance(declared, Block):
            schema.block(name, declared.columns, declared.lo, declared.hi)
        elif isinstance(declared, Sequence) and not isinstance(declared, (str, bytes)) and len(declared) > 0 and all(
                isinstance(level, str) for level in declared):
            schema.categorical(name, list(declared))  # type: ignore[arg-type]
        else:
            schema.feature(name, *_pair(f"bounds {name}", declared))
    if classes is not None:
        schema.classes(target, *classes)
    elif target in bounds:
        schema.target(target, *_pair(f"bounds {target}", bounds[target]))
    else:
        raise _refusal(f"bounds {target}", "not declared; the target needs bounds, too, or two classes")
    schema.intercept(intercept)
    if clip_norm is None and schema.has_blocks:
        clip_norm = _norm_of_blocks(schema, only_if)
    if clip_norm is not None:
        schema.clip_norm(clip_norm)
    schema.validate()
    return schema


def _norm_of_blocks(schema: _core.Schema, only_if: Sequence[str]) -> float:
    """Rows of at most K values other than 0 have a norm of sqrt(K); an intercept, and with it every number, adds one."""
    limits = [float(found.group(1)) for text in only_if if (found := re.fullmatch(r"\s*nonzeros\s*<=\s*(\d+)\s*", text))]
    if not limits:
        raise _refusal("clip_norm", "not given; with a block the length of rows must be limited, each column scaled to [-1, 1]: "
                                    "longer rows are shortened to it, and noise grows with it; accepted: clip_norm=R, or "
                                    "only_if=['nonzeros<=K']")
    nonzeros = min(limits)
    if schema.has_intercept:
        nonzeros += 1 + sum(isinstance(domain, tuple) and len(domain) == 2 for _, domain in schema.features)
    return math.sqrt(nonzeros)


_MECHANISMS = ("full", "sketch", "surrogate", "erm", "naive", "trivial")


def budget_pair(budget: Any) -> tuple[float, float]:
    """(epsilon, delta), whatever sequence of two numbers they came in."""
    if isinstance(budget, (tuple, list)) and len(budget) == 2:
        return budget[0], budget[1]
    raise _refusal("budget", f"{budget!r} is not accepted; accepted: (epsilon, delta), e.g. (1, 1e-6)")


def make_options(schema: _core.Schema, settings: Mapping[str, Any]) -> _core.Options:
    """Keywords as the core reads them: sketch=400 or 'auto', erm=True, horizon='unbounded', mechanism='surrogate'."""
    given = {name: value for name, value in settings.items() if value is not None}
    sketch = given.get("sketch")
    if isinstance(sketch, str) and sketch in ("auto", "paper"):
        given["sketch"] = {"rule": sketch}
    elif isinstance(sketch, int) and not isinstance(sketch, bool):
        given["sketch"] = {"dimension": sketch}
    elif isinstance(sketch, Mapping):
        given["sketch"] = dict(sketch)
    given.setdefault("loss", "squared" if schema.class_numbers is None else "logistic")
    _choose_mechanism(given)
    if given.get("horizon") == "unbounded":
        del given["horizon"]
    if "only_if" in given:
        only_if = given["only_if"]
        given["only_if"] = [only_if] if isinstance(only_if, str) else list(only_if)
    return _core.Options({**given, "schema": schema})


def _choose_mechanism(given: dict[str, Any]) -> None:
    """As the command-line tool does: sums for squares, PrivIncERM for other losses, unless something else is said."""
    mechanism = given.pop("mechanism", None)
    erm = given.pop("erm", None)
    if mechanism is not None and mechanism not in _MECHANISMS:
        raise _refusal("mechanism", f"{mechanism!r} is not accepted; accepted: {', '.join(_MECHANISMS)}")
    if erm is not None and erm is not True and not isinstance(erm, Mapping):
        raise _refusal("erm", f"{erm!r} is not accepted; accepted: True, or a dict of settings")
    if mechanism is None:
        mechanism = "sketch" if "sketch" in given else "erm" if erm is not None or given["loss"] != "squared" else "full"
    if mechanism in ("erm", "naive", "trivial"):
        settings = {} if erm is None or erm is True else dict(erm)
        if mechanism != "erm":
            settings["mechanism"] = mechanism
        given["erm"] = settings
    elif erm is not None:
        raise _refusal("erm", f"contradicts mechanism={mechanism!r}; accepted: one of them")
    if mechanism == "sketch":
        given.setdefault("sketch", {"rule": "auto"})
    elif "sketch" in given:
        raise _refusal("sketch", f"contradicts mechanism={mechanism!r}; accepted: one of them")
    if mechanism == "full" and given["loss"] != "squared" or mechanism == "surrogate" and given["loss"] != "logistic":
        raise _refusal("mechanism", f"{mechanism!r} is not for loss {given['loss']!r}; accepted: 'erm'"
                                    + (", or 'surrogate'" if given["loss"] == "logistic" else ""))
