"""Requests, good, bad and odd: what every door has to answer.

Each has a name, settings as the library spells them, and the answer: for a good request settings that the made one must
have, for a bad one words that the refusal must hold. A door that answers otherwise than another is at fault, whatever it says.
"""

from __future__ import annotations

from typing import Any, Union

Answer = Union[dict[str, Any], str]

BASE: dict[str, Any] = {"target": "spend", "features": ["age", "shop"], "bounds": {"age": [18, 90], "spend": [0, 50]},
                        "levels": {"shop": ["north", "web"]}, "epsilon": 1, "delta": 1e-6, "insecure-seed": 5}
CLASSES: dict[str, Any] = {"target": "bought", "features": ["age"], "bounds": {"age": [18, 90]}, "classes": ["no", "yes"],
                           "epsilon": 1, "delta": 1e-6, "insecure-seed": 5, "release-every": 100}
WORDS: dict[str, Any] = {"target": "score", "block": ["word:400"], "bounds": {"word": [0, 1], "score": [0, 5]}, "clip-norm": 1,
                         "intercept": False, "epsilon": 1, "delta": 1e-6, "insecure-seed": 5}
ERM = {**CLASSES, "mechanism": "erm", "horizon": 500}


def but(base: dict[str, Any], *missing: str, **changed: Any) -> dict[str, Any]:
    """The base without some settings, and with others."""
    kept = {key: value for key, value in base.items() if key not in missing}
    return {**kept, **{key.replace("_", "-"): value for key, value in changed.items()}}


