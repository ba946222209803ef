"""The event loop: a heap of (time, kind, entity).

Entities are tuples that decide between events of one time. They begin with an owner (a node, a
rank) and a number at that owner. Nothing that happens elsewhere on the machine has a part in them.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from enum import IntEnum


class Kind(IntEnum):
    """Kinds of events; at equal times the lower kind comes first, then the lower entity."""

    ARRIVE = 0  # the head of a packet at a router; entity: its source, its number there
    DELIVER = 1  # the tail of a packet at its node; entity: the same
    INJECTED = 2  # the tail of a message's last packet has left; entity: that packet, message
    LOCAL = 3  # a message between ranks of one node arrives; entity: sender, its number, message
    WAKE = 4  # a link may send again; entity: link
    STEP = 5  # an overhead has been paid; entity: rank, its turn, message
    RESUME = 6  # a rank continues; entity: rank


class Clock:
    """The present [ps] and future events."""

    def __init__(self) -> None:
        self.now = 0
        self.handlers: dict[Kind, Callable[..., None]] = {}
        self._heap: list[tuple[int, Kind, tuple[int, ...]]] = []

    def at(self, time: int, kind: Kind, *entity: int) -> None:
        """Plan an event at a time [ps]."""
        heapq.heappush(self._heap, (time, kind, entity))

    def run(self) -> None:
        """Let all events happen, in order."""
        while self._heap:
            self.now, kind, entity = heapq.heappop(self._heap)
            self.handlers[kind](*entity)
