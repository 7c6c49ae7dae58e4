"""`rivulet audit --python`: the game on Python's own doors, and defects planted behind them that it must find."""

from __future__ import annotations

import json
import stat
import subprocess
import sys

import pytest

from conftest import BUILD


def audit(python, *more):
    done = subprocess.run([BUILD / "rivulet", "audit", "--fast", "--looks-at", "python", "--python", python, "--epsilon", "8", "--json", "--quiet", *more],
                          capture_output=True, text=True, timeout=500)
    assert done.returncode in (0, 5), done.stderr
    findings = json.loads(done.stdout)["findings"]
    return done.returncode, {(finding["door"], finding["pair"]): finding for finding in findings}


def test_no_door_gives_more_away_than_was_promised():
    code, found = audit(sys.executable)
    assert code == 0 and {door for door, _ in found} == {"observe", "observe_many", "learn_one", "partial_fit"}
    # An attack that sees nothing proves nothing: some of the claim is used at every door.
    for door in ("observe", "observe_many", "learn_one", "partial_fit"):
        assert max(finding["gaussian_epsilon_at_least"] for (name, _), finding in found.items() if name == door) > 1.0


# What stands before the door, with a defect in it.
REMEMBERS = """
import rivulet._audit as audit, rivulet, collections.abc
real = rivulet.Stream.observe
last = {}
def observe(self, x, y=..., unit=...):
    if isinstance(x, collections.abc.Mapping):
        x = {name: x[name] if name in x else last.get(name) for name in ("x1", "x2")}
        last.update(x)
    return real(self, x, y, unit)
rivulet.Stream.observe = observe
audit.main()
"""
REFUSES = """
import rivulet._audit as audit, rivulet
real = rivulet.Stream.observe
def observe(self, x, y=..., unit=...):
    if isinstance(x, dict) and not all(isinstance(value, float) for value in x.values()):
        raise rivulet.RequestError("x: a value is no number")
    return real(self, x, y, unit)
rivulet.Stream.observe = observe
audit.main()
"""


@pytest.mark.parametrize("defect, pair", [(REMEMBERS, "orthogonal"), (REFUSES, "missing")], ids=["remembers", "refuses"])
def test_a_planted_defect_is_found(tmp_path, defect, pair):
    broken = tmp_path / "python"
    (tmp_path / "broken.py").write_text(defect)
    broken.write_text(f"#!/bin/sh\nexec {sys.executable} {tmp_path / 'broken.py'}\n")
    broken.chmod(broken.stat().st_mode | stat.S_IXUSR)
    code, found = audit(broken, "--trials", "150")
    assert code == 5
    for door in ("observe", "learn_one"):
        assert found[door, pair]["violation"]


def test_an_interpreter_without_the_package_is_named(tmp_path):
    done = subprocess.run([BUILD / "rivulet", "audit", "--fast", "--looks-at", "python", "--python", "/bin/false"], capture_output=True, text=True)
    assert done.returncode == 1 and "--python" in done.stderr
    done = subprocess.run([BUILD / "rivulet", "audit", "--looks-at", "python"], capture_output=True, text=True)
    assert done.returncode == 2 and "--python" in done.stderr
