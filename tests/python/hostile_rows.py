"""Rows that nobody would write by accident: keys that lie about their text, cells that are no numbers, mappings that fail."""

from __future__ import annotations

import collections
import datetime
import decimal
import fractions
import types

import numpy as np
import pandas as pd

LEVELS = ["red", "NA", "7", "True"]


class Renamed(str):
    def __str__(self):
        return "age"

    __repr__ = __str__


class Colliding(str):
    """Has the hash of another key, and says that it is every key, none, or fails."""

    def __new__(cls, text, like, answer):
        self = super().__new__(cls, text)
        self.like, self.answer = like, answer
        return self

    def __hash__(self):
        return hash(self.like)

    def __eq__(self, other):
        if self.answer is None:
            raise RuntimeError("no comparison")
        return self.answer


class Floats:
    def __init__(self, value):
        self.value = value

    def __float__(self):
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


class Whole:
    def __init__(self, value):
        self.value = value

    def __index__(self):
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


class LyingDict(dict):
    def __getitem__(self, key):
        return 0.25

    def __iter__(self):
        return iter(["income"])

    def keys(self):
        return ["income"]

    def __len__(self):
        return 2


class FailingMapping(collections.abc.Mapping):
    def __init__(self, entries):
        self.entries = entries

    def __iter__(self):
        return iter(self.entries)

    def __len__(self):
        return len(self.entries)

    def __getitem__(self, key):
        if key == "income":
            raise RuntimeError("a cell that cannot be had: 123-45-6789")
        return self.entries[key]


PLAIN = [0.5, -0.25, 1.0, 0.0, -0.0, 3, -7, True, None, float("nan"), float("inf"), -float("inf"), 1e-320, 1e308]
ODD = ["0.25", " 0.5\t", "0.5\0", "\0", "", "NA", "nan", "abc", "123-45-6789", "inf", "1e400", "9" * 5000, "\udcff", "\u0661", b"0.5", b"\xff",
       10**400, -10**400, 10**5000, object(), [1.0], {}, (1, 2), 1j, np.float32(0.5), np.int8(1), np.bool_(True), np.str_("0.5"),
       np.float64("nan"), np.array([0.5]), np.array(0.5), decimal.Decimal("0.5"), decimal.Decimal("sNaN"), fractions.Fraction(1, 4), pd.NA, pd.NaT,
       datetime.date(2026, 1, 2), np.datetime64("2026-01-02"), Renamed("0.75"), Floats(0.5), Floats(ValueError("0.5")), Floats(RuntimeError()),
       Whole(1), Whole(TypeError()), float]
WORDS = ["red", " red ", "NA", " NA", "7", 7, 7.0, True, "True", "blue", "red\0", "", None, b"red", Renamed("red"), "\udcffred", np.int64(7), Whole(7)]


def number(pick):
    kind = pick.random()
    return pick.uniform(-1, 1) if kind < 0.6 else pick.choice(PLAIN) if kind < 0.8 else pick.choice(ODD)


def word(pick):
    return pick.choice(LEVELS) if pick.random() < 0.6 else pick.choice(WORDS) if pick.random() < 0.8 else pick.choice(ODD)


def keys(pick, name):
    other = pick.choice(["age", "income", "colour", "y", "zip"])
    return [name, name + "\0", "\0" + name, f"{name}\0{other}", name + " ", name.upper(), name.encode(), Renamed(name), Renamed(other), Renamed("zip"),
            Colliding(name, other, True), Colliding(other, name, False), Colliding("zip", name, None), "\udcff" + name, 3, None, (name,), ""]


def mapping(pick):
    """A row by names: mostly as it should be, often not."""
    entries = []
    for name in ("age", "income", "colour", "y"):
        if pick.random() < 0.1:
            continue
        entries.append((name, word(pick) if name == "colour" else number(pick)))
    for _ in range(pick.choice([0, 0, 0, 1, 2, 3])):
        key = pick.choice(keys(pick, pick.choice(["age", "income", "colour", "y"])))
        entries.append((key, pick.choice([0.5, -0.5, "red", number(pick)])))
    if pick.random() < 0.3:
        pick.shuffle(entries)
    row = {}
    for key, value in entries:
        try:
            row[key] = value
        except RuntimeError:
            pass  # the key itself does not want to be in a dict
    kind = pick.random()
    if kind < 0.75:
        return row
    if kind < 0.8:
        return LyingDict(row)
    if kind < 0.85:
        return collections.OrderedDict(row)
    if kind < 0.9:
        return types.MappingProxyType(row)
    return FailingMapping(row) if kind < 0.95 else collections.UserDict(row)
