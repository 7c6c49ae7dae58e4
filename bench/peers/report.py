"""Puts the measurements together: docs/results/peers.csv (accuracy and noise, the same on every machine up to rounding) and
docs/results/peers.md (the tables, with the timings of this run)."""

import argparse
import csv
import json
import math
import pathlib
import statistics

EVEN = 0.001  # of R^2: differences below it are called even
KNOWN, UNBOUNDED = "rivulet, horizon known", "rivulet, unbounded"
CLIPPED = "rivulet, horizon known, clip norm tuned"
RIVALS = ["AdaSSP once at the end", "AdaSSP refitted, GDP split", "noisy SGD, tuned", "noisy SGD, tuned on another stream",
          "diffprivlib refitted, optimal composition", "diffprivlib refitted, optimal composition, in the ball"]
SHOWN = ["least squares, not private", KNOWN, UNBOUNDED, CLIPPED, *RIVALS, "trivial"]


def read(path: pathlib.Path) -> list[dict]:
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def shown(value: float) -> str:
    if math.isnan(value):
        return "–"
    return f"{value:.4f}" if value > -10 else "< −10"


def times(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2f}"


def markdown(header: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


class Accuracy:
    def __init__(self, rows: list[dict]):
        self.rows = rows
        self.streams = list(dict.fromkeys(row["stream"] for row in rows))
        self.releases = sorted({int(row["releases"]) for row in rows})
        self.by_key = {(row["stream"], int(row["releases"]), row["method"]): row for row in rows}

    def value(self, stream: str, releases: int, method: str, figure: str) -> float:
        row = self.by_key.get((stream, releases, method))
        if row is None and releases == 1:  # one release: there is nothing to compose, and the rules agree
            row = self.by_key.get((stream, releases, method.replace("optimal", "basic")))
        return float(row[figure]) if row else math.nan

    def table(self, stream: str) -> str:
        rows = []
        for method in SHOWN:
            cells = [f"{shown(self.value(stream, k, method, 'r2_last_mean'))} / "
                     f"{shown(self.value(stream, k, method, 'r2_releases_mean'))}" for k in self.releases]
            rows.append([method, *cells])
        return markdown(["R² of the last release / mean over releases", *[f"k = {k}" for k in self.releases]], rows)

    def against(self, ours: str, rival: str, figure: str) -> str:
        won = even = lost = 0
        ratios = []
        for stream in self.streams:
            for k in self.releases:
                us, them = self.value(stream, k, ours, figure), self.value(stream, k, rival, figure)
                best = self.value(stream, k, "least squares, not private", figure)
                if math.isnan(them):
                    continue
                if abs(us - them) < EVEN:
                    even += 1
                elif us > them:
                    won += 1
                else:
                    lost += 1
                ratios.append(max(best - them, 1e-9) / max(best - us, 1e-9))
        if not ratios:
            return "–"
        middle = statistics.median(ratios)
        ratio = times(middle) if middle < 1e4 else "> 10⁴"
        return f"{won} / {even} / {lost} ({ratio})"

    def lost(self) -> list[list[str]]:
        """Where a private rival's last release, or the mean over releases, is better than Rivulet's default by more than EVEN."""
        found = []
        for figure, what in (("r2_last_mean", "last release"), ("r2_releases_mean", "mean over releases")):
            for stream in self.streams:
                for k in self.releases[figure == "r2_releases_mean":]:  # of one release the mean is the last
                    ours = [self.value(stream, k, method, figure) for method in (UNBOUNDED, KNOWN, CLIPPED)]
                    rivals = {r: self.value(stream, k, r, figure) for r in RIVALS}
                    best = max((r for r in RIVALS if not math.isnan(rivals[r])), key=rivals.get)
                    if rivals[best] > ours[0] + EVEN:
                        cells = [f"{v:.4f}" + (" (lost)" if rivals[best] > v + EVEN else "") for v in ours]
                        found.append([stream, str(k), what, *cells, f"{best}: {rivals[best]:.4f}"])
        return found


def noise_table(rows: list[dict]) -> str:
    horizons = list(dict.fromkeys(row["n"] for row in rows))
    table = []
    for who in dict.fromkeys(row["mechanism"] for row in rows):
        cells = []
        for n in horizons:
            match = [row for row in rows if row["n"] == n and row["mechanism"] == who]
            cells.append(f"{float(match[0]['factor']):.4f} ({float(match[0]['over_square_root']):.3f})" if match else "–")
        table.append([who, *cells])
    return markdown(["standard deviation (over √-Toeplitz)", *[f"n = 2^{round(math.log2(int(n)))}" for n in horizons]], table)


def speed_tables(speed: dict) -> str:
    parts = []
    rates = speed["rows_a_second"]
    for every, peers in (("every row", ("River LinearRegression.learn_one", "SGDRegressor.partial_fit, row by row")),
                         ("every 100 rows", ("River LinearRegression.learn_one", "SGDRegressor.partial_fit, 100 rows at a time"))):
        reference = f"rivulet fit, CSV file, a release {every}"
        rows = []
        for who in (reference, f"rivulet library, rows in memory, a release {every}", *peers):
            rows.append([who, *[f"{rates[d][who]:,.0f} ({times(rates[d][reference] / rates[d][who])})" for d in rates]])
        parts.append(markdown([f"a model {every}: rows/s (`rivulet fit` over it)", *[f"d = {d}" for d in rates]], rows))
    steps = speed["step_microseconds"]
    ours = steps["rivulet, BLT, exact discrete noise"]
    rows = [[who, *[f"{values[c]:,.1f} ({times(values[c] / ours[c])})" for c in ours]] for who, values in steps.items()]
    parts.append(markdown(["noise of a step: µs (over Rivulet's)", *[f"{c} sums (d = {'10' if c == '66' else '100'})" for c in ours]],
                          rows))
    return "\n".join(parts)


def summary(accuracy: Accuracy, noise: list[dict], speed: dict, timings: dict) -> str:
    rows = []
    for rival in RIVALS:
        rows.append([rival, accuracy.against(KNOWN, rival, "r2_last_mean"), accuracy.against(KNOWN, rival, "r2_releases_mean"),
                     accuracy.against(UNBOUNDED, rival, "r2_last_mean"), accuracy.against(UNBOUNDED, rival, "r2_releases_mean")])
    head = markdown(["against", "last release, horizon known", "mean, horizon known", "last release, unbounded", "mean, unbounded"], rows)
    factor = {(row["n"], row["mechanism"]): float(row["factor"]) for row in noise}
    rates, steps = speed["rows_a_second"], speed["step_microseconds"]
    ours = steps["rivulet, BLT, exact discrete noise"]
    each, batch = "rivulet fit, CSV file, a release every row", "rivulet fit, CSV file, a release every 100 rows"

    def verdict(ratio):
        return "Rivulet" if ratio > 1.05 else "even" if ratio > 0.95 else "the peer"

    facts = []

    def fact(what, peer, ratio, shown_ratio=None):
        winner = verdict(ratio)
        facts.append([what, peer, winner, shown_ratio or times(1 / ratio if winner == "the peer" else ratio)])

    for n, name in (("1024", "2^10"), ("16384", "2^14"), ("1048576", "2^20")):
        own = factor[n, "rivulet, BLT, default"]
        fact(f"noise of a prefix sum, n = {name}, 5 buffers", "jax-privacy's BLT",
             factor[n, "jax-privacy, BLT, 5 buffers"] / factor[n, "rivulet, BLT, 5 buffers"],
             f"{factor[n, 'jax-privacy, BLT, 5 buffers'] / factor[n, 'rivulet, BLT, 5 buffers']:.4f}")
        if (n, "tensorflow-privacy, tree, efficient") in factor:
            fact(f"noise of a prefix sum, n = {name}", "TensorFlow Privacy's tree, efficient",
                 factor[n, "tensorflow-privacy, tree, efficient"] / own)
            fact("the same, without knowing n", "TensorFlow Privacy's tree, which does",
                 factor[n, "tensorflow-privacy, tree, efficient"] / factor[n, "rivulet, BLT, unbounded"])
    design = statistics.median(entry["jax-privacy"] / entry["rivulet"] for entry in timings.values())
    fact("finding the BLT's parameters, seconds", "jax-privacy's optimiser, compilation included", design)
    for who, values in steps.items():
        if who.startswith("rivulet"):
            continue
        for c in ours:
            fact(f"noise of a step, {c} sums, time", who, values[c] / ours[c])
    for d in rates:
        fact(f"rows/s, d = {d}, a model after every row", "River", rates[d][each] / rates[d]["River LinearRegression.learn_one"])
        fact(f"rows/s, d = {d}, a model after every row", "scikit-learn, row by row",
             rates[d][each] / rates[d]["SGDRegressor.partial_fit, row by row"])
        fact(f"rows/s, d = {d}, a model every 100 rows", "River", rates[d][batch] / rates[d]["River LinearRegression.learn_one"])
        fact(f"rows/s, d = {d}, a model every 100 rows", "scikit-learn, 100 rows at a time",
             rates[d][batch] / rates[d]["SGDRegressor.partial_fit, 100 rows at a time"])
    return head + "\n" + markdown(["what", "peer", "who wins", "by a factor of"], facts)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("measured", type=pathlib.Path, help="the folder of accuracy.csv, noise.csv, noise-timings.json, speed.json")
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--versions", required=True)
    parser.add_argument("--machine", required=True)
    options = parser.parse_args()
    accuracy_rows, noise = read(options.measured / "accuracy.csv"), read(options.measured / "noise.csv")
    speed = json.loads((options.measured / "speed.json").read_text())
    timings = json.loads((options.measured / "noise-timings.json").read_text())
    accuracy = Accuracy(accuracy_rows)
    options.results.mkdir(parents=True, exist_ok=True)
    with open(options.results / "peers.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["part", "stream", "rows", "features", "releases", "who", "seeds", "figure", "value", "note"])
        for row in accuracy_rows:
            for figure in ("r2_last_mean", "r2_last_median", "r2_last_standard_error", "r2_releases_mean", "r2_releases_median"):
                if row[figure] != "nan":
                    writer.writerow(["accuracy", row["stream"], row["rows"], row["features"], row["releases"], row["method"],
                                     row["seeds"], figure, f"{float(row[figure]):.4g}", row["note"]])
        for row in noise:
            for figure in ("factor", "over_square_root"):
                writer.writerow(["noise", "", "", "", row["n"], row["mechanism"], "", figure, f"{float(row[figure]):.4f}", row["note"]])
    template = (pathlib.Path(__file__).parent / "peers.md.in").read_text()
    lost = accuracy.lost()
    heading = ["stream", "k", "R²", "Rivulet, unbounded", "horizon known", "and clip norm tuned", "best private rival"]
    lost_table = markdown(heading, lost) if lost else "Nowhere.\n"
    tables = "\n".join(f"**{s}** ({rows_of(accuracy, s)} rows)\n\n{accuracy.table(s)}" for s in accuracy.streams)
    text = template
    for name, value in {"VERSIONS": options.versions, "MACHINE": options.machine, "LOST": lost_table, "ACCURACY": tables,
                        "SUMMARY": summary(accuracy, noise, speed, timings), "NOISE": noise_table(noise),
                        "SPEED": speed_tables(speed), "SEEDS": accuracy_rows[0]["seeds"]}.items():
        text = text.replace(f"@{name}@", value.rstrip("\n"))
    (options.results / "peers.md").write_text(text)


def rows_of(accuracy: Accuracy, stream: str) -> str:
    return f"{int(next(row['rows'] for row in accuracy.rows if row['stream'] == stream)):,}"


if __name__ == "__main__":
    main()
