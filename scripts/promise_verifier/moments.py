"""Sections 3, 4, 8 and 9 of docs/privacy.md: sums of moments (PrivIncReg1, PrivIncReg2, the surrogate, profile paper)."""

from __future__ import annotations

import struct

import mpmath
from mpmath import mpf

from .export_file import Bytes, Export
from .gaussian import Discreteness, conclude
from .report import Broken, Report, shown
from .request import STEP_CAP, Request

STATE_BITS = 24  # fraction bits of the BLT's states (section 4)
RANGE_BITS = 124  # sums and states stay below 2^124


class MomentDecisions:
    def __init__(self, data: bytes) -> None:
        reader = Bytes(data)
        self.bits, self.target_limit, self.noise_bits = reader.u64(), reader.i64(), reader.u64()
        self.diagonal, self.offdiagonal, self.cross, self.target_square = (reader.f64() for _ in range(4))
        self.last_step = reader.u64()
        self.theta_gaps = [mpf(n) / 2**64 for n in reader.all(reader.i64)]
        self.omegas = [mpf(n) / 2**64 for n in reader.all(reader.i64)]
        self.inverse_gaps = reader.all(reader.f64)
        reader.finish()


def column_norm(request: Request, decided: MomentDecisions, report: Report) -> tuple[mpf, mpf]:
    """||C|| and rho_1 of section 4."""
    where = "section 4, strategy"
    if request.strategy != "blt":
        report.require(not decided.theta_gaps and not decided.omegas and not decided.inverse_gaps, where,
                       f"'{request.strategy}' has no buffers, but some are stored")
        if request.strategy == "hybrid":
            return mpf(1), mpf(0)
        if request.horizon is None:
            raise Broken(where, "a tree needs a known horizon")
        return mpmath.sqrt(request.horizon.bit_length()), mpf(0)  # floor(log2 T) + 1 nodes
    gaps, omegas = decided.theta_gaps, decided.omegas
    if not 1 <= len(gaps) == len(omegas) == len(decided.inverse_gaps) <= 8:
        raise Broken(where, "theta, omega and the decays of the inverse must be equally many, 1 to 8")
    report.require(request.buffers in (None, len(gaps)), where, f"{request.buffers} buffers were asked for, {len(gaps)} are stored")
    half = mpf(1) / 2
    if not all(0 < value < half for value in gaps + omegas):
        raise Broken(where, "1 - theta and omega must lie between 0 and 1/2; a negative coefficient breaks sections 4 and 9")
    report.require(sum(omegas) < mpf("0.999"), where, "the omegas sum to 0.999 or more, which the filter's integers cannot hold")
    check_inverse(gaps, omegas, decided.inverse_gaps, report)
    square = mpf(1)
    for a, first in zip(gaps, omegas):
        for b, second in zip(gaps, omegas):
            ratio = (1 - a) * (1 - b)
            steps = 1 if request.horizon is None else 1 - ratio ** (request.horizon - 1)
            square += first * second * steps / (1 - ratio)
    width = 1 + (len(gaps) + sum(omega / gap for omega, gap in zip(omegas, gaps))) / 2**STATE_BITS
    return mpmath.sqrt(square), width


def check_inverse(gaps: list, omegas: list, inverse: list, report: Report) -> None:
    """The decoder's decays are no part of the noise, but they follow from theta and omega: between two decays of C the
    function 1 + sum omega_j / (gap_j - g) has exactly one zero, and they are these zeros."""
    where = "section 4, strategy"
    borders = [*gaps, mpf(1)]
    for j, gap in enumerate(inverse):
        ends = [gap * (1 - mpf(10) ** -9), gap * (1 + mpf(10) ** -9)]
        fits = borders[j] < ends[0] and ends[1] < borders[j + 1]
        values = [1 + sum(omega / (a - end) for a, omega in zip(gaps, omegas)) for end in ends] if fits else [1, 1]
        if not report.require(values[0] < 0 < values[1], where, f"decay {j + 1} of the inverse does not fit theta and omega"):
            return


def target_weight(diameter: mpf) -> mpf:
    """s of docs/mechanisms.md, kept within [1/4, 1]."""
    square = (mpmath.sqrt(1 + 8 * diameter**2) - 1) / (4 * diameter**2)
    return min(mpf(1), max(mpf(1) / 4, mpmath.sqrt(square)))


def check_lattice(request: Request, decided: MomentDecisions, report: Report) -> None:
    where = "section 3, lattice"
    if not (10 <= decided.bits <= 15 and 0 <= decided.noise_bits <= 40):
        raise Broken(where, f"b = {decided.bits}, f = {decided.noise_bits}; accepted: b from 10 to 15, f from 0 to 40")
    unit = 2**decided.bits
    # s is computed in doubles: either neighbour where s 2^b is nearly whole.
    s = mpf(1) if request.paper else target_weight(request.diameter)
    slack = 0 if request.paper else mpf(10) ** -12
    least, most = (int(mpmath.floor(s * unit * (1 + side * slack))) for side in (-1, 1))
    report.require(least <= decided.target_limit <= most, where,
                   f"L = {decided.target_limit}, but the request leads to s = {shown(s)} and L = {most}")
    if not 1 <= decided.target_limit <= unit:
        raise Broken(where, f"L = {decided.target_limit}; accepted: 1 to 2^b = {unit}")
    steps = request.horizon or STEP_CAP
    spent = 2 * decided.bits + 1 + decided.noise_bits + STATE_BITS
    room = 2 ** (RANGE_BITS - spent) // request.rows_per_step
    expected = steps if request.horizon is not None else min(steps, room)
    report.require(steps <= room or request.horizon is None, where, f"{steps} steps do not fit 128-bit integers")
    report.require(decided.last_step == expected, where,
                   f"{decided.last_step} steps may be published, but the request leads to {expected}")


