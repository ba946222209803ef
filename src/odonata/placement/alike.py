"""Allocations drawn so that jobs spread over groups as the jobs of a real machine did."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from odonata import _core
from odonata.errors import UserError, near_miss
from odonata.machine import Machine

__all__ = ["Spread", "alike_nodes", "busy_alike", "machines_with_jobs", "spreads"]

BUSY_DRAWS = 2**32
"""Number of the job whose draws the jobs of a busy machine have, above all others."""

SHIPPED = Path(__file__).parents[1] / "data" / "allocations"
"""Summaries of jobs, one file a machine."""


@dataclass(frozen=True)
class Spread:
    """Spread of a job over the groups of its machine.

    Parameters
    ----------
    groups
        Number of groups in which it has nodes.
    largest
        Share of its nodes in the group that has most of them.
    runs
        Number of runs of adjacent nodes, for each node: 1 if no two nodes are adjacent.
    nodes
        Number of its nodes.
    """

    groups: int
    largest: float
    runs: float
    nodes: int


@dataclass(frozen=True)
class _Summary:
    groups: int  # of the machine, from the first on, in which jobs were placed
    sizes: tuple[tuple[int, tuple[Spread, ...]], ...]  # least nodes of a job, and spreads alike
    jobs: tuple[int, ...]  # how many there were of each size


def machines_with_jobs() -> list[str]:
    """Return the names of the machines whose jobs are known."""
    return sorted(file.stem for file in SHIPPED.glob("*.toml"))


def spreads(name: str, nodes: int) -> Sequence[Spread]:
    """Return how jobs of a machine were spread, all equally likely.

    Parameters
    ----------
    name
        Name of the machine, one of `machines_with_jobs`.
    nodes
        Number of nodes of a job; spreads are of jobs of about this size.

    Raises
    ------
    UserError
        No jobs of such a machine are known.

    Examples
    --------
    >>> spreads("lumi", 2048)[0]
    Spread(groups=23, largest=0.061, runs=0.023, nodes=2048)
    """
    sizes = _summary(name).sizes
    known = [found for least, found in sizes if least <= nodes]
    return known[-1] if known else sizes[0][1]


@functools.cache
def _summary(name: str) -> _Summary:
    known = machines_with_jobs()
    if name not in known:
        near = near_miss(name, known)
        raise UserError("like: unknown", value=name, near=near, allowed=", ".join(known))
    document = tomllib.loads(SHIPPED.joinpath(f"{name}.toml").read_text(encoding="utf-8"))
    sizes = [(each["from"], tuple(Spread(*one) for one in each["spread"])) for each in
             document["sizes"]]  # fmt: skip
    return _Summary(document["groups"], tuple(sizes), tuple(s["jobs"] for s in document["sizes"]))


def alike_nodes(
    machine: Machine, allocation: str, free: Sequence[int], count: int, *, seed: int, job: int
) -> list[int]:
    """Return nodes that are spread over groups as jobs of a real machine were, by number.

    Parameters
    ----------
    machine
        The machine; it has groups.
    allocation
        Such as ``like:lumi``.
    free
        Nodes to choose from.
    count
        Number of nodes.
    seed, job
        Seed and number of the job, for the draws.

    Raises
    ------
    UserError
        No jobs of such a machine are known, this machine has no groups, or too few nodes are free.

    Notes
    -----
    A spread is drawn from `spreads`. The groups are drawn among those with room for their parts;
    the parts beside the largest are as even as chance makes them, and runs of adjacent free nodes
    lie anywhere in their group. On a machine of the same name only the groups count in which the
    jobs were placed.
    """
    name = allocation.partition(":")[2]
    _summary(name)
    rooms = _rooms(machine, name, free)
    _check_room(rooms, count)
    draws = _Draws(seed, job)
    return _drawn(rooms, count, draws.one_of(spreads(name, count)), draws)


def busy_alike(
    machine: Machine, name: str, free: Sequence[int], count: int, *, seed: int
) -> list[list[int]]:
    """Return the nodes of jobs with sizes and spreads of the jobs of a real machine.

    Parameters
    ----------
    machine, free, seed
        The same as for `alike_nodes`.
    name
        Name of the machine, one of `machines_with_jobs`.
    count
        Number of nodes of all jobs together, 2 or more.

    Notes
    -----
    Each of the real jobs is equally likely, however long it ran. A job with more nodes than are
    still wanted waits; where all are too large, the last job gets the rest.
    """
    summary = _summary(name)
    draws = _Draws(seed, BUSY_DRAWS)
    rest, jobs = sorted(free), []
    _check_room(_rooms(machine, name, rest), count)
    while count > 0:
        spread = _fitting(summary, count, draws)
        size = count if count - spread.nodes in (0, 1) or spread.nodes > count else spread.nodes
        jobs.append(_drawn(_rooms(machine, name, rest), size, spread, draws))
        taken = set(jobs[-1])
        rest = [node for node in rest if node not in taken]
        count -= size
    return jobs


def _fitting(summary: _Summary, count: int, draws: _Draws) -> Spread:
    """Return the spread of any job that has `count` nodes at most, if one of 100 draws has."""
    for _ in range(100):
        at, size = draws.below(sum(summary.jobs)), 0
        while at >= summary.jobs[size]:
            at -= summary.jobs[size]
            size += 1
        spread = draws.one_of(summary.sizes[size][1])
        if spread.nodes <= count:
            break
    return spread


def _check_room(rooms: list[list[int]], count: int) -> None:
    there = sum(map(len, rooms))
    if there < count:
        allowed = f"{there} nodes, which are free in the groups of such jobs"
        raise UserError("allocation: too few nodes are free", value=count, allowed=allowed)


def _drawn(rooms: list[list[int]], count: int, spread: Spread, draws: _Draws) -> list[int]:
    """Return nodes for a job of such a spread, by number."""
    parts = _parts(spread, count, len(rooms), draws)
    chosen = _choose_groups(rooms, parts, draws)
    runs = _share_out(max(len(chosen), round(spread.runs * count)), [size for _, size in chosen])
    nodes: list[int] = []
    for (room, size), pieces in zip(chosen, runs, strict=True):
        nodes += _runs(room, size, pieces, draws)
    return sorted(nodes)


class _Draws:
    """Draws of an allocation, one after the other."""

    def __init__(self, seed: int, job: int) -> None:
        self._seed, self._job, self._next = seed, job, 0

    def below(self, count: int) -> int:
        self._next += 1
        return _core.draw_below(self._seed, self._job, self._next - 1, count)

    def one_of(self, choices: Sequence[Spread]) -> Spread:
        return choices[self.below(len(choices))]

    def cuts(self, total: int, parts: int) -> list[int]:
        """Return sizes, 0 or more, of so many parts of a total, which is cut at random places."""
        places = sorted(self.below(total + 1) for _ in range(parts - 1))
        return [b - a for a, b in zip([0, *places], [*places, total], strict=True)]


def _rooms(machine: Machine, name: str, free: Sequence[int]) -> list[list[int]]:
    """Return the free nodes of each group in which jobs of that name are placed."""
    if not machine.num_groups:
        raise UserError(f"allocation: {machine.name} has no groups", value=f"like:{name}")
    groups = _summary(name).groups if machine.name == name else machine.num_groups
    rooms: list[list[int]] = [[] for _ in range(machine.num_groups)]
    group_of = machine.node_group.tolist()
    for node in sorted(free):
        rooms[group_of[node]].append(node)
    return [room for room in rooms[:groups] if room]


def _parts(spread: Spread, count: int, groups: int, draws: _Draws) -> list[int]:
    """Return how many nodes a job has in each of its groups, most first."""
    number = min(spread.groups, count, groups)
    even = -(-count // number)
    largest = min(max(round(spread.largest * count), even), count - (number - 1))
    rest = [1] * (number - 1)
    for _ in range(count - largest - sum(rest)):
        smaller = [at for at, size in enumerate(rest) if size < largest]
        rest[smaller[draws.below(len(smaller))]] += 1
    return sorted([largest, *rest], reverse=True)


def _choose_groups(
    rooms: list[list[int]], parts: list[int], draws: _Draws
) -> list[tuple[list[int], int]]:
    """Return a group for each part and the number of its nodes; what has no room goes elsewhere."""
    left, chosen, over = list(rooms), [], 0
    for size in parts:
        fits = [room for room in left if len(room) >= size] or [max(left, key=len)]
        room = fits[draws.below(len(fits))]
        left.remove(room)
        chosen.append((room, min(size, len(room))))
        over += max(0, size - len(room))
    for room, size in [*chosen, *((room, 0) for room in left)]:
        more = min(over, len(room) - size)
        over -= more
        if more and size:
            chosen[chosen.index((room, size))] = (room, size + more)
        elif more:
            chosen.append((room, more))
    return chosen


def _share_out(total: int, sizes: Sequence[int]) -> list[int]:
    """Return a share of a total for each size, in proportion: 1 at least, the size at most."""
    whole, shares, before = sum(sizes), [], 0
    for size in sizes:
        behind = before + size
        share = round(total * behind / whole) - round(total * before / whole)
        shares.append(min(max(share, 1), size))
        before = behind
    return shares


def _runs(room: Sequence[int], size: int, runs: int, draws: _Draws) -> list[int]:
    """Return nodes of a group in so many runs, with gaps between where it has room for them."""
    lengths = [1 + more for more in draws.cuts(size - runs, runs)]
    spare = len(room) - size
    between = 1 if spare >= runs - 1 else 0
    gaps = draws.cuts(spare - between * (runs - 1), runs + 1)
    nodes: list[int] = []
    at = gaps[0]
    for length, gap in zip(lengths, gaps[1:], strict=True):
        nodes += room[at : at + length]
        at += length + gap + between
    return nodes
