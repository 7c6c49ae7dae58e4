"""Shared by the tests of the Python package. RIVULET_BUILD is the build folder with the command-line tool."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import rivulet

SOURCE = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("RIVULET_BUILD", SOURCE / "build" / "release"))


@pytest.fixture(autouse=True)
def fresh_guard():
    """No test is warned about the rows of another."""
    rivulet.forget_rows()
    yield
    rivulet.forget_rows()


@pytest.fixture
def cli():
    """Runs the command-line tool; fails the test when it fails."""
    tool = BUILD / "rivulet"

    def run(*arguments, check=True):
        done = subprocess.run([str(tool), *map(str, arguments)], capture_output=True, text=True, timeout=300)
        if check:
            assert done.returncode == 0, done.stderr
        return done

    return run


def releases_of(path):
    with open(path) as lines:
        return [json.loads(line) for line in lines]


def small_rows(rows=1000, columns=3, seed=0):
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, (rows, columns))
    y = np.clip(X @ np.linspace(0.5, -0.3, columns) + random.normal(0, 0.05, rows), -1, 1)
    return X, y


def box(columns=3, **more):
    """Keywords of a stream over [-1, 1]."""
    bounds = {f"x{i}": (-1, 1) for i in range(columns)}
    return {"budget": (1, 1e-6), "bounds": {**bounds, "y": (-1, 1)}, "target": "y", "release_every": 100, **more}
