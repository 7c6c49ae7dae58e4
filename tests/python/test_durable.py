"""Streams that live in files."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import rivulet
from conftest import box, small_rows


def test_a_stream_goes_on_where_it_was_left(tmp_path):
    path = tmp_path / "model.rivulet"
    X, y = small_rows(450)
    with rivulet.Stream(**box(insecure_seed=4), path=path) as stream:
        assert stream.observe_many(X[:230], y[:230]) == 2
    assert stream.closed and stream.model().rows == 200 and stream.rows == 230 and stream.waiting_rows == 30
    with pytest.raises(rivulet.Error, match="closed"):
        stream.observe(X[0], y[0])
    assert (os.stat(path).st_mode & 0o777) == 0o600
    with rivulet.Stream.open(path) as again:
        assert (again.step, again.rows) == (2, 230)
        again.observe_many(X[230:], y[230:])
    straight = rivulet.Stream(**box(insecure_seed=4))
    straight.observe_many(X, y)
    # Noise that was drawn for a step nobody saw is drawn anew, so models are compared by their rows.
    assert [release.rows for release in rivulet.ReleaseLog(path)] == [release.rows for release in straight]
    assert [entry["event"] for entry in rivulet.ReleaseLog(path).ledger()] == ["promise", "opened", "closed", "opened", "closed"]


def test_releases_can_be_read_after_the_commit_and_not_before(tmp_path):
    stream = rivulet.Stream(**box(), path=tmp_path / "model.rivulet", autocommit=False)
    stream.observe_many(*small_rows(300))
    assert (stream.step, stream.waiting_releases) == (0, 3)
    with pytest.raises(rivulet.RequestError, match="commit"):
        stream.model()
    assert rivulet.ReleaseLog(tmp_path / "model.rivulet").step == 0
    stream.commit()
    assert (stream.step, stream.waiting_releases, stream.model().rows) == (3, 0, 300)
    chains = [release.chain for release in stream]
    assert len(set(chains)) == 3 and chains == [release.chain for release in rivulet.ReleaseLog(tmp_path / "model.rivulet")]


def test_one_writer_at_a_time_and_no_file_is_overwritten(tmp_path):
    path = tmp_path / "model.rivulet"
    stream = rivulet.Stream(**box(), path=path)
    with pytest.raises(rivulet.IoError):
        rivulet.Stream(**box(), path=path)
    other = subprocess.run([sys.executable, "-c", "import rivulet, sys\ntry: rivulet.Stream.open(sys.argv[1])\nexcept rivulet.ModelConflict: print('busy')",
                            str(path)], capture_output=True, text=True, check=True)
    assert other.stdout == "busy\n"
    stream.close()
    rivulet.Stream.open(path).close()
    with pytest.raises(rivulet.IoError):
        rivulet.Stream.open(tmp_path / "none.rivulet")
    (tmp_path / "text.rivulet").write_text("no model")
    with pytest.raises(rivulet.DamagedFile):
        rivulet.ReleaseLog(tmp_path / "text.rivulet")


def test_a_killed_process_loses_nothing_that_was_published(tmp_path):
    path = tmp_path / "model.rivulet"
    program = """
import os, sys, numpy, rivulet
stream = rivulet.Stream(budget=(1, 1e-6), bounds={"x": (-1, 1), "y": (-1, 1)}, target="y", release_every=10, path=sys.argv[1])
for _ in range(25):
    stream.observe_many(numpy.zeros((1, 1)), numpy.zeros(1))
print(stream.model().intercept, flush=True)
os.kill(os.getpid(), 9)
"""
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True)
    assert done.returncode == -9
    with rivulet.Stream.open(path) as stream:
        assert stream.step == 2 and stream.model().intercept == float(done.stdout)
        assert stream.rows == 20  # the 5 rows of the step under way were not committed: they come again


def test_an_error_in_the_block_forgets_what_was_not_committed(tmp_path):
    path = tmp_path / "model.rivulet"
    X, y = small_rows(150)
    with pytest.raises(ZeroDivisionError), rivulet.Stream(**box(), path=path) as stream:
        stream.observe_many(X, y)
        stream.observe_many(X[:20], y[:20])
        raise ZeroDivisionError
    with rivulet.Stream.open(path) as again:
        assert (again.step, again.rows) == (1, 150)


def test_exports_hold_the_public_half(tmp_path):
    with rivulet.Stream(**box(), path=tmp_path / "model.rivulet") as stream:
        stream.observe_many(*small_rows(300))
        stream.save(tmp_path / "public.rivulet")
    log = rivulet.ReleaseLog(tmp_path / "public.rivulet")
    log.verify()
    assert log.is_export and log.step == 3
    with pytest.raises(rivulet.Error):
        rivulet.Stream.open(tmp_path / "public.rivulet")


def test_classification_lives_in_files_too(tmp_path):
    X, y = small_rows(600, 2)
    for more in ({"mechanism": "surrogate"}, {"erm": {"tau": 2}, "horizon": 6}):
        path = tmp_path / f"model{len(more)}.rivulet"
        with rivulet.Stream(budget=(5, 1e-6), bounds={"x0": (-1, 1), "x1": (-1, 1)}, target="c", classes=("no", "yes"), path=path,
                            release_every=100, **more) as stream:
            stream.observe_many(X, np.where(y > 0, "yes", "no"))
        log = rivulet.ReleaseLog(path)
        assert log.step == 6 and np.all(np.isfinite(log.predict(X)))
        assert log.schema.class_words == ("no", "yes") and log.options.loss == "logistic"
