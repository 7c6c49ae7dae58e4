"""Section 7 of docs/privacy.md, sums of gradients and noisy minimisers: PrivIncERM and its baselines."""

from __future__ import annotations

import mpmath
from mpmath import mpf

from .export_file import Bytes, Export
from .gaussian import Discreteness, conclude, largest_mu
from .report import Broken, Report
from .request import STEP_CAP, Request, number, one_of, whole

ERM_KEYS = set("mechanism method rule tau ridge late-weight iterations batches averaged".split())
MOST_SUMS = 2**28  # noisy sums of gradients that a stream of PrivIncERM may ever make
MOST_CHOSEN_SUMS = 200  # of a call, where the request leaves their number open
MOST_CHOSEN_STEPS = 4096  # of a minimiser, likewise
ASSUMED_ROWS = 10**6  # an endless schedule spends half of its budget on calls up to here
ROUNDING = mpf(2) ** -52  # u of section 7: twice the unit of rounding of a double


class GradientDecisions:
    def __init__(self, data: bytes) -> None:
        reader = Bytes(data)
        self.bits, self.most_sums, self.mu, self.last_step = reader.u64(), reader.u64(), reader.f64(), reader.u64()
        reader.finish()


def loss_constants(name: str, radius: mpf) -> tuple[mpf, mpf]:
    """L and beta of the losses of docs/losses.md for predictions in [-R, R], |y| <= 1; beta is infinite at a kink."""
    kind, _, rest = name.partition(":")
    try:
        parameter = mpf(float(rest)) if rest else None
        if kind == "squared" and not rest:  # 2 |p - y|; 2
            return 2 * (radius + 1), mpf(2)
        if kind == "logistic" and not rest:  # 1 / (1 + e^(y p)); p (1 - p)
            return 1 / (1 + mpmath.exp(-radius)), mpf(1) / 4
        if kind == "hinge" and not rest:
            return mpf(1), mpf(0) if radius < 1 else mpmath.inf
        if kind == "smooth-hinge" and parameter > 0:  # the parabola begins where y p exceeds 1 - width
            return min(mpf(1), (radius + 1) / parameter), 1 / parameter if radius > 1 - parameter else mpf(0)
        if kind == "huber" and parameter > 0:
            return min(parameter, radius + 1), mpf(1)
        if kind == "quantile" and 0 < parameter < 1:
            return max(parameter, 1 - parameter), mpmath.inf
    except (ValueError, TypeError):
        pass
    raise Broken("request", f"the loss {name!r} is not one of the library's")


class Schedule:
    """How mu^2 is shared out over calls: share(j) of call j, all together 1 at most."""

    def __init__(self, request: Request, settings: ErmSettings, calls: int | None) -> None:
        self.calls, self.weight = calls, settings.late_weight
        if calls is None:
            expected = ASSUMED_ROWS / mpf(request.rows_per_step) / settings.tau
            self.expected = int(min(mpf(10) ** 6, max(mpf(1), expected)))
        elif self.weight != 0:
            # sum of j^w over j <= n, by Hurwitz's zeta function.
            w = self.weight
            self.sum = mpmath.harmonic(calls) if w == -1 else mpmath.zeta(-w) - mpmath.zeta(-w, calls + 1)

    def share(self, call: int) -> mpf:
        if self.calls is None:
            if call <= self.expected:
                return 1 / mpf(2 * self.expected)
            return mpmath.log(self.expected + mpf(1) / 2) / (2 * call * mpmath.log(call) ** 2)
        return mpf(1) / self.calls if self.weight == 0 else mpf(call) ** self.weight / self.sum

    def total(self) -> mpf:
        """An upper bound of the sum over all calls, for ever. 1 / (x ln^2 x) is convex: past call M a term is at most the
        integral over the unit interval around it."""
        if self.calls is None:
            last = self.expected + 100
            head = sum(self.share(call) for call in range(self.expected + 1, last + 1))
            tail = mpmath.log(self.expected + mpf(1) / 2) / (2 * mpmath.log(last + mpf(1) / 2))
            return mpf(1) / 2 + head + tail
        few = range(1, self.calls + 1) if self.calls <= 2000 else ()
        return sum(self.share(call) for call in few) if few else mpf(1)


