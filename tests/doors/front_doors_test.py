"""The front doors: every target of the Makefile, its scripts and the commands in the documents name programs that exist, and the quick form
of each target runs to its end on the tree that is built.

    front_doors_test.py SOURCES BUILD PYTHON [unittest's arguments]

PYTHON is the one the package was built for, with what its tests need.
"""

import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCES, BUILD, PYTHON = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
TARGETS_WITHOUT_COMMANDS_OF_OURS = {"setup", "setup-extended", "clean"}


def make(*words: str, **more) -> subprocess.CompletedProcess:
    return subprocess.run(["make", "--no-print-directory", *words], cwd=SOURCES, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)


def phony_targets() -> list[str]:
    return re.search(r"^\.PHONY: (.*)$", (SOURCES / "Makefile").read_text(), re.MULTILINE)[1].split()


def build_targets() -> set[str]:
    listed = subprocess.run(["ninja", "-C", BUILD, "-t", "targets", "all"], check=True, text=True, stdout=subprocess.PIPE).stdout
    return {line.split(":")[0] for line in listed.splitlines()}


def fuzzers() -> set[str]:
    # They are targets of another preset only, which needs clang.
    return set(re.findall(r"\w+_fuzzer", (SOURCES / "fuzz/CMakeLists.txt").read_text())) | {
        f"{name}_fuzzer" for name in re.findall(r"\w+", (SOURCES / "fuzz/CMakeLists.txt").read_text())}


def programs_named(text: str) -> set[str]:
    """Programs of a build that a command or a script names."""
    named = set(re.findall(r"build/(?:release|asan|debug|tsan)/(\w+)(?![\w./-])", text))
    named |= set(re.findall(r"build / \"(\w+)\"", text)) | set(re.findall(r"\$\{?(?:RELEASE|release|build)\}?\"?/(\w+)(?![\w./-])", text))
    for listed in re.findall(r"cmake --build [^\n]*--target ([\w ]+)(?![\w./-])", text) + re.findall(r"ninja -C \S+ -t query ([\w ]+)", text):
        named |= set(listed.split())
    for listed in re.findall(r"for program in ([\w ]+);", text):
        named |= set(listed.split())
    return named


def files_named(text: str) -> set[str]:
    """Scripts and tests of this repository that a command names."""
    return set(re.findall(r"(?<![\w/.])((?:scripts|bench|fuzz|tests)/[\w/]+\.(?:sh|py))\b", text))


def missing(text: str, targets: set[str]) -> list[str]:
    folders = {"python", "package", "include", "CMakeFiles", "tests"}
    return sorted(programs_named(text) - targets - folders) + sorted(
        name for name in files_named(text) if not (SOURCES / name).is_file())


class Names(unittest.TestCase):
    def test_every_program_and_script_of_the_makefile_exists(self):
        targets = build_targets() | fuzzers()
        self.assertIn("rivulet", targets)
        for target in sorted(set(phony_targets()) - TARGETS_WITHOUT_COMMANDS_OF_OURS):
            for form in ([], ["QUICK=1"]):
                commands = make("-n", target, *form)
                self.assertEqual(commands.returncode, 0, commands.stdout)
                self.assertEqual(missing(commands.stdout, targets), [], f"make {target}")

    def test_every_program_that_a_script_or_a_document_names_exists(self):
        targets = build_targets() | fuzzers()
        places = [SOURCES / name for name in ("README.md", "CONTRIBUTING.md")]
        for folder, pattern in (("scripts", "*"), ("bench", "**/*.py"), ("bench", "**/*.sh"), ("bench", "**/*.in"), ("bench", "*.cc"),
                                ("fuzz", "*.sh"), ("docs", "**/*.md"), ("experiments", "*.cc")):
            places += sorted((SOURCES / folder).glob(pattern))
        self.assertGreater(len(places), 40)
        for place in places:
            if place.is_file():
                self.assertEqual(missing(place.read_text(), targets), [], place)

    def test_every_preset_that_the_makefile_names_exists(self):
        presets = {preset["name"] for preset in json.loads((SOURCES / "CMakePresets.json").read_text())["configurePresets"]}
        named = set(re.findall(r"--preset (\w+)", (SOURCES / "Makefile").read_text()))
        self.assertGreaterEqual(named, {"release", "asan", "tsan", "fuzz"})
        self.assertLessEqual(named, presets)

    def test_a_renamed_program_and_a_removed_script_are_found(self):
        targets = build_targets()
        for defect in ("build/release/excess_risk 20", 'figures(build / "excess_risk", 2)', "cmake --build --preset release -j 2 --target rivulet excess_risk",
                       "  for program in rivulet excess_risk; do", "$release/excess_risk", "bench/old_benchmarks.py"):
            self.assertEqual(len(missing(defect, targets)), 1, defect)
        self.assertEqual(missing("build/release/rivulet fit; bench/run_benchmarks.py build/release build/bench.json", targets), [])


class QuickForms(unittest.TestCase):
    def setUp(self):
        self.out = pathlib.Path(tempfile.mkdtemp(prefix="rivulet_doors_"))
        self.addCleanup(shutil.rmtree, self.out)
        self.published = self.results()

    def results(self):
        return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted((SOURCES / "docs/results").rglob("*")) if path.is_file()}

    def run_quickly(self, target: str, *files: str):
        done = make(target, "QUICK=1", "BUILT=1", "JOBS=2", f"RELEASE={BUILD}", f"VENV_PYTHON={PYTHON}", f"QUICK_OUT={self.out}", timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout)
        for name in files:
            self.assertGreater((self.out / name).stat().st_size, 0, name)
        self.assertEqual(self.results(), self.published, "a quick run must publish nothing")
        return done.stdout

    def test_run(self):
        self.assertIn("releases are in", self.run_quickly("run", "flights-releases.jsonl"))

    def test_bench(self):
        told = self.run_quickly("bench", "bench.json")
        figures = json.loads((self.out / "bench.json").read_text())["figures"]
        for name in ("excess_risk/paper", "durable/processor/share", "every_row/share", "slope/seconds_a_row/m"):
            self.assertGreater(abs(figures[name]), 0, name)
        self.assertIn("times River's", told)

    def test_peers(self):
        self.run_quickly("peers", "peers/speed.json", "peers/noise.csv", "peers/accuracy.csv")
        self.assertFalse((self.out / "peers/venv").exists())

    def test_results(self):
        told = self.run_quickly("results")
        # Everything that is published and not by another command has a quick twin.
        for path in self.published:
            if path.suffix in (".csv", ".svg") and path.stem not in ("peers", "audit") and path.parent.name == "results":
                made = self.out / "results" / path.name
                self.assertTrue(made.exists(), f"{path.name} is published, and make results does not write it\n{told}")
                if path.suffix == ".csv":
                    with open(path) as real, open(made) as quick:
                        self.assertEqual(quick.readline(), real.readline(), path.name)

    def test_test_extended(self):
        self.run_quickly("test-extended", "asan/build.ninja", "tsan/build.ninja")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
