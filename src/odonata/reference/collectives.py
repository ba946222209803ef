"""Five collectives in textbook form: n ranks, a block of `size` bytes for each.

Every block is a number in a list (`have`), so that the blocks that a rank sends can be read off; a
message costs as much as its bytes.
"""

from __future__ import annotations

from .draws import Purpose, shuffle
from .mpi import RankProgram
from .rank import Program, Rank


def allgather_ring(rank: Rank, size: int) -> RankProgram:
    """Pass blocks from the left on to the right, n - 1 times."""
    rank.copy(size)
    for _ in range(rank.size - 1):
        right, left = (rank.index + 1) % rank.size, (rank.index - 1) % rank.size
        yield rank.sendrecv(right, size, left, size)


def allgather_bruck(rank: Rank, size: int) -> RankProgram:
    """Send all blocks, as far as they are missing there, to the rank 1, 2, 4, ... below.

    References
    ----------
    Bruck, Ho, Kipnis, Upfal, Weathersby, IEEE TPDS 8 (1997), section 4.
    """
    n, me = rank.size, rank.index
    rank.copy(size)
    have = [me]  # in the order of arrival: me, me + 1, ...
    distance = 1
    while distance < n:
        count = min(distance, n - len(have)) * size
        yield rank.sendrecv((me - distance) % n, count, (me + distance) % n, count)
        have = [(me + i) % n for i in range(min(2 * distance, n))]
        distance *= 2
    rank.copy(size * len([block for block in have if block >= me]))  # rotate into place
    rank.copy(size * len([block for block in have if block < me]))


def allgather_recursive_doubling(rank: Rank, size: int) -> RankProgram:
    """Exchange all blocks with the rank whose number differs in bit 0, 1, 2, ...

    With other counts than powers of two, some have no partner. Ranks that have got the blocks of
    the incomplete subtree then pass them on inside their own subtree, in rounds that double the
    number of ranks with these blocks (as in MPICH).
    """
    n, me = rank.size, rank.index
    rank.copy(size)
    bit = 1
    while bit < n:
        partner = me ^ bit
        mine = blocks_of_subtree(me, bit, n)
        theirs = blocks_of_subtree(partner, bit, n)
        if partner < n:
            yield rank.sendrecv(partner, len(mine) * size, partner, len(theirs) * size)
        if 0 < len(theirs) < bit:
            have = {r for r in mine if r ^ bit in theirs}
            yield from spread(rank, have, bit, len(theirs) * size)
        bit *= 2


def blocks_of_subtree(rank: int, count: int, n: int) -> range:
    """Return the ranks below n in the aligned stretch of `count` ranks that holds one."""
    first = rank // count * count
    return range(min(first, n), min(first + count, n))


def spread(rank: Rank, have: set[int], count: int, num_bytes: int) -> RankProgram:
    """Pass on the blocks of some ranks of a stretch of `count`, halving the distance each round."""
    distance = count // 2
    while distance > 0:
        for r in sorted(have):
            to = r + distance
            if r % (2 * distance) >= distance or to in have or to // count != r // count:
                continue
            if r == rank.index:
                yield rank.send(to, num_bytes)
            elif to == rank.index:
                yield rank.recv(r, num_bytes)
            have = have | {to}
        distance //= 2


def scatter_linear(rank: Rank, size: int, root: int) -> RankProgram:
    """Start a send to every other rank at the root, in random order, and wait for all."""
    if rank.index != root:
        yield rank.recv(root, size)
        return
    others = [r for r in range(rank.size) if r != root]
    shuffle(others, rank.draws(Purpose.SEND_ORDER))
    sends = [rank.isend(r, size) for r in others]
    rank.copy(size)
    yield rank.wait(sends)


def scatter_binomial(rank: Rank, size: int, root: int) -> RankProgram:
    """Hand the upper half of the blocks to the rank in their middle, until one is left."""
    n = rank.size
    me = (rank.index - root) % n  # counted from the root
    parent, have = find_parent(me, n)
    if parent is not None:
        yield rank.recv((parent + root) % n, len(have) * size)
    elif root > 0:
        rank.copy((n - root) * size)  # pack, the root's block first
        rank.copy(root * size)
    leaf = parent is not None and len(have) == 1 and me % 2 == 1
    half = largest_power_below(n) if parent is None else lowest_bit(me) // 2
    while half > 0:
        upper = [block for block in have if block >= me + half]
        if upper:
            to = (me + half + root) % n
            yield rank.send(to, len(upper) * size)
        have = have[: len(have) - len(upper)]
        half //= 2
    if not leaf:
        rank.copy(size)  # a leaf receives in place


def find_parent(me: int, n: int) -> tuple[int | None, list[int]]:
    """Return who sends to a rank in a binomial scatter, and the blocks that it sends."""
    if me == 0:
        return None, list(range(n))
    bit = lowest_bit(me)
    return me - bit, list(range(me, min(me + bit, n)))


def lowest_bit(x: int) -> int:
    """Return the lowest bit that is set."""
    return x & -x


def largest_power_below(n: int) -> int:
    """Return the largest power of two below n, or 0."""
    return 1 << (n - 1).bit_length() - 1 if n > 1 else 0


def collective(operation: str, algorithm: str, size: int, root: int = 0) -> Program:
    """Return the rank program of a collective of one block of `size` [B] a rank."""
    if operation == "allgather":
        allgathers = {
            "ring": allgather_ring,
            "bruck": allgather_bruck,
            "recursive_doubling": allgather_recursive_doubling,
        }
        return lambda rank: allgathers[algorithm](rank, size)
    scatters = {"linear": scatter_linear, "binomial": scatter_binomial}
    return lambda rank: scatters[algorithm](rank, size, root)
