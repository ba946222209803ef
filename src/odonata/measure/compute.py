"""A core and its memory: time of a floating-point operation, bandwidth of threads."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from odonata import _core
from odonata.errors import UserError
from odonata.measure.estimate import Estimate, median_of
from odonata.measure.world import World

__all__ = ["Compute", "LocalOperator", "falling", "measure_compute", "stencil_rows"]

TRIALS = 10
"""Trials of each number, as in STREAM; the first one doesn't count."""

BYTES_OF_A_VALUE = 24
"""Bytes that the Triad moves per element: two values read, one written."""

CACHES = 4
"""Each array of the Triad is so many times the last cache, as STREAM wants."""

MOST_ARRAY_BYTES = 2**29

_PRODUCT_NONZEROS = 1_000_000
"""Nonzeros of all products of a trial together."""

_CPUS = Path("/sys/devices/system/cpu/cpu0/cache")


@dataclass(frozen=True)
class LocalOperator:
    """The part of a level's operator that a rank has between its own unknowns.

    Parameters
    ----------
    rows
        Rows of the rank that has most.
    row_nonzeros
        Mean nonzeros a row.
    """

    rows: int
    row_nonzeros: float


@dataclass(frozen=True)
class Compute:
    """Measurements of cores.

    Parameters
    ----------
    flop_seconds
        Time of a flop on levels 0, 1, ... as far as it falls, on the slowest rank [s].
    thread_bandwidth
        Bandwidth of a thread, with 1, 2, 4, ... of them: STREAM's Triad [B/s].
    array_bytes
        Size of each of the Triad's three arrays [B].
    in_cache
        Whether these are smaller than `CACHES` last caches: the memory may be slower.
    """

    flop_seconds: tuple[Estimate, ...]
    thread_bandwidth: tuple[Estimate, ...]
    array_bytes: int
    in_cache: bool


def measure_compute(
    world: World,
    operators: Sequence[LocalOperator],
    tell: Callable[[str], None] = lambda _: None,
) -> Compute:
    """Measure flops and memory; all ranks call this.

    Parameters
    ----------
    world
        All ranks.
    operators
        Operators of levels 0, 1, ...; the time of a flop is measured by products with them.
    tell
        Called with the name of the current measurement.

    Notes
    -----
    Levels are measured until a flop takes longer than on the level before; from there on the time
    of the level before holds. All ranks multiply at the same time, and processor time counts. The
    Triad runs on the first rank, while the others sleep. Medians count, without the first trial.

    References
    ----------
    Model-guided AMG on a dragonfly, sections 5.1 and 6; McCalpin, STREAM.
    """
    flops = _measure_flops(world, operators, tell)
    values, in_cache = _array_values()
    counts = [2**k for k in range(int(math.log2(len(world.cores))) + 1)]
    found = np.zeros((len(counts), TRIALS - 1))
    if world.rank == 0:
        with _on(world.cores):
            for i, threads in enumerate(counts):
                tell(f"STREAM Triad on {threads} threads")
                found[i] = _core.time_triad(values, threads, TRIALS)[1:]
    found = world.share(found, 0)
    bandwidths = [
        median_of(values * BYTES_OF_A_VALUE / threads / seconds)
        for threads, seconds in zip(counts, found, strict=True)
    ]
    return Compute(flops, tuple(bandwidths), 8 * values, in_cache)


