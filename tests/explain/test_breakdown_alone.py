"""``--breakdown``: the times of a whole explanation, without the record of its path."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from odonata import explain, machine, placement, simulate, workload
from odonata.cli import app
from odonata.errors import UserError

RUNS = {
    "a ring, whose crossings are forgotten again and again": (
        "dragonfly-5256",
        workload.Collective("allgather", "ring"),
        (128, {"allocation": "random", "seed": 3}),
    ),
    "long messages that ask first": (
        "summit",
        workload.Collective("allreduce", "reduce_scatter_allgather", "1MiB"),
        (16, {"ranks_per_node": 4}),
    ),
    "many messages at once, without credit": (
        "theta",
        workload.Collective("alltoall", "scattered", "64KiB"),
        (24, {}),
    ),
    "links that are slower than the NIC": (
        "hopper",
        workload.Collective("alltoall", "bruck", "3KiB"),
        (40, {"allocation": "random", "seed": 5}),
    ),
    "traffic": (
        "theta",
        workload.Traffic("uniform", load=0.6, bytes="3KiB", messages_per_rank=20),
        (60, {}),
    ),
}


@pytest.mark.parametrize("engine", ["packet", "analytic"])
@pytest.mark.parametrize("name", list(RUNS))
def test_it_has_the_times_of_a_whole_explanation(name, engine):
    which, work, (ranks, how) = RUNS[name]
    on = machine.load(which)
    jobs = [simulate.Job(work, placement.place(on, ranks, **how))]
    whole = simulate.simulate(on, jobs, engine=engine, explain=True).run
    alone = simulate.simulate(on, jobs, engine=engine, explain="breakdown").run
    assert alone.end == whole.end
    first, second = whole.explanation, alone.explanation
    assert (first.categories, first.scopes) == (second.categories, second.scopes)
    assert np.array_equal(first.by_rank, second.by_rank)
    assert np.array_equal(first.by_scope, second.by_scope)
    assert first.path is not None
    assert (second.path, second.causes, second.kinds, second.proportions) == (None, None, None, {})
    assert (
        explain.Explained(alone).length_ps
        == explain.Explained(whole).length_ps
        == max(whole.jobs[0].totals["last_finished"], whole.jobs[0].totals["last_delivered"])
    )


def test_another_depth_is_refused():
    with pytest.raises(UserError, match="'breakdown'"):
        simulate.Options(explain="path")


def odonata(*words: str) -> str:
    done = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("breakdown") / "run.nc"
    words = "simulate allgather --algorithm ring --ranks 8 --machine theta --breakdown -o"
    return path, odonata(*words.split(), str(path))


def test_the_run_prints_its_breakdown(saved):
    printed = saved[1]
    assert "Where the time goes" in printed
    assert "mean rank" in printed
    assert "critical path" not in printed


def test_explain_prints_what_there_is_and_how_to_get_the_rest(saved):
    printed = odonata("explain", str(saved[0]))
    assert "send overhead" in printed
    assert "longest of" not in printed
    last = printed.splitlines()[-1]
    assert "without its critical path" in last
    assert "--explain" in last
    assert "--breakdown -o" not in last


def test_json_has_null_where_the_path_would_be(saved):
    told = json.loads(odonata("explain", str(saved[0]), "--json"))
    assert told["critical_path"] is None is told["slopes"]
    assert told["latency_tolerance"] is None is told["slack"]
    assert "--explain" in told["without_path"]
    assert told["sentence"] == ""
    for rank in told["ranks"]:
        assert sum(rank["categories_ps"].values()) == rank["end_ps"]


def test_its_bars_are_drawn(saved, tmp_path):
    odonata("explain", str(saved[0]), "--plot", str(tmp_path / "bars.png"))
    assert (tmp_path / "bars.png").stat().st_size > 1000


def test_a_comparison_prints_no_differences_of_paths():
    words = "simulate allgather --algorithm ring,bruck --ranks 8 --machine theta --breakdown"
    assert "ring" in odonata(*words.split())
