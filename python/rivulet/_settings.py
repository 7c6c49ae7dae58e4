"""Keywords to settings. What settings mean, and which contradict each other, is for the library to say."""

from __future__ import annotations

import json
import math
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

# Keywords whose parts are settings of their own, by the names the parts have there.
_SKETCH = {"dimension": "sketch", "rule": "sketch", "embedding": "embedding", "column_weight": "column-weight", "seed": "sketch-seed"}
_ERM = {"mechanism": "mechanism", "method": "method", "rule": "tau-rule", "tau": "tau", "ridge": "ridge", "late_weight": "late-weight",
        "iterations": "iterations", "batches": "batches", "averaged": "average"}


def refusal(field: str, explanation: str) -> RequestError:
    error = RequestError(f"{field}: {explanation}")
    error.field = field
    return error


def budget_pair(budget: Any) -> tuple[float, float]:
    """(epsilon, delta), whatever sequence of two numbers they came in."""
    if budget is None:
        raise refusal("budget", "not given; a privacy budget has no default: choose (epsilon, delta), e.g. (1, 1e-6)")
    if isinstance(budget, (tuple, list)) and len(budget) == 2:
        return budget[0], budget[1]
    raise refusal("budget", f"{budget!r} is not accepted; accepted: (epsilon, delta), e.g. (1, 1e-6)")


def declared_columns(bounds: Mapping[str, Declared], target: str, classes: Any = None,
                     features: Sequence[str] | None = None) -> dict[str, Any]:
    """Settings of declared columns; all in `bounds` but the target are features, or those that `features` lists."""
    settings: dict[str, Any] = {"target": target, "features": [name for name in bounds if name != target] if features is None
                                else features, "bounds": {}, "levels": {}, "block": []}
    if classes is not None:
        settings["classes"] = classes
    for name, domain in bounds.items():
        if isinstance(domain, Block):
            settings["block"].append(f"{name}:{domain.columns}")
            settings["bounds"][name] = [domain.lo, domain.hi]
        elif isinstance(domain, Sequence) and not isinstance(domain, (str, bytes)) and len(domain) > 0 and all(
                isinstance(level, str) for level in domain):
            settings["levels"][name] = list(domain)
        else:
            settings["bounds"][name] = domain
    return {key: value for key, value in settings.items() if value or key == "features"}


def _parts(field: str, value: Any, names: Mapping[str, str]) -> dict[str, Any]:
    for name in value:
        if name not in names:
            raise refusal(f"{field} {name}", f"there is no such setting; accepted: {', '.join(names)}")
    return {names[name]: part for name, part in value.items() if part is not None and not (name == "rule" and part == "auto")}


def settings_from(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by the keys of the library. A keyword that is None says nothing."""
    settings: dict[str, Any] = {}
    for name, value in keywords.items():
        if value is None:
            continue
        if name == "budget":
            settings["epsilon"], settings["delta"] = budget_pair(value)
        elif name == "unit" and isinstance(value, (tuple, list)):
            if len(value) != 2:
                raise refusal("unit", f"{value!r} is not accepted; accepted: (name, rows that count)")
            settings["unit"], settings["max-rows-per-unit"] = value
        elif name == "sketch" and isinstance(value, Mapping):
            settings.update(_parts("sketch", value, _SKETCH) or {"sketch": "auto"})
            settings.setdefault("mechanism", "sketch")
        elif name == "erm":
            if value is not True and not isinstance(value, Mapping):
                raise refusal("erm", f"{value!r} is not accepted; accepted: True, or a dict of settings")
            parts = {} if value is True else _parts("erm", value, _ERM)
            if parts.get("mechanism") == "periodic":
                del parts["mechanism"]
            settings.setdefault("mechanism", parts.get("mechanism", "erm"))
            settings.update(parts)
        elif name == "surrogate_margin":
            settings["margin"] = value
        elif name == "mechanism":
            if settings.get("mechanism", value) not in (value, "erm"):
                raise refusal("mechanism", f"{value!r} contradicts erm; accepted: one of them")
            settings["mechanism"] = value
        else:
            settings[name.replace("_", "-")] = value
    return settings


def _plain(value: Any) -> Any:
    """As JSON can say it: what is no number of JSON as its text, NumPy's numbers as Python's."""
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return value if value is None or isinstance(value, (bool, int, float, str)) else repr(value)


def make_options(settings: Mapping[str, Any]) -> _core.Options:
    """The request that settings ask for."""
    return _core.Options(json.dumps(_plain(settings)))
