"""Two applications: steps of a blast wave on a grid, and Poisson solves by FFT."""

from __future__ import annotations

from dataclasses import dataclass

from .halo import Halo, swap
from .mpi import RankProgram, per_byte
from .rank import Program, Rank

NUMBER = 8  # [B] the length of a step


@dataclass
class Sedov:
    """Steps of a blast wave; the repetitions of the ghost exchange are their number."""

    ghosts: Halo
    exchanges: int  # in a step
    compute: int  # [ps] in a step


@dataclass
class Fft:
    """Solves on side x side x side ranks; lists of three are along x, y, z."""

    side: int
    blocks: list[int]  # [B] from each rank to each
    alltoalls: list[str]
    transform: list[int]  # [ps] FFTs in one direction
    multiply: int  # [ps]
    pack: float  # [ps/B]
    repetitions: int


def sedov(what: Sedov) -> Program:
    """Return the program: the length of the step is agreed on, then work and exchanges."""

    def program(rank: Rank) -> RankProgram:
        for _ in range(what.ghosts.repetitions):
            yield from allreduce(rank, NUMBER)
            for i in range(what.exchanges):
                before, after = (
                    what.compute * substeps // what.exchanges for substeps in (i, i + 1)
                )
                yield from work(rank, after - before)
                yield from swap(rank, what.ghosts)

    return program


def fft(what: Fft) -> Program:
    """Return the program: transposes and FFTs along x, y, z, a product, and all backwards."""

    def program(rank: Rank) -> RankProgram:
        for _ in range(what.repetitions):
            for i in (0, 1, 2):
                yield from transpose(rank, what, i)
                yield from work(rank, what.transform[i])
            yield from work(rank, what.multiply)
            for i in (2, 1, 0):
                yield from work(rank, what.transform[i])
                yield from transpose(rank, what, i)

    return program


def transpose(rank: Rank, what: Fft, axis: int) -> RankProgram:
    """Pack, let all ranks of a communicator exchange their blocks, unpack."""
    members = communicator(rank.index, what.side, axis)
    copying = per_byte(what.pack, len(members) * what.blocks[axis])
    yield from work(rank, copying)
    algorithms = {"pairwise": alltoall_pairwise, "scattered": alltoall_scattered}
    yield from algorithms[what.alltoalls[axis]](rank, members, what.blocks[axis])
    yield from work(rank, copying)


def communicator(rank: int, side: int, axis: int) -> list[int]:
    """Return the ranks of a line of bricks, of a plane of them, or of a line across planes."""
    x, y, z = rank % side, rank // side % side, rank // side**2
    if axis == 0:
        return [i + side * (y + side * z) for i in range(side)]
    if axis == 1:
        return [i + side * (j + side * z) for j in range(side) for i in range(side)]
    return [x + side * (y + side * k) for k in range(side)]


def alltoall_pairwise(rank: Rank, members: list[int], size: int) -> RankProgram:
    """Exchange blocks with one rank after the other: XOR i where n is a power of two."""
    n, me = len(members), members.index(rank.index)
    rank.copy(size)
    for i in range(1, n):
        to, source = (me ^ i, me ^ i) if n & (n - 1) == 0 else ((me + i) % n, (me - i) % n)
        yield rank.sendrecv(members[to], size, members[source], size)


def alltoall_scattered(rank: Rank, members: list[int], size: int) -> RankProgram:
    """Receive from the ranks above and send to those below, 32 of them at a time."""
    n, me = len(members), members.index(rank.index)
    rank.copy(size)
    for begin in range(1, n, 32):
        steps = range(begin, min(begin + 32, n))
        receives = [rank.irecv(members[(me + i) % n], size) for i in steps]
        sends = [rank.isend(members[(me - i) % n], size) for i in steps]
        yield rank.wait([*receives, *sends])


def allreduce(rank: Rank, size: int) -> RankProgram:
    """Exchange sums with the rank whose number differs in bit 0, 1, 2, ...

    With other counts than powers of two, the first ranks join in pairs, so that a power of two is
    left; who has joined the other gets the sum in the end.
    """
    n, me = rank.size, rank.index
    rank.copy(size)
    active = 1 << n.bit_length() - 1
    pairs = n - active
    if me < 2 * pairs and me % 2 == 0:
        yield rank.send(me + 1, size)
        yield rank.recv(me + 1, size)
        return
    if me < 2 * pairs:
        yield rank.recv(me - 1, size)
        rank.combine(size)
    number = me // 2 if me < 2 * pairs else me - pairs
    bit = 1
    while bit < active:
        other = number ^ bit
        partner = 2 * other + 1 if other < pairs else other + pairs
        yield rank.sendrecv(partner, size, partner, size)
        rank.combine(size)
        bit *= 2
    if me < 2 * pairs:
        yield rank.send(me - 1, size)


def work(rank: Rank, time: int) -> RankProgram:
    """Compute for a time [ps]."""
    if time > 0:
        yield rank.compute(time)