@contextmanager
def _on(cores: Set[int]) -> Iterator[None]:
    """Let this process, which a launcher may have bound to a core, and its threads use these."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def falling(times: Sequence[Estimate]) -> tuple[Estimate, ...]:
    """Return the times of levels up to the first that is longer than its predecessor.

    Parameters
    ----------
    times
        Times of levels 0, 1, ... [s].

    References
    ----------
    Model-guided AMG on a dragonfly, section 6: behind that, little but the loop is measured.

    Examples
    --------
    >>> from odonata.measure.estimate import exactly
    >>> [time.value for time in falling([exactly(t) for t in (1.6, 0.8, 0.5, 0.7, 0.4)])]
    [1.6, 0.8, 0.5]
    """
    rises = (i for i in range(1, len(times)) if times[i].value > times[i - 1].value)
    return tuple(times[: next(rises, len(times))])


def stencil_rows(
    operator: LocalOperator,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    """Return a matrix of an operator's size by rows: row starts, columns, values.

    Parameters
    ----------
    operator
        Its size.

    Notes
    -----
    Unknowns are the points of a box, as cubic as possible, and couple to the nearest ones of it: a
    7-point Laplacian for 7 nonzeros a row, wider stencils for more. A fraction is in every n-th
    row; where the box ends there are fewer, as in the part of an operator that a rank has for
    itself. A stand-in: the columns of a true coarse operator are in another order.
    """
    rows = operator.rows
    offsets = _nearest_offsets(math.ceil(operator.row_nonzeros))
    every = np.stack([_columns(rows, offset) for offset in offsets], axis=1)
    share = operator.row_nonzeros - (len(offsets) - 1)  # of the rows have the last one
    without = np.diff(np.floor(np.arange(rows + 1) * share + 1e-9)) == 0
    every[without, -1] = -1
    kept = every >= 0
    starts = np.concatenate([[0], np.cumsum(kept.sum(axis=1))]).astype(np.int32)
    columns = every[kept].astype(np.int32)
    diagonal = np.repeat(np.arange(rows), np.diff(starts)) == columns
    return starts, columns, np.where(diagonal, float(len(offsets) - 1), -1.0)


def _columns(rows: int, offset: tuple[int, int, int]) -> NDArray[np.int64]:
    """Return the point that is an offset away from each one of a box; -1 outside of it."""
    side = max(1, round(rows ** (1 / 3)))
    box = (-(-rows // (side * side)), side, side)
    at = np.array(np.unravel_index(np.arange(rows), box)) + np.array(offset)[:, None]
    inside = ((at >= 0) & (at < np.array(box)[:, None])).all(axis=0)
    found = np.full(rows, -1)
    found[inside] = np.ravel_multi_index(tuple(at[:, inside]), box)
    found[found >= rows] = -1
    return found


def _nearest_offsets(count: int) -> list[tuple[int, int, int]]:
    """Return the nearest points of a grid, the point itself first."""
    reach = range(-math.ceil(count ** (1 / 3)), math.ceil(count ** (1 / 3)) + 1)
    every = [(i, j, k) for i in reach for j in reach for k in reach]
    return sorted(every, key=lambda at: (sum(x * x for x in at), at))[:count]


def _measure_flops(
    world: World, operators: Sequence[LocalOperator], tell: Callable[[str], None]
) -> tuple[Estimate, ...]:
    found: list[Estimate] = []
    for level, operator in enumerate(operators):
        tell(f"sparse products on level {level}")
        found.append(median_of(world.most(_flop_seconds(operator))))
        if len(falling(found)) < len(found):
            break
    return falling(found)


def _flop_seconds(operator: LocalOperator) -> NDArray[np.float64]:
    """Return the time of a flop in each trial [s]; two flops a nonzero."""
    starts, columns, values = stencil_rows(operator)
    products = max(1, _PRODUCT_NONZEROS // len(columns))
    seconds = np.asarray(_core.time_products(starts, columns, values, products, TRIALS))
    return seconds[1:] / (2 * len(columns) * products)


def _array_values() -> tuple[int, bool]:
    """Return the values of an array of the Triad, and whether caches may hold a part of it."""
    wanted = CACHES * _last_cache_bytes()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    affordable = min(MOST_ARRAY_BYTES, memory // 12)  # three arrays in a quarter of the free memory
    if affordable < 2**20:
        raise UserError("memory: too little is free for the Triad", value=memory)
    return min(wanted, affordable) // 8, wanted > affordable


def _last_cache_bytes() -> int:
    """Return the size of the largest cache of a core; 32 MiB where the system doesn't say."""
    sizes = [_cache_bytes(file) for file in _CPUS.glob("index*/size")]
    return max(sizes, default=0) or 32 * 2**20


def _cache_bytes(file: Path) -> int:
    text = file.read_text().strip()
    unit = {"K": 2**10, "M": 2**20, "G": 2**30}.get(text[-1:], 1)
    digits = text.rstrip("KMG")
    return int(digits) * unit if digits.isdigit() else 0
