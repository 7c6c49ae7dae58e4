"""Noise of a released prefix sum: standard deviation, largest over the steps, for rows of sensitivity 1, mu = 1, one
participation."""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import time

import numpy as np

HORIZONS = (2**10, 2**14, 2**20)
BUFFERS = (3, 4, 5)


def lower_bound(steps: int) -> float:
    """No linear mechanism is below the mean of the singular values of the matrix of all prefix sums, 1 / (2 sin((2j - 1) pi /
    (4n + 2)))."""
    j = np.arange(1, steps + 1)
    return float(np.mean(0.5 / np.sin((2 * j - 1) * np.pi / (4 * steps + 2))))


def square_root(steps: int) -> float:
    """The square-root factorisation, the best of all Toeplitz ones: sum of squared coefficients of (1 - x)^(-1/2)."""
    i = np.arange(1, steps)
    return float(1 + np.sum(np.exp(2 * np.cumsum(np.log1p(-0.5 / i)))))


def rivulet(binary: pathlib.Path, *flags: str) -> tuple[float, float]:
    command = [binary, "plan", "--dim", "10", "--epsilon", "1", "--delta", "1e-6", "--json", *flags]
    start = time.perf_counter()
    plan = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return plan["prefix_stddev_factor"], time.perf_counter() - start


def jax_privacy(steps: int, buffers: int) -> tuple[float, float]:
    import jax
    from jax_privacy.matrix_factorization import buffered_toeplitz

    start = time.perf_counter()
    blt = buffered_toeplitz.optimize(n=steps, min_buffers=buffers, max_buffers=buffers)
    seconds = time.perf_counter() - start
    with jax.enable_x64(True):
        return float(buffered_toeplitz.max_loss(blt, steps))**0.5, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rivulet", type=pathlib.Path, required=True)
    parser.add_argument("--tensorflow", type=pathlib.Path, help="what tensorflow_tree.py printed")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--timings", type=pathlib.Path, required=True)
    parser.add_argument("--ours-only", action="store_true", help="no peers, one horizon: shows that our side runs")
    options = parser.parse_args()
    tensorflow = json.loads(options.tensorflow.read_text())["noise"] if options.tensorflow else []
    rows, timings = [], {}

    def add(steps, who, factor, note=""):
        rows.append([steps, who, f"{factor:.6f}", f"{factor / square_root(steps):.4f}", note])

    for steps in HORIZONS[:1] if options.ours_only else HORIZONS:
        print(f"noise: n = {steps}", file=sys.stderr)
        worst = ["--at", str(steps)]
        add(steps, "lower bound of all linear mechanisms", lower_bound(steps))
        add(steps, "square-root Toeplitz", square_root(steps), "needs memory that grows with n")
        for buffers in BUFFERS:
            ours, our_seconds = rivulet(options.rivulet, "--horizon", str(steps), "--buffers", str(buffers), *worst)
            add(steps, f"rivulet, BLT, {buffers} buffers", ours)
            if options.ours_only:
                continue
            theirs, their_seconds = jax_privacy(steps, buffers)
            add(steps, f"jax-privacy, BLT, {buffers} buffers", theirs)
            timings[f"{steps}/{buffers}"] = {"rivulet": our_seconds, "jax-privacy": their_seconds}
        add(steps, "rivulet, BLT, default", rivulet(options.rivulet, "--horizon", str(steps), *worst)[0])
        add(steps, "rivulet, BLT, unbounded", rivulet(options.rivulet, *worst)[0], "promises the same after any number of steps")
        for decoding in ("optimal", "paper"):
            add(steps, f"rivulet, tree, {decoding} decoding",
                rivulet(options.rivulet, "--horizon", str(steps), "--strategy", "tree", "--tree-decoding", decoding, "--at",
                        str(steps - 1))[0])
        for entry in tensorflow:
            if entry["n"] == steps:
                measured = f"its engine's own noise: {entry['measured']:.4f}" if "measured" in entry else ""
                add(steps, f"tensorflow-privacy, tree, {entry['kind']}", entry["factor"], measured)
    with open(options.out, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["n", "mechanism", "factor", "over_square_root", "note"])
        writer.writerows(rows)
    options.timings.write_text(json.dumps(timings, indent=1))


if __name__ == "__main__":
    main()
