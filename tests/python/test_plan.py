"""What is said before there is data, compared with what comes out."""

import json
import pathlib
import subprocess
import os

import numpy as np
import pytest

import rivulet

BOUNDS = {"age": (18, 90), "income": (0, 200), "shop": ["north", "south", "web"], "spend": (0, 50)}


def test_the_standard_errors_of_a_plan_are_those_that_come_out():
    random = np.random.default_rng(3)
    rows = 400_000
    columns = {"age": random.uniform(18, 90, rows), "income": random.uniform(0, 200, rows),
               "shop": random.choice(BOUNDS["shop"], rows), "spend": 25 + random.uniform(-0.01, 0.01, rows)}
    asked = dict(budget=(0.3, 1e-6), bounds=BOUNDS, target="spend", release_every=rows // 4, horizon=4)
    stream = rivulet.Stream(**asked, insecure_seed=1)
    assert stream.observe_many(columns) == 4
    planned = rivulet.plan(**asked).standard_errors(4)
    for line in stream.summary().lines:
        assert line.standard_error == pytest.approx(planned[line.name], rel=0.05), line.name


def test_a_plan_says_what_the_tool_says(tmp_path):
    tool = pathlib.Path(os.environ["RIVULET_BUILD"]) / "rivulet"
    config = tmp_path / "fit.toml"
    config.write_text('target = "spend"\nfeatures = ["age", "income", "shop"]\nepsilon = 1\ndelta = 1e-6\nrelease-every = 100\n'
                      '[bounds]\nage = [18, 90]\nincome = [0, 200]\nspend = [0, 50]\n[levels]\nshop = ["north", "south", "web"]\n')
    plan = rivulet.plan(budget=(1, 1e-6), bounds=BOUNDS, target="spend", release_every=100)
    told = subprocess.run([tool, "plan", "--config", config, "--json", "--at", "1000"], capture_output=True, text=True, check=True)
    assert plan.to_dict(steps=[1000]) == json.loads(told.stdout)
    text = subprocess.run([tool, "plan", "--config", config], capture_output=True, text=True, check=True)
    assert str(plan) == text.stdout
    assert plan.noise_at(1000).cross > 0 and plan.memory_bytes(1) > 0 and plan.mu > 0


def test_a_plan_refuses_what_a_stream_refuses():
    asked = dict(budget=(1, 1e-6), bounds=BOUNDS, target="spend")
    for change in ({"strategy": "oak"}, {"tau": 3}, {"budget": (0, 1)}, {"profile": "paper"}):
        with pytest.raises(rivulet.RequestError) as of_plan:
            rivulet.plan(**{**asked, **change})
        with pytest.raises(rivulet.RequestError) as of_stream:
            rivulet.Stream(**{**asked, **change})
        assert str(of_plan.value) == str(of_stream.value)
    with pytest.raises(rivulet.RequestError, match="at: step 11"):
        rivulet.plan(**asked, horizon=10).noise_at(11)
