"""Ranks answer tests and probes themselves where the simulator promised that nothing happens."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ODONATA = Path(sys.executable).parent / "odonata"
SAME = ("time_seconds", "digest", "events", "mpi_calls")


def run(promises, *words):
    """Run ``odonata ... --json --digest``; the document, and the lines that ranks wrote."""
    command = [str(word) for word in (ODONATA, words[0], "--json", "--digest", *words[1:])]
    environment = {**os.environ, "ODONATA_PROMISES": promises}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if line[:1].isdigit()]
    return json.loads(done.stdout), sorted(lines)


PLACES = {
    "nodes": [],
    "shared nodes": ["--ranks-per-node", 3],
    "scattered": ["--allocation", "random"],
    "busy": ["--background", "uniform:0.6"],
}
OPTIONS = {
    "packet": ["--machine", "eos"],
    "analytic": ["--machine", "theta", "--engine", "analytic"],
    "adaptive": ["--machine", "theta", "--routing", "ugal", "--seed", 5],
}
CASES = [
    ("packet", "nodes", 2),
    ("packet", "shared nodes", 7),
    ("packet", "busy", 5),
    ("analytic", "scattered", 7),
    ("adaptive", "scattered", 7),
]


@pytest.mark.parametrize(("options", "place", "ranks"), CASES)
def test_promises_change_nothing(compiled, tmp_path, options, place, ranks):
    program = compiled("polls")
    runs = {}
    for promises in ("on", "off"):
        words = ["-n", ranks, *OPTIONS[options], *PLACES[place], "--compute", "none"]
        trace = tmp_path / f"{promises}.trace"
        runs[promises] = run(promises, "mpirun", *words, "--record", trace, "--", program)
    (with_them, said), (without, said_without) = runs["on"], runs["off"]
    assert said == said_without
    assert len(said) == 12 * ranks
    assert {key: with_them[key] for key in SAME} == {key: without[key] for key in SAME}
    assert with_them["questions"] < without["questions"]
    assert (tmp_path / "on.trace").read_bytes() == (tmp_path / "off.trace").read_bytes()
    if place == "busy":  # a trace has no background
        return
    replayed = run("on", "replay", tmp_path / "on.trace", *OPTIONS[options])[0]
    assert {key: replayed[key] for key in SAME} == {key: without[key] for key in SAME}


def test_fibers_have_the_same_promises(compiled):
    words = ["mpirun", "-n", 5, "--machine", "eos", "--compute", "none"]
    document, lines = run("on", *words, "--", compiled("polls"))
    fibers, same_lines = run("on", *words, "--fibers", "--", compiled("polls", shared=True))
    assert same_lines == lines
    assert fibers["digest"] == document["digest"]


def test_polls_of_a_rank_that_nothing_can_reach_are_its_own(compiled):
    words = ["mpirun", "-n", 2, "--machine", "eos", "--compute", "none", "--", compiled("waits")]
    document, _ = run("on", *words)
    assert document["mpi_calls"]["MPI_Iprobe"] > 9_990  # 1 ms at 100 ns each
    assert document["questions"] < 20
    assert run("off", *words)[0]["questions"] > 9_990


def test_ranks_that_all_poll_go_on_together(compiled):
    words = ["mpirun", "-n", 16, "--machine", "eos", "--compute", "none", "--fibers"]
    runs = {how: run(how, *words, "--", compiled("idles", shared=True))[0] for how in ("on", "off")}
    polls = 16 * 1000
    assert runs["off"]["questions"] >= polls
    assert runs["off"]["waits"] >= polls
    assert runs["on"]["questions"] < polls / 7  # 0.8 us from rank to rank, 0.1 us a poll
    assert runs["on"]["waits"] < runs["on"]["questions"] / 4  # one for several ranks
    assert {key: runs["on"][key] for key in SAME} == {key: runs["off"][key] for key in SAME}
