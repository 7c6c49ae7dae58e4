"""The native interface: a private stream."""

from __future__ import annotations

import json
import os
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from . import _core
from ._errors import PrivacyError
from ._published import Published, Releases
from ._rows import rows_of
from ._settings import Budget, Declared, declared_columns, make_options, refusal, settings_from

_NO_COPY = (
    "stream: a live stream cannot be copied or pickled: two of them would publish the same steps twice with different noise, "
    "which breaks the promise. Keep it in a file (path=...) and open it there, or copy what was published: stream.published()"
)


def request_options(budget: Any, bounds: Mapping[str, Declared] | None, target: str | None, classes: Any, schema: _core.Schema | None,
                    features: Sequence[str] | None, settings: Mapping[str, Any]) -> _core.Options:
    """The request that the keywords of a stream or a plan ask for."""
    asked = settings_from({"budget": budget, **settings})
    if schema is not None:
        if bounds is not None or target is not None or classes is not None or features is not None:
            raise refusal("schema", "was given together with bounds, target, classes or features; accepted: one of the two")
        declared = json.loads(schema.settings())
    else:
        if bounds is None or target is None:
            raise refusal("bounds" if bounds is None else "target", "not given; nothing learns a bound from data: declare every "
                          "column, e.g. bounds={'age': (18, 90), 'spend': (0, 5000)}, target='spend'")
        declared = declared_columns(bounds, target, classes, features)
    return make_options({**declared, **asked})


