#!/usr/bin/env python3
"""Runs the benchmarks and writes their figures as one JSON file and one table, the design's targets beside them.

    bench/run_benchmarks.py build/release build/bench.json [--quick]

Every comparison is a ratio of two figures of this run. Processor time throughout; medians. --quick: tiny sizes throughout, which show that everything
runs; the figures mean nothing then.
"""

import argparse
import json
import math
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import tempfile


def run(command, **more) -> str:
    print(f"bench: {pathlib.Path(command[0]).name} {' '.join(map(str, command[1:]))}"[:120], file=sys.stderr, flush=True)
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **more).stdout


def own_figures(program: pathlib.Path, *flags: str) -> dict[str, float]:
    """Of a program that knows --json."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        run([program, "--json", file.name, *flags])
        return json.loads(pathlib.Path(file.name).read_text())


def google_figures(program: pathlib.Path, quick: bool) -> dict[str, float]:
    """Medians: seconds a run, and items a second where the benchmark counts them."""
    answer = json.loads(run([program, f"--benchmark_repetitions={2 if quick else 7}", "--benchmark_report_aggregates_only=true",
                             "--benchmark_format=json", f"--benchmark_min_time={1e-6 if quick else 0.1}"]))
    scale = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
    figures = {}
    for entry in answer["benchmarks"]:
        if entry.get("aggregate_name") != "median":
            continue
        name = f"{program.name}/{entry['run_name']}"
        figures[name + "/seconds"] = entry["cpu_time"] * scale[entry["time_unit"]]
        for rate in ("items_per_second", "bytes_per_second"):
            if rate in entry:
                figures[f"{name}/{rate}"] = entry[rate]
    return figures


def square_root_factors(largest: int) -> dict[int, float]:
    """The square-root factorisation's largest prefix deviation at every power of two: sums of squared coefficients of
    (1 - x)^(-1/2)."""
    factors, total, coefficient = {}, 0.0, 1.0
    for i in range(largest):
        if i:
            coefficient *= 1 - 0.5 / i
        total += coefficient * coefficient
        if (i + 1) & i == 0:
            factors[i + 1] = total
    return factors


def square_root_factor(steps: int) -> float:
    """The same for steps of 10^4 and more: the series' limit, within 1e-5."""
    return (math.log(steps) + 0.5772156649015329 + math.log(16)) / math.pi


def noise_figures(rivulet: pathlib.Path, quick: bool) -> dict[str, float]:
    plan = [rivulet, "plan", "--dim", "10", "--epsilon", "1", "--delta", "1e-6", "--json"]
    figures = {}
    for steps, optimum in square_root_factors(2**8 if quick else 2**24).items():
        if steps < 2**6:
            continue
        factor = json.loads(run([*plan, "--horizon", str(steps)]))["prefix_stddev_factor"]
        figures[f"noise/known/n={steps}/over_square_root"] = factor / optimum
    steps = [10**4 * 2**i for i in range(21)] + [2**40]
    flags = [word for t in steps for word in ("--at", str(t))]
    for entry in json.loads(run([*plan, *flags]))["times"]:
        figures[f"noise/unbounded/t={entry['step']}/over_square_root"] = (
            entry["prefix_stddev_factor"] / square_root_factor(entry["step"]))
    return figures


def slope(points: dict[float, float]) -> float:
    """Of log cost against log size, by least squares."""
    x, y = [math.log(size) for size in points], [math.log(cost) for cost in points.values()]
    return statistics.linear_regression(x, y).slope


def slopes(figures: dict[str, float]) -> dict[str, float]:
    families: dict[str, dict[float, float]] = {}
    for name, value in figures.items():
        match = re.fullmatch(r"(seconds_a_(?:row|step|model)/[dTm])=(\d+)", name)
        if match:
            families.setdefault(match[1], {})[float(match[2])] = value
    found = {}
    for family, points in families.items():
        found[f"slope/{family}"] = slope(points)
        last = dict(sorted(points.items())[-2:])
        found[f"slope_at_the_end/{family}"] = slope(last)
    return found


def largest(figures, prefix):
    return max(value for name, value in figures.items() if name.startswith(prefix))


