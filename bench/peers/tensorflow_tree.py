"""TensorFlow Privacy's tree, by its own engine and accountant: noise of a prefix sum, and the time of a step. Prints JSON.

The engine's noise is measured at the worst step of n = 2^10 and 2^14 (n - 1, where every level takes part) as the spread of 16384 coordinates;
its exact value follows from the variance 2^h / (2^(h+1) - 1) of a node of height h that is averaged with what lies below it,
or 1 when it is not. Sensitivity: the accountant's number of nodes that one row is in.
"""

import json
import math
import os
import statistics
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf  # noqa: E402
from dp_accounting import dp_event, privacy_accountant  # noqa: E402
from dp_accounting.rdp import rdp_privacy_accountant  # noqa: E402
from tensorflow_privacy.privacy.dp_query import tree_aggregation  # noqa: E402

KINDS = {"efficient": tree_aggregation.EfficientTreeAggregator, "plain": tree_aggregation.TreeAggregator}


def squared_sensitivity(steps: int) -> float:
    """Read off the accountant. At order 2 and noise 1, a squared sensitivity costs as much epsilon as it is large; n = 1 has 1."""

    def epsilon(count):
        accountant = rdp_privacy_accountant.RdpAccountant(
            orders=[2.0], neighboring_relation=privacy_accountant.NeighboringRelation.REPLACE_SPECIAL)
        return accountant.compose(dp_event.SingleEpochTreeAggregationDpEvent(1.0, count)).get_epsilon(0.01)

    return round(1 + epsilon(steps) - epsilon(1), 9)


def exact_variance(kind: str, step: int) -> float:
    heights = [h for h in range(step.bit_length()) if step >> h & 1]
    return sum(2**h / (2**(h + 1) - 1) if kind == "efficient" else 1.0 for h in heights)


def engine(kind: str, coordinates: int, seed: int):
    generator = tree_aggregation.GaussianNoiseGenerator(1.0, tf.TensorSpec([coordinates]), seed=seed)
    return KINDS[kind](generator)


def measured_stddev(kind: str, steps: int) -> float:
    tree = engine(kind, 16384, 7)
    state = tree.init_state()
    for _ in range(steps):
        noise, state = tree.get_cumsum_and_update(state)
    return float(tf.math.sqrt(tf.reduce_mean(noise**2)))


def step_microseconds(kind: str, coordinates: int) -> float:
    tree = engine(kind, coordinates, 7)
    state = tree.init_state()
    times = []
    for block in range(12):
        start = time.process_time()
        for _ in range(200):
            noise, state = tree.get_cumsum_and_update(state)
        noise.numpy()
        if block > 1:
            times.append((time.process_time() - start) / 200 * 1e6)
    return statistics.median(times)


def main():
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    result = {"noise": [], "step_microseconds": {}}
    for kind in KINDS:
        for power in (10, 14, 20):
            steps = 2**power
            worst = steps - 1
            entry = {"kind": kind, "n": steps, "squared_sensitivity": squared_sensitivity(steps),
                     "factor": math.sqrt(squared_sensitivity(steps) * exact_variance(kind, worst))}
            if power <= 14:
                entry["measured"] = math.sqrt(squared_sensitivity(steps)) * measured_stddev(kind, worst)
            result["noise"].append(entry)
    for coordinates in map(int, sys.argv[1:]):
        result["step_microseconds"][str(coordinates)] = step_microseconds("efficient", coordinates)
    json.dump(result, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
