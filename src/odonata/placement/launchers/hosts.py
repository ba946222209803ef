"""Formats that name the host of each rank: plain lists, counted ones, numbers, rankfiles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from odonata.errors import UserError
from odonata.placement.hostlist import MOST_HOSTS, check_host, expand, words_of
from odonata.placement.launchers.lines import Line
from odonata.placement.launchers.slots import Slots

__all__ = [
    "read_numbers",
    "read_plain",
    "read_rankfile",
    "write_counted",
    "write_numbers",
    "write_plain",
    "write_rankfile",
]

_RANK_LINE = re.compile(r"rank\s+([0-9]{1,9})\s*=\s*(\S+)\s+slots?\s*=\s*(\S+)")
_COUNT = re.compile(r"[*:]([0-9]{1,9})\Z")


def write_plain(hosts: Sequence[str], slots: Slots | None) -> Iterator[str]:
    """Yield the host of each rank."""
    yield from hosts


def read_plain(lines: Sequence[Line], slots: Slots | None) -> list[str]:
    """Return hosts that are listed rank by rank, also several in a line and with counts."""
    hosts: list[str] = []
    for line in lines:
        for item in words_of(line.text, what="host", where=line.where):
            hosts += _repeated(item, line.where, len(hosts))
    return hosts


def _repeated(item: str, where: str, already: int) -> list[str]:
    """Return the hosts of ``nid00012``, ``nid[00012-00013]`` or ``nid00012*4``."""
    match = _COUNT.search(item)
    name, count = (item[: match.start()], int(match[1])) if match else (item, 1)
    names = expand(name, what="host", where=where)
    if not 1 <= count <= MOST_HOSTS or already + count * len(names) > MOST_HOSTS:
        allowed = f"1 to {MOST_HOSTS} together"
        raise UserError(
            "host: number of its ranks out of range", value=item, allowed=allowed, where=where
        )
    return [name for name in names for _ in range(count)]


def write_counted(hosts: Sequence[str], slots: Slots | None) -> Iterator[str]:
    """Yield each host with the number of its successive ranks."""
    for host, ranks in groupby(hosts):
        yield f"{host}:{sum(1 for _ in ranks)}"


def write_numbers(hosts: Sequence[str], slots: Slots | None) -> Iterator[str]:
    """Yield the number of each rank's node."""
    for rank, host in enumerate(hosts):
        if not host.isdecimal():
            allowed = "numbers of nodes; a machine is needed to number its names"
            raise UserError(f"nodes: rank {rank} is on a named host", value=host, allowed=allowed)
        yield host


def read_numbers(lines: Sequence[Line], slots: Slots | None) -> list[str]:
    """Return the numbers of nodes that lines list, as texts."""
    hosts = []
    for line in lines:
        if not re.fullmatch(r"[0-9]{1,9}", line.text):
            allowed = "the number of a node in each line"
            raise UserError("nodes: not a node", value=line.text, allowed=allowed, where=line.where)
        hosts.append(str(int(line.text)))
    return hosts


def write_rankfile(hosts: Sequence[str], slots: Slots | None) -> Iterator[str]:
    """Yield a line of a rankfile for each rank; ranks of a host take its cores in order."""
    taken = Counter[str]()
    for rank, host in enumerate(hosts):
        yield f"rank {rank}={host} slot={taken[host]}"
        taken[host] += 1


def read_rankfile(lines: Sequence[Line], slots: Slots | None) -> list[str]:
    """Return the host of each rank of a rankfile, whose lines may stand in any order."""
    found: dict[int, tuple[str, str, str]] = {}
    for line in lines:
        match = _RANK_LINE.fullmatch(line.text)
        if match is None:
            raise UserError(
                "rankfile: line not understood",
                value=line.text,
                allowed="rank RANK=HOST slot=CORE",
                where=line.where,
            )
        rank = int(match[1])
        if rank >= len(lines) or rank in found:
            raise UserError(
                "rankfile: no such rank, or listed twice",
                value=rank,
                allowed=f"0 to {len(lines) - 1}, each once",
                where=line.where,
            )
        found[rank] = (check_host(match[2], where=line.where), match[3], line.where)
    taken = Counter[str]()
    for rank in range(len(lines)):
        host, slot, where = found[rank]
        if slot != str(taken[host]):
            raise UserError(
                f"rankfile: core of rank {rank} on {host}",
                value=slot,
                allowed=f"{taken[host]}; ranks of a host take its cores in order, from 0 on",
                where=where,
            )
        taken[host] += 1
    return [found[rank][0] for rank in range(len(lines))]