TABLE: list[tuple[str, dict[str, Any], Answer]] = [
    # --- good: what is not said is chosen
    ("squares", BASE, {"mechanism": "full", "loss": "squared", "strategy": "blt", "constraint": "l2:2"}),
    ("squares, said", but(BASE, mechanism="full", loss="squared"), {"mechanism": "full"}),
    ("a tree", but(BASE, strategy="tree", horizon=100), {"strategy": "tree", "tree-decoding": "optimal"}),
    ("hybrid", but(BASE, strategy="hybrid"), {"strategy": "hybrid"}),
    ("the paper's profile", but(BASE, profile="paper", horizon=100), {"strategy": "tree", "solver": "noisy-proj-grad"}),
    ("numbers as text", but(BASE, epsilon="1", delta="1e-6", release_every="100"), {"epsilon": 1.0, "release-every": 100}),
    ("units", but(BASE, unit="person", max_rows_per_unit=3), {"unit": "person", "max-rows-per-unit": 3}),
    ("conditions", but(BASE, only_if=["age=20:60", "nonzeros<=2"]), {"only-if": ["age=20:60", "nonzeros<=2"]}),
    ("one condition", but(BASE, only_if="age=20:60"), {"only-if": ["age=20:60"]}),
    ("classes mean PrivIncERM", CLASSES, {"mechanism": "erm", "loss": "logistic"}),
    ("a logistic loss means PrivIncERM", but(CLASSES, loss="logistic"), {"mechanism": "erm", "loss": "logistic"}),
    ("hinge", but(CLASSES, loss="hinge"), {"mechanism": "erm", "loss": "hinge"}),
    ("a quantile", but(BASE, loss="quantile:0.9", release_every=100), {"mechanism": "erm", "loss": "quantile:0.9"}),
    ("the surrogate", but(CLASSES, mechanism="surrogate"), {"loss": "logistic", "margin": 4.0}),
    ("the surrogate's margin", but(CLASSES, mechanism="surrogate", margin=3), {"margin": 3.0}),
    ("squares of classes", but(CLASSES, loss="squared"), {"mechanism": "full", "loss": "squared"}),
    ("naive", but(ERM, mechanism="naive"), {"mechanism": "naive"}),
    ("trivial", but(ERM, mechanism="trivial"), {"mechanism": "trivial"}),
    ("settings of calls", but(ERM, tau=7, method="gradient-descent", iterations=12, batches=2, ridge=0.1, late_weight=1,
                              average=False), {"tau": 7, "iterations": 12, "ridge": 0.1, "average": False}),
    ("a rule for tau", but(ERM, tau_rule="convex"), {"tau-rule": "convex"}),
    ("a sketch", but(WORDS, sketch=20), {"mechanism": "sketch", "sketch": 20, "embedding": "sparse-sign"}),
    ("a sketch by its mechanism", but(WORDS, mechanism="sketch", row_set="sparse:5"), {"mechanism": "sketch"}),
    ("a sketch of Gaussians", but(WORDS, sketch=20, embedding="gaussian", sketch_seed=3), {"embedding": "gaussian", "sketch-seed": 3}),
    ("a block without a sketch", WORDS, {"mechanism": "full", "clip-norm": 1.0}),
    ("a norm limit that follows", but(WORDS, "clip-norm", only_if="nonzeros<=9"), {"clip-norm": 3.0}),
    ("and one beside an intercept", but(WORDS, "clip-norm", "intercept", only_if="nonzeros<=8"), {"clip-norm": 3.0}),
    ("another solver", but(BASE, solver="noisy-proj-grad", horizon=100), {"solver": "noisy-proj-grad"}),
    ("no ridge", but(BASE, noise_aware_ridge=False), {"noise-aware-ridge": False}),
    ("classes that are numbers, reversed", but(CLASSES, classes=[1, 0]), {"classes": ["1", "0"]}),
    ("a horizon without end", but(BASE, horizon="unbounded"), {"horizon": "unbounded"}),
    # --- bad: values
    ("no budget", but(BASE, "epsilon"), "epsilon: not given; a privacy budget has no default"),
    ("no delta", but(BASE, "delta"), "delta: not given"),
    ("epsilon 0", but(BASE, epsilon=0), "epsilon: 0 is not accepted; accepted: a positive finite number"),
    ("epsilon that is no number", but(BASE, epsilon="one"), "epsilon: \"one\" is not accepted"),
    ("delta 1", but(BASE, delta=1), "delta: 1 is not accepted; accepted: a number above 0 and below 1"),
    ("no rows in a step", but(BASE, release_every=0), "release-every: 0 is not accepted"),
    ("half a row", but(BASE, release_every=1.5), "release-every: 1.5 is not accepted"),
    ("nine buffers", but(BASE, buffers=9), "buffers: 9 is not accepted; accepted: a whole number from 1 to 8"),
    ("an unknown strategy", but(BASE, strategy="oak"), "strategy: \"oak\" is not accepted; accepted: blt, tree, hybrid"),
    ("an unknown mechanism", but(BASE, mechanism="magic"), "accepted: full, sketch, erm, surrogate, naive, trivial"),
    ("an unknown loss", but(BASE, loss="cubic"), "loss: \"cubic\""),
    ("a constraint that is none", but(BASE, constraint="l2:0"), "constraint: 'l2:0'"),
    ("bounds the wrong way round", but(BASE, bounds={"age": [90, 18], "spend": [0, 50]}), "bounds age: 90:18 is not accepted"),
    ("one class", but(CLASSES, classes="yes"), "classes: \"yes\" is not accepted; accepted: two different classes"),
    ("a negative ridge", but(ERM, ridge=-1), "ridge: -1 is not accepted"),
    ("a seed that is none", but(BASE, insecure_seed=-1), "insecure-seed: -1 is not accepted"),
    # --- bad: what is missing or contradicts
    ("no bounds of a feature", but(BASE, bounds={"spend": [0, 50]}), "bounds age: not declared; bounds are never learnt"),
    ("bounds nobody needs", but(BASE, bounds={"age": [18, 90], "agge": [0, 1], "spend": [0, 50]}), "did you mean \"age\"?"),
    ("a tree without a horizon", but(BASE, strategy="tree"), "strategy: 'tree' needs a known horizon"),
    ("the paper without a horizon", but(BASE, profile="paper"), "horizon: profile 'paper' needs to know"),
    ("a unit without its number", but(BASE, unit="person"), "max-rows-per-unit: not given"),
    ("a number without its unit", but(BASE, max_rows_per_unit=2), "unit: not given"),
    ("a block without a norm limit", but(WORDS, "clip-norm"), "clip-norm: not given; with a block"),
    ("a loss for classes without classes", but(BASE, loss="hinge"), "classes: not given, and hinge tells two classes apart"),
    ("a loss for numbers with classes", but(CLASSES, loss="huber:1"), "loss: huber:1 is for numbers"),
    ("tau for sums", but(BASE, tau=3), "tau: has no meaning with mechanism 'full'"),
    ("a strategy for PrivIncERM", but(ERM, strategy="tree"), "strategy: has no meaning with mechanism 'erm'"),
    ("an embedding without a sketch", but(WORDS, embedding="gaussian"), "embedding: has no meaning with mechanism 'full'"),
    ("full and a sketch", but(WORDS, mechanism="full", sketch=20), "mechanism: 'full' contradicts sketch"),
    ("tau and a rule for it", but(ERM, tau=3, tau_rule="width"), "tau-rule: chooses tau, and tau says it"),
    ("a sketch of a logistic loss", but(CLASSES, sketch=1), "mechanism: a sketch is for the squared loss"),
    ("a surrogate of squares", but(BASE, mechanism="surrogate", loss="squared"), "'surrogate' is for the logistic loss"),
    ("Frank-Wolfe over corners", but(ERM, loss="hinge", method="frank-wolfe"), "method: frank-wolfe needs a smooth loss"),
    ("too many columns for all pairs", but(WORDS, block=["word:100000"]), "mechanism: 100000 dimensions are too many"),
]
