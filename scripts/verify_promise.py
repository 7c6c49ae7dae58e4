#!/usr/bin/env python3
"""Checks the privacy promise of an exported Rivulet model, from the file alone and with no code of Rivulet's.

    rivulet export survey.rivulet survey-public.rivulet
    python3 scripts/verify_promise.py survey-public.rivulet

An export holds what was asked for (the request), what was decided for it (lattice, strategy, noise) and every release.
This script does the accounting of docs/privacy.md, sections 3 to 9, again: from the request and the stored decisions to
the (epsilon, delta) that the stored noise arrives at, in 256-bit arithmetic (mpmath). It prints every number on the way.

    PASS  the noise keeps the promise, every decision is one that the proof allows, and every digest fits.   exit code 0
    FAIL  it does not; the step that failed is named.                                                        exit code 1
    (an error message) the file cannot be read as an export.                                                 exit code 2

Noise that is larger than needed passes, with a note. Noise that is too small fails, by however little.

WHAT IT CANNOT KNOW. It reads what the file says: that the program drew noise of the stored size, and clipped rows as it
says, is for the tests, `rivulet audit` and the reader of src/kernel. Digests show accidents and careless changes; they
have no key, so whoever changes a decision can compute them again. Then the accounting has to find the change, and it
does where the stored noise no longer keeps the promise. Of PrivIncERM mu is stored and the noise follows from it: a
changed unit or definition of neighbours contradicts nothing in its file. A PASS is about one model: two of the same rows
spend two budgets.

It needs Python 3.9 and mpmath (pip install mpmath).
"""

from __future__ import annotations

import argparse
import json
import struct
import sys

from mpmath import mpf

from promise_verifier.export_file import Export, check_digests
from promise_verifier.gradients import verify_gradients
from promise_verifier.moments import verify_moments
from promise_verifier.report import Broken, Report, Unreadable, shown
from promise_verifier.request import Request


def verify(export: Export) -> Report:
    """The account of one export."""
    report = Report()
    try:
        check_digests(export, report)
        request = Request(export.meta["request"])
        report.say("request", "epsilon", request.epsilon)
        report.say("request", "delta", request.delta)
        report.say("request", "neighbours", "replace" if request.replace else "zero-out")
        report.say("request", "dimension", request.dimension)
        report.require(not request.insecure, "request", "the noise is from a known seed (--insecure-seed): anyone can remove it")
        (verify_moments if request.erm is None else verify_gradients)(export, request, report)
    except Broken as broken:
        report.require(False, broken.step, str(broken))
    except (KeyError, TypeError, AttributeError, ValueError, ArithmeticError, struct.error) as error:
        # A value of another type than the file should hold: nothing is accounted for, so nothing passes.
        report.require(False, "file", f"it cannot be accounted for ({type(error).__name__}: {error})")
    return report


def as_text(report: Report) -> str:
    sections: dict[str, list[str]] = {}
    for step, name, value in report.lines:
        sections.setdefault(step, []).append(f"    {name:<34}{shown(value)}")
    lines = [line for step, numbers in sections.items() for line in (step, *numbers)]
    lines += [f"note: {note}" for note in report.notes]
    lines += [f"FAIL at {step}: {what}" for step, what in report.failures]
    if report.passes:
        lines.append(f"PASS: epsilon {shown(report['epsilon_arrived'])} of the promised {shown(report['epsilon'])} "
                     f"at delta {shown(report['delta'])}")
    return "\n".join(lines)


def as_json(report: Report) -> str:
    values = {name: float(value) if isinstance(value, mpf) else value for _, name, value in report.lines}
    failures = [{"step": step, "what": what} for step, what in report.failures]
    return json.dumps({"verdict": "PASS" if report.passes else "FAIL", "failures": failures, "notes": report.notes, **values}, indent=2)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("export", metavar="PUBLIC", help="a file made by: rivulet export MODEL PUBLIC")
    parser.add_argument("--json", action="store_true", help="numbers and verdict as a JSON object")
    arguments = parser.parse_args()
    try:
        report = verify(Export(arguments.export))
    except Unreadable as error:
        print(f"verify_promise: {error}", file=sys.stderr)
        return 2
    print(as_json(report) if arguments.json else as_text(report))
    return 0 if report.passes else 1


if __name__ == "__main__":
    sys.exit(main())
