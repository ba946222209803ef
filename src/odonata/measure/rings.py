"""Rings: all ranks talk to two neighbours at once, in natural and in random order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from odonata.measure.estimate import Estimate, median_of
from odonata.measure.pingpong import LONG_BYTES, SHORT_BYTES
from odonata.measure.world import World

__all__ = ["Ring", "Rings", "measure_rings"]

_RIGHT, _LEFT = 81, 82
_MEASUREMENTS = {SHORT_BYTES: (8, 5), LONG_BYTES: (3, 2)}
"""Measurements of a ring, and rounds in each, by size, where a round is short."""

LONG_ROUND_SECONDS = 5e-3
"""Least time of a round from which there is one round, and two measurements."""


@dataclass(frozen=True)
class Ring:
    """Numbers that HPCC reports of one order of the ranks, or of several.

    Parameters
    ----------
    latency
        Time of a message of 8 bytes, half of a round [s].
    bandwidth
        2,000,000 bytes by the time of a message of them, half of a round [B/s].
    """

    latency: Estimate
    bandwidth: Estimate


@dataclass(frozen=True)
class Rings:
    """Rings in the order of the ranks, and in random orders (`orders` of them)."""

    natural: Ring
    random: Ring
    orders: int


def measure_rings(world: World, orders: int, seed: int) -> Rings:
    """Measure natural and random rings as HPCC's latency-bandwidth test does.

    Parameters
    ----------
    world
        All ranks, two or more; all call this.
    orders
        Random orders; at least one.
    seed
        Seed of the orders.

    Notes
    -----
    In a round each rank sends to its right and its left neighbour, once by two ``MPI_Sendrecv`` and
    once by nonblocking calls; the better of the two counts, of each measurement the slowest rank,
    of each order the best measurement, of several orders the geometric mean.

    References
    ----------
    HPC Challenge, latency and bandwidth benchmark (Rabenseifner), ``bench_lat_bw``.
    """
    draw = np.random.default_rng(seed)
    natural = np.arange(world.size)
    several = [draw.permutation(world.size) for _ in range(orders)]
    return Rings(_ring(world, [natural]), _ring(world, several), orders)


def _ring(world: World, orders: Sequence[NDArray[np.int64]]) -> Ring:
    latency, bandwidth = (
        _mean([_time_order(world, order, size) for order in orders])
        for size in (SHORT_BYTES, LONG_BYTES)
    )
    return Ring(latency, bandwidth.mapped(lambda seconds: LONG_BYTES / seconds))


def _mean(orders: Sequence[NDArray[np.float64]]) -> Estimate:
    """Return the geometric mean of the best of each order, and of the ends of their intervals."""
    each = [median_of(times) for times in orders]
    ends = [[times.min() for times in orders], [e.low for e in each], [e.high for e in each]]
    value, low, high = np.exp(np.log(ends).mean(axis=1)).tolist()
    spread = float(np.median([e.spread for e in each]))
    return Estimate(value, min(value, low), high, spread, sum(len(times) for times in orders))


def _time_order(world: World, order: NDArray[np.int64], size: int) -> NDArray[np.float64]:
    """Return the time of a message in each measurement of a ring [s], the same on all ranks."""
    place = int(np.flatnonzero(order == world.rank)[0])
    neighbours = _Neighbours(
        world, int(order[place - 1]), int(order[(place + 1) % world.size]), size
    )
    ways: list[Callable[[], None]] = [neighbours.blocking, neighbours.nonblocking]
    measurements, rounds = _MEASUREMENTS[size]
    first = world.most(np.array([_time(world, way, 1) for way in ways]))
    if first.min() > LONG_ROUND_SECONDS:
        measurements, rounds = 2, 1
    times = np.array([min(_time(world, way, rounds) for way in ways) for _ in range(measurements)])
    return world.most(times)


def _time(world: World, way: Callable[[], None], rounds: int) -> float:
    """Return the time of a message: half the time of a round, after one to warm up [s]."""
    way()
    began = world.mpi.Wtime()
    for _ in range(rounds):
        way()
    return float(world.mpi.Wtime() - began) / (2 * rounds)


class _Neighbours:
    """A round of messages to both neighbours, in two ways."""

    def __init__(self, world: World, left: int, right: int, size: int) -> None:
        self._comm, self._wait = world.comm, world.mpi.Request.Waitall
        self._left, self._right = left, right
        self._to_left, self._to_right, self._from_left, self._from_right = (
            np.zeros(size, dtype=np.uint8) for _ in range(4)
        )

    def blocking(self) -> None:
        exchange = self._comm.Sendrecv
        exchange(self._to_right, self._right, _RIGHT, self._from_left, self._left, _RIGHT)
        exchange(self._to_left, self._left, _LEFT, self._from_right, self._right, _LEFT)

    def nonblocking(self) -> None:
        self._wait(
            [
                self._comm.Irecv(self._from_left, self._left, _RIGHT),
                self._comm.Irecv(self._from_right, self._right, _LEFT),
                self._comm.Isend(self._to_right, self._right, _RIGHT),
                self._comm.Isend(self._to_left, self._left, _LEFT),
            ]
        )
