"""Changes that break the promise, planted into exports, with all digests computed again: the accounting has to find them.

Each of these passes when the check it is aimed at is taken out of the verifier.
"""

from __future__ import annotations

import numpy
import pytest
from altered_export import Altered, altered
from conftest import make_export
from promise_verifier.export_file import Export, check_digests
from promise_verifier.report import Report
from verify_promise import verify

BOX = {"bounds": {"age": (18, 90), "region": ["north", "south"], "spend": (0, 5000)}, "target": "spend", "budget": (1, 1e-6)}
SMOOTH = {"budget": (1, 1e-6), "bounds": {"a": (-1, 1), "b": (-1, 1)}, "target": "y", "classes": (0, 1), "loss": "logistic"}

MODELS = {
    "blt": BOX,
    "blt known": {**BOX, "horizon": 1000},
    "tree": {**BOX, "horizon": 1000, "strategy": "tree"},
    "hybrid": {**BOX, "horizon": 1000, "strategy": "hybrid"},
    "zero-out": {**BOX, "neighbours": "zero-out"},
    "units": {**BOX, "unit": ("person", 5)},
    "paper": {**BOX, "profile": "paper", "horizon": 1000},
    "sketch": {**BOX, "sketch": {"dimension": 3, "seed": 7}},
    "erm": {**SMOOTH, "horizon": 1000, "release_every": 10},
    "erm endless": {**SMOOTH, "release_every": 100},
    "erm paper": {**SMOOTH, "horizon": 1000, "profile": "paper"},
    "minimiser": {**SMOOTH, "horizon": 1000, "erm": {"method": "output-perturbation", "ridge": 0.1}},
}
ALL_SIGMAS = ("diagonal", "offdiagonal", "cross", "target_square")


@pytest.fixture(scope="session")
def exports(folder):
    return {name: Export(str(make_export(folder, f"base {name}", **keywords))) for name, keywords in MODELS.items()}


@pytest.fixture(scope="session")
def released(folder):
    chance = numpy.random.default_rng(1)
    rows = (chance.uniform(0, 1, (30, 2)), chance.uniform(0, 1, 30))
    bounds = {"a": (0, 1), "b": (0, 1), "y": (0, 1)}
    return Export(str(make_export(folder, "released", rows, budget=(1, 1e-6), bounds=bounds, target="y", release_every=10)))


def other_unit(change: Altered) -> Altered:
    return change.ask(unit={"name": "person", "max-rows": 5})


def cut(change: Altered, end: int) -> Altered:
    change.export.meta["decisions"] = change.export.meta["decisions"][:end]
    return change


def one_buffer_less(change: Altered) -> Altered:
    buffers = change.get("buffers")
    data = change.export.meta["decisions"]
    arrays = [data[64 + 8 * (1 + buffers) * array:64 + 8 * (1 + buffers) * (array + 1)] for array in range(3)]
    change.export.meta["decisions"] = data[:64] + b"".join((buffers - 1).to_bytes(8, "little") + array[8:-8] for array in arrays)
    return change


LATTICE, STRATEGY, SUMS, TOGETHER = "section 3, lattice", "section 4, strategy", "section 7, sums of gradients", "section 7, together"
DISCRETE, PAPER = "section 6, discrete noise", "section 8, profile paper"

