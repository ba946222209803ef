"""Places that a launcher fills, and the place of each rank among them."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass

from odonata.errors import UserError
from odonata.machine.hostlist import check_host

__all__ = ["Slots", "seats", "usual_slots"]

_NUMBERS = re.compile(r"[0-9]+|[^0-9]+")


@dataclass(frozen=True)
class Slots:
    """Places for ranks, in the order in which a launcher fills them.

    Parameters
    ----------
    hosts
        The hosts in the launcher's order, each once.
    ranks_per_host
        Places of each host.

    Raises
    ------
    UserError
        A host is listed twice or is no host name, or no host is listed.
    """

    hosts: tuple[str, ...]
    ranks_per_host: int = 1

    def __post_init__(self) -> None:
        if not self.hosts:
            raise UserError("hosts: none listed")
        if self.ranks_per_host < 1:
            raise UserError(
                "ranks per node: out of range", value=self.ranks_per_host, allowed=">= 1"
            )
        seen: set[str] = set()
        for host in map(check_host, self.hosts):
            if host in seen:
                raise UserError("hosts: a host is listed twice", value=host, allowed="each once")
            seen.add(host)

    def take(self, ranks: int) -> list[str]:
        """Return the hosts of the first places.

        Parameters
        ----------
        ranks
            Number of places.

        Raises
        ------
        UserError
            There are fewer.
        """
        there = len(self.hosts) * self.ranks_per_host
        if ranks > there:
            raise UserError(
                f"slots: too few for {ranks} ranks",
                value=there,
                allowed=f"{ranks} or more; there are {len(self.hosts)} hosts with "
                f"{self.ranks_per_host} each",
            )
        return [self.hosts[at // self.ranks_per_host] for at in range(ranks)]


def usual_slots(hosts: Sequence[str], what: str) -> Slots:
    """Return as many places on each host as the fullest has, hosts by their numbers."""
    ranks = Counter(hosts)
    names = sorted(ranks, key=_natural)
    full = max(ranks.values())
    short = next((name for name in names[:-1] if ranks[name] < full), None)
    if short is not None:
        raise UserError(
            f"{what}: {short} has {ranks[short]} ranks",
            allowed=f"{full} on every host but the last, as the launcher fills them",
        )
    return Slots(tuple(names), full)


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a key that sorts numbers inside of names as numbers."""
    return [
        (int(part), part) if part.isdecimal() else (-1, part) for part in _NUMBERS.findall(name)
    ]


def seats(hosts: Sequence[str], slots: Slots, what: str) -> list[int]:
    """Return the place of each rank; ranks of a host take its places in order."""
    free = {host: deque[int]() for host in slots.hosts}
    for at, host in enumerate(slots.take(len(hosts))):
        free[host].append(at)
    taken = []
    for rank, host in enumerate(hosts):
        if host not in free:
            allowed = "the hosts of the launcher"
            raise UserError(f"{what}: rank {rank} is on another host", value=host, allowed=allowed)
        if not free[host]:
            filled = Counter(slots.take(len(hosts)))[host]
            raise UserError(
                f"{what}: {host} has more ranks than the launcher puts there",
                value=Counter(hosts)[host],
                allowed=f"{filled} of {len(hosts)}: hosts are filled in turn, "
                f"{slots.ranks_per_host} on each",
            )
        taken.append(free[host].popleft())
    return taken
