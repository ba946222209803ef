"""Orders of ranks that are given from outside, and several programs in one world."""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path

import pytest

from odonata import replay
from odonata.result import Result

PROGRAMS = Path(__file__).parent / "programs"
EOS = ["--machine", "eos", "--compute", "none"]
RANKS = 6
ORDERS = {
    "as it is": list(range(RANKS)),
    "backwards": list(range(RANKS))[::-1],
    "random": random.Random(4).sample(range(RANKS), RANKS),
}


def ranks_of(done):
    """Return the new ranks that each rank printed, by topology, and its left neighbour."""
    assert done.returncode == 0, done.stderr
    found = {}
    for line in done.stdout.splitlines():
        rank, said = re.fullmatch(r"rank (\d+): (.*)", line).groups()
        pairs = (word.split() for word in said.split(", "))
        found[int(rank)] = {name: int(number) for name, number in pairs}
    assert sorted(found) == list(range(RANKS))
    return found


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_topologies_take_the_order_of_a_file(mpirun, tmp_path, order):
    file = tmp_path / "order.txt"
    file.write_text("\n".join(map(str, order)))
    program = [sys.executable, PROGRAMS / "reorder.py"]
    found = ranks_of(mpirun("-n", RANKS, *EOS, "--reorder", file, "--", *program))
    for new, old in enumerate(order):
        for name in ("cart", "graph", "adjacent", "dist"):
            assert found[old][name] == new, name
        assert found[old]["left"] == order[new - 1]
        assert found[old]["fixed"] == old
        assert found[old]["half"] == (old if old < RANKS // 2 else -1)  # of another size


def test_without_a_file_nothing_is_reordered(mpirun):
    found = ranks_of(mpirun("-n", RANKS, *EOS, "--", sys.executable, PROGRAMS / "reorder.py"))
    for rank, topologies in found.items():
        assert {topologies[name] for name in ("cart", "graph", "adjacent", "dist")} == {rank}


def test_a_replay_with_the_order_sends_between_the_same_nodes(mpirun, tmp_path):
    """The grid's neighbours exchange 5 B, a pickled number; all else is of collectives."""
    order, saved, trace = (tmp_path / name for name in ("order", "run.nc", "run.trace"))
    order.write_text("3 0 5 1 4 2\n")
    program = [sys.executable, PROGRAMS / "reorder.py"]
    assert (
        mpirun("-n", RANKS, *EOS, "--reorder", order, "-o", saved, "--", *program).returncode == 0
    )
    assert mpirun("-n", RANKS, *EOS, "--record", trace, "--", *program).returncode == 0
    ways = []
    for run in (Result.load(saved), replay(trace, reorder=order, record_messages=True)):
        nodes, sent = run.jobs[0].nodes, run.messages
        ring = sent[sent["bytes"] == 5]
        ways.append({(int(nodes[a]), int(nodes[b])) for a, b in ring[["source", "target"]].values})
    assert ways[0] == ways[1] == {(3, 0), (0, 5), (5, 1), (1, 4), (4, 2), (2, 3)}


@pytest.mark.parametrize(
    "order",
    [
        "0 1 2 3 4",
        "0 1 2 3 4 5 6",
        "",
        "0 1 2 3 4 4",
        "0 1 2 3 4 6",
        "0 1 2 3 four 5",
        "0 1 2 3 4 -5",
    ],
)
def test_a_wrong_order_is_refused(mpirun, tmp_path, order):
    file = tmp_path / "order.txt"
    file.write_text(order)
    done = mpirun("-n", RANKS, *EOS, "--reorder", file, "--", "true")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert str(file) in done.stderr


CHANGED = """
import os, sys
from mpi4py import MPI
world = MPI.COMM_WORLD
for text in sys.argv[2:]:
    if world.rank == 0:
        open(sys.argv[1], "w").write(text)
    if text == "gone" and world.rank == 0:
        os.remove(sys.argv[1])
    world.Barrier()
    try:
        said = str(world.Create_cart([world.size], [False], reorder=True).rank)
    except MPI.Exception as error:
        said = "wrong" if error.Get_error_class() == MPI.ERR_ARG else str(error)
    sys.stdout.write(f"rank {world.rank}: {said}\\n")
    world.Barrier()
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2 0 1", ["1", "2", "0"]),
        ("1 0", ["0", "1", "2"]),  # is of another size
        ("", ["0", "1", "2"]),
        ("2 0 -1", ["wrong"] * 3),
        ("3 0 1", ["wrong"] * 3),
        ("2 0 0", ["wrong"] * 3),
        ("2 0 1 x", ["wrong"] * 3),
        ("gone", ["wrong"] * 3),
    ],
)
def test_a_file_that_changes_during_the_run_is_checked_again(mpirun, tmp_path, text, said):
    """A program that changes it gets the new order, or an error on every rank."""
    file = tmp_path / "order.txt"
    file.write_text("0 1 2")
    program = [sys.executable, "-c", CHANGED, file, text]
    done = mpirun("-n", 3, *EOS, "--reorder", file, "--", *program)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [f"rank {at}: {one}" for at, one in enumerate(said)]


def test_each_program_knows_its_number(mpirun):
    program = [sys.executable, PROGRAMS / "appnum.py"]
    more = [":", "-n", 3, "--", *program, "ice", ":", "-n", 1, "--", *program, "land"]
    done = mpirun("-n", 2, *EOS, "--", *program, "ocean", *more)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [
        "rank 0 of 6: ocean 0, 2 of it",
        "rank 1 of 6: ocean 0, 2 of it",
        "rank 2 of 6: ice 1, 3 of it",
        "rank 3 of 6: ice 1, 3 of it",
        "rank 4 of 6: ice 1, 3 of it",
        "rank 5 of 6: land 2, 1 of it",
    ]


def test_the_order_of_one_of_several_programs_is_taken(mpirun, tmp_path):
    file = tmp_path / "order.txt"
    file.write_text("1 0")
    program = [sys.executable, PROGRAMS / "reorder.py"]
    words = ["-n", 2, *EOS, "--reorder", file, "--", *program, ":", "-n", 4, "--", *program]
    assert mpirun(*words).returncode == 0
    file.write_text("1 0 2")
    refused = mpirun(*words)
    assert refused.returncode == 2
    assert "entries than the run has ranks: 3; allowed: 6 or 2 or 4" in refused.stderr
