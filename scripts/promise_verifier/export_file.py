"""The tables of an export, their digests, and numbers as bytes."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import struct
from pathlib import Path

from mpmath import mpf

from .report import Broken, Report, Unreadable

LAYOUT = {
    "notice": "text",
    "public_ledger": "entry time event step rows detail chain",
    "public_meta": "key value",
    "public_release": "step rows statistics theta chain",
    "public_tip": "id step chain entry ledger_chain seal",
}
APPLICATION = 0x52564C54  # "RVLT"


def u64(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}Q", *values)


def text(value: bytes) -> bytes:
    return u64(len(value)) + value


def sha256(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


class Export:
    """The tables of an export, as they stand."""

    def __init__(self, path: str) -> None:
        if not Path(path).is_file():
            raise Unreadable(f"'{path}' is not a file")
        # immutable: an export is never written to, and nothing appears beside it while it is read.
        address = f"{Path(path).resolve().as_uri()}?mode=ro&immutable=1"
        try:
            with contextlib.closing(sqlite3.connect(address, uri=True)) as database:
                database.text_factory = bytes
                self.read(database)
        except sqlite3.Error as error:
            raise Unreadable(f"'{path}' cannot be read as an SQLite file: {error}") from None

    def read(self, database: sqlite3.Connection) -> None:
        def one(sql: str):
            return database.execute(sql).fetchone()[0]

        if one("PRAGMA application_id") != APPLICATION:
            raise Unreadable("it is a database, but not one of Rivulet's")
        self.version = one("PRAGMA user_version")
        if self.version not in (1, 2):
            raise Unreadable(f"its format is {self.version}; this verifier knows 1 and 2")
        tables = {name.decode() for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")}
        if "sensitive_state" in tables:
            raise Unreadable("it is a model, which is sensitive, not an export; make one first: rivulet export MODEL PUBLIC")
        for table, columns in LAYOUT.items():
            if table not in tables:
                raise Unreadable(f"it has no table {table}")
            found = [row[1].decode() for row in database.execute(f"PRAGMA table_info({table})")]
            if found != columns.split():
                raise Unreadable(f"its table {table} has other columns than an export has")
        self.meta = {bytes(key).decode(): bytes(value) for key, value in database.execute("SELECT key, value FROM public_meta")}
        self.releases = database.execute("SELECT step, rows, statistics, theta, chain FROM public_release ORDER BY step").fetchall()
        self.ledger = database.execute(
            "SELECT entry, time, event, step, rows, detail, chain FROM public_ledger ORDER BY entry").fetchall()
        self.tip = database.execute("SELECT step, chain, entry, ledger_chain, seal FROM public_tip").fetchall()
        for key in ("kind", "request", "decisions", "made_by", "model", "promise"):
            if key not in self.meta:
                raise Unreadable(f"it has no {key}")
        if self.meta["kind"] != b"export":
            raise Unreadable("it does not say that it is an export; make one: rivulet export MODEL PUBLIC")


def check_digests(export: Export, report: Report) -> None:
    """The promise's digest is over request and decisions; releases, ledger and tip hang on it."""
    meta = export.meta
    fields = (meta["request"], meta["decisions"], meta["made_by"], meta["model"])
    promise = sha256(b"rivulet promise 1", *(text(field) for field in fields))
    report.say("digests", "promise", promise.hex())
    report.require(promise == meta["promise"], "digests",
                   "request and decisions do not fit the digest of the promise: one of them was changed")
    chain, ledger_chain = promise, promise
    for number, (step, rows, statistics, theta, stored) in enumerate(export.releases, 1):
        chain = sha256(b"rivulet release 1", promise, chain, u64(step, rows, len(statistics)), statistics, theta)
        if not report.require(step == number and chain == stored, "digests", f"release {number} does not fit its digest"):
            break
    for number, (entry, time, event, step, rows, detail, stored) in enumerate(export.ledger, 1):
        fields = u64(entry) + text(time) + text(event) + u64(step, rows) + text(detail)
        ledger_chain = sha256(b"rivulet ledger 1", promise, ledger_chain, fields)
        if not report.require(entry == number and ledger_chain == stored, "digests", f"ledger entry {number} does not fit its digest"):
            break
    steps, entries = len(export.releases), len(export.ledger)
    seal = sha256(b"rivulet tip 1", promise, u64(steps, entries), chain, ledger_chain)
    report.require(export.tip == [(steps, chain, entries, ledger_chain, seal)], "digests",
                   "releases or ledger do not end where the file says they do")
    report.say("digests", "releases", steps)


class Bytes:
    """Little-endian numbers, one after another; nothing may be left over."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, form: str) -> int | float:
        try:
            (value,) = struct.unpack_from(form, self.data, self.at)
        except struct.error:
            raise Broken("decisions", "they end too early") from None
        self.at += 8
        return value

    def u64(self) -> int:
        return self.take("<Q")

    def i64(self) -> int:
        return self.take("<q")

    def f64(self) -> mpf:
        value = self.take("<d")
        if not abs(value) < float("inf"):
            raise Broken("decisions", "a number is not finite")
        return mpf(value)

    def all(self, read) -> list:
        count = self.u64()
        if count > len(self.data):
            raise Broken("decisions", "they end too early")
        return [read() for _ in range(count)]

    def finish(self) -> None:
        if self.at != len(self.data):
            raise Broken("decisions", "they are longer than they should be")
