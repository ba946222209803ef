"""Calls of several threads at once in a trace, which a replay makes one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from odonata.trace import Block, Reader
from odonata.trace.calls import MORE

__all__ = ["why_ranks_may_be_stuck"]

MOST_SHOWN = 4


def why_ranks_may_be_stuck(path: Path) -> str:
    """Return a trace's reason why ranks of its replay may wait for each other; empty: none.

    Parameters
    ----------
    path
        The trace.
    """
    with Reader(path) as trace:
        lacks = trace.header.options.get("calls_made")
        found: dict[int, int] = {}
        for rank, count in _overlaps(trace.blocks()):
            found[rank] = found.get(rank, 0) + count
    if found:
        ranks = ", ".join(map(str, sorted(found)[:MOST_SHOWN]))
        more = ", ..." if len(found) > MOST_SHOWN else ""
        return (
            f"{sum(found.values())} calls of rank {ranks}{more} began before the call before them "
            "had ended, in another thread: a replay makes the calls of a rank one after the other, "
            "so threads of a rank that wait for each other cannot be played"
        )
    if lacks is not None:
        return "the trace lacks calls of the program, which may have let these ranks continue"
    return ""


def _overlaps(blocks: Iterator[Block]) -> Iterator[tuple[int, int]]:
    """Yield ranks, and calls of theirs that began before the previous call had ended.

    The recorder moves the beginning of such a call to that end. Calls of one thread have some
    nanoseconds between them.
    """
    ended: dict[int, int] = {}
    for block in blocks:
        if len(block.times) == 0:
            continue
        first = (block.calls["flags"] & MORE) == 0
        for rank, own in _by_rank(block.ranks[first], block.times[first]):
            before = np.concatenate([[ended.get(rank, -1)], own[:-1, 1]])
            ended[rank] = int(own[-1, 1])
            count = int(np.count_nonzero(own[:, 0] <= before))
            if count:
                yield rank, count


def _by_rank(
    ranks: NDArray[np.int32], times: NDArray[np.int64]
) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield the times of each rank, of which a block has the calls together."""
    cuts = np.flatnonzero(np.diff(ranks)) + 1
    starts = [0, *cuts.tolist()] if len(ranks) else []
    for start, own in zip(starts, np.split(times, cuts), strict=False):
        yield int(ranks[start]), own
