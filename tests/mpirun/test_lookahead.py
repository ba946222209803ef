"""Ranks answer tests and probes themselves where their lookahead says that nothing happens."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
ODONATA = Path(sys.executable).parent / "odonata"
SAME = ("time_seconds", "digest", "events", "mpi_calls")


def run(lookahead, *words, variable="ODONATA_LOOKAHEAD"):
    """Run ``odonata ... --json --digest``; the document, and the lines that ranks wrote."""
    command = [str(word) for word in (ODONATA, words[0], "--json", "--digest", *words[1:])]
    environment = {**os.environ, variable: lookahead}
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
    "busy jobs": ["--busy", "80%", "--busy-with", "uniform:0.6"],
}
COSTLY = [
    *("--set", "nic.message_gap=170 ns"),
    *("--set", "mpi.search_per_entry=90 ns"),
    *("--set", "mpi.wait_per_request=30 ns"),
]
PORTS = [
    *("--set", "nic.ports=3"),
    *("--set", "nic.binding=round-robin"),
    *("--set", "nic.stripe_from=16 B"),
]
OPTIONS = {
    "packet": ["--machine", "eos"],
    "analytic": ["--machine", "theta", "--engine", "analytic"],
    "adaptive": ["--machine", "theta", "--routing", "ugal", "--seed", 5],
    "costly": ["--machine", "eos", *COSTLY],
    "ports": ["--machine", "eos", *PORTS],
    "costly and analytic": ["--machine", "theta", "--engine", "analytic", *COSTLY],
}
CASES = [
    ("packet", "nodes", 2),
    ("packet", "shared nodes", 7),
    ("packet", "busy", 5),
    ("analytic", "scattered", 7),
    ("adaptive", "scattered", 7),
    ("costly", "shared nodes", 7),
    ("costly", "busy", 5),
    ("packet", "busy jobs", 5),
    ("ports", "shared nodes", 7),
    ("ports", "nodes", 5),
    ("costly and analytic", "shared nodes", 6),
]


@pytest.mark.parametrize(("options", "place", "ranks"), CASES)
def test_lookahead_changes_nothing(compiled, tmp_path, options, place, ranks):
    program = compiled("polls")
    runs = {}
    for lookahead in ("on", "off"):
        words = ["-n", ranks, *OPTIONS[options], *PLACES[place], "--compute", "none"]
        trace = tmp_path / f"{lookahead}.trace"
        runs[lookahead] = run(lookahead, "mpirun", *words, "--record", trace, "--", program)
    (with_them, said), (without, said_without) = runs["on"], runs["off"]
    assert said == said_without
    assert len(said) == 12 * ranks
    assert {key: with_them[key] for key in SAME} == {key: without[key] for key in SAME}
    assert with_them["questions"] < without["questions"]
    assert (tmp_path / "on.trace").read_bytes() == (tmp_path / "off.trace").read_bytes()
    behind = PLACES[place] if place.startswith("busy") else []  # a trace has no background
    replayed = run("on", "replay", tmp_path / "on.trace", *OPTIONS[options], *behind)[0]
    assert {key: replayed[key] for key in SAME} == {key: without[key] for key in SAME}


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seed=st.integers(1, 10**6),
    ranks=st.integers(2, 9),
    options=st.sampled_from(sorted(OPTIONS)),
    place=st.sampled_from(["nodes", "shared nodes", "scattered"]),
)
def test_lookahead_that_begins_while_messages_are_under_way(compiled, seed, ranks, options, place):
    """The first rank that polls makes the simulator note the messages that are there already."""
    words = ["-n", ranks, *OPTIONS[options], *PLACES[place], "--compute", "none", "--fibers"]
    words += ["--", compiled("late_polls", shared=True), seed, 12]
    (with_them, said), (without, said_without) = (
        run(lookahead, "mpirun", *words) for lookahead in ("on", "off")
    )
    assert said == said_without
    assert {key: with_them[key] for key in SAME} == {key: without[key] for key in SAME}


def test_fibers_have_the_same_lookahead(compiled):
    words = ["mpirun", "-n", 5, "--machine", "eos", "--compute", "none"]
    document, lines = run("on", *words, "--", compiled("polls"))
    fibers, same_lines = run("on", *words, "--fibers", "--", compiled("polls", shared=True))
    assert same_lines == lines
    assert fibers["digest"] == document["digest"]


def test_polls_of_a_rank_that_nothing_can_reach_are_its_own(compiled):
    words = ["mpirun", "-n", 2, "--machine", "eos", "--compute", "none", "--", compiled("waits")]
    document, _ = run("on", *words)
    assert document["mpi_calls"]["MPI_Iprobe"] > 9_990  # 1 ms at 100 ns each
    assert document["questions"] < 16 + 20  # 16 in a row before there is lookahead
    for variable in ("ODONATA_LOOKAHEAD", "ODONATA_PROMISES"):  # the old name counts, too
        assert run("off", *words, variable=variable)[0]["questions"] > 9_990


def test_ranks_that_all_poll_go_on_together(compiled):
    words = ["mpirun", "-n", 16, "--machine", "eos", "--compute", "none", "--fibers"]
    runs = {how: run(how, *words, "--", compiled("idles", shared=True))[0] for how in ("on", "off")}
    polls = 16 * 1000
    assert runs["off"]["questions"] >= polls
    assert runs["off"]["waits"] >= polls
    assert runs["on"]["questions"] < polls / 7  # 0.8 us from rank to rank, 0.1 us a poll
    before = 16 * 17  # questions, a wait each, until there is lookahead
    assert runs["on"]["waits"] - before < (runs["on"]["questions"] - before) / 4  # for several
    assert {key: runs["on"][key] for key in SAME} == {key: runs["off"][key] for key in SAME}


def test_work_between_polls_is_the_same(compiled):
    """Ranks serve each other's requests, as in Ray; most of their polls find nothing."""
    program = compiled("assemble", shared=True, folder_of_source=BENCHMARKS)
    words = ["mpirun", "-n", 6, "--machine", "eos", "--compute", "none", "--fibers"]
    runs = {how: run(how, *words, "--", program, 100) for how in ("on", "off")}
    (with_them, said), (without, said_without) = runs["on"], runs["off"]
    assert said == said_without
    assert with_them["messages"] > 2 * 6 * 100
    assert with_them["mpi_calls"]["MPI_Iprobe"] > 3 * with_them["messages"]
    assert with_them["questions"] < without["questions"] / 2
    assert {key: with_them[key] for key in SAME} == {key: without[key] for key in SAME}


@pytest.mark.parametrize("place", ["nodes", "shared nodes"])
def test_a_rank_without_requests_reads_clocks_by_itself(compiled, place):
    """The data of a rendezvous take the sender's time, also after a buffered send."""
    late = [
        *("--set", "mpi.rendezvous_overhead=2 us"),
        *("--set", "mpi.send_overhead_per_byte=100 ps/B"),
    ]
    words = ["mpirun", "-n", 6, *OPTIONS["costly"], *late, *PLACES[place], "--compute", "none"]
    runs = {how: run(how, *words, "--", compiled("stopwatch")) for how in ("on", "off")}
    (with_them, said), (without, said_without) = runs["on"], runs["off"]
    assert said == said_without
    assert len(said) == 6 * 6 * 4  # ranks, phases, rounds
    assert {key: with_them[key] for key in SAME} == {key: without[key] for key in SAME}
    assert without["questions"] >= 6 * 6 * 4 * 5  # readings of a round
    saved = 6 * 4 * 4  # all but the first of the phase in which no request is open
    assert with_them["questions"] <= without["questions"] - saved
