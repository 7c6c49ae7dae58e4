"""Shared by the tests of scripts/verify_promise.py. RIVULET_BUILD is the build folder with the command-line tool."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import rivulet

SOURCE = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("RIVULET_BUILD", SOURCE / "build" / "release"))
SCRIPT = SOURCE / "scripts" / "verify_promise.py"
sys.path.insert(0, str(SCRIPT.parent))


def run_tool(*arguments) -> subprocess.CompletedProcess:
    return subprocess.run([str(BUILD / "rivulet"), *map(str, arguments)], capture_output=True, text=True, timeout=300)


def told(*arguments) -> dict:
    """What the tool says in JSON."""
    done = run_tool(*arguments, "--json")
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return json.loads(done.stdout)


def make_export(folder: Path, name: str, rows=None, **keywords) -> Path:
    """The export of a new model."""
    public = folder / f"{name}-public.rivulet"
    with rivulet.Stream(path=folder / f"{name}.rivulet", **keywords) as stream:
        if rows is not None:
            stream.observe_many(*rows)
        stream.save(public)
    return public


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("promises")
