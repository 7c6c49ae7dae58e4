"""What was computed, and what is wrong with it."""

from __future__ import annotations

import mpmath
from mpmath import mpf

mpmath.mp.prec = 256


class Unreadable(Exception):
    """The file is not an export, or not whole enough to be accounted for."""


class Broken(Exception):
    """A step after which nothing further can be computed."""

    def __init__(self, step: str, text: str) -> None:
        super().__init__(text)
        self.step = step


class Report:
    """The numbers that were computed, in order, and what is wrong."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str, object]] = []
        self.failures: list[tuple[str, str]] = []
        self.notes: list[str] = []

    def say(self, step: str, name: str, value: object) -> None:
        self.lines.append((step, name, value))

    def require(self, holds: bool, step: str, text: str) -> bool:
        if not holds:
            self.failures.append((step, text))
        return bool(holds)

    def __getitem__(self, name: str):
        for _, label, value in self.lines:
            if label == name:
                return value
        raise KeyError(name)

    @property
    def passes(self) -> bool:
        return not self.failures


def shown(value: object) -> str:
    return mpmath.nstr(value, 15) if isinstance(value, mpf) else str(value)
