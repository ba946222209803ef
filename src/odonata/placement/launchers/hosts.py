"""Formats that name the host of each rank: plain lists, counted ones, numbers, rankfiles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from odonata.errors import UserError
from odonata.machine.hostlist import MOST_HOSTS, check_host, expand, words_of
from odonata.placement.launchers.lines import Line
from odonata.placement.launchers.slots import Slots

__all__ = [
    "lost_in_rankfile",
    "read_numbers",
    "read_plain",
    "read_rankfile",
    "write_counted",
    "write_numbers",
    "write_plain",
    "write_rankfile",
]

_RANK_LINE = re.compile(r"rank\s+([0-9]{1,9})\s*=\s*(\S+)\s+slots?\s*=\s*(\S.*)")
_CORES = r"(?:[0-9]{1,9}(?:-[0-9]{1,9})?|\*)"
_SLOT = re.compile(rf"[pP]?(?:{_CORES}:)?{_CORES}(?:\s*[,;]\s*(?:{_CORES}:)?{_CORES})*")
"""Cores of a rank: `0`, `0-3`, `4,5`, and with the socket `0:1`, `1:0-2`, `0:*`, `0:0;1:0`."""

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
    """Return the host of each rank of a rankfile, whose lines may stand in any order.

    All cores of a node are alike, so which ones a rank has is not kept: see `lost_in_rankfile`.
    """
    found: dict[int, str] = {}
    for line in lines:
        rank, host, slot = _ranked(line)
        if rank >= len(lines) or rank in found:
            raise UserError(
                "rankfile: no such rank, or listed twice",
                value=rank,
                allowed=f"0 to {len(lines) - 1}, each once",
                where=line.where,
            )
        if not _SLOT.fullmatch(slot):
            raise UserError(
                f"rankfile: cores of rank {rank} on {host}",
                value=slot,
                allowed="cores such as 0, 0-3 or 4,5, or sockets and cores such as 0:1, 0:*",
                where=line.where,
            )
        found[rank] = check_host(host, where=line.where)
    return [found[rank] for rank in range(len(lines))]


def _ranked(line: Line) -> tuple[int, str, str]:
    """Return rank, host and cores of a line."""
    match = _RANK_LINE.fullmatch(line.text)
    if match is None:
        raise UserError(
            "rankfile: line not understood",
            value=line.text,
            allowed="rank RANK=HOST slot=CORES",
            where=line.where,
        )
    return int(match[1]), match[2], match[3]


def lost_in_rankfile(lines: Sequence[Line]) -> str | None:
    """Return a sentence if ranks of a host have other cores than 0, 1, ... in their order."""
    taken = Counter[str]()
    for _, host, slot in sorted(map(_ranked, lines)):
        if slot != str(taken[host]):
            return "the cores of the ranks were not kept: all cores of a node are alike"
        taken[host] += 1
    return None
