"""Output of ``ibnetdiscover``, with and without ``-g``, of InfiniBand and Omni-Path fabrics."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from odonata.errors import UserError
from odonata.machine.fabric.fabric import USUAL, Adapter, Cable, Fabric, LinkKind, Switch
from odonata.machine.fabric.names import host_and_label, switch_name, told_apart
from odonata.machine.fabric.rates import kind_of
from odonata.machine.fabric.raw_lines import raw_lines

__all__ = ["is_ibnetdiscover", "read_ibnetdiscover"]

MOST_LID = 0xBFFF
"""Largest unicast LID."""

MOST_NODES = 60_000
"""Most nodes of a subnet: each has an address."""

_NODE = re.compile(r'(Switch|Ca|Rt)\s+(\d{1,5})\s+"([SHR])-([0-9a-fA-F]{1,16})"\s*(.*)')
_PORT = re.compile(
    r"\[(\d{1,5})\](?:\[ext [^\]]*\])?(?:\(([0-9a-fA-F]{1,16})\))?\s+"
    r'"([SHR])-([0-9a-fA-F]{1,16})"\[(\d{1,5})\](?:\[ext [^\]]*\])?'
    r"(?:\(([0-9a-fA-F]{1,16})\))?\s*(?:#\s*(.*))?"
)
_OTHER = re.compile(
    r"\s*#.*|\s*|(?:vendid|devid|sysimgguid|switchguid|caguid|rtguid)=.*|"
    r"(?:Non-)?Chassis.*|\w+ Nodes.*|Topology file.*"
)
_DESCRIPTION = re.compile(r'#\s*"(.*)"')
_SPEED = re.compile(r"\b(\d{1,2}x[A-Z][A-Z0-9]{2,4})\b")
_LID = re.compile(r"\blid (\d{1,6})\b")
_OWN_LID = re.compile(r"lid (\d{1,6}) lmc")

_KINDS = {"Switch": "S", "Ca": "H", "Rt": "R"}
FORM = (
    'lines \'Switch <ports> "S-<GUID>" # "<description>"\', the same of Ca and Rt, and '
    "'[<port>] \"<S, H or R>-<GUID>\"[<port>] # ... <width>x<speed>'"
)


@dataclass
class _Node:
    """A switch, an adapter or a router."""

    kind: str
    guid: int
    num_ports: int
    description: str
    number: int
    """Line."""
    ports: dict[int, _Port] = field(default_factory=dict)


class _Port(NamedTuple):
    """A port with a link."""

    number: int
    """Line."""
    peer: tuple[str, int]
    peer_port: int
    speed: str
    guid: int
    lid: int


def is_ibnetdiscover(head: str) -> bool:
    """Return whether the beginning of a file is one of ``ibnetdiscover``.

    Parameters
    ----------
    head
        Its first lines.
    """
    return any(_NODE.match(line) or line.startswith("vendid=") for line in head.splitlines())


def read_ibnetdiscover(path: Path) -> Fabric:
    """Read a fabric.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Fabric
        Without routers and aggregation nodes of switches. Adapters are in the order of their
        descriptions, then of their GUIDs.

    Raises
    ------
    UserError
        A line is not understood, a node or port is there twice, or a link has one side only.
    """
    nodes = _nodes(path)
    _check_links(nodes, path)
    switches = sorted(
        (node for node in nodes.values() if node.kind == "S"),
        key=lambda node: (switch_name(node.description, node.guid), node.guid),
    )
    names = told_apart((switch_name(node.description, node.guid), node.guid) for node in switches)
    number_of = {node.guid: number for number, node in enumerate(switches)}
    kinds: dict[str, LinkKind] = {}
    adapters = list(_adapters(nodes, number_of, kinds, path))
    if not switches or not adapters:
        raise UserError("ibnetdiscover: no switches or no adapters in the file", where=str(path))
    return Fabric(
        tuple(Switch(name, node.guid) for name, node in zip(names, switches, strict=True)),
        tuple(adapters),
        tuple(_cables(switches, number_of, kinds, path)),
        kinds,
    )


@dataclass(frozen=True)
class _Known:
    """Values that many ports share, by their texts."""

    speeds: dict[str, str] = field(default_factory=dict)
    peers: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)

    def speed(self, text: str, where: str) -> str:
        """Return a speed that is understood."""
        if text not in self.speeds:
            kind_of(text, where)
        return self.speeds.setdefault(text, text)

    def peer(self, kind: str, guid: str) -> tuple[str, int]:
        """Return kind and GUID of the node at the other end."""
        if (kind, guid) not in self.peers:
            self.peers[kind, guid] = kind, int(guid, 16)
        return self.peers[kind, guid]


def _nodes(path: Path) -> dict[tuple[str, int], _Node]:
    nodes: dict[tuple[str, int], _Node] = {}
    known = _Known()
    now: _Node | None = None
    for number, line in raw_lines(path, what="ibnetdiscover"):
        where = f"{path}:{number}"
        if line.startswith("["):
            if now is None:
                raise UserError("ibnetdiscover: a port before any node", value=line, where=where)
            _take_port(now, line, number, known, where)
        elif found := _NODE.fullmatch(line):
            now = _node(found, number, where)
            if (now.kind, now.guid) in nodes:
                before = nodes[now.kind, now.guid].number
                raise UserError(
                    f"ibnetdiscover: this node is in line {before}, too", value=line, where=where
                )
            if len(nodes) >= MOST_NODES:
                allowed = f"up to {MOST_NODES}"
                raise UserError("ibnetdiscover: too many nodes", allowed=allowed, where=where)
            nodes[now.kind, now.guid] = now
        elif not _OTHER.fullmatch(line):
            raise UserError(
                "ibnetdiscover: line not understood", value=line, allowed=FORM, where=where
            )
    return nodes


def _node(found: re.Match[str], number: int, where: str) -> _Node:
    kind = found[3]
    if _KINDS[found[1]] != kind:
        raise UserError("ibnetdiscover: another kind of node", value=found[0], where=where)
    described = _DESCRIPTION.match(found[5])
    return _Node(kind, int(found[4], 16), int(found[2]), described[1] if described else "", number)


def _take_port(node: _Node, line: str, number: int, known: _Known, where: str) -> None:
    found = _PORT.fullmatch(line)
    if found is None:
        raise UserError("ibnetdiscover: line not understood", value=line, allowed=FORM, where=where)
    own_port, own_guid, kind, guid, peer_port, _, said = found.groups()
    port = int(own_port)
    if not 1 <= port <= node.num_ports:
        allowed = f"1 to {node.num_ports}"
        raise UserError("ibnetdiscover: no such port", value=port, allowed=allowed, where=where)
    if port in node.ports:
        before = node.ports[port].number
        raise UserError(
            f"ibnetdiscover: port {port} is in line {before}, too", value=line, where=where
        )
    rest = said or ""
    speeds = _SPEED.findall(rest, rest.rfind('"') + 1)
    own = _OWN_LID.match(rest)
    lid = int(own[1]) if own else 0
    if lid > MOST_LID:
        allowed = f"up to {MOST_LID}"
        raise UserError("ibnetdiscover: LID out of range", value=lid, allowed=allowed, where=where)
    node.ports[port] = _Port(
        number,
        known.peer(kind, guid),
        int(peer_port),
        known.speed(speeds[-1], where) if speeds else "",
        int(own_guid, 16) if own_guid else 0,
        lid,
    )


def _check_links(nodes: dict[tuple[str, int], _Node], path: Path) -> None:
    """Refuse links whose other end is missing or leads elsewhere."""
    for (kind, guid), node in nodes.items():
        for port, end in node.ports.items():
            peer = nodes.get(end.peer)
            back = peer.ports.get(end.peer_port) if peer else None
            if back is None or back.peer != (kind, guid) or back.peer_port != port:
                shown = f'"{end.peer[0]}-{end.peer[1]:016x}"[{end.peer_port}]'
                reason = "is not in the file" if back is None else "leads elsewhere"
                raise UserError(
                    f"ibnetdiscover: the link has one side only: its other end {reason}",
                    value=shown,
                    where=f"{path}:{end.number}",
                )


def _adapters(
    nodes: dict[tuple[str, int], _Node],
    number_of: dict[int, int],
    kinds: dict[str, LinkKind],
    path: Path,
) -> Iterator[Adapter]:
    """Yield the ports of adapters that lead to switches, in order."""
    found = []
    for node in nodes.values():
        if node.kind != "H" or "Aggregation Node" in node.description:
            continue
        for port, end in node.ports.items():
            if end.peer[0] == "S":
                found.append((node.description, end.guid or node.guid, port, node, end))
    found.sort(key=lambda each: each[:3])
    hosts: dict[str, list[Adapter]] = {}
    for description, guid, port, node, end in found:
        host, label = host_and_label(description, node.guid)
        label = label if len(node.ports) == 1 else f"{label}/{port}"
        kind = _kind(end, kinds, path)
        adapter = Adapter(host, label, number_of[end.peer[1]], end.peer_port, kind, guid, end.lid)
        hosts.setdefault(host, []).append(adapter)
    yield from (adapter for each in hosts.values() for adapter in each)


def _cables(
    switches: list[_Node], number_of: dict[int, int], kinds: dict[str, LinkKind], path: Path
) -> Iterator[Cable]:
    for node in switches:
        for port, end in sorted(node.ports.items()):
            here = number_of[node.guid], port
            there = number_of.get(end.peer[1], -1), end.peer_port
            if end.peer[0] == "S" and here < there:
                yield Cable(*here, *there, _kind(end, kinds, path))


def _kind(end: _Port, kinds: dict[str, LinkKind], path: Path) -> str:
    """Return the kind of a link, which is then known."""
    if not end.speed:
        return USUAL
    if end.speed not in kinds:
        kinds[end.speed] = kind_of(end.speed, f"{path}:{end.number}")
    return end.speed
