"""Rows from whatever form they are in: arrays, sparse matrices, tables, columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._errors import RequestError

_NUMBERS = "biuf"


def _column_array(column: Any, categorical: bool) -> Any:
    """Doubles where the column holds numbers, the objects themselves otherwise: the core looks at each."""
    if isinstance(column, (list, tuple)):
        return column
    array = np.asarray(column)
    if array.ndim != 1:
        raise _refusal("X", f"a column of {array.ndim} dimensions was given; accepted: 1")
    if array.dtype.kind in _NUMBERS:
        return array.tolist() if categorical else np.asarray(array, dtype=np.float64)
    if array.dtype.kind in "OUST":
        return array.tolist()
    raise _refusal("X", f"a column of dtype {array.dtype} was given; accepted: numbers, truth values or text")


def _refusal(field: str, explanation: str) -> RequestError:
    error = RequestError(f"{field}: {explanation}")
    error.field = field
    return error


def targets_of(schema: _core.Schema, y: Any) -> NDArray[np.float64] | None:
    """Targets as doubles; words of declared classes become 0 and 1, others NaN."""
    if y is None:
        return None
    try:
        array = np.asarray(y)
    except ValueError:
        raise _refusal("y", "differ in shape; accepted: one number a row") from None
    if array.ndim != 1:
        raise _refusal("y", f"targets of {array.ndim} dimensions were given; accepted: one number a row")
    if array.dtype.kind in _NUMBERS:
        return np.asarray(array, dtype=np.float64)
    words = schema.class_words
    if array.dtype.kind in "OUST" and words is not None:
        codes = np.full(len(array), np.nan)
        codes[array == words[0]] = 0.0
        codes[array == words[1]] = 1.0
        return codes
    if array.dtype.kind == "O":
        return np.array(_core.numbers_from(array.tolist(), "y"), dtype=np.float64)
    raise _refusal("y", f"targets of dtype {array.dtype} were given; accepted: numbers"
                        + ("" if words is None else f", or the classes {words[0]!r} and {words[1]!r}"))


def _require_length(X: Any, y: NDArray[np.float64] | None) -> None:
    # A table that can be counted is: nothing is taken of one that does not fit its targets.
    if y is not None and hasattr(X, "__len__") and len(X) != len(y):
        raise _refusal("y", f"{len(y)} targets for {len(X)} rows; accepted: one target a row. No row was taken")


def _columns_of(schema: _core.Schema) -> list[tuple[str, bool]]:
    """Names of the declared columns, and whether each is categorical."""
    names: list[tuple[str, bool]] = []
    for name, domain in schema.features:
        if isinstance(domain, tuple) and len(domain) == 3:
            names.extend((f"{name}{i}", False) for i in range(1, domain[0] + 1))
        else:
            names.append((name, not isinstance(domain, tuple)))
    return names


def _by_name(X: Any, name: str) -> Any:
    try:
        return X[name]
    except (KeyError, IndexError, ValueError, TypeError):
        raise _refusal(name, "was declared, and the table has no such column. No row was taken") from None


def rows_of(schema: _core.Schema, X: Any, y: Any = None, unit: Any = None, *, unit_column: str | None = None,
            needs_target: bool = False) -> _core.Rows:
    """Rows as the core takes them.

    A C-contiguous array of doubles is read where it is, an Arrow table column by column where its columns are; other
    arrays of numbers are converted. With `needs_target` and no `y` the target is a column of the table.
    """
    if isinstance(X, np.ndarray):
        return _array_rows(schema, X, y, unit)
    if hasattr(X, "tocsr") and hasattr(X, "shape"):
        return _sparse_rows(schema, X, y, unit)
    if hasattr(X, "__arrow_c_stream__"):
        targets = targets_of(schema, y)
        _require_length(X, targets)
        try:
            stream = X.__arrow_c_stream__(None)
        except ImportError:  # pandas without pyarrow
            stream = None
        if stream is not None and unit is None:
            return _core.arrow_rows(schema, stream, targets, needs_target, unit_column)
    if isinstance(X, Mapping) or hasattr(X, "columns"):
        if y is None and needs_target:
            y = _by_name(X, schema.target_name)
        if unit is None and unit_column is not None:
            unit = _by_name(X, unit_column)
        columns = [_column_array(_by_name(X, name), categorical) for name, categorical in _columns_of(schema)]
        return _core.column_rows(schema, columns, targets_of(schema, y), _units(unit))
    if hasattr(X, "__array__"):
        return _array_rows(schema, np.asarray(X), y, unit)
    if isinstance(X, (list, tuple)) and len(X) > 0 and isinstance(X[0], Mapping):
        raise _refusal("X", "is a list of dicts; accepted: an array, a table, a dict of columns, or observe() for one row")
    try:
        array = np.asarray(X, dtype=object if schema.has_categories else None)
    except ValueError:
        raise _refusal("X", "its rows differ in length; accepted: rows of one width") from None
    return _array_rows(schema, array, y, unit)


def _units(unit: Any) -> list[str] | None:
    if unit is None:
        return None
    return _core.units_from(unit.tolist() if hasattr(unit, "tolist") else unit)


def _array_rows(schema: _core.Schema, X: NDArray[Any], y: Any, unit: Any) -> _core.Rows:
    targets = targets_of(schema, y)
    if X.ndim != 2:
        if X.ndim == 1 and X.size == 0:
            X = np.empty((0, schema.row_width))
        else:
            raise _refusal("X", f"an array of {X.ndim} dimension{'' if X.ndim == 1 else 's'} was given; accepted: 2, rows "
                                "and columns. No row was taken")
    if X.dtype.kind in _NUMBERS:
        if X.shape[1] != schema.row_width:
            raise _refusal("X", f"rows of {X.shape[1]} values were given; accepted: {schema.row_width}. No row was taken")
        values = X if X.dtype == np.float64 and X.dtype.isnative else X.astype(np.float64)
        if not values.flags.aligned:
            values = values.copy()
        return _core.dense_rows(values, targets, _units(unit))
    if X.dtype.kind in "OUST":
        names = _columns_of(schema)
        if X.shape[1] != len(names):
            raise _refusal("X", f"rows of {X.shape[1]} values were given; accepted: {len(names)}. No row was taken")
        return _core.column_rows(schema, [X[:, i].tolist() for i in range(len(names))], targets, _units(unit))
    raise _refusal("X", f"an array of dtype {X.dtype} was given; accepted: numbers, or objects with one column for each "
                        "that was declared. No row was taken")


def _sparse_rows(schema: _core.Schema, X: Any, y: Any, unit: Any) -> _core.Rows:
    csr = X.tocsr()
    if not (csr.has_sorted_indices and csr.has_canonical_format):
        csr = csr.copy()
        csr.sum_duplicates()
    if csr.shape[1] != schema.row_width:
        raise _refusal("X", f"rows of {csr.shape[1]} values were given; accepted: {schema.row_width}. No row was taken")
    if csr.dtype.kind not in _NUMBERS:
        raise _refusal("X", f"a matrix of dtype {csr.dtype} was given; accepted: numbers. No row was taken")
    return _core.sparse_rows(schema.row_width, np.ascontiguousarray(csr.indptr, dtype=np.int64),
                             np.ascontiguousarray(csr.indices, dtype=np.uint32),
                             np.ascontiguousarray(csr.data, dtype=np.float64), targets_of(schema, y), _units(unit))
