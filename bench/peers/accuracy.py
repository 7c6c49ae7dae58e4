"""Accuracy at equal (epsilon, delta) for k releases of one stream: rows of the CSV file, means over seeds.

R^2 of a release is that of its model on the rows it has seen. The mean over more than 25 releases is taken over 25 of them, the
middle ones of 25 equal parts.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys

import numpy as np

import methods
import streams

EPSILON, DELTA = 1.0, 1e-6
RELEASES = (1, 10, 100, 1000)
LOOKED_AT = 25
RADIUS = 2.0  # of the L2 ball in box units, Rivulet's default constraint
SYNTHETIC_ROWS = 100_000
RATES = np.array([0.03, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8])
CLIPS = np.array([0.03, 0.1, 0.3, 1.0, 3.0])
ROW_NORM_SHARES = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
TUNING_SEEDS = (901, 902, 903)


def looked_at(releases: int) -> tuple[np.ndarray, int]:
    """Numbers of releases, from 1, the last one last, and how many of them, from the first, the mean is over."""
    parts = min(releases, LOOKED_AT)
    middles = ((np.arange(parts) + 0.5) * releases / parts).astype(int) + 1
    return (middles, parts) if middles[-1] == releases else (np.append(middles, releases), parts)


class Prefixes:
    """Moments of (1, x, y) after each release that is looked at."""

    def __init__(self, stream: streams.Stream, releases: int):
        self.releases, self.averaged = looked_at(releases)
        self.each = len(stream.rows) // releases
        joint = np.hstack([stream.with_intercept(), stream.targets[:, None]])
        self.moments, total, begin = [], np.zeros((joint.shape[1],) * 2), 0
        for release in self.releases:
            end = release * self.each
            total = total + joint[begin:end].T @ joint[begin:end]
            self.moments.append(total)
            begin = end

    def r_squared(self, index: int, theta: np.ndarray) -> float:
        moments = self.moments[index]
        residual = np.append(theta, -1)
        total = moments[-1, -1] - moments[0, -1]**2 / moments[0, 0]
        return float(1 - residual @ moments @ residual / total)

    def last_and_mean(self, thetas) -> tuple[float, float]:
        """R^2 of the last release and the mean over releases."""
        r2 = [self.r_squared(i, theta) for i, theta in enumerate(thetas)]
        return r2[-1], float(np.mean(r2[:self.averaged]))


def rivulet(binary: pathlib.Path, stream: streams.Stream, prefixes: Prefixes, releases: int, horizon: str, seed: int,
            row_norm_share: float = 1.0):
    out = stream.table.with_suffix(".releases.jsonl")
    clip = ["--clip-norm", str(row_norm_share * stream.row_norm)] if row_norm_share < 1 else []
    subprocess.run([binary, "fit", stream.table, *stream.arguments(), "--epsilon", str(EPSILON), "--delta", str(DELTA),
                    "--neighbours", "replace", "--horizon", horizon, "--release-every", str(prefixes.each),
                    "--insecure-seed", str(seed), "--quiet", "--releases", out, *clip],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    lines = out.read_text().splitlines()
    assert len(lines) == releases, (len(lines), releases)
    published = [json.loads(lines[release - 1]) for release in prefixes.releases]
    assert published[-1]["rows"] == len(stream.rows)
    return [stream.box_units(release) for release in published]


def tuned_share(make, binary: pathlib.Path, releases: int):
    """The best --clip-norm, as a share of the length a row can have, for the last release and for the mean over releases."""
    scores = {}
    for seed in TUNING_SEEDS:
        stream = make(seed)
        prefixes = Prefixes(stream, releases)
        for share in ROW_NORM_SHARES:
            thetas = rivulet(binary, stream, prefixes, releases, str(releases), seed, share)
            scores.setdefault(share, []).append(prefixes.last_and_mean(thetas))
    return [max(scores, key=lambda share: np.mean([score[which] for score in scores[share]])) for which in (0, 1)]


def sgd_models(path: np.ndarray, prefixes: Prefixes, releases: int, setting: int, averaged: bool):
    """The model at each release: the last iterate, or the mean of the later half of them."""
    sums = np.vstack([np.zeros(path.shape[2]), np.cumsum(path[:, setting], axis=0)])
    models = []
    for release in prefixes.releases:
        batch = release * len(path) // releases
        first = batch // 2 if averaged else batch - 1
        models.append((sums[batch] - sums[first]) / (batch - first))
    return models


def tuned_sgd(make, releases: int, mu: float):
    """The best setting for the last release and the best for the mean over releases, on streams and noise of their own. The
    search is not charged to the budget, which favours this method."""
    rates, clips = [a.ravel() for a in np.meshgrid(RATES, CLIPS)]
    scores = {}
    for seed in TUNING_SEEDS:
        stream = make(seed)
        prefixes = Prefixes(stream, releases)
        for batches in sorted({releases, 100, 1000, 10000}):
            if not releases <= batches <= len(stream.rows):
                continue
            path = methods.noisy_sgd(stream.with_intercept(), stream.targets, batches, rates, clips, RADIUS, mu,
                                     np.random.default_rng([seed, batches]))
            for setting in range(len(rates)):
                for averaged in (False, True):
                    key = (batches, float(rates[setting]), float(clips[setting]), averaged)
                    models = sgd_models(path, prefixes, releases, setting, averaged)
                    scores.setdefault(key, []).append(prefixes.last_and_mean(models))
    return [max(scores, key=lambda key: np.mean([score[which] for score in scores[key]])) for which in (0, 1)]


def run_sgd(stream, prefixes, releases, mu, chosen, seed):
    """The last release's R^2 with the first setting, the mean's with the second."""
    r2 = []
    for batches, rate, clip, averaged in chosen:
        path = methods.noisy_sgd(stream.with_intercept(), stream.targets, batches, np.array([rate]), np.array([clip]), RADIUS,
                                 mu, np.random.default_rng([seed, batches]))
        r2.append(prefixes.last_and_mean(sgd_models(path, prefixes, releases, 0, averaged)))
    return r2[0][0], r2[1][1]


def compare(name: str, make, binary: pathlib.Path, releases: int, seeds: list[int], settings, foreign, write, ours_only):
    """`settings` of noisy SGD are those tuned on this stream, `foreign` those tuned on another."""
    mu = methods.gdp_mu(EPSILON, DELTA)
    clip_shares = tuned_share(make, binary, releases)
    results: dict[str, list] = {}
    shares = {"basic": methods.basic_share(EPSILON, releases), "optimal": methods.optimal_share(EPSILON, DELTA, releases)}
    for seed in seeds:
        stream = make(seed)
        prefixes = Prefixes(stream, releases)

        def add(method, thetas):
            results.setdefault(method, []).append(prefixes.last_and_mean(thetas))

        count, order = len(prefixes.releases), stream.rows.shape[1] + 1
        add("least squares, not private", [methods.least_squares(m) for m in prefixes.moments])
        add("trivial", [np.zeros(order)] * count)
        add("rivulet, horizon known", rivulet(binary, stream, prefixes, releases, str(releases), seed))
        add("rivulet, unbounded", rivulet(binary, stream, prefixes, releases, "unbounded", seed))
        clipped = [prefixes.last_and_mean(rivulet(binary, stream, prefixes, releases, str(releases), seed, share))
                   for share in clip_shares]
        results.setdefault("rivulet, horizon known, clip norm tuned", []).append((clipped[0][0], clipped[1][1]))
        random = np.random.default_rng([seed, releases])
        last = methods.ada_ssp(prefixes.moments[-1], stream.row_norm, mu, random)
        results.setdefault("AdaSSP once at the end", []).append((prefixes.r_squared(count - 1, last), float("nan")))
        add("AdaSSP refitted, GDP split",
            [methods.ada_ssp(m, stream.row_norm, mu / np.sqrt(releases), random) for m in prefixes.moments])
        for method, chosen in (("noisy SGD, tuned", settings), ("noisy SGD, tuned on another stream", foreign)):
            results.setdefault(method, []).append(run_sgd(stream, prefixes, releases, mu, chosen, seed))
        for rule, share in shares.items():
            if ours_only or (releases == 1 and rule == "optimal"):
                continue
            fits = [methods.diffprivlib_fit(stream.rows[:r * prefixes.each], stream.targets[:r * prefixes.each],
                                            stream.bounds, share, seed * 100_003 + int(r)) for r in prefixes.releases]
            add(f"diffprivlib refitted, {rule} composition", fits)
            add(f"diffprivlib refitted, {rule} composition, in the ball", [methods.in_ball(f, RADIUS) for f in fits])
    for method, values in results.items():
        last, mean = np.array(values).T
        note = ""
        if method.startswith("noisy SGD"):
            chosen = foreign if "another" in method else settings
            note = "; ".join(f"{what}: {b} batches, rate {r:g}, clip {c:g}, {'later half averaged' if a else 'last iterate'}"
                             for what, (b, r, c, a) in zip(("last", "mean"), chosen))
        elif "clip norm tuned" in method:
            note = f"share of the longest row: last {clip_shares[0]:g}, mean {clip_shares[1]:g}"
        elif "refitted, basic" in method or "refitted, optimal" in method:
            note = f"epsilon {shares['basic' if 'basic' in method else 'optimal']:.6f} a release"
        write([name, len(stream.rows), order - 1, releases, method, len(values), last.mean(), np.median(last),
               last.std(ddof=1) / np.sqrt(len(last)) if len(last) > 1 else float("nan"), mean.mean(), np.median(mean), note])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rivulet", type=pathlib.Path, required=True)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True, help="a folder for the streams as files")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--ours-only", action="store_true",
                        help="nothing that would have to be installed, two short synthetic streams: shows that our side runs")
    options = parser.parse_args()
    if options.ours_only:
        global RELEASES, SYNTHETIC_ROWS, TUNING_SEEDS, ROW_NORM_SHARES
        RELEASES, SYNTHETIC_ROWS, TUNING_SEEDS, ROW_NORM_SHARES = (10,), 2000, (901,), (0.5, 1.0)
    assert abs(1 / methods.gdp_mu(1, 1e-6) - 4.224679) < 1e-5
    options.work.mkdir(parents=True, exist_ok=True)
    seeds = list(range(1, options.seeds + 1))
    sources = {}
    for features in (5, 10):
        sources[f"synthetic, d = {features}"] = (
            lambda seed, d=features: streams.synthetic(d, SYNTHETIC_ROWS, seed, options.work))
    for name in () if options.ours_only else ("flights", "diamonds"):
        if (options.data / f"{name}.csv.gz").exists():
            stream = streams.configured(name, options.data, max(RELEASES), options.work)
            sources[name] = lambda seed, s=stream: s
        else:
            print(f"accuracy.py: no {name}.csv.gz in {options.data}, left out", file=sys.stderr)
    with open(options.out, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["stream", "rows", "features", "releases", "method", "seeds", "r2_last_mean", "r2_last_median",
                         "r2_last_standard_error", "r2_releases_mean", "r2_releases_median", "note"])

        def write(row):
            writer.writerow([f"{v:.6g}" if isinstance(v, float) else v for v in row])
            file.flush()

        mu = methods.gdp_mu(EPSILON, DELTA)
        small, large = "synthetic, d = 5", "synthetic, d = 10"
        for releases in RELEASES:
            settings = {}
            for name, make in sources.items():
                print(f"accuracy: tuning on {name}, {releases} releases", file=sys.stderr)
                settings[name] = tuned_sgd(make, releases, mu)
            for name, make in sources.items():
                print(f"accuracy: {name}, {releases} releases", file=sys.stderr)
                compare(name, make, options.rivulet, releases, seeds, settings[name],
                        settings[small if name == large else large], write, options.ours_only)


if __name__ == "__main__":
    main()
