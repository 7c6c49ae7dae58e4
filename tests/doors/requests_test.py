"""The same requests through C++, the tool and Python: the same answers, the same words.

    requests_test.py PROBE RIVULET
"""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

import rivulet
from rivulet import _core

from request_table import TABLE, Answer

MADE, REFUSED = "made ", "refused "


def through_cpp(probe: str, requests: list[dict[str, Any]]) -> list[str]:
    lines = "".join(json.dumps(settings) + "\n" for settings in requests)
    done = subprocess.run([probe], input=lines, capture_output=True, text=True, timeout=300, check=True)
    return done.stdout.splitlines()


def flags_of(settings: dict[str, Any]) -> list[str]:
    flags: list[str] = []
    for key, value in settings.items():
        if key == "bounds":
            for name, (lo, hi) in value.items():
                flags += ["--bound", f"{name}={lo}:{hi}"]
        elif key == "levels":
            for name, levels in value.items():
                flags += ["--levels", f"{name}={'|'.join(levels)}"]
        elif isinstance(value, bool):
            flags.append(f"--{key}" if value else f"--no-{key}")
        elif key in ("features", "classes") and isinstance(value, list):
            flags += [f"--{key}", ",".join(str(entry) for entry in value)]
        else:
            for entry in value if isinstance(value, list) else [value]:
                flags.append(f"--{key}={entry}")
    return flags


def settings_in(path: pathlib.Path) -> str:
    return str(_core.LogBase(str(path)).options.settings())


def header_of(settings: dict[str, Any]) -> str:
    names = [*settings.get("features", []), settings.get("target", "y"), "person"]
    for block in settings.get("block", []):
        name, columns = block.split(":")
        names += [f"{name}{i + 1}" for i in range(min(int(columns), 500))]
    return ",".join(names) + "\n"


def through_the_tool(program: str, settings: dict[str, Any], folder: pathlib.Path) -> str:
    rows, model = folder / "rows.csv", folder / "tool.rivulet"
    rows.write_text(header_of(settings))
    model.unlink(missing_ok=True)
    done = subprocess.run([program, "fit", str(rows), *flags_of(settings), "--quiet", "--model", str(model)], capture_output=True,
                          text=True, timeout=300)
    if done.returncode == 2:
        return REFUSED + done.stderr.removeprefix("rivulet: ").rstrip("\n")
    if done.returncode != 0:
        return f"exit {done.returncode}: {done.stderr}"
    return MADE + settings_in(model)


def keywords_of(settings: dict[str, Any]) -> dict[str, Any]:
    bounds: dict[str, Any] = dict(settings.get("levels", {}))
    blocks = dict(block.split(":") for block in settings.get("block", []))
    for name, (lo, hi) in settings.get("bounds", {}).items():
        bounds[name] = rivulet.Block(int(blocks[name]), lo, hi) if name in blocks else (lo, hi)
    rest = {key.replace("-", "_"): value for key, value in settings.items() if key not in ("bounds", "levels", "block")}
    return {"bounds": bounds, **rest}


def through_python(settings: dict[str, Any], folder: pathlib.Path) -> str:
    model = folder / "python.rivulet"
    model.unlink(missing_ok=True)
    try:
        rivulet.Stream(path=model, **keywords_of(settings)).close()
    except rivulet.RequestError as error:
        return REFUSED + str(error)
    return MADE + settings_in(model)


def same(expected: str, got: str) -> bool:
    """Python has underscores where a setting's name begins a refusal."""
    if expected == got:
        return True
    field, _, rest = got.removeprefix(REFUSED).partition(":")
    return expected == f"{REFUSED}{field.replace('_', '-')}:{rest}"


def fits(answer: Answer, said: str) -> bool:
    if isinstance(answer, str):
        return said.startswith(REFUSED) and answer in said
    if not said.startswith(MADE):
        return False
    settings = json.loads(said.removeprefix(MADE))
    return all(settings.get(key) == value for key, value in answer.items())


def main() -> int:
    probe, program = sys.argv[1:3]
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for (title, settings, answer), cpp in zip(TABLE, through_cpp(probe, [settings for _, settings, _ in TABLE]), strict=True):
            tool, python = through_the_tool(program, settings, folder), through_python(settings, folder)
            if fits(answer, cpp) and same(cpp, tool) and same(cpp, python):
                continue
            wrong += 1
            print(f"{title}\n  wanted: {answer}\n  C++:    {cpp}\n  tool:   {tool}\n  Python: {python}")
    print(f"{len(TABLE)} requests through three doors, {wrong} answered differently")
    return 1 if wrong or len(TABLE) < 60 else 0


if __name__ == "__main__":
    sys.exit(main())