class ErmSettings:
    def __init__(self, request: Request) -> None:
        fields = request.erm
        if not isinstance(fields, dict) or set(fields) != ERM_KEYS:
            raise Broken("request", "the settings of PrivIncERM have not the keys they should")
        self.mechanism = one_of(fields["mechanism"], "mechanism", "periodic naive trivial")
        self.method = one_of(fields["method"], "method", "gradient-descent frank-wolfe output-perturbation")
        self.tau = whole(fields["tau"], "tau", 2**40)
        self.ridge = number(fields["ridge"], "ridge")
        self.late_weight = number(fields["late-weight"], "late-weight")
        self.iterations = None if fields["iterations"] is None else whole(fields["iterations"], "iterations", 10**6)
        self.batches = whole(fields["batches"], "batches", 10**6)
        self.minimiser = self.method == "output-perturbation"
        if self.ridge < 0 or abs(self.late_weight) > 10 or (self.late_weight != 0 and request.horizon is None):
            raise Broken("request", "ridge must be 0 or more, late-weight between -10 and 10, and 0 without a horizon")
        if self.mechanism == "naive" and self.tau != 1:
            raise Broken("request", "the naive mechanism calls its solver at every step, but tau is not 1")


def verify_gradients(export: Export, request: Request, report: Report) -> None:
    decided = GradientDecisions(export.meta["decisions"])
    settings = ErmSettings(request)
    where = "section 7, sums of gradients"
    report.require(decided.bits == 15, "section 3, lattice", f"b = {decided.bits}; rows that are kept have b = 15")
    lipschitz, _ = loss_constants(request.loss, request.diameter)
    changed = request.changed_rows
    sensitivity = changed * mpf(4) ** decided.bits
    report.say(where, "lipschitz", lipschitz)
    report.say(where, "rows_per_unit", request.rows_per_unit)
    report.say(where, "lattice_sensitivity", sensitivity)
    if not decided.mu > 0:
        raise Broken(where, "mu is not positive")

    calls, sums_a_call = check_sums(request, settings, decided, report)
    draws = mpf(decided.most_sums) * request.dimension
    report.say("section 6, discrete noise", "draws", draws)
    smallest = sensitivity / decided.mu  # of a sum that takes the whole budget
    discrete = Discreteness(draws, smallest, request)
    report.say("section 5, Gaussian noise", "sigma", smallest)
    largest = smallest
    if calls != 0 and settings.mechanism != "trivial":
        schedule = Schedule(request, settings, calls)
        total = decided.mu if not request.paper else paper_total(request, settings, calls, decided.mu, report)
        share = schedule.total()
        report.say(where, "sum of mu_j^2 / mu^2", share * (total / decided.mu) ** 2)
        report.require(share * (total / decided.mu) ** 2 <= 1 + mpf(10) ** -40, where, "the calls cost more than mu^2 together")
        last = calls if calls is not None else max(1, decided.last_step // settings.tau)
        report.say(where, "calls", "no end" if calls is None else calls)
        for label, call in (("first", 1), ("last", last)):
            mu = total * mpmath.sqrt(schedule.share(call))
            rows = call * settings.tau * request.rows_per_step
            noise = check_minimiser(request, settings, rows, mu, label, report) if settings.minimiser else lipschitz * changed / mu
            report.say(where, f"mu of the {label} call", mu)
            report.say(where, f"noise of the {label} call", noise)
            parts = 1 if settings.minimiser else settings.iterations or 1
            largest = max(largest, sensitivity * mpmath.sqrt(parts) / mu)
    report.say(where, "sums a call, at most", sums_a_call)
    conclude(decided.mu, smallest, largest, discrete, report, request)
    report.require(len(export.releases) <= decided.last_step, "releases", "there are more releases than steps that may be published")


def check_sums(request: Request, settings: ErmSettings, decided: GradientDecisions, report: Report) -> tuple[int | None, int]:
    """Discreteness is charged for most_sums noisy sums; the schedule must not make more. Also the last step."""
    where = "section 7, sums of gradients"
    calls = None if request.horizon is None else 0 if settings.mechanism == "trivial" else request.horizon // settings.tau
    affordable = MOST_SUMS // max(1, 1 if calls is None else calls) // settings.batches
    chosen = 1 if settings.minimiser else settings.iterations or min(MOST_CHOSEN_SUMS, affordable)
    if not 1 <= chosen <= affordable:
        raise Broken(where, f"calls make more than {MOST_SUMS} noisy sums together")
    sums_a_call = chosen * settings.batches
    expected = MOST_SUMS if calls is None else max(1, calls * sums_a_call)
    report.say(where, "most_sums", decided.most_sums)
    report.require(decided.most_sums == expected, where,
                   f"{decided.most_sums} noisy sums are charged for, but the request leads to {expected}")
    if request.horizon is not None:
        report.require(decided.last_step == request.horizon, where,
                       f"{decided.last_step} steps may be published, but {request.horizon} were asked for")
    else:
        most = min(STEP_CAP, MOST_SUMS // sums_a_call * settings.tau)
        whole_calls = decided.last_step % settings.tau == 0 or decided.last_step == STEP_CAP
        report.require(1 <= decided.last_step <= most and whole_calls, where,
                       f"{decided.last_step} steps may be published; accepted: whole calls, up to {most}")
    return calls, sums_a_call


def paper_total(request: Request, settings: ErmSettings, calls: int, total: mpf, report: Report) -> mpf:
    """Profile paper: what all calls cost when each is calibrated to the paper's share of the budget."""
    where = "section 8, profile paper"
    if request.horizon is None:
        raise Broken(where, "it needs a known horizon")
    length = mpf(request.horizon) / settings.tau
    log_term = mpmath.log(2 / request.delta)
    epsilon = request.epsilon / (2 * mpmath.sqrt(2 * length * log_term))
    delta = request.delta / (2 * length)
    composed = epsilon * mpmath.sqrt(2 * length * log_term) + 2 * length * epsilon**2
    report.say(where, "epsilon of a call", epsilon)
    report.say(where, "delta of a call", delta)
    report.require(epsilon <= 1 and composed <= request.epsilon * (1 + mpf(10) ** -12), where,
                   "the composition theorem of the paper does not carry this budget")
    together = largest_mu(epsilon, delta) * mpmath.sqrt(calls)
    return min(together, total)


def check_minimiser(request: Request, settings: ErmSettings, rows: int, mu: mpf, label: str, report: Report) -> mpf:
    """A noisy minimiser: how far T computed steps over that many rows move (D_T). The least noise of a coordinate that this
    takes, in natural units."""
    where = "section 7, noisy minimiser"
    ridge, d, radius = settings.ridge, request.dimension, request.diameter
    lipschitz, _ = loss_constants(request.loss, radius)
    _, smoothness = loss_constants(request.loss, radius + (radius + 1) / 2**20)  # predictions leave [-R, R] a little
    tiny, huge = mpf(10) ** -100, mpf(10) ** 100
    proper = (ridge > 0 and request.constraint.startswith("l2:") and settings.batches == 1 and mpmath.isfinite(smoothness)
              and all(tiny <= value <= huge for value in (ridge, radius, lipschitz)) and (smoothness == 0 or smoothness >= tiny))
    if not proper:
        raise Broken(where, "it needs a ridge, an L2 ball, a smooth loss and one batch, within the range of the rounding bound")
    curvature = ridge + smoothness / 2
    kept = smoothness / (smoothness + 2 * ridge)  # a
    changed = request.changed_rows
    distance = changed * lipschitz / (rows * ridge)
    steps = settings.iterations or chosen_steps(radius, lipschitz, ridge, kept, distance, mu)
    u = ROUNDING
    row = (smoothness * d * u * radius + smoothness * (d + 8) * u * radius  # 1
           + u / 2 * (smoothness * (2 * radius + 1) + 32 * lipschitz)  # 2
           + lipschitz / 2**46)  # 3
    update = 16 * u * (radius + lipschitz / curvature)  # 4
    projection = (d + 8) * u * radius  # 5
    error = row / curvature + update + projection
    moved = (1 - kept**steps) * distance + 2 * error / (1 - kept)
    lattice = changed * mpf(4) ** 15
    unit = moved / (lattice - 2 * mpmath.sqrt(d))
    report.say(where, f"steps of the {label} call", steps)
    report.say(where, f"moved by, {label} call", moved)
    report.say(where, f"rounding's part of it, {label} call", 2 * error / (1 - kept) / moved)
    return lattice / mu * unit


def chosen_steps(radius: mpf, lipschitz: mpf, ridge: mpf, kept: mpf, distance: mpf, mu: mpf) -> int:
    """Where the request leaves T open: until 1/64 of a coordinate's noise from the minimum, which is at most L / nu away."""
    start, wanted = min(radius, lipschitz / ridge), distance / mu / 64
    if start <= wanted or kept == 0:
        return 1
    return int(min(MOST_CHOSEN_STEPS, max(1, mpmath.ceil(mpmath.log(start / wanted) / -mpmath.log(kept)))))
