"""Sections 5 to 7 of docs/privacy.md: from how far a release moves, in units of its noise, to (epsilon, delta)."""

from __future__ import annotations

import mpmath
from mpmath import mpf

from .report import Report, shown
from .request import Request

LARGEST_DRAW = 2**62  # larger draws are drawn again, so they must lie in the tail that is charged (section 6)
SMALLEST_SIGMA = 2**20  # from here on the argument of section 6 holds
TAIL_SHARE = mpf(10) ** -9  # of delta: what tails beyond B sigma may cost


def gaussian_delta(mu: mpf, epsilon: mpf) -> mpf:
    """The smallest delta of N(0, 1) against N(mu, 1) at epsilon. Hundreds of bits make up for the cancellation; where they
    do not, the first term alone is an upper bound."""
    first = mpmath.ncdf(mu / 2 - epsilon / mu)
    difference = first - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)
    return difference if difference > first * mpf(2) ** -200 else first


def crossing(function, guess: mpf) -> mpf:
    """Where an increasing function of positive numbers crosses 0, to 32 digits: brackets around a guess that widen until they
    hold it, then regula falsi (Illinois) on the logarithm."""
    centre, width = mpmath.log(guess), mpf(10) ** -9
    at = lambda logarithm: function(mpmath.exp(logarithm))  # noqa: E731
    a, b = centre - width, centre + width
    at_a, at_b = at(a), at(b)
    while at_a > 0 or at_b < 0:
        width = width * 64 if width < 1 else width + 1
        if at_a > 0:
            b, at_b, a = a, at_a, centre - width
            at_a = at(a)
        else:
            a, at_a, b = b, at_b, centre + width
            at_b = at(b)
    side = 0  # of the end that was moved last: when it is moved again, the other one counts half
    while b - a > mpf(10) ** -32 and at_a != at_b:
        c = b - at_b * (b - a) / (at_b - at_a)
        if not a < c < b:
            c = (a + b) / 2
        at_c = at(c)
        if abs(at_c) < mpf(10) ** -40:
            return mpmath.exp(c)
        if at_c > 0:
            b, at_b = c, at_c
            at_a /= 2 if side == 1 else 1
        else:
            a, at_a = c, at_c
            at_b /= 2 if side == -1 else 1
        side = 1 if at_c > 0 else -1
    return mpmath.exp(a)


def largest_mu(epsilon: mpf, delta: mpf, guess: mpf | None = None) -> mpf:
    if guess is None:
        guess = epsilon / mpmath.sqrt(2 * mpmath.log(1 / delta) + 2 * epsilon)
    return crossing(lambda mu: mpmath.log(gaussian_delta(mu, epsilon)) - mpmath.log(delta), guess)


class Discreteness:
    """Section 6: what it costs that `draws` draws, all of deviation `sigma` or more, are discrete. B is chosen so that the
    tails (1 + e^(epsilon' + N eta)) N tau, epsilon' + N eta <= epsilon, cost TAIL_SHARE of delta."""

    def __init__(self, draws: mpf, sigma: mpf, request: Request) -> None:
        self.request = request
        self.tails = TAIL_SHARE * request.delta
        tau = self.tails / (draws * (1 + mpmath.exp(request.epsilon)))
        self.bound = max(mpf(2), mpmath.sqrt(2 * mpmath.log(2 / tau)) + 1 / sigma)
        self.total_eta = draws * self.bound**2 / (24 * sigma**2)
        self.epsilon = 2 * self.total_eta

    def rest(self) -> tuple[mpf, mpf]:
        """(epsilon', delta') that is left for the rounded mechanism."""
        request = self.request
        return request.epsilon - self.epsilon, (request.delta - self.tails) * mpmath.exp(-self.total_eta)

    def delta_at(self, mu: mpf, epsilon: mpf) -> mpf:
        """The delta of the real mechanism at an epsilon up to the promised one."""
        left = epsilon - self.epsilon
        if left < 0:
            return mpf(1)
        return min(mpf(1), mpmath.exp(self.total_eta) * gaussian_delta(mu, left) + self.tails)

    def epsilon_of(self, mu: mpf) -> mpf:
        """The epsilon that the real mechanism arrives at, at the promised delta."""
        _, delta = self.rest()
        if gaussian_delta(mu, mpf(0)) <= delta:
            return self.epsilon
        decreasing = lambda epsilon: mpmath.log(delta) - mpmath.log(gaussian_delta(mu, epsilon))  # noqa: E731
        return self.epsilon + crossing(decreasing, self.request.epsilon)


def conclude(mu: mpf, smallest_sigma: mpf, largest_sigma: mpf, discrete: Discreteness, report: Report, request: Request) -> None:
    """From mu to the verdict."""
    where = "section 6, discrete noise"
    report.say(where, "charge_epsilon", discrete.epsilon)
    report.say(where, "charge_delta", request.delta - discrete.rest()[1])
    report.say(where, "bound", discrete.bound)
    report.require(smallest_sigma >= SMALLEST_SIGMA, where,
                   f"a deviation of {shown(smallest_sigma)} lattice units is below 2^20, from where the argument holds")
    report.require(discrete.bound * largest_sigma < LARGEST_DRAW, where,
                   f"a deviation of {shown(largest_sigma)} lattice units cannot be drawn: tails would be cut off inside B sigma")
    if not report.require(discrete.total_eta < mpf(1) / 2 and discrete.epsilon < request.epsilon, where,
                          "the charge for discreteness exceeds the budget"):
        return
    where = "section 7, together"
    needed = largest_mu(*discrete.rest(), guess=mu)
    arrived = discrete.epsilon_of(mu)
    arrived_delta = discrete.delta_at(mu, request.epsilon)
    report.say(where, "mu", mu)
    report.say(where, "largest_mu", needed)
    report.say(where, "spare_noise", needed / mu - 1)
    report.say(where, "epsilon_arrived", arrived)
    report.say(where, "delta_arrived", arrived_delta)
    for factor in (mpf(1) / 4, mpf(1) / 2, mpf(3) / 4):
        report.say(where, f"delta at {shown(factor * request.epsilon)}", discrete.delta_at(mu, factor * request.epsilon))
    report.require(arrived <= request.epsilon and arrived_delta <= request.delta, where,
                   f"the stored noise arrives at epsilon {shown(arrived)} at delta {shown(request.delta)}, "
                   f"but {shown(request.epsilon)} was promised: it is {shown(100 * (1 - needed / mu))}% too small")
    if needed / mu - 1 > mpf(10) ** -6:
        report.notes.append(f"the noise is {shown(100 * (needed / mu - 1))}% larger than the promise needs")
