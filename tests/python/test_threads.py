"""Threads share a stream by turns, and run while it works."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

import rivulet
from conftest import box, small_rows


def run(*works):
    errors = []

    def guarded(work):
        try:
            work()
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors


def test_no_row_is_lost_or_counted_twice_whoever_brings_it():
    X, y = small_rows(2000)
    stream = rivulet.Stream(**box(release_every=10))

    def one_by_one():
        for row, target in zip(X.tolist(), y.tolist()):
            stream.observe(row, target)

    def many():
        for _ in range(10):
            stream.observe_many(X, y)

    def read():
        for _ in range(200):
            if stream.step:
                stream.model()
                stream.summary()

    run(one_by_one, one_by_one, many, many, read)
    assert stream.rows == 2 * 2000 + 2 * 10 * 2000
    assert stream.step == stream.rows // 10


def test_others_run_while_many_rows_are_taken():
    X = np.random.default_rng(0).uniform(-1, 1, (400_000, 30))
    stream = rivulet.Stream(**box(30, release_every=50))
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    def take():
        try:
            stream.observe_many(X, X[:, 0])
        finally:
            stop.set()

    started = time.perf_counter()
    run(tick, take)
    assert time.perf_counter() - started > 0.05
    assert len(ticks) > 10


def test_a_call_from_within_a_call_is_refused():
    stream = rivulet.Stream(**box())

    class Nosy:
        def __float__(self):
            with pytest.raises(rivulet.Error, match="within a call"):
                stream.observe([0, 0, 0], 0)
            return 0.5

    stream.observe([Nosy(), 0, 0], 0)
    assert stream.rows == 1
    stream.observe([0, 0, 0], 0)
    assert stream.rows == 2
