"""Private regressions to compare with, each for neighbours that differ in one replaced row.

All but diffprivlib's are written here and accounted for exactly: Gaussian noise, mu-GDP (Dong, Roth & Su 2022), so that none
of them loses by loose bookkeeping.
"""

import math
import warnings

import numpy as np
import scipy.optimize
import scipy.special
import scipy.stats


def gdp_mu(epsilon: float, delta: float) -> float:
    """The mu for which a Gaussian mechanism is exactly (epsilon, delta)-private."""
    phi = scipy.stats.norm

    def excess(mu):
        return phi.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * phi.cdf(-mu / 2 - epsilon / mu) - delta

    return scipy.optimize.brentq(excess, 1e-3, 20, xtol=1e-13)


def basic_share(epsilon: float, releases: int) -> float:
    return epsilon / releases


def optimal_share(epsilon: float, delta: float, releases: int) -> float:
    """The largest epsilon of each of `releases` purely private answers that are (epsilon, delta)-private together: the exact
    composition of Kairouz, Oh & Viswanath (2015), which no other rule that knows only their epsilons can beat."""
    counts = np.arange(releases + 1)
    log_choose = scipy.special.gammaln(releases + 1) - scipy.special.gammaln(counts + 1) - scipy.special.gammaln(
        releases - counts + 1)

    def excess(each):
        gain = (releases - counts) * each
        lost = epsilon + counts * each
        terms = np.where(gain > lost, np.exp(log_choose + gain - releases * np.log1p(np.exp(each))) *
                         -np.expm1(np.minimum(lost - gain, 0)), 0)
        return terms.sum() - delta

    if releases == 1:
        # One answer: delta buys ln((e^epsilon + delta) / (1 - delta)) - epsilon, some 1e-6.
        return epsilon
    return scipy.optimize.brentq(excess, epsilon / releases, epsilon, xtol=1e-12)


def least_squares(moments: np.ndarray) -> np.ndarray:
    """Not private. From the moments of (1, x, y)."""
    return np.linalg.lstsq(moments[:-1, :-1], moments[:-1, -1], rcond=None)[0]


def ada_ssp(moments: np.ndarray, row_norm: float, mu: float, random: np.random.Generator) -> np.ndarray:
    """AdaSSP (Wang 2018) for |x| <= row_norm, |y| <= 1: the smallest eigenvalue, the Gram matrix and the cross products, each with
    a third of mu^2, and a ridge as large as the noise asks for, less the eigenvalue. Noise on the Gram matrix is isotropic in
    the Frobenius norm, so sqrt(2) row_norm^2 is all one row can move it by."""
    gram, cross = moments[:-1, :-1], moments[:-1, -1]
    order = len(cross)
    each = mu / math.sqrt(3)
    failure = 0.05
    eigenvalue_sigma = row_norm**2 / each
    smallest = np.linalg.eigvalsh(gram)[0] + random.normal(0, eigenvalue_sigma)
    smallest = max(smallest - eigenvalue_sigma * scipy.stats.norm.isf(failure), 0)
    gram_sigma = math.sqrt(2) * row_norm**2 / each
    ridge = max(0, gram_sigma * math.sqrt(order * math.log(2 * order**2 / failure)) - smallest)
    noise = random.normal(0, gram_sigma, (order, order))
    noisy_gram = gram + (np.triu(noise, 1) + np.triu(noise, 1).T) / math.sqrt(2) + np.diag(np.diag(noise))
    noisy_cross = cross + random.normal(0, 2 * row_norm / each, order)
    return np.linalg.solve(noisy_gram + ridge * np.eye(order), noisy_cross)


def noisy_sgd(rows: np.ndarray, targets: np.ndarray, batches: int, rates: np.ndarray, clips: np.ndarray, radius: float,
              mu: float, random: np.random.Generator) -> np.ndarray:
    """One pass in disjoint batches, one step each: the sum of the rows' gradients, each clipped to length `clip`, with noise of
    2 clip / mu, then back into the L2 ball. A row is in one batch only, so the whole path is mu-GDP however many batches there
    are. Many (rate, clip) at once; returns the iterates, batches x settings x coordinates."""
    settings = len(rates)
    theta = np.zeros((settings, rows.shape[1]))
    path = np.empty((batches, *theta.shape))
    lengths = np.linalg.norm(rows, axis=1)
    edges = np.arange(batches + 1) * len(rows) // batches
    for batch in range(batches):
        begin, end = edges[batch], edges[batch + 1]
        x = rows[begin:end]
        residual = x @ theta.T - targets[begin:end, None]
        scale = np.maximum(1, np.abs(residual) * (lengths[begin:end, None] / clips))
        gradient = (residual / scale).T @ x + random.normal(size=theta.shape) * (2 * clips / mu)[:, None]
        theta = theta - (rates / (end - begin))[:, None] * gradient
        theta *= np.minimum(1, radius / np.maximum(np.linalg.norm(theta, axis=1), 1e-300))[:, None]
        path[batch] = theta
    return path


def diffprivlib_fit(rows: np.ndarray, targets: np.ndarray, bounds, epsilon: float, seed: int) -> np.ndarray:
    from diffprivlib.models import LinearRegression

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LinearRegression(epsilon=epsilon, bounds_X=bounds, bounds_y=(-1, 1), random_state=seed).fit(rows, targets)
    return np.array([model.intercept_, *model.coef_])


def in_ball(theta: np.ndarray, radius: float) -> np.ndarray:
    norm = np.linalg.norm(theta)
    return theta if norm <= radius else theta * (radius / norm)
