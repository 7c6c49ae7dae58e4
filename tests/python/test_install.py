"""The package as somebody gets it who has nothing else of Rivulet: a wheel in a fresh environment.

The wheel links the library that the build folder holds already; with RIVULET_WHOLE_WHEEL=1 it is `pip install .` as a
stranger types it, which compiles everything (minutes).
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

from conftest import BUILD, SOURCE

PROGRAM = """
import importlib.metadata, pathlib, sys
import numpy, rivulet
folder = pathlib.Path(rivulet.__file__).parent
assert sys.prefix in str(folder), folder
assert (folder / "py.typed").exists() and "class StreamBase" in (folder / "_core.pyi").read_text()
assert importlib.metadata.version("rivulet") == rivulet.__version__
stream = rivulet.Stream(budget=(1, 1e-6), bounds={"x": (-1, 1), "y": (-1, 1)}, target="y", release_every=100, path=sys.argv[1])
stream.observe_many(numpy.zeros((250, 1)), numpy.zeros(250))
print(stream.release().rows)
try:
    import rivulet.sklearn
except ModuleNotFoundError as missing:
    print(missing.name)
"""


def run(*command, **more):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=900, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_wheel_works_in_a_fresh_environment(tmp_path):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["CMAKE_BUILD_PARALLEL_LEVEL"] = str(os.cpu_count())
    fresh = tmp_path / "fresh"
    venv.create(fresh, with_pip=True)
    python = fresh / "bin" / "python"
    if os.environ.get("RIVULET_WHOLE_WHEEL"):
        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", SOURCE, "-C", f"build-dir={tmp_path / 'build'}", env=environment)
    else:
        # The tools that build it are those of the environment the tests run in.
        run(sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", SOURCE,
            "-w", tmp_path, "-C", f"build-dir={tmp_path / 'build'}", "-C", f"cmake.define.RIVULET_PREBUILT={BUILD.resolve()}", env=environment)
        (wheel,) = Path(tmp_path).glob("rivulet-*.whl")
        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel, env=environment)
    told = run(python, "-c", PROGRAM, tmp_path / "model.rivulet", cwd=tmp_path, env=environment)
    assert told.split() == ["250", "sklearn"]  # numpy is all it needs
