"""Rows from whatever form they are in: arrays, sparse matrices, tables, columns, lists.

What is refused here depends on shapes and declared types alone, and before a row is taken; never on what a cell says. A cell
that cannot be used makes its row a zero row, which counts. What a cell says is decided in one place: rivulet/row_layout.h.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._errors import RequestError

_NUMBERS = "biuf"
_OBJECTS = "OUST"  # each cell says what it is


def _refusal(field: str, explanation: str) -> RequestError:
    error = RequestError(f"{field}: {explanation}")
    error.field = field
    return error


def _doubles(array: NDArray[Any]) -> NDArray[np.float64]:
    """Numbers of any kind as doubles that can be read where they are; masked ones are missing."""
    with np.errstate(all="ignore"):  # a number beyond the largest double is infinite, and no warning tells whose
        if isinstance(array, np.ma.MaskedArray):
            return np.where(np.ma.getmaskarray(array), np.nan, np.ma.getdata(array).astype(np.float64))
        values = array if array.dtype == np.float64 and array.dtype.isnative else array.astype(np.float64)
    return values if values.flags.aligned else values.copy()


def _cells(array: NDArray[Any]) -> list[Any]:
    """The values one by one, None for masked ones."""
    listed: list[Any] = array.tolist()
    return listed


def _column(column: Any, categorical: bool) -> Any:
    """Doubles where the column holds numbers, the cells themselves otherwise: the core looks at each."""
    if isinstance(column, (list, tuple)):
        return column
    array = _as_array(column, "X")
    if array.ndim != 1:
        raise _refusal("X", f"a column of {array.ndim} dimensions was given; accepted: 1")
    if array.dtype.kind in _NUMBERS:
        return _cells(array) if categorical else _doubles(array)
    if array.dtype.kind in _OBJECTS:
        return _cells(array)
    raise _refusal("X", f"a column of dtype {array.dtype} was given; accepted: numbers, truth values or text")


def _as_array(values: Any, field: str) -> NDArray[Any]:
    try:
        return values if isinstance(values, np.ndarray) else np.asarray(values)
    except Exception:  # its text may hold a cell
        raise _refusal(field, f"a {type(values).__name__} cannot be read as an array; accepted: an array, a list or a table. "
                              "No row was taken") from None


def _as_objects(values: Any) -> NDArray[Any]:
    """Of lists, where a cell must not decide how others are read."""
    try:
        return np.array(values, dtype=object)
    except Exception:
        raise _refusal("X", "its rows differ in width; accepted: rows of one width. No row was taken") from None


def targets_of(schema: _core.Schema, y: Any) -> NDArray[np.float64] | None:
    """Targets as doubles: 0 and 1 for the words of declared classes, NaN for what is no target."""
    if y is None:
        return None
    if isinstance(y, (list, tuple)):
        return np.array(_core.targets_from(schema, y), dtype=np.float64)
    array = _as_array(y, "y")
    if array.ndim != 1:
        raise _refusal("y", f"targets of {array.ndim} dimensions were given; accepted: one number a row")
    words = schema.class_words
    if array.dtype.kind in _NUMBERS and words is None:
        return _doubles(array)
    if array.dtype.kind == "O" or array.dtype.kind in _NUMBERS + _OBJECTS and words is not None:
        return np.array(_core.targets_from(schema, _cells(array)), dtype=np.float64)
    raise _refusal("y", f"targets of dtype {array.dtype} were given; accepted: numbers"
                        + ("" if words is None else f", or the classes {words[0]!r} and {words[1]!r}"))


def _units(unit: Any) -> _core.UnitNames | None:
    if unit is None:
        return None
    if isinstance(unit, (list, tuple)):
        return _core.units_from(unit)
    array = _as_array(unit, "unit")
    if array.ndim != 1 or array.dtype.kind not in "biu" + _OBJECTS:
        raise _refusal("unit", f"an array of dtype {array.dtype} and {array.ndim} dimensions was given; accepted: one text or whole "
                               "number a row. No row was taken")
    return _core.units_from(_cells(array))


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
    except Exception:
        raise _refusal(name, "was declared, and the table has no such column. No row was taken") from None


def _arrow_stream(X: Any) -> Any:
    """The table's Arrow stream; None where it has none, or where Arrow would have to guess a type from the cells."""
    if not hasattr(X, "__arrow_c_stream__"):
        return None
    dtypes = getattr(X, "dtypes", None)
    if any(getattr(dtype, "kind", "") == "O" for dtype in (dtypes if dtypes is not None else ())):
        return None
    try:
        return X.__arrow_c_stream__(None)
    except Exception:  # pandas without pyarrow; a type that Arrow does not know. The text may hold a cell
        return None


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
        stream = _arrow_stream(X) if unit is None else None
        if stream is not None:
            return _core.arrow_rows(schema, stream, targets, needs_target, unit_column)
    if isinstance(X, Mapping) or hasattr(X, "columns"):
        if y is None and needs_target:
            y = _by_name(X, schema.target_name)
        if unit is None and unit_column is not None:
            unit = _by_name(X, unit_column)
        columns = [_column(_by_name(X, name), categorical) for name, categorical in _columns_of(schema)]
        return _core.column_rows(schema, columns, targets_of(schema, y), _units(unit))
    if isinstance(X, (list, tuple)):
        return _list_rows(schema, X, y, unit)
    return _array_rows(schema, _as_array(X, "X"), y, unit)


