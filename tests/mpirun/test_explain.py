"""``mpirun --explain`` and ``replay --explain``: the same account of a real program's time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from odonata import explain
from odonata.trace import summarize

ODONATA = Path(sys.executable).parent / "odonata"
PROGRAM = Path(__file__).parent / "programs" / "collectives.py"
RANKS = 4


def odonata(*words):
    done = subprocess.run(
        [str(word) for word in (ODONATA, *words)], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Run a program, explained and recorded, and replay it, explained."""
    folder = tmp_path_factory.mktemp("explained")
    live, again, trace = folder / "live.nc", folder / "again.nc", folder / "run.trace"
    machine = ["--machine", "eos", "-n", RANKS, "--compute", "none"]
    odonata(
        *("mpirun", *machine, "--explain", "-o", live, "--record", trace),
        *("--", sys.executable, PROGRAM),
    )
    printed = odonata("replay", trace, "--explain", "-o", again)
    return explain.load(live), explain.load(again), printed, trace


def test_the_account_of_a_program_adds_up(runs):
    live = runs[0]
    assert [rank.rank for rank in live.ranks] == list(range(RANKS))
    for rank in live.ranks:
        assert sum(rank.categories_ps.values()) == rank.end_ps > 0
    assert live.length_ps == max(rank.end_ps for rank in live.ranks)
    names = {str(part.name) for part in live.functions}
    assert "MPI_Allreduce_c" in names  # mpi4py calls those with large counts
    assert sum(part.total_ps for part in live.functions) == sum(rank.end_ps for rank in live.ranks)


def test_the_trace_keeps_the_end_of_an_explained_run(runs):
    """Samples of what waits are taken a little beyond the end of the run."""
    assert round(summarize(runs[3]).simulated_seconds * 1e12) == runs[0].length_ps


def test_a_replay_has_the_same_account(runs):
    live, again, printed, _ = runs
    first, second = live.document(), again.document()
    for key in ("ranks", "functions", "phases", "communicators", "critical_path", "sentence"):
        assert first[key] == second[key]
    assert "Where the time goes" in printed


def test_a_replay_on_two_machines_says_why_they_differ(runs):
    printed = odonata("replay", runs[3], "--machine", "eos,theta", "--explain")
    assert "Where the difference comes from" in printed
    document = json.loads(
        odonata("replay", runs[3], "--machine", "eos,theta", "--explain", "--json")
    )
    (difference,) = document["differences"]
    assert (
        sum(each["difference_ps"] for each in difference["categories"])
        == (difference["difference_ps"])
    )
