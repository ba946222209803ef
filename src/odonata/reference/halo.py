"""Halo exchange: boxes of cells on a process grid swap their faces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from .mpi import RankProgram, per_byte
from .rank import Program, Rank

Place = tuple[int, ...]


@dataclass
class Halo:
    """A halo exchange; lists by dimension have x first."""

    sides: list[int]  # ranks
    face_bytes: list[int]  # [B] to a neighbour
    pack: list[float]  # [ps/B] packing, and unpacking
    rank_at: dict[Place, int]
    periodic: bool
    repetitions: int


def plain(sides: list[int]) -> dict[Place, int]:
    """Return the rank at each place, the first coordinate fastest."""
    backwards = product(*(range(side) for side in reversed(sides)))
    return {place[::-1]: rank for rank, place in enumerate(backwards)}


def cart(sides: list[int]) -> dict[Place, int]:
    """Return the rank at each place, the last coordinate fastest."""
    return {place: rank for rank, place in enumerate(product(*(range(side) for side in sides)))}


def halo(what: Halo) -> Program:
    """Return the program: receives, packed sends one by one, waits with unpacking, the sends."""

    def program(rank: Rank) -> RankProgram:
        for _ in range(what.repetitions):
            yield from swap(rank, what)

    return program


def swap(rank: Rank, what: Halo) -> RankProgram:
    """Exchange all faces once."""
    mine = list(neighbours(what, rank.index))
    theirs = sorted(mine, key=lambda at: direction(at[1], -at[2]))  # as they send
    receives = [
        rank.irecv(peer, what.face_bytes[d], direction(d, -step)) for peer, d, step in theirs
    ]
    sends = []
    for peer, d, step in mine:
        yield from copy(rank, what, d)
        sends.append(rank.isend(peer, what.face_bytes[d], direction(d, step)))
    for receive, (_, d, _) in zip(receives, theirs, strict=True):
        yield rank.wait([receive])
        yield from copy(rank, what, d)
    yield rank.wait(sends)


def neighbours(what: Halo, rank: int) -> Iterator[tuple[int, int, int]]:
    """Yield rank, dimension and step (-1 or 1) of each neighbour."""
    (place,) = (place for place, there in what.rank_at.items() if there == rank)
    for d, side in enumerate(what.sides):
        for step in (-1, 1) if side > 1 else ():
            at = place[d] + step
            if what.periodic or 0 <= at < side:
                yield what.rank_at[(*place[:d], at % side, *place[d + 1 :])], d, step


def direction(dimension: int, step: int) -> int:
    """Return the tag of messages that go one step along a dimension."""
    return 2 * dimension + (step > 0)


def copy(rank: Rank, what: Halo, dimension: int) -> RankProgram:
    """Pack or unpack a face."""
    time = per_byte(what.pack[dimension], what.face_bytes[dimension])
    if time > 0:
        yield rank.compute(time)
