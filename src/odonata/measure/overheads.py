"""Cost of a message to its sender and its receiver, apart from the time on its way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from odonata.measure.estimate import Estimate, median_of
from odonata.measure.pingpong import SHORT_BYTES
from odonata.measure.world import World

if TYPE_CHECKING:
    from mpi4py import MPI

__all__ = ["Overheads", "measure_overheads"]

MESSAGES = 16
"""Messages of a sample."""

ROUNDING = 1e-18
"""Times of a byte below this are rounding errors of a clock's readings [s/B]."""

_DATA, _FLAG = 91, 92


@dataclass(frozen=True)
class Overheads:
    """LogP's overheads.

    Parameters
    ----------
    send
        Time of starting a message of 8 bytes [s].
    receive
        Time of receiving a message of no bytes that is already there [s].
    copy
        Time of a byte of a message that is already there [s/B]; None if longer messages go by
        rendezvous.

    References
    ----------
    Culler et al., LogP: towards a realistic model of parallel computation, 1993.
    """

    send: Estimate
    receive: Estimate
    copy: Estimate | None


def measure_overheads(
    world: World, pair: tuple[int, int], eager_bytes: int, samples: int
) -> Overheads:
    """Measure the overheads between two ranks; all ranks call this.

    Parameters
    ----------
    world
        All ranks.
    pair
        The sender and the receiver.
    eager_bytes
        The longest message that is known to be eager [B].
    samples
        How many bursts of `MESSAGES` messages.

    Notes
    -----
    The receiver waits for a last message with another tag; all earlier messages are then there.
    Calls to ``MPI_PROC_NULL``, which cost the interpreter the same, are subtracted.
    """
    sizes = [SHORT_BYTES, min(1024, eager_bytes)]
    sent, received = (np.empty((2, samples)) for _ in range(2))
    if world.rank in pair:
        mine = [_bursts(world, pair, size, samples) for size in sizes]
        sent, received = np.array(mine), np.array(mine)
    sent, received = world.share(sent, pair[0]), world.share(received, pair[1])
    short = median_of(received[0])
    if sizes[1] <= SHORT_BYTES:
        return Overheads(median_of(sent[0]), short, None)
    slope = (median_of(received[1]).value - short.value) / (sizes[1] - SHORT_BYTES)
    slopes = (received[1] - short.value) / (sizes[1] - SHORT_BYTES)
    copy = median_of(np.where(slopes < ROUNDING, 0.0, slopes))
    receive = short.mapped(lambda seconds: max(0.0, seconds - SHORT_BYTES * max(slope, 0.0)))
    return Overheads(median_of(sent[0]), receive, copy)


def _bursts(world: World, pair: tuple[int, int], size: int, samples: int) -> NDArray[np.float64]:
    """Return the time of a call in each burst, on the sender of a start, else of a receive [s]."""
    sends = world.rank == pair[0]
    peer = pair[1] if sends else pair[0]
    buffers = [np.zeros(size, dtype=np.uint8) for _ in range(MESSAGES)]
    make = world.comm.Send_init if sends else world.comm.Recv_init
    requests = [make(buffer, peer, _DATA) for buffer in buffers]
    nobody = [make(buffer, world.mpi.PROC_NULL, _DATA) for buffer in buffers]
    burst = _push if sends else _take
    times, idle = np.empty(samples), np.empty(samples)
    for i in range(samples):  # in turn, so that both see the same noise
        times[i] = burst(world, peer, requests)
        idle[i] = burst(world, world.mpi.PROC_NULL, nobody)
    for request in [*requests, *nobody]:
        request.Free()
    rest: NDArray[np.float64] = np.maximum(times - np.median(idle), 0.0)
    return rest


def _push(world: World, peer: int, requests: Sequence[MPI.Prequest]) -> float:
    """Start all messages, then one that says that they are all there."""
    began = world.mpi.Wtime()
    for request in requests:
        request.Start()
    seconds = (world.mpi.Wtime() - began) / len(requests)
    world.comm.Send(np.zeros(1, dtype=np.uint8), peer, _FLAG)
    world.mpi.Request.Waitall(list(requests))
    world.comm.Recv(np.zeros(1, dtype=np.uint8), peer, _FLAG)
    return float(seconds)


def _take(world: World, peer: int, requests: Sequence[MPI.Prequest]) -> float:
    """Receive all messages once they are there, and let the sender continue."""
    world.comm.Recv(np.zeros(1, dtype=np.uint8), peer, _FLAG)
    began = world.mpi.Wtime()
    for request in requests:
        request.Start()
        request.Wait()
    seconds = (world.mpi.Wtime() - began) / len(requests)
    world.comm.Send(np.zeros(1, dtype=np.uint8), peer, _FLAG)
    return float(seconds)
