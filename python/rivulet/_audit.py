"""The distinguishing game on Python's own doors, for `rivulet audit --python`.

An adversary knows that the first row of a stream is one of two, and chooses all rows after it: hostile ones, which name columns
twice, leave them out, cut names at a NUL, lie about their text, hold what is no number. Whatever is published, and how many rows were
counted, goes back to the audit, which guesses which of the two rows it was. No data is read: rows are made up.

Standard input: a line with the game as JSON, then a line `0` or `1` for every trial, the row to begin with. Standard output: a line each.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ._errors import Error
from ._guard import forget_rows
from ._stream import Stream

FOLLOWERS = 60  # hostile rows after the one in question


class _Renamed(str):
    """A key whose text is not what str() says."""

    def __str__(self) -> str:
        return "x1"


class _Failing:
    """A value that cannot be had."""

    def __float__(self) -> float:
        raise RuntimeError("no")


def _mapping(row: dict[str, Any]) -> dict[Any, Any]:
    return {f"x{i + 1}": value for i, value in enumerate(row["x"])}


def _hostile_mappings(width: int) -> Iterator[tuple[dict[Any, Any], Any]]:
    """Rows that would show a value left behind by the row before: all but one of the columns, and something in its place."""
    last = f"x{width}"
    rest: dict[Any, Any] = {f"x{i}": 0.5 for i in range(1, width)}
    rows: list[dict[Any, Any]] = [
        {**rest, "x1\0": 0.5}, {**rest, _Renamed("other"): 0.5}, {**rest, f"x1\0{last}": 0.5}, {**rest, last + "\0": 0.5}, rest, {},
        {**rest, last: "123"}, {**rest, last: _Failing()}, {**rest, last: 10**400}, {**rest, "\udcff": 1}, {**rest, last.encode(): 1},
    ]
    while True:
        for row in rows:
            yield row, 0.5


def _hostile_cells(width: int) -> Iterator[tuple[list[Any], Any]]:
    cells: list[Any] = ["abc", None, _Failing(), 10**400, "\0", b"\xff", [1.0], {}, float("nan"), "0.5\0"]
    while True:
        for cell in cells:
            yield [0.5] * (width - 1) + [cell], 0.5
            yield [0.5] * width, cell


def _numbers(stream: Any, counted: int) -> list[float]:
    """Everything that was published of one step, and how many rows were counted."""
    if stream is None or stream.step == 0:
        return []
    statistics = stream._range(1, 1)[0].statistics
    order = statistics.dimension
    upper = [float(statistics.gram[i, j]) for i in range(order) for j in range(i, order)]
    return [*upper, *map(float, statistics.cross), float(statistics.target_square), float(counted)]


def _settings(game: dict[str, Any]) -> dict[str, Any]:
    return dict(budget=tuple(game["budget"]), neighbours=game["neighbours"], clip_norm=1.0, horizon=1)


def _stream(game: dict[str, Any], width: int) -> Stream:
    bounds: dict[str, Any] = {f"x{i}": (-1, 1) for i in range(1, width + 1)}
    return Stream(bounds={**bounds, "y": (-1, 1)}, target="y", intercept=False, release_every=2 * FOLLOWERS, **_settings(game))


def _observe(game: dict[str, Any], width: int, first: dict[str, Any]) -> list[float]:
    stream = _stream(game, width)
    rows = _hostile_mappings(width)
    _counted(lambda: stream.observe(_mapping(first), first["y"]))
    for _ in range(FOLLOWERS):
        row, target = next(rows)
        _counted(lambda: stream.observe(row, target))  # noqa: B023
    return _finish(stream)


def _observe_many(game: dict[str, Any], width: int, first: dict[str, Any]) -> list[float]:
    stream = _stream(game, width)
    cells = _hostile_cells(width)
    rows = [(first["x"], first["y"]), *(next(cells) for _ in range(FOLLOWERS))]
    _counted(lambda: stream.observe_many([row for row, _ in rows], [target for _, target in rows]))
    return _finish(stream)


def _counted(call: Callable[[], Any]) -> None:
    # Whoever runs a service goes on after an error; the adversary sees how many rows were counted.
    try:
        call()
    except (Error, ValueError, TypeError):
        pass


def _finish(stream: Stream) -> list[float]:
    counted = stream.rows
    while stream.rows < FOLLOWERS + 1:
        stream.observe([None] * len(stream.options.schema.features), None)
    stream.release()
    return _numbers(stream, counted)


def _learn_one(game: dict[str, Any], width: int, first: dict[str, Any]) -> list[float]:
    from .river import PrivateLinearRegression

    model = PrivateLinearRegression(features={f"x{i}": (-1, 1) for i in range(1, width + 1)}, target_bounds=(-1, 1), intercept=False,
                                    release_every=2 * FOLLOWERS, **_settings(game))
    rows = _hostile_mappings(width)
    _counted(lambda: model.learn_one(_mapping(first), first["y"]))
    for _ in range(FOLLOWERS):
        row, target = next(rows)
        _counted(lambda: model.learn_one(row, target))  # noqa: B023
    return _finish(model._live())


def _partial_fit(game: dict[str, Any], width: int, first: dict[str, Any]) -> list[float]:
    from .sklearn import PrivateLinearRegression

    model = PrivateLinearRegression(bounds=(-1, 1), target_bounds=(-1, 1), fit_intercept=False, release_every=2 * FOLLOWERS, **_settings(game))
    cells = _hostile_cells(width)
    rows = [(first["x"], first["y"]), *(next(cells) for _ in range(FOLLOWERS))]
    X = np.empty((len(rows), width), dtype=object)
    y = np.empty(len(rows), dtype=object)
    for i, (row, target) in enumerate(rows):
        y[i] = target
        for j in range(width):
            X[i, j] = row[j]
    _counted(lambda: model.partial_fit(X, y))
    stream = getattr(model, "_stream", None)
    if stream is None:  # nothing was taken: as if by the stream itself
        stream = _stream(game, width)
    return _finish(stream)


DOORS = {"observe": _observe, "observe_many": _observe_many, "learn_one": _learn_one, "partial_fit": _partial_fit}


def main() -> None:
    warnings.simplefilter("ignore")
    game = json.loads(sys.stdin.readline())
    play = DOORS[game["door"]]
    width = len(game["rows"][0]["x"])
    order = width + 1
    print(json.dumps({"numbers": order * (order + 1) // 2 + 1}), flush=True)
    for line in sys.stdin:
        forget_rows()
        print(json.dumps(play(game, width, game["rows"][int(line)])), flush=True)


if __name__ == "__main__":
    main()
