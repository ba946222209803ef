"""Drawn simulations: some of them, how they are drawn, and what finds that two runs differ.

The stage `drawn` runs hundreds of them under the sanitizers.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from checking import check, same_categories, same_times, same_when_read
from drawing import draw
from families import SHAPES

from odonata.machine.families import FAMILIES
from odonata.result import Result
from odonata.simulate import run
from odonata.workload import Collective, Halo, Traffic

RUN = Path(__file__).parent / "run.py"
MANY = range(1, 101)


@pytest.fixture(scope="module")
def drawn():
    return {number: draw(number) for number in MANY}


@pytest.mark.parametrize("number", range(1, 16))
def test_runs_that_must_agree_do(number, tmp_path):
    check(draw(number), tmp_path)


def test_a_seed_draws_the_same_again(drawn):
    again = draw(7)
    assert str(again) == str(drawn[7])
    assert again.machine.changes == drawn[7].machine.changes
    assert (again.work, again.options) == (drawn[7].work, drawn[7].options)
    assert len({str(each) for each in drawn.values()}) > 90


def test_everything_is_drawn(drawn):
    assert set(FAMILIES) <= set(SHAPES)
    all_of = drawn.values()
    assert {each.machine.core.family for each in all_of} == set(FAMILIES)
    assert {type(each.work) for each in all_of} == {Collective, Halo, Traffic, list}
    assert {each.options.engine for each in all_of} == {"packet", "analytic"}
    assert len({each.options.routing for each in all_of}) > 8
    assert {each.machine.changes["mpi.eager_threshold"] for each in all_of} >= {"0 B", "8 KiB"}
    assert any(each.around.background for each in all_of)
    assert any(each.around.busy for each in all_of)
    traces = [each.work for each in all_of if isinstance(each.work, list)]
    operations = {call.operation for calls in traces for call in calls}
    assert operations >= {"send", "isend", "sendrecv", "collective", "icollective", "communicator"}


@pytest.fixture(scope="module")
def two_runs(drawn):
    """Return a run that was explained, and one with the breakdown alone, of several ranks."""
    halos = [each for each in drawn.values() if isinstance(each.work, Halo)]
    some = next(each for each in halos if each.placement.ranks > 3)
    jobs = some.jobs(Path())
    return [
        run(some.machine, jobs, replace(some.options, explain=how)) for how in (True, "breakdown")
    ]


def test_a_time_that_differs_is_noticed(two_runs):
    whole, alone = two_runs
    same_times(whole, alone)
    same_categories(whole, alone)
    later = replace(alone.jobs[0], finished=np.asarray(alone.jobs[0].finished) + 1)
    with pytest.raises(AssertionError):
        same_times(whole, replace(alone, jobs=(later, *alone.jobs[1:])))
    by_rank = np.array(alone.explanation.by_rank)
    by_rank[1, 2] += 1
    other = replace(alone, explanation=replace(alone.explanation, by_rank=by_rank))
    with pytest.raises(AssertionError):
        same_categories(whole, other)


def test_a_file_that_differs_is_noticed(two_runs, tmp_path, monkeypatch):
    whole, alone = two_runs
    same_when_read(whole, tmp_path / "run.nc")
    monkeypatch.setattr("checking.Result.load", lambda path: Result(alone))
    with pytest.raises(AssertionError):
        same_when_read(whole, tmp_path / "run.nc")


def command(*words):
    done = subprocess.run(
        [sys.executable, str(RUN), *words], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout.splitlines(), done.stderr


def test_each_seed_is_printed_before_it_runs_and_can_be_run_alone():
    status, lines, stderr = command("--runs", "2", "--seed", "3")
    assert (status, stderr) == (0, "")
    assert [line.split(":")[0] for line in lines[:2]] == ["seed 3", "seed 4"]
    assert lines[2] == "2 simulations, 0 of them refused"
    assert command("--runs", "1", "--seed", "4")[1][0] == lines[1]


def test_time_ends_the_runs():
    status, lines, _ = command("--minutes", "0")
    assert (status, lines[-1]) == (0, "0 simulations, 0 of them refused")
