"""More than 200 requests of all kinds, the same ones in every run.

A plan is the keywords of rivulet.Stream. Those of `unit_ball()` are what `rivulet plan` plans for, too: `flags` says how.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import rivulet

BUDGETS = [(0.01, 1e-9), (0.1, 1e-6), (0.5, 1e-12), (1.0, 1e-6), (2.0, 1e-5), (4.0, 1e-8), (10.0, 1e-3)]


@dataclass
class Plan:
    kind: str
    keywords: dict
    flags: list[str] | None = None  # of `rivulet plan`; None where it does not plan such a thing
    name: str = field(default="")

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


def unit_ball(kind: str, dimension: int, budget: tuple[float, float], *, erm: dict | None = None, sketch: int | None = None,
              classes: bool = False, **settings) -> Plan:
    """Rows in the unit ball without an intercept."""
    keywords = dict(budget=budget, bounds={"x": rivulet.Block(dimension, -1, 1), "y": (-1, 1)}, target="y", intercept=False,
                    clip_norm=1.0, constraint="l2:1", **settings)
    if classes:
        keywords["classes"] = (-1, 1)
        del keywords["bounds"]["y"]
    flags = ["--dim", dimension, "--epsilon", repr(budget[0]), "--delta", repr(budget[1])]
    for name, value in settings.items():
        flags += [f"--{name.replace('_', '-')}", value]
    if sketch is not None:
        keywords["sketch"] = {"dimension": sketch, "seed": 7}
        flags += ["--sketch", sketch]  # the matrix is no part of the accounting, nor is its seed
    if erm is not None:
        keywords["erm"] = {name: value for name, value in erm.items() if name != "mechanism"}
        keywords["mechanism"] = erm.get("mechanism", "erm")
        flags += ["--mechanism", keywords["mechanism"]]
        for name, value in keywords["erm"].items():
            flags += [f"--{'tau-rule' if name == 'rule' else name.replace('_', '-')}", value]
    name = " ".join(map(str, flags))
    return Plan(kind, keywords, [str(flag) for flag in flags], name)


def moments(chance: random.Random) -> list[Plan]:
    plans = []
    for number in range(105):
        strategy, known = [("blt", True), ("blt", False), ("tree", True), ("hybrid", True), ("hybrid", False)][number % 5]
        settings = {"strategy": strategy, "neighbours": chance.choice(["replace", "zero-out"]),
                    "release_every": chance.choice([1, 10, 1000])}
        if known:
            settings["horizon"] = chance.choice([1, 2, 3, 4, 7, 64, 1000, 12345, 2**20, 2**33 + 1, 2**40])
        if strategy == "blt" and chance.random() < 0.5:
            settings["buffers"] = chance.randint(1, 8)
        plans.append(unit_ball("moments " + strategy, chance.choice([1, 2, 5, 10, 33]), chance.choice(BUDGETS), **settings))
    return plans


def paper_moments(chance: random.Random) -> list[Plan]:
    return [unit_ball("moments paper", chance.choice([1, 3, 10]), budget, profile="paper", horizon=horizon, neighbours=neighbours)
            for budget in BUDGETS[:4] for horizon in (4, 1000, 2**17) for neighbours in ("replace", "zero-out")]


def sketches(chance: random.Random) -> list[Plan]:
    return [unit_ball("moments sketch", 500, chance.choice(BUDGETS), sketch=m, strategy=strategy, horizon=4096)
            for m in (4, 11, 40) for strategy in ("blt", "tree", "hybrid")]


def surrogates(chance: random.Random) -> list[Plan]:
    return [unit_ball("moments surrogate", d, chance.choice(BUDGETS), classes=True, loss="logistic", mechanism="surrogate",
                      neighbours=neighbours) for d in (1, 4, 12) for neighbours in ("replace", "zero-out")]


CONSTRAINTS = ["l2:0.1", "l2:2", "l2:50", "l1:1.5", "lp:1.5:2", "simplex", "simplex:3", "box:-1:2", "group:2:1", "elastic:0.5:2",
               "polytope:[[1,0,0,0],[0,1,0,0],[0,0,2,0],[0,0,0,1],[-1,-1,-1,-1]]"]


def schemas(chance: random.Random) -> list[Plan]:
    """Bounds, levels, an intercept, clip norms, units and every constraint set; four coordinates."""
    plans = []
    for number in range(44):
        bounds = {"age": (18, 90), "region": ["north", "south", "west"], "spend": (0, 5000)}
        constraint = CONSTRAINTS[number % len(CONSTRAINTS)]
        keywords = dict(budget=chance.choice(BUDGETS), bounds=bounds, target="spend", constraint=constraint,
                        neighbours=chance.choice(["replace", "zero-out"]), release_every=chance.choice([1, 100]))
        if number % 2:
            keywords["unit"] = ("person", chance.choice([1, 2, 7, 100]))
        if chance.random() < 0.3:
            keywords["clip_norm"] = chance.choice([0.5, 1.3, 100.0])
        if chance.random() < 0.5:
            keywords["horizon"] = chance.choice([5, 500, 10**6])
        kind = "schema units" if number % 2 else "schema"
        plans.append(Plan(kind, keywords, name=f"{constraint} {keywords.get('unit')} {keywords.get('horizon')}"))
    return plans


def gradients(chance: random.Random) -> list[Plan]:
    plans = []
    losses = ["logistic", "hinge", "smooth-hinge:0.5", "huber:0.3", "quantile:0.9", "squared"]
    for number in range(66):
        loss = losses[number % len(losses)]
        settings = {"loss": loss, "neighbours": chance.choice(["replace", "zero-out"]), "release_every": chance.choice([1, 10, 100])}
        erm: dict = {}
        known = number % 3 != 2
        if known:
            settings["horizon"] = chance.choice([10, 300, 5000])
            if chance.random() < 0.4:
                erm["late_weight"] = chance.choice([1.0, -1.0, 2.5, 0.3])
        kind = "gradients" if known else "gradients endless"
        smooth = loss in ("logistic", "smooth-hinge:0.5", "huber:0.3", "squared")
        if number % 11 == 0:
            erm["mechanism"], kind = "naive", "gradients naive"
        elif number % 11 == 1:
            erm, kind = {"mechanism": "trivial"}, "gradients trivial"
        elif smooth and number % 2 == 0:
            erm["method"], erm["ridge"], kind = "output-perturbation", chance.choice([0.001, 0.1, 2.0]), "minimisers"
            if chance.random() < 0.5:
                erm["iterations"] = chance.choice([1, 30, 1000])
        elif known and number % 11 == 5:
            settings["profile"], kind = "paper", "gradients paper"
            erm.pop("late_weight", None)
        else:
            if chance.random() < 0.4:
                erm["iterations"] = chance.choice([1, 5, 50])
            if chance.random() < 0.2:
                erm["batches"] = 4
            if chance.random() < 0.3:
                erm["tau"] = chance.choice([1, 3, 10])
        classes = loss in ("logistic", "hinge", "smooth-hinge:0.5")
        plans.append(unit_ball(kind, chance.choice([1, 3, 20]), chance.choice(BUDGETS[1:6]), erm=erm, classes=classes, **settings))
    return plans


def extremes(chance: random.Random) -> list[Plan]:
    """Coarser rows (b = 14), looser rounding, and steps so large that fewer than 2^40 of them fit."""
    coarse = unit_ball("extreme", 20, (0.01, 1e-9))
    coarse.keywords["unit"], coarse.flags = ("person", 100_000), None  # a plan knows no units
    return [coarse, unit_ball("extreme", 10, (1e-4, 1e-9)), unit_ball("extreme", 2, (1.0, 1e-9), release_every=2**30),
            unit_ball("extreme", 5, (1e-3, 1e-12), strategy="hybrid")]


def all_plans() -> list[Plan]:
    chance = random.Random(20170509)
    makers = (moments, paper_moments, sketches, surrogates, schemas, gradients, extremes)
    return [plan for maker in makers for plan in maker(chance)]
