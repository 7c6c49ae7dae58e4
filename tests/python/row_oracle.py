"""Every row stands alone, by experiment: no reader lets one row change what another one adds.

Two rows a and b go through a reader, and so do (a, 0), (0, b) and (0, 0), 0 being a row that says nothing. The noise is
that of a fixed seed, the same four times. If each row adds what it says and nothing else, the released sums obey

    S(a, b) - S(a, 0) - S(0, b) + S(0, 0) = 0

to the last unit of the lattice, and all four streams have counted the same rows. The streams live on from pair to pair, so
that what a reader remembers of any earlier row shows, too.

    python tests/python/row_oracle.py --pairs 100000          # every door, that many pairs together
    python tests/python/row_oracle.py --door dict --seed 7    # one door; what was found is shown
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import warnings

import numpy as np

from oracle_doors import DOORS, PAIRS_A_STREAM

LATTICE = 2.0 ** -30  # products of two coordinates in units of 2^-15


class Found(AssertionError):
    """A pair for which the rows do not stand alone."""


def _look(door, streams, history):
    counted = [door.rows(stream) for stream in streams]
    if len(set(counted)) != 1:
        raise Found(f"{door.name}: rows were counted by what they say: {counted}, within the last {len(history)} pairs, e.g. {_shown(history[-1])}")
    together, first, second, nothing = (door.sums(stream) for stream in streams)
    # The seed's noise is the same four times, so that the difference of differences is what the rows do to each other.
    units = (together - first - second + nothing) / LATTICE
    if np.max(np.abs(units)) > 0.25:
        raise Found(f"{door.name}: one row changed what another adds, by {np.max(np.abs(units)):.3g} units of the lattice, within the last "
                    f"{len(history)} pairs, e.g. {_shown(history[0])}")


def _shown(rows):
    """For the message of a test: rows of the oracle's own making."""
    try:
        return repr(rows)
    except Exception as error:  # a whole number too long to be written
        return f"rows that cannot be shown ({type(error).__name__})"


def _is_refused(door, probe, a, b, zero, shared):
    try:
        for first, second in ((a, zero), (zero, b)):
            door.feed(probe, first, second, shared)
    except Exception:
        return True
    return False


def run(door, pairs, seed, skip_refused=False):
    """Raises Found. With `skip_refused` rows that a reader will not have are left out, to look at the others."""
    pick = random.Random(seed)
    done = 0
    while done < pairs:
        streams = [door.stream() for _ in range(4)]
        history = []
        for _ in range(min(PAIRS_A_STREAM, pairs - done)):
            done += 1
            a, b, zero, shared = door.pair(pick)
            if skip_refused and _is_refused(door, door.stream(), a, b, zero, shared):
                continue
            history.append((a, b))
            for stream, (first, second) in zip(streams, ((a, b), (a, zero), (zero, b), (zero, zero))):
                try:
                    door.feed(stream, first, second, shared)
                except Exception as error:
                    raise Found(f"{door.name}: a row was refused by what it says ({type(error).__name__}: {error}): {_shown((a, b))}") from None
            if len(history) == door.batch:
                _look(door, streams, history)
                history.clear()
        if history:
            _look(door, streams, history)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--door", choices=sorted(DOORS), help="one reader; all of them unless given")
    parser.add_argument("--pairs", type=int, default=100_000, help="over all doors together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--skip-refused", action="store_true", help="leave out rows that a reader refuses")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    doors = [DOORS[given.door]] if given.door else list(DOORS.values())
    # Slow doors get fewer.
    weights = [0.02 if door.name == "scikit-learn" else 1.0 for door in doors]
    failed = 0
    total = 0
    for door, weight in zip(doors, weights):
        pairs = max(1, round(given.pairs * weight / sum(weights)))
        begin = time.monotonic()
        try:
            run(door(), pairs, given.seed, given.skip_refused)
            total += pairs
            print(f"{door.name}: {pairs} pairs stand alone ({time.monotonic() - begin:.1f} s)", flush=True)
        except Found as found:
            failed += 1
            print(f"{str(found)[:600]} ({time.monotonic() - begin:.1f} s)", flush=True)
    print(f"{total} pairs without a difference, {failed} doors with one")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