def table(f: dict[str, float]) -> list[tuple[str, str, str, str]]:
    """What, measured, target, met."""
    rows = []

    def add(what, value, shown, target=None, at_least=True):
        met = "" if target is None else "yes" if (value >= target if at_least else value <= target) else "NO"
        rows.append((what, shown, "" if target is None else f"{'≥' if at_least else '≤'} {target:,g}", met))

    gaussian = f["kernel_bench/discrete_gaussian/log2_sigma:34/draws:65536/items_per_second"]
    normal = f["kernel_bench/standard_normal/items_per_second"]
    cap = f"noise/unbounded/t={2**40}/over_square_root"
    known = largest(f, "noise/known/")
    unbounded = largest({name: value for name, value in f.items() if name != cap}, "noise/unbounded/")
    add("prefix std over √-Toeplitz, horizon known, worst of n = 2^6 … 2^24", known, f"{known:.4f}", 1.01, False)
    add("prefix std over √-Toeplitz, unbounded, worst of t = 10^4 … 10^10", unbounded, f"{unbounded:.3f}", 1.45, False)
    add("the same at t = 2^40, the last step there can be", f[cap], f"{f[cap]:.2f}", 1.45, False)
    risk = f["excess_risk/paper"] / f["excess_risk/tight"]
    add("excess risk, d = 10, T = 2^17: profile `paper` over `tight`", risk, f"{risk:,.0f}", 100)
    add("exact discrete Gaussian samples, million a second", gaussian / 1e6, f"{gaussian / 1e6:,.0f}", 50)
    add("… over `std::normal_distribution` (not exact, not cryptographic)", 0, f"{gaussian / normal:.2f}")
    rate = f["every_row/rows_a_second"]
    add("rows/s, d = 10, CSV, a release and a model after every row", rate, f"{rate:,.0f}", 100_000)
    add("… over the same without privacy (parse, sum, solve)", 0, f"{f['every_row/share']:.2f}")
    share = f["ingest/known/share"]
    add("ingest, d = 100, a release every 1000 rows, over Eigen's rank-k update, horizon known", share, f"{share:.2f}", 0.5)
    share = f["ingest/unbounded/share"]
    add("the same, unbounded", share, f"{share:.2f}", 0.5)
    share = f["durable/processor/share"]
    add("with a model file over without, d = 10, a release every 100 rows, processor time", share, f"{share:.2f}", 0.7)
    if "heap_bytes/steps=10000000" in f:
        heap = f["heap_bytes/steps=10000000"] / f["heap_bytes/steps=10000"]
        add("heap at 10^7 steps over heap at 10^4", heap, f"{heap:.3f}", 1.0, False)
    for family, what, bound in (
        ("seconds_a_row/d", "a row, d = 50 … 400, a release every 1000 rows: slope in d", 2.2),
        ("seconds_a_step/d", "a step of one row, d = 10 … 160: slope in d", 2.2),
        ("seconds_a_model/d", "a model, d = 10 … 160: slope in d", 3.2),
        ("seconds_a_step/T", "a step, T = 2^10 … 2^20: slope in T", 0.05),
        ("seconds_a_row/m", "a row, d = 4000, m = 50 … 400, a release every 1000 rows: slope in m", 2.2),
        ("seconds_a_step/m", "a step of one row, m = 50 … 400: slope in m", 2.2),
    ):
        value, end = f[f"slope/{family}"], f[f"slope_at_the_end/{family}"]
        add(what + " (last doubling)" if family[-1] != "T" else what, value,
            f"{value:.2f} ({end:.2f})" if family[-1] != "T" else f"{value:.3f}", bound, False)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    build, quick = options.build, options.quick
    figures: dict[str, float] = {}
    figures.update(noise_figures(build / "rivulet", quick))
    for name in ("kernel_bench", "sketch_bench", "lift_bench"):
        figures.update(google_figures(build / name, quick))
    small = ["--quick"] if quick else []
    figures.update(own_figures(build / "throughput_bench", *small))
    figures.update(own_figures(build / "durable_bench", *(["2000"] if quick else [])))
    figures.update(own_figures(build / "scaling_bench", *small))
    figures.update(slopes(figures))
    figures.update(own_figures(build / "excess_risk_bench", *small))
    rows = table(figures)
    machine = {"processors": os.cpu_count(), "machine": platform.machine(), "load": os.getloadavg()}
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(
        {"machine": machine, "figures": figures,
         "targets": [dict(zip(("what", "measured", "target", "met"), row)) for row in rows]}, indent=1) + "\n")
    print("| what | measured | target | met |\n|---|---|---|---|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(f"\n{len(figures)} figures are in {options.out}")


if __name__ == "__main__":
    main()