class Stream(_core.StreamBase, Published):
    """A regression model of a stream of sensitive rows, published again and again with one privacy budget for all of it.

    Rows go in with `observe` and `observe_many`; after every `release_every` rows a release is out, and everything ever
    released, together, is (epsilon, delta)-differentially private for every row.

        >>> import numpy, rivulet
        >>> stream = rivulet.Stream(budget=(1, 1e-6), target="spend", release_every=100,
        ...                         bounds={"age": (18, 90), "income": (0, 200_000), "spend": (0, 5000)})
        >>> rows = numpy.column_stack([numpy.linspace(18, 90, 300), numpy.linspace(0, 2e5, 300)])
        >>> stream.observe_many(rows, numpy.linspace(0, 5000, 300))
        3
        >>> stream.observe({"age": 40, "income": 52_000}, 1200)
        False
        >>> model = stream.model()          # the newest; stream.model(1) is the first
        >>> model.rows, sorted(model.coefficients)
        (300, ['age', 'income'])
        >>> [release.step for release in stream]
        [1, 2, 3]

    Parameters
    ----------
    budget
        (epsilon, delta) of everything that is ever published. No default.
    bounds
        What is declared of every column, the target included: (lo, hi) for numbers, a list of levels for words, a `Block`.
        Values outside are moved to the bounds; nothing ever learns a bound from data. Or give a `schema`.
    target
        The column to predict; all others in `bounds` are features, or those that `features` lists, in this order.
    classes
        The two classes of a target that has them, negative first, numbers or words.
    loss
        "squared", or "logistic" where there are classes; "hinge", "smooth-hinge:W", "huber:T", "quantile:Q".
    mechanism
        "full" for squares; "erm" (PrivIncERM, which keeps all rows; `erm` has its settings) for other losses; "surrogate"
        for logistic regression in constant memory; "sketch" for thousands of columns.
    release_every
        Rows in a step: a release after each.
    horizon
        How many steps the promise covers; any number unless given.
    path
        A file the stream lives in (`rivulet fit --model` reads and writes the same files): it survives crashes, and nothing
        is handed out before it is there. Without one the stream lives in memory and ends with the process.
    autocommit
        Of a stream in a file: whether a call that completes a step commits before it returns. With False releases can be
        read after `commit()`.
    history
        Of a stream in memory: how many of the newest releases `model(t)`, iteration and `plot()` can go back to. As many
        as fit into 64 MiB unless given.
    insecure_seed
        Deterministic noise for tests: the output is NOT private.

    settings
        Every other setting of a request, by keyword; the list is below.

    Threads may share a stream: they take turns, and other threads run while it works.
    """

    def __init__(self, *, budget: Budget | tuple[float, float] | None = None, bounds: Mapping[str, Declared] | None = None,
                 target: str | None = None, classes: tuple[Any, Any] | None = None, schema: _core.Schema | None = None,
                 features: Sequence[str] | None = None, path: str | os.PathLike[str] | None = None, autocommit: bool = True,
                 history: int | None = None, **settings: Any) -> None:
        options = request_options(budget, bounds, target, classes, schema, features, settings)
        super().__init__(options, None if path is None else os.fspath(path), autocommit, history)

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, autocommit: bool = True) -> Stream:
        """Goes on with a model file, made here or by `rivulet fit --model`.

        Rows since its last commit are as if never seen: go on reading at row number `stream.rows`, which counts those of
        `rivulet fit`, too. The file notes how many rows came from Python; `rivulet fit` refuses an input after them until it
        is told which of its rows were counted (`--from-row N`).
        """
        stream = cls.__new__(cls)
        _core.StreamBase.__init__(stream, os.fspath(path), autocommit)
        return stream

    def observe_many(self, X: Any, y: Any = None, unit: Any = None) -> int:
        """Takes many rows and returns how many releases they made.

        X is a NumPy array of rows (in the order of the declared columns), anything with `__arrow_c_stream__` (pandas,
        polars and pyarrow tables: columns are found by name), a dict of columns, or a SciPy sparse matrix. y holds the
        targets; without it they are a column of the table. A C-contiguous array of doubles is read where it is.
        """
        options = self.options
        column = options.unit[0] if options.unit is not None and unit is None else None
        return self._take(rows_of(options.schema, X, y, unit, unit_column=column, needs_target=True))

    def release(self) -> _core.Model:
        """Publishes now: ends the step under way early if it has rows, and returns the newest model."""
        if self._flush():
            self.commit()
        return self.model()

    def commit(self) -> None:
        """Makes everything so far durable, so that its releases can be read. Nothing to do for a stream in memory."""
        self._commit()

    def save(self, path: str | os.PathLike[str] | None = None) -> None:
        """Of a stream in a file: commits; with another path, writes what was published there, safe to hand out."""
        if self.path is None:
            raise PrivacyError("save: this stream lives in memory, and a saved copy could publish its steps again; begin it in a "
                               "file: rivulet.Stream(..., path='survey.rivulet')")
        self.commit()
        if path is not None:
            _core.LogBase(self.path).export(os.fspath(path))

    def published(self) -> Releases:
        """The releases that are kept, without the stream: may be copied, pickled and shared."""
        return Releases(self.options, iter(self))

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        # After an error nobody knows which rows were meant to count: what was not committed is forgotten.
        if kind is None:
            self.close()
        else:
            self._abandon()

    def __copy__(self) -> NoReturn:
        raise PrivacyError(_NO_COPY)

    def __deepcopy__(self, memo: object) -> NoReturn:
        raise PrivacyError(_NO_COPY)

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise PrivacyError(_NO_COPY)

    def __repr__(self) -> str:
        where = "memory" if self.path is None else repr(self.path)
        state = "closed" if self.closed else f"{self.waiting_rows} rows in the step under way"
        return f"<rivulet.Stream in {where}: {self.step} releases, {state}>"


def _setting_docs() -> str:
    """Of the settings that have no keyword of their own, from the library's table."""
    own = {"epsilon", "delta", "target", "features", "bounds", "classes", "block", "dimension", "levels"}
    lines = ["", "    Settings", "    --------"]
    for key, _, text, _ in _core.setting_table():
        if key in own:
            continue
        lines.append(f"    {key.replace('-', '_')}")
        spoken = re.sub(r"--([a-z]+(?:-[a-z]+)*)", lambda flag: flag.group(1).replace("-", "_"), text)
        lines.extend(textwrap.wrap(spoken, 110, initial_indent=" " * 8, subsequent_indent=" " * 8))
    return "\n".join(lines) + "\n    "


Stream.__doc__ = (Stream.__doc__ or "").rstrip() + "\n" + _setting_docs()
