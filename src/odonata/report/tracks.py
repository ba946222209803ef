"""Tracks of a timeline: activities of each rank by function, and its messages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from odonata.explain import Timeline

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Attached", "Tracks"]

OUTSIDE = "outside of MPI"
"""Function of a rank's activity between its calls."""


@dataclass(frozen=True, eq=False)
class Attached:
    """Messages of intervals, in the order of the intervals, then of time.

    Parameters
    ----------
    interval
        Position of the interval.
    message
        Number of the message.
    """

    interval: NDArray[np.int64]
    message: NDArray[np.int64]

    def within(self, low: int, high: int) -> Attached:
        """Return the messages of the intervals from `low` to before `high`."""
        first, last = np.searchsorted(self.interval, [low, high])
        return Attached(self.interval[first:last], self.message[first:last])


class Tracks:
    """Intervals of every rank one after the other, and the messages that connect them.

    Parameters
    ----------
    timeline
        A timeline.

    Attributes
    ----------
    places
        Job, rank in it and node of each rank.
    functions
        Names of functions; `function` has positions in it.
    """

    def __init__(self, timeline: Timeline) -> None:
        self.timeline = timeline
        run = timeline.explained.run
        self.places = [
            (number, rank, int(node))
            for number, job in enumerate(run.jobs)
            for rank, node in enumerate(job.nodes)
        ]
        scopes = [scope.function or OUTSIDE for scope in timeline.explained.account.scopes]
        self.functions = list(dict.fromkeys(scopes))
        number = {name: at for at, name in enumerate(self.functions)}
        self.function = np.array([number[name] for name in scopes])[timeline.scope]

    @cached_property
    def opens(self) -> NDArray[np.bool_]:
        """Whether an interval is the first one of a call."""
        rank, function = self.timeline.rank, self.function
        found = np.ones(len(rank), dtype=bool)
        found[1:] = (rank[1:] != rank[:-1]) | (function[1:] != function[:-1])
        return found

    @cached_property
    def closes(self) -> NDArray[np.bool_]:
        """Whether an interval is the last one of a call."""
        return np.append(self.opens[1:], True)[: len(self.opens)]

    @cached_property
    def sent(self) -> Attached:
        """Messages of the intervals of their senders."""
        found = self.timeline.messages
        return self._attached(found.source, found.sent)

    @cached_property
    def received(self) -> Attached:
        """Messages of the intervals of their receivers."""
        found = self.timeline.messages
        return self._attached(found.target, found.delivered)

    def intervals(self, rank: int) -> tuple[int, int]:
        """Return the positions of a rank's intervals: from the first to before the last."""
        low, high = np.searchsorted(self.timeline.rank, [rank, rank + 1])
        return int(low), int(high)

    def parts(self, most: int) -> Iterator[tuple[int, int]]:
        """Yield neighbouring intervals of any ranks, at most so many at once."""
        for low in range(0, len(self.timeline.rank), most):
            yield low, min(low + most, len(self.timeline.rank))

    def _attached(self, rank: NDArray[np.int64], time: NDArray[np.int64]) -> Attached:
        """Return messages by interval: the first that ends with the message, or after it.

        A message after the rank's end belongs to its last interval.
        """
        ends = self.timeline
        ranks, times = np.concatenate([rank, ends.rank]), np.concatenate([time, ends.end])
        is_end = np.arange(len(ranks)) >= len(rank)
        order = np.lexsort((is_end, times, ranks))
        before = np.cumsum(is_end[order])
        chosen = ~is_end[order]
        message = order[chosen]
        low, high = (np.searchsorted(ends.rank, rank[message], side) for side in ("left", "right"))
        interval = np.minimum(before[chosen], high - 1)
        known = low < high
        return Attached(interval[known], message[known])
