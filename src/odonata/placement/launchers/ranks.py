"""Formats that list ranks in the order of a launcher's places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from odonata.errors import UserError
from odonata.machine.hostlist import MOST_HOSTS
from odonata.placement.launchers.lines import Line
from odonata.placement.launchers.slots import Slots, seats, usual_slots
from odonata.placement.order import check_order

__all__ = ["read_mpich_order", "read_order", "write_mpich_order", "write_order"]

_RANKS = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


def write_mpich_order(hosts: Sequence[str], slots: Slots | None) -> Iterator[str]:
    """Yield the ranks in the order of their places, a line a host."""
    slots = slots or usual_slots(hosts, "mpich-order")
    rank_at = {seat: rank for rank, seat in enumerate(seats(hosts, slots, "mpich-order"))}
    for first in range(0, len(hosts), slots.ranks_per_host):
        last = min(first + slots.ranks_per_host, len(hosts))
        yield ",".join(str(rank_at[seat]) for seat in range(first, last))


def read_mpich_order(lines: Sequence[Line], slots: Slots | None) -> list[str]:
    """Return the host of each rank from the ranks in the order of their places."""
    ranks: list[int] = []
    where: list[str] = []
    for line in lines:
        for word in line.text.replace(",", " ").split():
            match = _RANKS.fullmatch(word)
            first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
            if not first <= last < MOST_HOSTS or len(ranks) + last - first >= MOST_HOSTS:
                allowed = "ranks and ranges FIRST-LAST with commas between them"
                raise UserError(
                    "mpich-order: not a rank", value=word, allowed=allowed, where=line.where
                )
            ranks += range(first, last + 1)
            where += [line.where] * (last + 1 - first)
    check_order(ranks, what="mpich-order", where=where)
    assert slots is not None
    places = slots.take(len(ranks))
    hosts = [""] * len(ranks)
    for place, rank in zip(places, ranks, strict=True):
        hosts[rank] = place
    return hosts


def write_order(hosts: Sequence[str], slots: Slots | None) -> Iterator[str]:
    """Yield the place of each rank."""
    yield from map(str, seats(hosts, slots or usual_slots(hosts, "order"), "order"))


def read_order(lines: Sequence[Line], slots: Slots | None) -> list[str]:
    """Return the host of each rank from its place."""
    entries = [(word, line.where) for line in lines for word in line.text.split()]
    words, where = ([entry[at] for entry in entries] for at in range(2))
    order = check_order(words, what="order", where=where)
    assert slots is not None
    places = slots.take(len(order))
    return [places[at] for at in order]