# What is changed, in which model, and the step that has to notice. Of gradients mu is stored, not sigma = f k 4^b / mu: k and
# neighbours are in the noise by definition, and nothing stored could contradict them.
CHANGES = {
    "sigma halved": ("blt", TOGETHER, lambda c: c.times(0.5, *ALL_SIGMAS)),
    "sigma a millionth too small": ("blt", TOGETHER, lambda c: c.times(1 - 1e-6, *ALL_SIGMAS)),
    "sigma of a known horizon a millionth too small": ("blt known", TOGETHER, lambda c: c.times(1 - 1e-6, *ALL_SIGMAS)),
    "sigma of a tree a millionth too small": ("tree", TOGETHER, lambda c: c.times(1 - 1e-6, *ALL_SIGMAS)),
    "sigma of a hybrid a millionth too small": ("hybrid", TOGETHER, lambda c: c.times(1 - 1e-6, *ALL_SIGMAS)),
    "sigma for zero-out a millionth too small": ("zero-out", TOGETHER, lambda c: c.times(1 - 1e-6, *ALL_SIGMAS)),
    "sigma of a sketch a millionth too small": ("sketch", TOGETHER, lambda c: c.times(1 - 1e-6, *ALL_SIGMAS)),
    "sigma for units a millionth too small": ("units", TOGETHER, lambda c: c.times(1 - 1e-6, *ALL_SIGMAS)),
    "sigma of the diagonal alone": ("blt", TOGETHER, lambda c: c.times(0.99, "diagonal")),
    "sigma above the diagonal alone": ("blt", TOGETHER, lambda c: c.times(0.99, "offdiagonal")),
    "sigma of sum xy alone": ("blt", TOGETHER, lambda c: c.times(0.99, "cross")),
    "sigma of sum y^2 alone": ("blt", TOGETHER, lambda c: c.times(0.99, "target_square")),
    "no noise on sum y^2": ("blt", TOGETHER, lambda c: c.decide("target_square", 0.0)),
    "negative sigma": ("blt", TOGETHER, lambda c: c.times(-1, "diagonal")),
    "sigma that is no number": ("blt", "decisions", lambda c: c.decide("cross", float("nan"))),
    "a sigma so large that its tails are cut": ("blt", DISCRETE, lambda c: c.times(2.0**12, *ALL_SIGMAS)),
    "a theta nearer to 1": ("blt", TOGETHER, lambda c: c.times(0.5, "theta", index=0)),
    "a theta further from 1": ("blt", STRATEGY, lambda c: c.times(1.01, "theta", index=3)),
    "a theta above 1": ("blt", STRATEGY, lambda c: c.times(-1, "theta", index=2)),
    "a larger omega": ("blt", TOGETHER, lambda c: c.times(1.5, "omega", index=5)),
    "a smaller omega": ("blt", STRATEGY, lambda c: c.times(0.9, "omega", index=1)),
    "a negative omega": ("blt", STRATEGY, lambda c: c.times(-1, "omega", index=0)),
    "another decay of the inverse": ("blt", STRATEGY, lambda c: c.times(1.000001, "inverse", index=4)),
    "a buffer less": ("blt", STRATEGY, one_buffer_less),
    "a smaller L": ("blt", LATTICE, lambda c: c.decide("target_limit", c.get("target_limit") - 1)),
    "a larger L": ("blt", TOGETHER, lambda c: c.decide("target_limit", c.get("target_limit") + 1)),
    "fewer bits of a row": ("blt", LATTICE, lambda c: c.decide("bits", 14)),
    "more bits of a row": ("blt", LATTICE, lambda c: c.decide("bits", 16)),
    "another bit of noise": ("blt", TOGETHER, lambda c: c.decide("noise_bits", c.get("noise_bits") + 1)),
    "steps past the cap": ("blt", LATTICE, lambda c: c.decide("last_step", 2**41)),
    "steps past the horizon": ("tree", LATTICE, lambda c: c.decide("last_step", 1001)),
    "an enlarged horizon of blt": ("blt known", TOGETHER, lambda c: c.ask(horizon=1200).decide("last_step", 1200)),
    "an enlarged horizon of a tree": ("tree", TOGETHER, lambda c: c.ask(horizon=1024).decide("last_step", 1024)),
    "an enlarged horizon that the decisions do not know": ("hybrid", LATTICE, lambda c: c.ask(horizon=2000)),
    "a horizon forgotten": ("blt known", TOGETHER, lambda c: c.ask(horizon="unbounded").decide("last_step", 2**40)),
    "k forgotten": ("blt", TOGETHER, other_unit),
    "a larger k": ("units", TOGETHER, lambda c: c.ask(unit={"name": "person", "max-rows": 6})),
    "neighbours exchanged": ("zero-out", TOGETHER, lambda c: c.ask(neighbours="replace")),
    "a smaller delta": ("blt", TOGETHER, lambda c: c.ask(delta=0.999999e-6)),
    "a smaller epsilon": ("blt", TOGETHER, lambda c: c.ask(epsilon=0.999999)),
    "another strategy": ("hybrid", TOGETHER, lambda c: c.ask(strategy="tree")),
    "another constraint": ("blt", LATTICE, lambda c: c.ask(constraint="l2:0.5")),
    "larger steps than integers hold": (
        "blt known", LATTICE, lambda c: c.ask(release_every=2**30, horizon=2**40).decide("last_step", 2**40)),
    "a known seed": ("blt", "request", lambda c: c.ask(insecure_seed=7)),
    "an unknown setting": ("blt", "request", lambda c: c.ask(discount=0.5)),
    "decisions cut short": ("blt", "decisions", lambda c: cut(c, -8)),
    "the paper's noise a millionth too small": ("paper", PAPER, lambda c: c.times(1 - 1e-6, *ALL_SIGMAS[:3])),
    "the paper's profile above its range": ("paper", PAPER, lambda c: c.ask(epsilon=1.01)),
    "noise on what the paper does not release": ("paper", PAPER, lambda c: c.decide("target_square", 1e12)),
    "units in the paper's profile": ("paper", TOGETHER, lambda c: c.ask(unit={"name": "person", "max-rows": 1000})),
    "the paper's horizon enlarged": ("paper", PAPER, lambda c: c.ask(horizon=1100).decide("last_step", 1100)),
    "mu doubled": ("erm", TOGETHER, lambda c: c.times(2, "mu")),
    "mu a millionth too large": ("erm", TOGETHER, lambda c: c.times(1 + 1e-6, "mu")),
    "mu of an endless schedule a millionth too large": ("erm endless", TOGETHER, lambda c: c.times(1 + 1e-6, "mu")),
    "mu of minimisers a millionth too large": ("minimiser", TOGETHER, lambda c: c.times(1 + 1e-6, "mu")),
    "mu of the paper's calls a millionth too large": ("erm paper", TOGETHER, lambda c: c.times(1 + 1e-6, "mu")),
    "fewer sums than are made": ("erm", SUMS, lambda c: c.decide("most_sums", c.get("most_sums") - 1)),
    "fewer sums than an endless schedule makes": ("erm endless", SUMS, lambda c: c.decide("most_sums", 1000)),
    "more calls than are charged for": ("erm", SUMS, lambda c: c.ask(erm={"tau": 1})),
    "more sums a call than are charged for": ("erm", SUMS, lambda c: c.ask(erm={"iterations": 300})),
    "more parts than are charged for": ("erm", SUMS, lambda c: c.ask(erm={"batches": 3})),
    "fewer calls of minimisers": ("minimiser", SUMS, lambda c: c.decide("most_sums", 1)),
    "sums in place of minimisers": ("minimiser", SUMS, lambda c: c.ask(erm={"method": "gradient-descent"})),
    "minimisers without a ridge": ("minimiser", "section 7, noisy minimiser", lambda c: c.ask(erm={"ridge": 0.0})),
    "minimisers of a loss with a kink": ("minimiser", "section 7, noisy minimiser", lambda c: c.ask(loss="hinge")),
    "minimisers over another set": ("minimiser", "section 7, noisy minimiser", lambda c: c.ask(constraint="l1:2")),
    "rows kept with fewer bits": ("erm", LATTICE, lambda c: c.decide("bits", 14)),
    "gradients past the horizon": ("erm", SUMS, lambda c: c.decide("last_step", 1001)),
    "gradients for ever": ("erm endless", SUMS, lambda c: c.decide("last_step", 2**40)),
    "a larger horizon of gradients": ("erm", SUMS, lambda c: c.ask(horizon=2000).decide("last_step", 2000)),
    "a smaller delta for gradients": ("erm", TOGETHER, lambda c: c.ask(delta=0.999999e-6)),
    "a naive mechanism that makes pauses": ("erm", "request", lambda c: c.ask(erm={"mechanism": "naive", "tau": 7})),
    "no promise at all": ("blt", "request", lambda c: c.ask(epsilon=-1.0)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_planted_change_is_found_at_its_step(exports, name):
    model, step, change = CHANGES[name]
    report = verify(change(altered(exports[model])).sealed())
    assert step in [failed for failed, _ in report.failures], report.failures
    assert "digests" not in [failed for failed, _ in report.failures]


def test_untouched_models_pass_and_so_they_do_with_digests_computed_again(exports):
    for name, export in exports.items():
        assert verify(export).failures == [], name
        assert verify(altered(export).sealed()).failures == [], name


def test_larger_noise_passes_with_a_note(exports):
    report = verify(altered(exports["blt"]).times(1.25, *ALL_SIGMAS).sealed())
    assert report.passes and "25." in report.notes[0]
    assert verify(altered(exports["erm"]).times(0.8, "mu").sealed()).passes


@pytest.mark.parametrize("model", ["blt", "tree", "paper", "erm", "minimiser"])
@pytest.mark.parametrize("key", ["decisions", "request", "made_by", "model", "promise"])
def test_any_changed_byte_is_found_whatever_it_does_to_the_noise(exports, model, key):
    size = len(exports[model].meta[key])
    for byte in range(0, size, max(1, size // 40)) if key == "request" else range(size):
        for bits in (0x01, 0x80):
            report = verify_digests(altered(exports[model]).flip(byte, key, bits).export)
            assert "digests" in [step for step, _ in report.failures], (byte, bits)


def verify_digests(export: Export) -> Report:
    report = Report()
    check_digests(export, report)
    return report


@pytest.mark.parametrize("model", ["blt", "tree", "erm"])
def test_a_forged_byte_of_the_decisions_fails_or_leaves_the_promise_kept(exports, model):
    found = 0
    size = len(exports[model].meta["decisions"])
    for byte in range(size):
        report = verify(altered(exports[model]).flip(byte, bits=0x55).sealed())
        found += not report.passes
        if report.passes:
            assert report["mu"] <= report["largest_mu"] and report["epsilon_arrived"] <= report["epsilon"]
    # The rest make sigma larger, or change a number in digits that are within the margins of the noise (1e-12).
    assert found >= size * 0.7


def test_releases_and_ledger_hang_on_their_digests(released):
    assert verify(released).failures == []
    for position in range(5):
        change = altered(released)
        release = list(change.export.releases[1])
        release[position] = release[position] + 1 if isinstance(release[position], int) else release[position][:-1] + b"\x07"
        change.export.releases[1] = tuple(release)
        assert not verify(change.export).passes, position
    for position in range(7):
        change = altered(released)
        entry = list(change.export.ledger[0])
        entry[position] = entry[position] + 1 if isinstance(entry[position], int) else entry[position] + b"?"
        change.export.ledger[0] = tuple(entry)
        assert not verify(change.export).passes, position
    last_gone = altered(released)
    last_gone.export.releases.pop()
    assert not verify(last_gone.export).passes


def test_releases_that_state_another_noise_are_found_even_where_it_would_be_enough(released):
    report = verify(altered(released).times(1.25, *ALL_SIGMAS).sealed())
    assert "releases" in [step for step, _ in report.failures]
    coarser = altered(released)
    coarser.decide("bits", 14).decide("target_limit", coarser.get("target_limit") // 2).decide("noise_bits", coarser.get("noise_bits") + 2)
    assert "releases" in [step for step, _ in verify(coarser.sealed()).failures]


@pytest.mark.parametrize("model", MODELS)
def test_models_with_releases_pass_whatever_made_them(folder, model):
    keywords = {**MODELS[model], "release_every": 5, "features": ["a", "b"], "target": "y", "unit": None}
    numbers = {"a": (-1, 1), "b": (-1, 1)}
    keywords["bounds"] = numbers if "classes" in keywords else {**numbers, "y": (0, 1)}
    chance = numpy.random.default_rng(2)
    rows = (chance.uniform(-1, 1, (42, 2)), chance.integers(0, 2, 42).astype(float))
    export = Export(str(make_export(folder, f"released {model}", rows, **keywords)))
    report = verify(export)
    assert report.failures == [] and len(export.releases) >= 8


def test_a_step_with_more_rows_than_promised_is_found(released):
    assert "releases" in [step for step, _ in verify(altered(released).ask(release_every=9).sealed()).failures]
