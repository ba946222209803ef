"""Programs that the registry doesn't have: other orders of sends, single steps of allgathers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from odonata.placement import Placement
from odonata.workload import Program

BYTES = 1024


def program(name: str, placement: Placement) -> Program:
    """Return the program of a name such as ``scatter/linear-by-rank``."""
    made = {
        "scatter/linear-by-rank": lambda: _linear(by_rank(placement)),
        "scatter/linear-by-place": lambda: _linear(by_place(placement)),
        "scatter/linear-by-turns": lambda: _linear(by_turns(placement)),
    }
    return Program(made[name](), name)


def by_rank(placement: Placement) -> list[int]:
    """Return all ranks in order."""
    return list(range(placement.ranks))


def by_place(placement: Placement) -> list[int]:
    """Return all ranks by group, router and node."""
    return [int(rank) for rank in np.lexsort((placement.nodes, placement.groups))]


def by_turns(placement: Placement) -> list[int]:
    """Return all ranks in turns round the groups: one of each group, then the next of each."""
    groups = placement.groups[by_place(placement)]
    turn = np.arange(len(groups)) - np.searchsorted(groups, groups)
    return [by_place(placement)[at] for at in np.lexsort((groups, turn))]


def _linear(order: list[int]) -> Callable:
    def linear(rank):
        if rank.index != 0:
            yield rank.recv(0, BYTES)
            return
        yield rank.wait_all([rank.isend(to, BYTES) for to in order if to != 0])

    return linear


def steps(name: str, ranks: int) -> Iterator[tuple[Program, int]]:
    """Yield the steps of an allgather, each a program of its own, and how often it is taken."""
    if name != "allgather/bruck-in-step":
        yield _shift(-1, 1), ranks - 1
        return
    have = 1
    while have < ranks:
        yield _shift(have, min(have, ranks - have)), 1
        have *= 2


def _shift(distance: int, blocks: int) -> Program:
    """Return a step in which every rank sends so many blocks so far down."""

    def shift(rank):
        size = blocks * BYTES
        to, source = (rank.index - distance) % rank.size, (rank.index + distance) % rank.size
        yield rank.sendrecv(to, size, source, size)

    return Program(shift)