def verify_moments(export: Export, request: Request, report: Report) -> None:
    decided = MomentDecisions(export.meta["decisions"])
    check_lattice(request, decided, report)
    steps = request.horizon or STEP_CAP
    order = request.dimension + 1
    k = request.rows_per_unit
    norm_squared = 4**decided.bits + decided.target_limit**2
    scale = mpf(2) ** decided.noise_bits
    root_two = mpmath.sqrt(2)
    norm, width = column_norm(request, decided, report)

    # An entry above the diagonal stands for two: in units of sigma its deviation is sigma / sqrt 2.
    where = "section 3, sensitivity"
    if request.paper:
        step = k * mpmath.sqrt(mpf("4.5") if request.replace else 2) * 4**decided.bits  # section 8; units: section 9
        sigma = min(decided.diagonal, decided.offdiagonal * root_two, decided.cross)
        report.require(decided.target_square == 0, "section 8, profile paper", "sum y^2 has noise, but is not released")
        parts = [decided.diagonal, decided.offdiagonal, decided.cross]
    else:
        step = k * (root_two if request.replace else 1) * norm_squared
        sigma = min(decided.diagonal, decided.offdiagonal * root_two, decided.cross * root_two, decided.target_square)
        parts = [decided.diagonal, decided.offdiagonal, decided.cross, decided.target_square]
    if min(parts) <= 0:
        raise Broken("section 7, together", "a part of the released matrix has no noise")
    report.say(where, "row_bits", decided.bits)
    report.say(where, "target_limit", decided.target_limit)
    report.say(where, "norm_squared", norm_squared)
    report.say(where, "rows_per_unit", k)
    report.say(where, "l2_sensitivity", step / 4**decided.bits)
    report.say("section 4, strategy", "strategy_norm", norm)
    rounding = width * order * mpmath.sqrt(steps)
    report.say("section 4, strategy", "rounding_width", width)
    report.say("section 4, strategy", "rounding_share", rounding / (norm * step * scale))
    report.require(rounding <= norm * step * scale / 100, "section 4, strategy", "rounding is more than 1% of the sensitivity")
    report.say("section 4, strategy", "steps", steps)
    shift = norm * step * scale + rounding
    report.say("section 5, Gaussian noise", "shift", shift)
    report.say("section 5, Gaussian noise", "sigma", sigma)

    coordinates = order * (order + 1) // 2 - (1 if request.paper else 0)
    vectors = steps * (1 if request.strategy == "blt" else 2)  # a tree over n leaves has fewer than 2n nodes
    draws = mpf(vectors) * coordinates
    report.say("section 6, discrete noise", "draws", draws)
    # The hybrid scheme widens the noise of its last epoch by the square root of its tree's levels.
    widest = mpmath.sqrt(max(1, (steps - 1).bit_length())) if request.strategy == "hybrid" else mpf(1)
    discrete = Discreteness(draws, min(parts), request)
    if request.paper:
        check_paper(request, decided, sigma, report)
    conclude(shift / sigma, min(parts), max(parts) * widest, discrete, report, request)
    check_stated_noise(export, request, decided, report)


def check_paper(request: Request, decided: MomentDecisions, sigma: mpf, report: Report) -> None:
    """Section 8: the literal constants, and where they are proved."""
    where = "section 8, profile paper"
    report.require(request.strategy == "tree", where, "the profile is TreeMech and has the strategy 'tree' only")
    report.require(request.epsilon <= 1, where, "its theorem is proved for epsilon up to 1")
    if not report.require((request.horizon or 0) >= 4, where, "its constants need a known horizon of 4 steps or more"):
        return
    epsilon, delta = request.epsilon / 2, request.delta / 2
    variance = 2 * mpmath.log(request.horizon, 2) ** 2 * 2**2 * mpmath.log(2 / delta) / epsilon**2
    needed = mpmath.sqrt(variance) * mpf(2) ** (2 * decided.bits + decided.noise_bits)
    report.say(where, "paper_sigma", needed)
    report.require(sigma >= needed * (1 - mpf(10) ** -12), where,
                   f"a node has deviation {shown(sigma)}, but the paper's constants say {shown(needed)}")


def check_stated_noise(export: Export, request: Request, decided: MomentDecisions, report: Report) -> None:
    """Releases state their own noise. At step 1 every strategy publishes its first vector as it is, so that it is the
    stored one; later it grows alike in all parts."""
    where = "releases"
    unit = mpf(2) ** -(2 * decided.bits + decided.noise_bits)
    s = mpf(decided.target_limit) / 2**decided.bits
    stored = [decided.diagonal * unit, decided.offdiagonal * unit, decided.cross * unit / s]
    if not request.paper:
        stored.append(decided.target_square * unit / s**2)
    report.require(len(export.releases) <= decided.last_step, where, "there are more releases than steps that may be published")
    rows_before = 0
    for step, rows, statistics, _, _ in export.releases:
        if len(statistics) < 8 * len(stored):
            report.require(False, where, f"release {step} is too short")
            return
        stated = struct.unpack_from(f"<{len(stored)}d", statistics)
        factors = [value / noise for value, noise in zip(stated, stored)]
        alike = max(factors) <= min(factors) * (1 + mpf(10) ** -9) and (step != 1 or abs(factors[0] - 1) <= mpf(10) ** -9)
        fits = report.require(alike, where, f"release {step} states another noise than the decisions lead to")
        counted = report.require(0 <= rows - rows_before <= request.rows_per_step, where,
                                 f"step {step} has {rows - rows_before} rows; accepted: up to {request.rows_per_step}")
        rows_before = rows
        if not (fits and counted):
            return
