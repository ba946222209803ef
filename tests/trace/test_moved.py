"""Bytes that collectives move, counted by hand."""

from __future__ import annotations

import json
import re

import pytest
from exchange import write_exchange

from odonata.trace import Block, Call, Collective, function_names
from odonata.trace.moved import Moved
from odonata.trace.views import Communicator

FUNCTIONS = function_names()


def moved(calls, ranks=4):
    counted = Moved(ranks)
    counted.add(Block.of(calls, FUNCTIONS))
    return counted.bytes


def everyone(collective, *, ranks=4, size=0, root=-2, words=None, **more):
    """Return the call of a collective of all ranks; words by rank."""
    return [
        Call(
            rank,
            "MPI_Barrier",
            "collective",
            Collective(size, root, collective),
            words=words(rank) if words else (),
            **more,
        )
        for rank in range(ranks)
    ]


@pytest.mark.parametrize(
    ("collective", "root", "expected"),
    [
        ("barrier", -2, 0),
        ("bcast", 1, 3 * 100),
        ("scatter", 1, 3 * 100),
        ("gather", 1, 3 * 100),
        ("reduce", 1, 3 * 100),
        ("allgather", -2, 4 * 3 * 100),
        ("alltoall", -2, 4 * 3 * 100),
        ("reduce_scatter_block", -2, 4 * 3 * 100),
        ("allreduce", -2, 2 * 3 * 100),
        ("scan", -2, 3 * 100),
    ],
)
def test_blocks_of_one_size(collective, root, expected):
    assert moved(everyone(collective, size=100, root=root)) == expected


@pytest.mark.parametrize("collective", ["gatherv", "scatterv"])
def test_blocks_of_the_root(collective):
    calls = everyone(
        collective, root=2, size=7, words=lambda rank: (1, 20, 300, 4000) if rank == 2 else ()
    )
    assert moved(calls) == 1 + 20 + 4000  # the root keeps its own 300


def test_blocks_of_all():
    assert moved(everyone("allgatherv", words=lambda _: (1, 20, 300, 4000))) == 3 * 4321
    assert moved(everyone("reduce_scatter", words=lambda _: (1, 20, 300, 4000))) == 3 * 4321


def test_bytes_to_each_and_from_each():
    def words(rank):
        return (*([10] * 4), *([10] * 4))

    assert moved(everyone("alltoallv", words=words)) == 4 * 3 * 10


def test_neighbours():
    def ring(rank):
        return (1, (rank - 1) % 4, 2, (rank + 1) % 4, (rank + 2) % 4, 64)

    assert moved(everyone("neighbor_allgather", size=64, words=ring)) == 4 * 2 * 64

    def alltoall(rank):
        return (*ring(rank), 5, 6)

    assert moved(everyone("neighbor_alltoall", words=alltoall)) == 4 * (5 + 6)


def test_other_communicators():
    made = [
        Call(rank, "MPI_Comm_split", "communicator", Communicator(position=at), 2, words=(1, 3))
        for at, rank in enumerate((1, 3))
    ]
    inside = [
        Call(rank, "MPI_Bcast", "collective", Collective(50, 1, "bcast"), comm=2) for rank in (1, 3)
    ]
    assert moved([*made, *inside]) == 50  # from world rank 3, which is 1 here
    assert moved(everyone("allreduce", size=8, comm=1)) == 0  # MPI_COMM_SELF


def test_the_calls_add_up_over_blocks():
    counted = Moved(2)
    for collective in ("allgather", "bcast"):
        calls = everyone(collective, ranks=2, size=10, root=0)
        for call in calls:
            counted.add(Block.of([call], FUNCTIONS))
    assert counted.bytes == 20 + 10


def test_show_says_it(run_odonata, tmp_path):
    exchange = write_exchange(tmp_path / "a.trace")
    status, out, _ = run_odonata("trace", "show", exchange, "--json")
    assert (status, json.loads(out)["collective_bytes"]) == (0, 16)  # 8 B of 2 ranks, and back
    _, out, _ = run_odonata("trace", "show", exchange)
    assert re.search(r"\| moved by collectives +\| +16 B", out)