def _array_rows(schema: _core.Schema, X: NDArray[Any], y: Any, unit: Any) -> _core.Rows:
    targets = targets_of(schema, y)
    if X.ndim != 2:
        raise _refusal("X", f"an array of {X.ndim} dimension{'' if X.ndim == 1 else 's'} was given; accepted: 2, rows "
                            "and columns. No row was taken")
    if X.dtype.kind in _NUMBERS:
        _require_width(X.shape[1], schema.row_width)
        return _core.dense_rows(_doubles(X), targets, _units(unit))
    if X.dtype.kind in _OBJECTS:
        names = _columns_of(schema)
        _require_width(X.shape[1], len(names))
        return _core.column_rows(schema, [_cells(X[:, i]) for i in range(len(names))], targets, _units(unit))
    raise _refusal("X", f"an array of dtype {X.dtype} was given; accepted: numbers, or objects with one column for each "
                        "that was declared. No row was taken")


def _require_width(given: int, accepted: int) -> None:
    if given != accepted:
        raise _refusal("X", f"rows of {given} values were given; accepted: {accepted}. No row was taken")


def _list_rows(schema: _core.Schema, X: list[Any] | tuple[Any, ...], y: Any, unit: Any) -> _core.Rows:
    """A list of rows, each a list, a tuple or an array: read cell by cell, so that no cell changes how another is read."""
    rows: list[tuple[Any, ...]] = []
    for row in X:
        if isinstance(row, Mapping):
            raise _refusal("X", "is a list of dicts; accepted: an array, a table, a dict of columns, or observe() for one row")
        if not isinstance(row, (list, tuple, np.ndarray)):
            raise _refusal("X", "is a list of something other than rows; accepted: rows, each a list, a tuple or an array. No row was taken")
        rows.append(tuple(row))
    names = _columns_of(schema)
    widths = {len(row) for row in rows} - {len(names)}
    if widths:
        _require_width(min(widths), len(names))
    columns = [list(cells) for cells in zip(*rows)] if rows else [[] for _ in names]
    return _core.column_rows(schema, columns, targets_of(schema, y), _units(unit))


def _sparse_rows(schema: _core.Schema, X: Any, y: Any, unit: Any) -> _core.Rows:
    csr = X.tocsr()
    _require_width(csr.shape[1], schema.row_width)
    if csr.dtype.kind not in _NUMBERS:
        raise _refusal("X", f"a matrix of dtype {csr.dtype} was given; accepted: numbers. No row was taken")
    if not (csr.has_sorted_indices and csr.has_canonical_format):
        csr = csr.copy()
        csr.sum_duplicates()
    return _core.sparse_rows(schema.row_width, np.ascontiguousarray(csr.indptr, dtype=np.int64),
                             np.ascontiguousarray(csr.indices, dtype=np.uint32), _doubles(np.ascontiguousarray(csr.data)),
                             targets_of(schema, y), _units(unit))


def matrix_of(X: Any) -> Any:
    """A matrix of doubles for scikit-learn, NaN for cells that are no numbers; what is no matrix is left to scikit-learn."""
    if hasattr(X, "tocsr") or X is None:
        return X
    array = _as_objects(X) if isinstance(X, (list, tuple)) else _as_array(X, "X")
    if array.dtype.kind not in _OBJECTS or array.ndim != 2:
        return array if array.dtype.kind not in _NUMBERS else _doubles(array)
    values = np.empty(array.shape)
    for i in range(array.shape[1]):
        values[:, i] = _core.numbers_from(_cells(array[:, i]))
    return values


def class_code(label: Any, negative: Any, positive: Any) -> float:
    """0 or 1 for a label that is one of the two classes, NaN for any other, whatever its type does when it is compared."""
    try:
        return 1.0 if bool(label == positive) else 0.0 if bool(label == negative) else math.nan
    except Exception:
        return math.nan


def numbers_of(y: NDArray[Any]) -> NDArray[np.float64]:
    """One-dimensional targets as doubles, NaN for what is no number."""
    if y.dtype.kind in _NUMBERS:
        return _doubles(y)
    return np.array(_core.numbers_from(_cells(y)), dtype=np.float64)
