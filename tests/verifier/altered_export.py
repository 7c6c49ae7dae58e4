"""An export in memory that can be changed: its request, its decisions byte by byte, with digests made to fit again."""

from __future__ import annotations

import copy
import json
import struct

from promise_verifier.export_file import Export, sha256, text, u64

# Where each number of the decisions stands, in bytes from their beginning.
MOMENTS = {"bits": "Q", "target_limit": "q", "noise_bits": "Q", "diagonal": "d", "offdiagonal": "d", "cross": "d", "target_square": "d",
           "last_step": "Q", "buffers": "Q"}
GRADIENTS = {"bits": "Q", "most_sums": "Q", "mu": "d", "last_step": "Q"}


def altered(export: Export) -> Altered:
    return Altered(copy.deepcopy(export))


class Altered:
    def __init__(self, export: Export) -> None:
        self.export = export
        self.fields = GRADIENTS if "erm" in self.request() else MOMENTS

    def request(self) -> dict:
        return json.loads(self.export.meta["request"])

    def ask(self, **changes) -> Altered:
        """Changes the request; `erm={...}` changes settings inside."""
        request = self.request()
        for key, value in changes.items():
            key = key.replace("_", "-")
            if key == "erm":
                request["erm"].update({name.replace("_", "-"): new for name, new in value.items()})
            else:
                request[key] = value
        self.export.meta["request"] = json.dumps(request).encode()
        return self

    def place(self, name: str, index: int = 0) -> tuple[str, int]:
        """Of one number; theta, omega and inverse have an index."""
        if name in self.fields:
            return self.fields[name], 8 * list(self.fields).index(name)
        buffers = self.get("buffers")
        array = ["theta", "omega", "inverse"].index(name)
        return "d" if name == "inverse" else "q", 8 * (8 + array * (1 + buffers) + 1 + index)

    def get(self, name: str, index: int = 0):
        form, at = self.place(name, index)
        return struct.unpack_from("<" + form, self.export.meta["decisions"], at)[0]

    def decide(self, name: str, value, index: int = 0) -> Altered:
        form, at = self.place(name, index)
        data = bytearray(self.export.meta["decisions"])
        struct.pack_into("<" + form, data, at, value)
        self.export.meta["decisions"] = bytes(data)
        return self

    def times(self, factor, *names: str, index: int = 0) -> Altered:
        for name in names:
            value = self.get(name, index)
            self.decide(name, type(value)(value * factor), index)
        return self

    def flip(self, byte: int, key: str = "decisions", bits: int = 0x10) -> Altered:
        data = bytearray(self.export.meta[key])
        data[byte] ^= bits
        self.export.meta[key] = bytes(data)
        return self

    def sealed(self) -> Export:
        """With every digest computed again, as whoever forges a file would."""
        export, meta = self.export, self.export.meta
        promise = sha256(b"rivulet promise 1", *(text(meta[key]) for key in ("request", "decisions", "made_by", "model")))
        meta["promise"] = promise
        chain, releases = promise, []
        for step, rows, statistics, theta, _ in export.releases:
            chain = sha256(b"rivulet release 1", promise, chain, u64(step, rows, len(statistics)), statistics, theta)
            releases.append((step, rows, statistics, theta, chain))
        ledger_chain, ledger = promise, []
        for entry, time, event, step, rows, detail, _ in export.ledger:
            fields = u64(entry) + text(time) + text(event) + u64(step, rows) + text(detail)
            ledger_chain = sha256(b"rivulet ledger 1", promise, ledger_chain, fields)
            ledger.append((entry, time, event, step, rows, detail, ledger_chain))
        ends = u64(len(releases), len(ledger))
        seal = sha256(b"rivulet tip 1", promise, ends, chain, ledger_chain)
        export.releases, export.ledger = releases, ledger
        export.tip = [(len(releases), chain, len(ledger), ledger_chain, seal)]
        return export
