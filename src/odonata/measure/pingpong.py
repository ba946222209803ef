"""Ping-pong: how long a message takes between two ranks, by its size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from odonata.measure.world import World

if TYPE_CHECKING:
    from mpi4py import MPI

__all__ = [
    "LONG_BYTES",
    "SHORT_BYTES",
    "Effort",
    "Line",
    "call_seconds",
    "clock_step",
    "sample_pair",
]

SHORT_BYTES = 8
"""Size of the message whose time is the latency, as in HPCC's latency-bandwidth test."""

LONG_BYTES = 2_000_000
"""Size of the message whose rate is the bandwidth, as there."""

_DATA, _CONTROL = 71, 72

LEAST_STEPS = 2000
"""Fewest steps of the clock in a sample: its own time is then below a thousandth."""

READINGS = 16
"""Readings of the clock in a row: more of them move on a simulated clock that stands still."""

MOST_ROUNDS = 1000

FEWEST_SAMPLES = 5

SAME = 1e-6
"""Least relative difference of round trips: on a real machine no two are nearer."""

WARM_UP = 4


@dataclass(frozen=True)
class Effort:
    """Effort that is spent on a number.

    Parameters
    ----------
    samples
        Samples of a pair and a size; at least five.
    seconds
        After which there are fewer samples, but not fewer than five.
    """

    samples: int = 30
    seconds: float = 0.1

    def plan(self, first: float, second: float, step: float) -> tuple[int, int]:
        """Return how many round trips a sample has, and how many samples there are.

        Parameters
        ----------
        first, second
            Times of two round trips [s]. If they are the same, so are all others: a simulation.
        step
            Step of the clock [s].
        """
        round_trip = min(first, second)
        rounds = min(MOST_ROUNDS, max(1, math.ceil(LEAST_STEPS * step / round_trip)))
        affordable = int(self.seconds / (rounds * round_trip))
        same = abs(first - second) < SAME * round_trip
        return rounds, FEWEST_SAMPLES if same else max(
            FEWEST_SAMPLES, min(self.samples, affordable)
        )


class Line:
    """Messages of a size to and fro between this rank and another.

    They are persistent: between a message and its answer are the ends of two calls, and no buffer
    is looked at again.

    Parameters
    ----------
    comm
        Communicator of both ranks.
    peer
        The other.
    size
        Size of a message [B].
    """

    def __init__(self, comm: MPI.Intracomm, peer: int, size: int) -> None:
        self._sent = np.zeros(size, dtype=np.uint8)
        self._received = np.zeros(size, dtype=np.uint8)
        self._send = comm.Send_init(self._sent, peer, _DATA)
        self._recv = comm.Recv_init(self._received, peer, _DATA)

    def __enter__(self) -> Line:
        return self

    def __exit__(self, *_: object) -> None:
        self._send.Free()
        self._recv.Free()

    def lead(self, rounds: int) -> None:
        """Send, and take the answer, so many times."""
        send, wait_sent = self._send.Start, self._send.Wait
        recv, wait_received = self._recv.Start, self._recv.Wait
        for _ in range(rounds):
            recv()
            send()
            wait_sent()
            wait_received()

    def answer(self, rounds: int) -> None:
        """Take a message, and answer it, so many times; each receive is posted ahead."""
        send, wait_sent = self._send.Start, self._send.Wait
        recv, wait_received = self._recv.Start, self._recv.Wait
        recv()
        for _ in range(rounds - 1):
            wait_received()
            send()
            recv()
            wait_sent()
        wait_received()
        send()
        wait_sent()


def sample_pair(
    world: World, pair: tuple[int, int], sizes: Sequence[int], effort: Effort
) -> list[NDArray[np.float64]]:
    """Return times of messages between two ranks; all ranks call this, and get the same.

    Parameters
    ----------
    world
        All ranks; ranks outside of the pair sleep.
    pair
        Two different ranks; the first has the clock.
    sizes
        Sizes of messages [B], 1 or more.
    effort
        How many samples.

    Returns
    -------
    list of ndarray
        Samples of each size: half the mean time of the round trips of each sample [s].
    """
    times = np.full((len(sizes), effort.samples), np.nan)
    leader, peer = pair
    if world.rank == leader:
        step = clock_step(world.mpi)
        for i, size in enumerate(sizes):
            found = _lead(world, peer, size, effort, step)
            times[i, : len(found)] = found
    elif world.rank == peer:
        for size in sizes:
            _answer(world, leader, size)
    world.share(times, leader)
    return [row[~np.isnan(row)] for row in times]


def _lead(world: World, peer: int, size: int, effort: Effort, step: float) -> NDArray[np.float64]:
    clock = world.mpi.Wtime
    with Line(world.comm, peer, size) as line:
        line.lead(WARM_UP - 2)
        readings = [clock()]
        for _ in range(2):
            line.lead(1)
            readings.append(clock())
        first, second = (max(end - begin, step) for begin, end in pairwise(readings))
        rounds, samples = effort.plan(first, second, step)
        world.comm.Send(np.array([rounds, samples], dtype=np.int64), peer, _CONTROL)
        times = np.empty(samples)
        line.lead(1)  # absorbs the aftermath of the control message
        for i in range(samples):
            began = clock()
            line.lead(rounds)
            times[i] = (clock() - began) / (2 * rounds)
    return times


def _answer(world: World, leader: int, size: int) -> None:
    with Line(world.comm, leader, size) as line:
        line.answer(WARM_UP)
        plan = np.empty(2, dtype=np.int64)
        world.comm.Recv(plan, leader, _CONTROL)
        line.answer(1 + int(plan[0] * plan[1]))


def clock_step(mpi: Any) -> float:
    """Return the time of reading the clock twice, or its resolution if that time is 0 [s].

    Parameters
    ----------
    mpi
        The module ``mpi4py.MPI``.
    """
    readings = [mpi.Wtime() for _ in range(READINGS)]
    steps = [later - earlier for earlier, later in pairwise(readings) if later > earlier]
    return float(np.median(steps)) if steps else float(mpi.Wtick())


def call_seconds(world: World) -> float:
    """Return the cost of a call to the interpreter and MPI's entry, without a message [s].

    Notes
    -----
    Half the median time of starting and completing a message to ``MPI_PROC_NULL``. Between a
    message and its answer there are the end of one call and the beginning of another: about this
    much of a measured latency is not spent in the network.
    """
    calls = 1000
    request = world.comm.Send_init(
        np.zeros(SHORT_BYTES, dtype=np.uint8), world.mpi.PROC_NULL, _DATA
    )
    times = []
    for _ in range(READINGS // 2):
        began = world.mpi.Wtime()
        for _ in range(calls):
            request.Start()
            request.Wait()
        times.append((world.mpi.Wtime() - began) / (2 * calls))
    request.Free()
    world.meet()
    return float(np.median(times))
