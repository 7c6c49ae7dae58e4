"""Published releases in a file."""

from __future__ import annotations

import os

from . import _core
from ._published import Published


class ReleaseLog(_core.LogBase, Published):
    """The public half of a model file, or an export of it: every release, with the sums it was made from.

    Reading changes nothing on disk and does not disturb whoever writes to it.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(os.fspath(path))

    def __reduce__(self) -> tuple[type[ReleaseLog], tuple[str]]:
        return ReleaseLog, (self.path,)

    def __repr__(self) -> str:
        return f"<rivulet.ReleaseLog {self.path!r}: {self.step} releases>"
