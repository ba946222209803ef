"""Sends and receives of a trace that belong together, so that a receive can acknowledge a send."""

from __future__ import annotations

from collections import Counter, defaultdict

__all__ = ["Channel", "Pairs"]

Channel = tuple[int, int, int, int]
"""Identity of a communicator, sender and receiver (ranks of the world), tag."""


class Pairs:
    """Messages of each channel, counted: the n-th send belongs to the n-th receive.

    Synchronous sends whose receive blocks are acknowledged. The other ones are not: a schedule that
    is read again has one order for each rank, and an acknowledgement in it would have to wait for a
    receive that the rank does not wait for yet.
    """

    def __init__(self) -> None:
        self._blocking: dict[Channel, bytearray] = defaultdict(bytearray)  # by receive
        self._synchronous: dict[Channel, set[int]] = defaultdict(set)  # numbers of sends
        self._sent: Counter[Channel] = Counter()
        self._got: Counter[Channel] = Counter()
        self._unclear: set[tuple[int, int]] = set()  # communicators and receivers

    def note_send(self, channel: Channel, *, synchronous: bool) -> None:
        """Count a send, before the first question."""
        if synchronous:
            self._synchronous[channel].add(self._sent[channel])
        self._sent[channel] += 1

    def note_receive(self, channel: Channel, *, blocking: bool) -> None:
        """Count a receive, before the first question."""
        self._blocking[channel].append(blocking)

    def note_unclear(self, identity: int, receiver: int) -> None:
        """Acknowledge nothing there: it is not known which send a receive belongs to."""
        self._unclear.add((identity, receiver))

    def begin(self) -> None:
        """Begin again with the first send and receive of every channel."""
        self._sent.clear()

    def next_send(self, channel: Channel) -> bool:
        """Return whether the next send of a channel is acknowledged."""
        number = self._sent[channel]
        self._sent[channel] += 1
        return self._acknowledged(channel, number)

    def next_receive(self, channel: Channel) -> bool:
        """Return whether the next receive of a channel acknowledges its send."""
        number = self._got[channel]
        self._got[channel] += 1
        return self._acknowledged(channel, number)

    def _acknowledged(self, channel: Channel, number: int) -> bool:
        identity, _, receiver, _ = channel
        blocking = self._blocking.get(channel, b"")
        return (
            (identity, receiver) not in self._unclear
            and number in self._synchronous.get(channel, ())
            and number < len(blocking)
            and bool(blocking[number])
        )
