"""The event loop: a heap of (time, kind, entity), and the numbers that entities go by."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from enum import IntEnum


class Kind(IntEnum):
    """What happens; at equal times the lower kind comes first, then the lower entity."""

    ARRIVE = 0  # the head of a packet at a router; entity: packet slot
    DELIVER = 1  # the tail of a packet at its node; entity: packet slot
    INJECTED = 2  # the tail of a message's last packet has left; entity: message slot
    LOCAL = 3  # a message between ranks of one node arrives; entity: message slot
    WAKE = 4  # a link may send again; entity: link
    STEP = 5  # an overhead has been paid; entity: turn << 32 | message slot
    RESUME = 6  # a rank goes on; entity: rank


class Clock:
    """The present [ps] and what is to come."""

    def __init__(self) -> None:
        self.now = 0
        self.handlers: dict[Kind, Callable[[int], None]] = {}
        self._heap: list[tuple[int, Kind, int]] = []

    def at(self, time: int, kind: Kind, entity: int) -> None:
        """Plan an event at a time [ps]."""
        heapq.heappush(self._heap, (time, kind, entity))

    def run(self) -> None:
        """Let all events happen, in order."""
        while self._heap:
            self.now, kind, entity = heapq.heappop(self._heap)
            self.handlers[kind](entity)


class Slots:
    """Numbers that are given out, given back and used again: the last given back comes first."""

    def __init__(self) -> None:
        self._free: list[int] = []
        self._count = 0

    def take(self) -> int:
        """Return a number that nobody else holds."""
        if self._free:
            return self._free.pop()
        self._count += 1
        return self._count - 1

    def give_back(self, slot: int) -> None:
        """Let go of a number."""
        self._free.append(slot)
