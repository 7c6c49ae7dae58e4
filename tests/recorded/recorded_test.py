"""Seeded outputs of every mechanism, byte for byte as they were recorded.

    recorded_test.py RIVULET            compares; exits 1 and names the first difference
    recorded_test.py RIVULET --record   writes what the program says now over the record

A change of a recorded file is a change of what users get for the same seed: it needs a reason in CHANGELOG.md.
"""

from __future__ import annotations

import gzip
import math
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
RECORD = HERE / "outputs.txt.gz"

NUMBERS = ["--target", "spend", "--features", "age,income,shop", "--bound", "age=18:90", "--bound", "income=0:200",
           "--levels", "shop=north|south|web", "--bound", "spend=0:50"]
CLASSES = ["--target", "churned", "--features", "age,income", "--bound", "age=18:90", "--bound", "income=0:200",
           "--classes", "no,yes"]
BUDGET = ["--epsilon", "1", "--delta", "1e-6", "--insecure-seed", "11", "--quiet"]
WORDS = ["words.svm", "--dimension", "400", "--bound", "x=0:1", "--bound", "y=0:5", "--clip-norm", "1", "--no-intercept",
         "--constraint", "l1:2"]
STEPS = ["--release-every", "100"]

FITS: dict[str, list[str]] = {
    "blt": ["people.csv", *NUMBERS, *BUDGET, *STEPS],
    "blt, two buffers, known horizon": ["people.csv", *NUMBERS, *BUDGET, *STEPS, "--horizon", "9", "--buffers", "2"],
    "tree": ["people.csv", *NUMBERS, *BUDGET, *STEPS, "--horizon", "9", "--strategy", "tree"],
    "tree, decoded as in the paper": ["people.csv", *NUMBERS, *BUDGET, *STEPS, "--horizon", "9", "--strategy", "tree",
                                      "--tree-decoding", "paper"],
    "hybrid": ["people.csv", *NUMBERS, *BUDGET, *STEPS, "--strategy", "hybrid"],
    "paper": ["people.csv", *NUMBERS, *BUDGET, *STEPS, "--horizon", "9", "--profile", "paper"],
    "zero-out, clip norm, no intercept": ["people.csv", *NUMBERS, *BUDGET, *STEPS, "--neighbours", "zero-out", "--clip-norm",
                                          "1.2", "--no-intercept"],
    "units": ["people.csv", *NUMBERS, *BUDGET, *STEPS, "--unit", "person", "--max-rows-per-unit", "3"],
    "only if": ["people.csv", *NUMBERS, *BUDGET, *STEPS, "--only-if", "age=30:80", "--only-if", "nonzeros<=2"],
    **{f"constraint {constraint}": ["people.csv", *NUMBERS, *BUDGET, *STEPS, "--constraint", constraint]
       for constraint in ("l1:1", "lp:1.5:1", "simplex", "group:2:1", "box:-0.5:0.5", "elastic:0.5:1")},
    "sketch, sparse signs": [*WORDS, *BUDGET, *STEPS, "--sketch", "20"],
    "sketch, Gaussian": [*WORDS, *BUDGET, *STEPS, "--sketch", "20", "--embedding", "gaussian"],
    "sketch of its own size": [*WORDS, *BUDGET, *STEPS, "--sketch", "auto", "--row-set", "sparse:5", "--horizon", "9"],
    "sketch, paper": [*WORDS, *BUDGET, *STEPS, "--sketch", "12", "--profile", "paper", "--horizon", "9"],
    "erm, logistic": ["people.csv", *CLASSES, *BUDGET, *STEPS, "--horizon", "9"],
    "erm, hinge, no horizon": ["people.csv", *CLASSES, *BUDGET, *STEPS, "--loss", "hinge"],
    "erm, Frank-Wolfe": ["people.csv", *CLASSES, *BUDGET, *STEPS, "--horizon", "9", "--constraint", "l1:1", "--tau", "2",
                         "--no-average"],
    "erm, output perturbation": ["people.csv", *CLASSES, *BUDGET, *STEPS, "--horizon", "9", "--method", "output-perturbation",
                                 "--ridge", "0.1"],
    "erm, quantile, batches": ["people.csv", *NUMBERS, *BUDGET, *STEPS, "--horizon", "9", "--loss", "quantile:0.75", "--batches",
                               "4", "--iterations", "12", "--late-weight", "1"],
    "erm, huber, paper": ["people.csv", *NUMBERS, *BUDGET, *STEPS, "--horizon", "9", "--loss", "huber:0.5", "--profile", "paper"],
    "erm, units": ["people.csv", *CLASSES, *BUDGET, *STEPS, "--horizon", "9", "--unit", "person", "--max-rows-per-unit", "2"],
    "naive": ["people.csv", *CLASSES, *BUDGET, *STEPS, "--horizon", "9", "--mechanism", "naive"],
    "trivial": ["people.csv", *CLASSES, *BUDGET, *STEPS, "--horizon", "9", "--mechanism", "trivial"],
    "surrogate": ["people.csv", *CLASSES, *BUDGET, *STEPS, "--mechanism", "surrogate", "--margin", "3"],
}
# Of these a model file is made, in two runs, and everything that can be read from it.
DURABLE = ["blt", "tree", "units", "sketch, sparse signs", "erm, logistic", "surrogate"]

