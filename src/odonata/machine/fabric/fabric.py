"""A fabric: switches, adapters of hosts, cables, and the file that keeps them.

The file has a line for each switch, then one for each adapter, then one for each cable::

    switch leaf-1
    adapter node17 HCA-1 0 3 -
    cable 0 33 1 1 4xNDR

Switches are numbered from 0 in their order. An adapter line has the host, the adapter's label, the
number and the port of its switch, and the kind of its link (``-``: the links of most adapters); the
adapters of a host follow each other. A cable line has number and port of both switches, and the
kind. ``#`` starts a comment, and the file may be compressed by gzip.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from odonata.errors import UserError
from odonata.machine.lines import read_lines

__all__ = [
    "MOST_PORT",
    "USUAL",
    "Adapter",
    "Cable",
    "Fabric",
    "LinkKind",
    "Switch",
    "links_of",
    "read_fabric",
    "write_fabric",
]

USUAL = "-"
"""Kind of the links of most adapters."""

MOST_PORT = 65_000
"""Largest number of a port of a switch."""

MOST_ADAPTERS = 1_000_000
MOST_SWITCHES = 100_000

FORM = (
    "lines 'switch <name>', 'adapter <host> <label> <switch> <port> <kind>', "
    "'cable <switch> <port> <switch> <port> <kind>'"
)

_SWITCH = re.compile(r"switch (\S{1,128})")
_ADAPTER = re.compile(r"adapter (\S{1,253}) (\S{1,128}) (\d{1,6}) (\d{1,5}) (\S{1,32})")
_CABLE = re.compile(r"cable (\d{1,6}) (\d{1,5}) (\d{1,6}) (\d{1,5}) (\S{1,32})")


@dataclass(frozen=True, slots=True)
class Switch:
    """A switch.

    Parameters
    ----------
    name
        Name, without spaces.
    guid
        GUID of InfiniBand, as a number; 0 elsewhere.
    """

    name: str
    guid: int = 0


@dataclass(frozen=True, slots=True)
class Adapter:
    """A port of an adapter of a host, with its link to a switch.

    Parameters
    ----------
    host, label
        Name of the host, and of the adapter in it, without spaces.
    switch, port
        Number of the switch, and the port of the switch.
    kind
        Kind of the link.
    guid
        GUID of the port, as a number; 0 in other networks.
    lid
        Its first address; 0: none.
    """

    host: str
    label: str
    switch: int
    port: int
    kind: str = USUAL
    guid: int = 0
    lid: int = 0


@dataclass(frozen=True, slots=True)
class Cable:
    """A cable between two switches.

    Parameters
    ----------
    a, a_port, b, b_port
        Numbers and ports of the switches.
    kind
        Kind of the link.
    """

    a: int
    a_port: int
    b: int
    b_port: int
    kind: str


@dataclass(frozen=True, slots=True)
class LinkKind:
    """Links of one rate and latency.

    Parameters
    ----------
    rate
        Data rate of a direction, as a machine file has it.
    source, status
        Origin of the rate.
    latency
        Latency of the wire, as a machine file has it; empty: not known.
    """

    rate: str
    source: str
    status: str
    latency: str = ""


@dataclass(frozen=True)
class Fabric:
    """Switches, adapters and cables.

    Parameters
    ----------
    switches, adapters, cables
        In order; the adapters of a host follow each other.
    kinds
        Kinds of links by name; empty in a fabric that was read from its own file.
    """

    switches: tuple[Switch, ...]
    adapters: tuple[Adapter, ...]
    cables: tuple[Cable, ...]
    kinds: Mapping[str, LinkKind] = field(default_factory=dict)

    def hosts(self) -> list[str]:
        """Return the hosts in order."""
        return list(dict.fromkeys(adapter.host for adapter in self.adapters))

    def ports_of_hosts(self) -> list[int]:
        """Return the number of adapters of each host."""
        counts: dict[str, int] = {}
        for adapter in self.adapters:
            counts[adapter.host] = counts.get(adapter.host, 0) + 1
        return list(counts.values())

    def ends(self) -> list[tuple[int, int, int, int, str]]:
        """Return both directions of every cable, by the switch and the port that they leave.

        Each is switch, port, the other switch, its port, and the kind.
        """
        there = [(c.a, c.a_port, c.b, c.b_port, c.kind) for c in self.cables]
        back = [(c.b, c.b_port, c.a, c.a_port, c.kind) for c in self.cables]
        return sorted(there + back)

    def checksum(self) -> int:
        """Return a number that tells the places of adapters and cables from others."""
        places = [(a.switch, a.port) for a in self.adapters]
        return zlib.crc32(repr((len(self.switches), places, self.ends())).encode())


def write_fabric(fabric: Fabric) -> str:
    """Return the text of the file of a fabric.

    Parameters
    ----------
    fabric
        The fabric.
    """
    lines = ["# switches, adapters and cables, as odonata machines import has read them"]
    lines += [f"switch {switch.name}" for switch in fabric.switches]
    lines += [f"adapter {a.host} {a.label} {a.switch} {a.port} {a.kind}" for a in fabric.adapters]
    lines += [f"cable {c.a} {c.a_port} {c.b} {c.b_port} {c.kind}" for c in fabric.cables]
    return "\n".join(lines) + "\n"


def read_fabric(path: Path) -> Fabric:
    """Read the file of a fabric.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    UserError
        A line is not understood, a port has two links, or the adapters of a host stand apart.
    """
    reader = _Reader(path)
    for number, line in read_lines(path):
        reader.take(line, f"{path}:{number}")
    if not reader.switches or not reader.adapters:
        raise UserError("fabric: no switches or no adapters in the file", where=str(path))
    return Fabric(tuple(reader.switches), tuple(reader.adapters), tuple(reader.cables))


class _Reader:
    """The parts of a file so far."""

    def __init__(self, path: Path) -> None:
        self.switches: list[Switch] = []
        self.adapters: list[Adapter] = []
        self.cables: list[Cable] = []
        self._used: dict[tuple[int, int], str] = {}
        self._hosts: set[str] = set()

    def take(self, line: str, where: str) -> None:
        """Take a line."""
        if found := _SWITCH.fullmatch(line):
            if self.adapters or self.cables or len(self.switches) >= MOST_SWITCHES:
                allowed = f"up to {MOST_SWITCHES}, before adapters and cables"
                raise UserError("fabric: a switch too many", allowed=allowed, where=where)
            self.switches.append(Switch(found[1]))
        elif found := _ADAPTER.fullmatch(line):
            self._take_adapter(found, where)
        elif found := _CABLE.fullmatch(line):
            a, a_port, b, b_port = (int(found[i]) for i in range(1, 5))
            for end in ((a, a_port), (b, b_port)):
                self._use(*end, where)
            self.cables.append(Cable(a, a_port, b, b_port, found[5]))
        else:
            raise UserError("fabric: line not understood", value=line, allowed=FORM, where=where)

    def _take_adapter(self, found: re.Match[str], where: str) -> None:
        host, switch, port = found[1], int(found[3]), int(found[4])
        if self.adapters and host != self.adapters[-1].host and host in self._hosts:
            raise UserError("fabric: adapters of a host stand apart", value=host, where=where)
        if len(self.adapters) >= MOST_ADAPTERS:
            raise UserError("fabric: too many adapters", allowed=str(MOST_ADAPTERS), where=where)
        self._use(switch, port, where)
        self._hosts.add(host)
        self.adapters.append(Adapter(host, found[2], switch, port, found[5]))

    def _use(self, switch: int, port: int, where: str) -> None:
        if switch >= len(self.switches):
            allowed = f"0 to {len(self.switches) - 1}"
            raise UserError("fabric: no such switch", value=switch, allowed=allowed, where=where)
        if port > MOST_PORT:
            allowed = f"up to {MOST_PORT}"
            raise UserError("fabric: port out of range", value=port, allowed=allowed, where=where)
        if (switch, port) in self._used:
            raise UserError(
                f"fabric: port {port} of switch {switch} has a link already",
                value=self._used[switch, port],
                where=where,
            )
        self._used[switch, port] = where


def links_of(fabric: Fabric) -> Iterator[tuple[int, int, str]]:
    """Yield the links between switches in the order of the machine: from, to, kind.

    Parameters
    ----------
    fabric
        The fabric.
    """
    return ((a, b, kind) for a, _, b, _, kind in fabric.ends())
