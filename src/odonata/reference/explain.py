"""Where the time of ranks goes: the twin of the fast recorder, by looking at everything afterwards.

Ranks and network write down their steps. A rank's time is its work and the gaps between; a gap
belongs to the message for which the rank continues after it. Each message has a list of times until
which something delayed it: before it was sent its sender was late, and so on to its delivery.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from .machine import Link, Machine

Way = list[tuple[str, int]]
"""Categories and times [ps] from the hand-over of a message to its end, in order."""


@dataclass
class Hop:
    """A packet on a link."""

    link: Link
    head: int  # [ps] since when its head has waited for the link; at a NIC, the message's hand-over
    tail: int  # [ps] when its tail was ready to be forwarded
    start: int  # [ps]
    end: int  # [ps] of its transmission
    credit: int  # [ps] from head to start, for which the link was free and had no credit
    held: int = 0  # [ps] at a NIC, for which the message waited at a gate


@dataclass
class Story:
    """Times of a message [ps]."""

    source: int  # rank
    target: int
    asks: bool = False
    sent: int = 0  # the data, or the request to send, are handed over
    asked: int = 0  # the request has arrived
    matched: int = 0  # the receiver begins to answer
    answered: int = 0  # the answer has arrived
    prepared: int = 0  # the sender begins with the data
    handed: int = 0  # the data are handed over
    way: Way = field(default_factory=list)  # of the data
    leaving: Way = field(default_factory=list)  # of the data, until all have left their node

    def untils(self, rank: int, *, collective: bool) -> Iterator[tuple[int, str]]:
        """Yield until when [ps] something delayed it, as one of its ranks sees it."""
        late_sender, late_receiver = (
            "late_in_collective" if collective else name
            for name in ("late_sender", "late_receiver")
        )
        yield self.sent, late_sender
        if self.asks:
            receives = rank == self.target
            yield self.asked, "rendezvous"
            yield self.matched, "rendezvous" if receives else late_receiver
            yield self.answered, "rendezvous"
            yield self.prepared, late_sender if receives else "rendezvous"
            yield self.handed, "rendezvous"
        time = self.handed
        way = self.leaving if self.leaving and rank == self.source else self.way
        for category, duration in way:
            time += duration
            yield time, category


@dataclass(frozen=True)
class Scope:
    """The part of its program that a rank is in."""

    phase: str | None = None
    communicator: int | None = None
    function: str = ""  # or operation of a collective; empty: outside of all
    collective: bool = False  # in a blocking one


@dataclass
class Work:
    """Work of a rank, by the scope in which it was told to do it."""

    begin: int  # [ps]
    end: int  # [ps]
    category: str
    scope: Scope


@dataclass
class Wake:
    """A rank continues in the scope in which it waited."""

    time: int  # [ps]
    story: Story | None  # of the message for which it continues
    scope: Scope


@dataclass
class Diary:
    """Work of a rank, and the times at which it went on."""

    work: list[Work] = field(default_factory=list)
    wakes: list[Wake] = field(default_factory=list)


Times = dict[Scope, Counter[str]]
"""Time by part of the program and category [ps]."""


def breakdown(rank: int, diary: Diary, end: int) -> Times:
    """Return the time of a rank by scope and category [ps]; the sum of all is its end [ps]."""
    times: Times = defaultdict(Counter)
    for work in diary.work:
        times[work.scope][work.category] += work.end - work.begin
    wakes = iter(diary.wakes)
    wake = next(wakes, Wake(end, None, Scope()))
    for begin, until in gaps(diary, end):
        while wake.time < until:
            wake = next(wakes)
        if wake.story is None:
            times[wake.scope]["pausing"] += until - begin
        else:
            untils = wake.story.untils(rank, collective=wake.scope.collective)
            spread(times[wake.scope], begin, until, untils)
    return {scope: +categories for scope, categories in times.items() if +categories}


def gaps(diary: Diary, end: int) -> Iterator[tuple[int, int]]:
    """Yield the times [ps] in which a rank did nothing, cut where it went on."""
    cuts = sorted({wake.time for wake in diary.wakes} | {end})
    free = 0
    for begin, until in [*((work.begin, work.end) for work in diary.work), (end, end)]:
        inside = [time for time in cuts if free < time < begin]
        for first, last in zip([free, *inside], [*inside, begin], strict=True):
            if first < last:
                yield first, last
        free = until


def spread(times: Counter[str], begin: int, end: int, untils: Iterator[tuple[int, str]]) -> None:
    """Add a gap [ps] to the categories that delayed a message meanwhile."""
    for until, category in untils:
        part = min(until, end) - begin
        if part > 0:
            times[category] += part
            begin += part
    times["matching"] += end - begin  # it has come, and waits for earlier ones of its pair


def way_of(machine: Machine, names: list[str], hops: list[Hop], own: int, fetch: int) -> Way:
    """Return the way of a packet, whose message's own packets took `own` at the NIC [ps].

    The NIC had its first byte from memory after `fetch` [ps].
    """
    first, *later = hops
    way = [
        ("injection_queue", first.end - first.head - own - first.credit - first.held),
        ("congestion_control", first.held),
        ("credit.injection", first.credit),
        ("serialization", own),
        ("wire_and_routers", fetch + first.link.link_class.latency + machine.router_delay),
    ]
    for hop in later:
        name = names[hop.link.number]
        last = name.partition("-")[0] == "ejection"
        late = hop.end - hop.tail
        waited = min(hop.start - hop.head, late)
        credit = min(hop.credit, waited)
        way += [
            (f"queueing.{name}", waited - credit),
            (f"credit.{name}", credit),
            ("transmission", late - waited),
        ]
        delay = hop.link.link_class.latency + (0 if last else machine.router_delay)
        way.append(("ejection" if last else "wire_and_routers", delay))
    return way