PLANS: dict[str, list[str]] = {
    "sums": ["--dim", "10", "--epsilon", "1", "--delta", "1e-6"],
    "tree": ["--dim", "10", "--epsilon", "1", "--delta", "1e-6", "--horizon", "1023", "--strategy", "tree", "--at", "17"],
    "paper": ["--dim", "10", "--epsilon", "1", "--delta", "1e-6", "--horizon", "1023", "--profile", "paper"],
    "sketches": ["--dim", "4000", "--epsilon", "1", "--delta", "1e-6", "--horizon", "131072", "--constraint", "l1:1", "--sketch",
                 "auto", "--row-set", "sparse:10"],
    "erm": ["--dim", "10", "--epsilon", "1", "--delta", "1e-6", "--horizon", "500", "--release-every", "100", "--loss",
            "logistic"],
    "naive": ["--dim", "5", "--epsilon", "1", "--delta", "1e-6", "--horizon", "50", "--mechanism", "naive", "--loss", "huber:1"],
}


def write_people(path: pathlib.Path) -> None:
    draw = random.Random(5)
    lines = ["person,age,income,shop,spend,churned"]
    for _ in range(850):
        age, income = draw.uniform(10, 95), draw.uniform(-5, 210)
        shop = draw.choice(["north", "south", "web", "elsewhere"])
        spend = 5 + 0.3 * age + 0.1 * income + draw.uniform(-8, 8)
        churned = draw.choice(["no", "yes"]) if draw.random() < 0.2 else ("yes" if age > 50 else "no")
        cells = [f"p{draw.randrange(200)}", f"{age:.3f}", f"{income:.2f}", shop, f"{spend:.3f}", churned]
        if draw.random() < 0.05:
            cells[draw.randrange(6)] = draw.choice(["", "NA", "1e999", "?"])
        lines.append(",".join(cells))
    path.write_text("\n".join(lines) + "\n")


def write_words(path: pathlib.Path) -> None:
    draw = random.Random(6)
    lines = []
    for _ in range(650):
        used = sorted(draw.sample(range(1, 401), 5))
        values = [draw.random() for _ in used]
        norm = math.sqrt(sum(value * value for value in values))
        target = min(5.0, 2 + 2 * sum(value for word, value in zip(used, values) if word <= 40))
        lines.append(f"{target:.4f} " + " ".join(f"{word}:{value / norm:.6f}" for word, value in zip(used, values)))
    path.write_text("\n".join(lines) + "\n")


class Recorder:
    def __init__(self, program: str, folder: pathlib.Path) -> None:
        self.program, self.folder, self.parts = program, folder, list[str]()

    def run(self, title: str, *arguments: str) -> None:
        done = subprocess.run([self.program, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            raise SystemExit(f"{title}: exit {done.returncode}: {done.stderr}")
        self.parts.append(f"=== {title}\n{done.stdout}")

    def everything(self) -> str:
        write_people(self.folder / "people.csv")
        write_words(self.folder / "words.svm")
        for title, arguments in FITS.items():
            self.run(f"fit: {title}", "fit", *arguments, "--releases", "-")
        for number, title in enumerate(DURABLE):
            self.model(title, f"model{number}.rivulet")
        for title, arguments in PLANS.items():
            self.run(f"plan: {title}", "plan", *arguments)
            self.run(f"plan as JSON: {title}", "plan", *arguments, "--json")
        return "".join(self.parts)

    def model(self, title: str, path: str) -> None:
        arguments = FITS[title]
        rows = (self.folder / arguments[0]).read_text().splitlines(keepends=True)
        grows = self.folder / ("grows" + pathlib.Path(arguments[0]).suffix)
        grows.write_text("".join(rows[:451]))
        made = [grows.name, *arguments[1:], "--model", path, "--releases", "-", "--whole-steps"]
        self.run(f"model: {title}", "fit", *made)
        grows.write_text("".join(rows))
        self.run(f"model, the rest: {title}", "fit", "--model", path, "--quiet", "--releases", "-")
        self.run(f"summary: {title}", "summary", path, "--json")
        if "erm" not in title:
            self.run(f"refit: {title}", "refit", path, "--constraint", "l1:0.7", "--all")


def main() -> int:
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        said = Recorder(program, pathlib.Path(folder)).everything()
    if "--record" in sys.argv[2:]:
        RECORD.write_bytes(gzip.compress(said.encode(), mtime=0))
        return 0
    recorded = gzip.decompress(RECORD.read_bytes()).decode()
    title = ""
    for expected, got in zip(recorded.splitlines(), said.splitlines()):
        if expected.startswith("=== "):
            title = expected[4:]
        if expected != got:
            print(f"{title}\n  recorded: {expected}\n  now:      {got}")
            return 1
    if recorded != said:
        print(f"after {title}: one of the two goes on, the other does not")
        return 1
    print(f"{said.count('=== ')} outputs, {len(said)} bytes: as recorded")
    return 0


if __name__ == "__main__":
    sys.exit(main())
