"""Protocols of messages between two ranks: short, eager, rendezvous, and their costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from odonata.measure.knees import Knee, Piece, highest_jump
from odonata.measure.world import World

__all__ = ["Protocols", "longest_eager", "protocols_of"]

PATIENCE = 20
"""Times of a message of 8 bytes that an eager send may take, beside a few times of a message of its
own size; a longer send counts as rendezvous."""

FEWEST_POLLS, MOST_POLLS = 10, 100_000

SEEN = 0.05
"""Least part of a round trip that the overhead of a rendezvous must have beside it."""

BENT = 0.02
"""Least part by which the time of a byte must grow at a bend."""

CONTROL_BYTES = 64
"""Size that is assumed of a request to send and of its answer [B]."""

_DATA, _GO, _PLAN = 111, 112, 113


@dataclass(frozen=True)
class Protocols:
    """Costs of the protocols of a curve, on either side of a message.

    Parameters
    ----------
    short
        The jump at which messages no longer fit into a mailbox; None without a jump.
    eager_overhead, eager_per_byte
        Additional time of messages beyond it [s], [s/B].
    rendezvous_overhead
        Additional time of a rendezvous, beside request to send and clear to send [s]; None if these
        explain all of it.
    long_bytes
        Size beyond which a byte of a rendezvous takes longer [B]; None if none does.
    long_per_byte
        Additional time of such a byte [s/B].
    """

    short: Knee | None = None
    eager_overhead: float = 0.0
    eager_per_byte: float = 0.0
    rendezvous_overhead: float | None = None
    long_bytes: int | None = None
    long_per_byte: float = 0.0


def longest_eager(
    world: World, pair: tuple[int, int], sizes: Sequence[int], seconds: Sequence[float]
) -> int | None:
    """Return the size of the longest message that is sent eagerly [B].

    All ranks call this, and get the same.

    Parameters
    ----------
    world
        All ranks.
    pair
        Two different ranks.
    sizes, seconds
        Their latency curve [B], [s].

    Returns
    -------
    int or None
        None if messages of the last of the sizes are eager.

    Notes
    -----
    The send of a rendezvous is not complete before its receive begins: the receiver begins
    it when the sender, which has looked at its send for a while, says so.
    """
    found = np.array([-1.0])
    if world.rank == pair[0]:

        def by_rendezvous(size: int) -> bool:
            usual = float(np.interp(size, sizes, seconds))
            return _is_rendezvous(world, pair[1], size, PATIENCE * seconds[0] + 4 * usual)

        found[0] = _last_before(by_rendezvous, sizes[-1])
        world.comm.Send(np.array([-1], dtype=np.int64), pair[1], _PLAN)
    elif world.rank == pair[1]:
        _receive_late(world, pair[0])
    world.share(found, pair[0])
    return int(found[0]) if found[0] >= 0 else None


def protocols_of(knees: Sequence[Knee], eager_bytes: int | None, spent: float) -> Protocols:
    """Return the costs of the protocols of a pair on two nodes.

    Parameters
    ----------
    knees
        Knees of its latency curve.
    eager_bytes
        The longest message that doesn't ask [B]; None if none was seen to ask.
    spent
        The overheads of a message of 8 bytes, of both sides together [s].

    Notes
    -----
    With t(n) the law of the first piece of the curve and t' the law of the piece behind a knee,
    both sides share the difference. A rendezvous has the round trip of its request and answer, 2
    (t(c) - `spent`) with `CONTROL_BYTES` c, for itself. A bend has its size where its two lines
    cross.
    """
    if not knees:
        return Protocols()
    last = np.inf if eager_bytes is None else eager_bytes
    short = highest_jump(knee for knee in knees if knee.high <= last)
    more = Protocols() if short is None else _more(short)
    law = knees[0].before
    pieces = [law, *(knee.behind for knee in knees)]
    rendezvous = next((piece for piece in pieces if piece.last > last), None)
    bend = next((knee for knee in knees if knee.low > last and _steeper(knee)), None)
    return Protocols(
        short,
        more.eager_overhead,
        more.eager_per_byte,
        None if rendezvous is None else _rendezvous(law, rendezvous, spent),
        None if bend is None else _crossing(bend),
        0.0 if bend is None else (bend.behind.slope - bend.before.slope) / 2,
    )


def _more(knee: Knee) -> Protocols:
    """Return the additional costs of messages behind a knee."""
    start = max(0.0, knee.behind.intercept - knee.before.intercept) / 2
    return Protocols(knee, start, max(0.0, knee.behind.slope - knee.before.slope) / 2)


def _rendezvous(law: Piece, rendezvous: Piece, spent: float) -> float | None:
    """Return the overhead of a rendezvous; None if its round trip explains it."""
    round_trip = 2 * (law.seconds(CONTROL_BYTES) - spent)
    rest = rendezvous.intercept - law.intercept - round_trip
    return rest / 2 if rest > SEEN * round_trip else None


def _steeper(knee: Knee) -> bool:
    return knee.kind == "bend" and knee.behind.slope > (1 + BENT) * knee.before.slope


def _crossing(knee: Knee) -> int:
    """Return the size at which the lines of a bend cross [B]."""
    before, behind = knee.before, knee.behind
    size = (before.intercept - behind.intercept) / (behind.slope - before.slope)
    return round(min(max(size, knee.low), knee.high))


# ---- the two ranks that look for the longest message that doesn't ask


def _last_before(by_rendezvous: Callable[[int], bool], most: int) -> int:
    """Return the last size that is eager, by halving; -1 if none is."""
    if not by_rendezvous(most):
        return -1
    low, high = 0, most  # a message of no bytes has nothing to ask for
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if by_rendezvous(middle) else (middle, high)
    return low


def _is_rendezvous(world: World, peer: int, size: int, seconds: float) -> bool:
    """Return whether a send is still going on after a time [s], before its receive begins."""
    clock = world.mpi.Wtime
    world.comm.Send(np.array([size], dtype=np.int64), peer, _PLAN)
    request = world.comm.Isend(np.zeros(size, dtype=np.uint8), peer, _DATA)
    end, polls, done = clock() + seconds, 0, False
    while not done and polls < MOST_POLLS and (polls < FEWEST_POLLS or clock() < end):
        done = request.Test()
        polls += 1
    world.comm.Send(np.zeros(1, dtype=np.uint8), peer, _GO)
    if not done:
        request.Wait()
    return not done


def _receive_late(world: World, leader: int) -> None:
    """Receive each message when its sender says so, until the last."""
    plan, go = np.empty(1, dtype=np.int64), np.empty(1, dtype=np.uint8)
    while True:
        world.comm.Recv(plan, leader, _PLAN)
        if plan[0] < 0:
            return
        world.comm.Recv(go, leader, _GO)
        world.comm.Recv(np.empty(plan[0], dtype=np.uint8), leader, _DATA)
