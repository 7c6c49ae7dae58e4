"""Speed: rows a second against regressions without privacy, and the noise of a step against other engines. Processor time,
medians, rounds that take the contestants in turn. Prints JSON."""

import argparse
import json
import pathlib
import resource
import statistics
import subprocess
import sys
import time
import warnings

import numpy as np

ROUNDS = 5
CSV_ROWS = 100_000


def child_seconds(command) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def timed(work) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def regressions(binary: pathlib.Path, dimension: int, work: pathlib.Path, ours_only: bool) -> dict[str, float]:
    """Rows a second, by method."""
    random = np.random.default_rng(dimension)
    x = random.uniform(-1, 1, (CSV_ROWS, dimension))
    y = x @ np.full(dimension, 0.5 / dimension) + random.normal(0, 0.1, CSV_ROWS)
    names = [f"x{i}" for i in range(dimension)]
    path = work / f"speed_{dimension}.csv"
    np.savetxt(path, np.column_stack([x, y]), fmt="%.6f", delimiter=",", header=",".join([*names, "y"]), comments="")
    fit = [binary, "fit", path, "--target", "y", "--features", ",".join(names), "--epsilon", "1", "--delta", "1e-6",
           "--quiet", "--releases", "/dev/null", "--bound", "y=-1:1"]
    for name in names:
        fit += ["--bound", f"{name}=-1:1"]
    short = 20_000
    dictionaries = [dict(zip(names, row)) for row in x[:short].tolist()]
    targets = y.tolist()

    def river():
        from river import linear_model

        model = linear_model.LinearRegression()
        for row, target in zip(dictionaries, targets):
            model.learn_one(row, target)

    def by_batches(rows, size):
        from sklearn.linear_model import SGDRegressor

        model = SGDRegressor()
        for begin in range(0, rows, size):
            model.partial_fit(x[begin:begin + size], y[begin:begin + size])

    contestants = {
        "rivulet fit, CSV file, a release every row": lambda: CSV_ROWS / child_seconds([*fit, "--release-every", "1"]),
        "rivulet fit, CSV file, a release every 100 rows": lambda: CSV_ROWS / child_seconds([*fit, "--release-every", "100"]),
        "River LinearRegression.learn_one": lambda: short / timed(river),
        "SGDRegressor.partial_fit, row by row": lambda: 3000 / timed(lambda: by_batches(3000, 1)),
        "SGDRegressor.partial_fit, 100 rows at a time": lambda: CSV_ROWS / timed(lambda: by_batches(CSV_ROWS, 100)),
    }
    if ours_only:
        contestants = {name: rate for name, rate in contestants.items() if name.startswith("rivulet")}
    rates = {name: [] for name in contestants}
    for _ in range(ROUNDS):
        for name, rate in contestants.items():
            rates[name].append(rate())
    return {name: statistics.median(values) for name, values in rates.items()}


def jax_microseconds(coordinates: int) -> dict[str, float]:
    """A step of a BLT of 8 buffers, as many as Rivulet's default has, in double precision, jitted and warm: called from Python
    step by step, as a stream that waits for rows must, and with a thousand steps in one compiled loop."""
    import jax
    import jax.numpy as jnp
    from jax_privacy import noise_addition
    from jax_privacy.matrix_factorization import buffered_toeplitz

    def each(advance, steps, repeats):
        times, state = [], privatizer.init(value)
        for block in range(12):
            start = time.process_time()
            for _ in range(repeats):
                noisy, state = advance(state)
            noisy.block_until_ready()
            if block > 1:
                times.append((time.process_time() - start) / (steps * repeats) * 1e6)
        return statistics.median(times)

    with jax.enable_x64(True):
        blt = buffered_toeplitz.BufferedToeplitz.from_rational_approx_to_sqrt_x(num_buffers=8)
        privatizer = noise_addition.matrix_factorization_privatizer(blt.inverse_as_streaming_matrix(), stddev=1.0, prng_key=1)
        value = jnp.zeros(coordinates)
        one = jax.jit(lambda state: privatizer.update(value, state))

        @jax.jit
        def many(state):
            def body(carry, _):
                total, inner = carry
                noisy, inner = privatizer.update(value, inner)
                return (total + noisy, inner), None

            return jax.lax.scan(body, (value, state), None, length=1000)[0]

        return {"a call a step": each(one, 1, 500), "steps in one compiled loop": each(many, 1000, 1)}


def rivulet_step_microseconds(kernel_bench: pathlib.Path, ours_only: bool) -> dict[str, float]:
    """Encoding and exact noise, by the kernel's own benchmark: d = 10 and 100 have 66 and 5151 coordinates."""
    command = [kernel_bench, "--benchmark_filter=^encode/blt", "--benchmark_repetitions=9", "--benchmark_format=json",
               "--benchmark_report_aggregates_only=true", *(["--benchmark_min_time=1e-6"] if ours_only else [])]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    coordinates = {"10": "66", "100": "5151"}
    return {coordinates[entry["run_name"].split(":")[-1]]: entry["cpu_time"] / 1e3
            for entry in answer["benchmarks"] if entry["aggregate_name"] == "median"}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="the release build")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--tensorflow", type=pathlib.Path)
    parser.add_argument("--ours-only", action="store_true", help="no peers, few rows: shows that our side runs")
    options = parser.parse_args()
    if options.ours_only:
        global ROUNDS, CSV_ROWS
        ROUNDS, CSV_ROWS = 1, 2000
    warnings.simplefilter("ignore")
    options.work.mkdir(parents=True, exist_ok=True)
    result = {"rows_a_second": {}, "step_microseconds": {}}
    print("speed: rivulet in memory", file=sys.stderr)
    memory = options.work / "streams.json"
    quick = ["--quick"] if options.ours_only else []
    subprocess.run([options.build / "scaling_bench", "--only", "streams", "--json", memory, *quick], check=True,
                   stdout=subprocess.DEVNULL)
    in_memory = json.loads(memory.read_text())
    for dimension in (10, 20):
        print(f"speed: d = {dimension}", file=sys.stderr)
        rates = {f"rivulet library, rows in memory, a release every {what}":
                 1 / in_memory[f"seconds_a_row/streamed/d={dimension}/every={every}"]
                 for every, what in ((1, "row"), (100, "100 rows"))}
        rates.update(regressions(options.build / "rivulet", dimension, options.work, options.ours_only))
        result["rows_a_second"][str(dimension)] = rates
    print("speed: noise engines", file=sys.stderr)
    steps = {"rivulet, BLT, exact discrete noise": rivulet_step_microseconds(options.build / "kernel_bench", options.ours_only)}
    for coordinates in () if options.ours_only else (66, 5151):
        for how, microseconds in jax_microseconds(coordinates).items():
            steps.setdefault(f"jax-privacy, BLT, {how}", {})[str(coordinates)] = microseconds
    if options.tensorflow:
        steps["tensorflow-privacy, tree"] = json.loads(options.tensorflow.read_text())["step_microseconds"]
    result["step_microseconds"] = steps
    json.dump(result, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
