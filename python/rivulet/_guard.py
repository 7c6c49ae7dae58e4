"""Noticing that a budget is about to be spent on rows that already cost one.

Every private fit of an estimator leaves a few keyed hashes of its rows in this process, and only there. Rows that an earlier
fit used are warned about: the budgets add up.
"""

from __future__ import annotations

import threading
import warnings

from . import _core
from ._errors import PrivacyWarning
from ._settings import Budget

# A tenth of the rows in common is no coincidence of equal rows, and far below what cross-validation has.
_SHARE = 0.1
_MOST_SPENDS = 4096


class Spend:
    """What one stream's budget was spent on so far."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.fingerprint = _core.Fingerprint()
        self.rows_again = 0  # how often its own rows came again

    def overlaps(self, rows: _core.Fingerprint) -> bool:
        return max(rows.share_in(self.fingerprint), self.fingerprint.share_in(rows)) >= _SHARE


_spends: list[Spend] = []
_lock = threading.Lock()


def warn(rows: _core.Fingerprint, spend: Spend, what: str, stacklevel: int) -> None:
    """Warns when these rows were used before, by other streams or by this one."""
    with _lock:
        earlier = [known for known in _spends if known.overlaps(rows)]
    if not earlier:
        return
    epsilon = sum(known.budget.epsilon for known in earlier)
    delta = sum(known.budget.delta for known in earlier)
    # The same rows once more in the same stream count as often as they come.
    again = spend in earlier
    if again:
        spend.rows_again += 1
        epsilon += spend.rows_again * spend.budget.epsilon
        delta += spend.rows_again * spend.budget.delta
    else:
        epsilon += spend.budget.epsilon
        delta += spend.budget.delta
    warnings.warn(
        f"{what}: {len(earlier)} earlier private fit{'' if len(earlier) == 1 else 's'} in this process used some of the same "
        f"rows. Each spends its budget again: for these rows the promise of all together is only about ({epsilon:g}, {delta:g}). "
        "Cross-validation and grid search do this at every fold; fit once and compare models with refit() and refit_search(), "
        "which cost nothing. rivulet.forget_rows() if the rows are others, or not private.",
        PrivacyWarning, stacklevel=stacklevel)


def record(rows: _core.Fingerprint, spend: Spend) -> None:
    """Remembers the rows as those of this stream."""
    with _lock:
        spend.fingerprint.merge(rows)
        if spend not in _spends:
            _spends.append(spend)
            del _spends[:-_MOST_SPENDS]


def others_overlap(rows: _core.Fingerprint, spend: Spend) -> bool:
    with _lock:
        return any(known is not spend and known.overlaps(rows) for known in _spends)


def forget_rows() -> None:
    """Forgets which rows were used by earlier fits, so that they are not warned about."""
    with _lock:
        _spends.clear()
