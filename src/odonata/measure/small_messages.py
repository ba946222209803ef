"""Costs of many small messages: the gap of a NIC, entries of queues, requests of a wait."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from odonata.measure.estimate import Estimate, median_of
from odonata.measure.pingpong import SHORT_BYTES, Line
from odonata.measure.world import World

if TYPE_CHECKING:
    from mpi4py import MPI

__all__ = ["ENTRIES", "SmallMessages", "Streams", "measure_small_messages"]

STREAM = 64
"""Messages of a rank in the shorter of two streams; the longer has twice as many."""

ENTRIES = 64
"""Entries of a queue, and requests of a wait."""

ROUNDS = 4
"""Round trips of a sample behind a queue."""

_DATA, _BEHIND, _FLAG = 101, 102, 103


@dataclass(frozen=True)
class Streams:
    """Intervals between the messages of a rank when some ranks of a node send to another node.

    Parameters
    ----------
    senders
        Numbers of ranks that send at once: 1, 2, 4, ... and as many as there are.
    seconds
        Time from a message of a rank to its next, of the slowest rank [s].
    """

    senders: tuple[int, ...]
    seconds: tuple[Estimate, ...]


@dataclass(frozen=True)
class SmallMessages:
    """Costs that grow with the number of messages.

    Parameters
    ----------
    streams
        Message rates of a node; None if all ranks are on one.
    posted, unexpected
        Time of passing a posted receive, and an unexpected message [s].
    request
        Time of a request that a wait looks at [s].

    References
    ----------
    Gropp, Olson and Samfass, Modeling MPI communication performance on SMP nodes, 2016: rates of
    messages. Bienz, Gropp and Olson, arXiv:1806.02030, 2018: searches of queues.
    """

    streams: Streams | None
    posted: Estimate
    unexpected: Estimate
    request: Estimate


def measure_small_messages(world: World, pair: tuple[int, int], samples: int) -> SmallMessages:
    """Measure the costs of many small messages; all ranks call this, and get the same.

    Parameters
    ----------
    world
        All ranks.
    pair
        Two ranks, on two nodes if there are two; streams go from the first rank's node to the
        second's.
    samples
        Samples of each number.
    """
    streams = None if world.same_node(*pair) else _measure_streams(world, pair, samples)
    found = [
        _slope(world, pair, measure, samples, teller)
        for measure, teller in ((_round_trip, 0), (_receive, 1), (_wait, 1))
    ]
    return SmallMessages(streams, *found)


def _slope(
    world: World,
    pair: tuple[int, int],
    measure: Callable[[World, tuple[int, int], int], float],
    samples: int,
    teller: int,
) -> Estimate:
    """Return the additional time of each of `ENTRIES`; the rank of the pair that tells has it."""
    times = np.zeros(samples)
    if world.rank in pair:
        for i in range(samples):  # in turn, so that both see the same noise
            none, all_of_them = (measure(world, pair, number) for number in (0, ENTRIES))
            times[i] = (all_of_them - none) / ENTRIES
    return median_of(np.maximum(world.share(times, pair[teller]), 0.0))


# ---- queues and requests, between two ranks


def _round_trip(world: World, pair: tuple[int, int], entries: int) -> float:
    """Return the time of a round trip to a rank that has posted other receives before [s]."""
    peer = pair[1] if world.rank == pair[0] else pair[0]
    leads = world.rank == pair[0]
    others = [] if leads else [_receive_of(world, peer, _BEHIND) for _ in range(entries)]
    for request in others:
        request.Start()
    seconds = 0.0
    with Line(world.comm, peer, SHORT_BYTES) as line:
        if leads:
            _take_flag(world, peer)
            line.lead(1)
            began = world.mpi.Wtime()
            line.lead(ROUNDS)
            seconds = (world.mpi.Wtime() - began) / ROUNDS
            _send_some(world, peer, _BEHIND, entries)
        else:
            _give_flag(world, peer)
            line.answer(1 + ROUNDS)
    _finish(world, others)
    return seconds


def _receive(world: World, pair: tuple[int, int], entries: int) -> float:
    """Return the time of receiving a message that is there, behind others [s]."""
    if world.rank == pair[0]:
        _send_some(world, pair[1], _BEHIND, entries)
        _send_some(world, pair[1], _DATA, ROUNDS)
        _give_flag(world, pair[1])
        _take_flag(world, pair[1])
        return 0.0
    wanted = [_receive_of(world, pair[0], _DATA) for _ in range(ROUNDS)]
    _take_flag(world, pair[0])
    began = world.mpi.Wtime()
    for request in wanted:
        request.Start()
        request.Wait()
    seconds = (world.mpi.Wtime() - began) / ROUNDS
    behind = [_receive_of(world, pair[0], _BEHIND) for _ in range(entries)]
    for request in behind:
        request.Start()
    _finish(world, [*wanted, *behind])
    _give_flag(world, pair[0])
    return float(seconds)


def _wait(world: World, pair: tuple[int, int], entries: int) -> float:
    """Return the additional time of a wait for messages that are there over an idle wait [s].

    Both have the same list of requests, which the first wait leaves inactive.
    """
    if world.rank == pair[0]:
        _take_flag(world, pair[1])
        _send_some(world, pair[1], _DATA, entries)
        _give_flag(world, pair[1])
        return 0.0
    wanted = [_receive_of(world, pair[0], _DATA) for _ in range(entries)]
    for request in wanted:
        request.Start()
    _give_flag(world, pair[0])
    _take_flag(world, pair[0])
    began = world.mpi.Wtime()
    world.mpi.Request.Waitall(wanted)
    middle = world.mpi.Wtime()
    world.mpi.Request.Waitall(wanted)
    seconds = (middle - began) - (world.mpi.Wtime() - middle)
    _finish(world, wanted)
    return float(seconds)


def _receive_of(world: World, peer: int, tag: int) -> MPI.Prequest:
    return world.comm.Recv_init(np.zeros(SHORT_BYTES, dtype=np.uint8), peer, tag)


def _send_some(world: World, peer: int, tag: int, count: int) -> None:
    data = np.zeros(SHORT_BYTES, dtype=np.uint8)
    for _ in range(count):
        world.comm.Send(data, peer, tag)


def _give_flag(world: World, peer: int) -> None:
    world.comm.Send(np.zeros(1, dtype=np.uint8), peer, _FLAG)


def _take_flag(world: World, peer: int) -> None:
    world.comm.Recv(np.zeros(1, dtype=np.uint8), peer, _FLAG)


def _finish(world: World, requests: Sequence[MPI.Prequest]) -> None:
    world.mpi.Request.Waitall(list(requests))
    for request in requests:
        request.Free()


# ---- streams, from the ranks of one node to the ranks of another


def _measure_streams(world: World, pair: tuple[int, int], samples: int) -> Streams:
    here, there = (np.flatnonzero(world.nodes == world.nodes[rank]).tolist() for rank in pair)
    most = min(len(here), len(there))
    partners = dict(zip(here, there, strict=False))
    partners |= {receiver: sender for sender, receiver in partners.items()}
    counts = tuple(sorted({2**k for k in range(most.bit_length())} | {most}))
    senders = world.comm.Split(0 if world.rank in here[:most] else 1, world.rank)
    seconds = np.zeros((len(counts), samples))
    for row, count in enumerate(counts):
        active = world.rank in (*here[:count], *there[:count])
        for i in range(samples):
            short, long = (
                _stream(world, senders, partners, number, active, world.rank in here[:most])
                for number in (STREAM, 2 * STREAM)
            )
            seconds[row, i] = (long - short) / STREAM
    senders.Free()
    slowest = world.most(np.maximum(seconds, 0.0))
    return Streams(counts, tuple(map(median_of, slowest)))


def _begin_together(senders: MPI.Comm) -> None:
    """Meet twice: where ranks leave a barrier depends on how they came, the second time less."""
    senders.Barrier()
    senders.Barrier()


def _stream(
    world: World,
    senders: MPI.Comm,
    partners: dict[int, int],
    count: int,
    active: bool,
    sends: bool,
) -> float:
    """Return the time until a rank's messages have all been received; 0 of one that has none [s].

    All senders begin together, when the receivers have posted their receives.
    """
    if not active:
        if sends:
            _begin_together(senders)
        return 0.0
    peer = partners[world.rank]
    make = world.comm.Send_init if sends else world.comm.Recv_init
    data = np.zeros(SHORT_BYTES, dtype=np.uint8)
    requests = [make(data if sends else data.copy(), peer, _DATA) for _ in range(count)]
    seconds = 0.0
    if sends:
        _take_flag(world, peer)
        _begin_together(senders)
        began = world.mpi.Wtime()
    for request in requests:
        request.Start()
    if not sends:
        _give_flag(world, peer)
    world.mpi.Request.Waitall(requests)
    if sends:
        _take_flag(world, peer)
        seconds = world.mpi.Wtime() - began
    else:
        _give_flag(world, peer)
    _finish(world, requests)
    return float(seconds)
