"""Congestion control at the ends: a gate limits the bytes on the way to its port.

A message that the gate refuses waits at its source. Sources wait in turn: each is granted one
packet at a time, and joins the queue again at its end when the packet has started. Bytes count from
their grant or start until the sources know that they have arrived.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .message import Message


@dataclass
class Gate:
    """The gate of a port."""

    limit: int  # [B] on the way; 0: none
    on_way: int = 0  # [B]
    returning: list[tuple[int, int]] = field(default_factory=list)  # [ps], [B] that count no more
    queue: list[int] = field(default_factory=list)  # sources (ports) that wait, in turn
    waiting: dict[int, list[Message]] = field(default_factory=dict)  # by source, in order

    def admits(self, size: int, now: int) -> bool:
        """Return whether a packet of some bytes [B] may start without a grant."""
        return not self.queue and self.has_room(size, now)

    def has_room(self, size: int, now: int) -> bool:
        """Return whether a packet of some bytes [B] has room at a time [ps]."""
        known = sum(size for time, size in self.returning if time <= now)
        self.returning = [entry for entry in self.returning if entry[0] > now]
        self.on_way -= known
        return self.limit == 0 or self.on_way == 0 or self.on_way + size <= self.limit

    def enter(self, size: int) -> None:
        """Count the bytes of a packet that starts, or is granted [B]."""
        self.on_way += size

    def leave(self, size: int, known: int) -> None:
        """Count bytes [B] no more from the time on at which their sources know of them [ps]."""
        self.returning.append((known, size))

    def wait(self, message: Message) -> None:
        """Let a message wait behind the messages of its source."""
        if message.source not in self.waiting:
            self.waiting[message.source] = []
            self.queue.append(message.source)
        self.waiting[message.source].append(message)

    def next_message(self) -> Message:
        """Return the message whose packet is granted next."""
        return self.waiting[self.queue[0]][0]

    def grant(self, size: int) -> Message:
        """Take the next message out of the queue, and its source until the packet has started."""
        self.enter(size)
        return self.waiting[self.queue.pop(0)].pop(0)

    def rejoin(self, message: Message, *, rest: bool) -> None:
        """Let the source of a started packet wait again, if it has more for the port."""
        own = self.waiting[message.source]
        if rest:
            own.insert(0, message)
        if own:
            self.queue.append(message.source)
        else:
            del self.waiting[message.source]
