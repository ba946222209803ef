"""Files that list links: Cray's wiring dumps and plain edge lists.

A wiring dump has a line for every port of every router::

    c0-0c0s0a0l01(0:0:0) blue -> c2-0c0s0a0l01(1:0:0)
    c0-0c0s0a0l04(0:0:0) blue -> unused
    c0-0c0s0a0l50(0:0:0) ptile -> processor

that is: name of the router, its port, (group:chassis:slot), colour, and the port at the other
end. An edge list has a line for every node and for every direction of every link::

    node 0 router 0
    link 0 1 local
    link 1 0 local

``#`` starts a comment. Either file may be compressed by gzip.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from odonata.errors import UserError
from odonata.machine.lines import read_lines

__all__ = ["EdgeList", "Wiring", "read_edges", "read_wiring"]

EDGES = "lines 'node <n> router <r>' and 'link <from> <to> <class>', both directions"
"""Form of an edge list."""

COLOURS = ("green", "black", "blue")

_END = r"(c\d{1,4}-\d{1,4}c\ds\d{1,2}a\d)l([0-7]{2})\((\d{1,5}):(\d{1,2}):(\d{1,2})\)"
_PORT = re.compile(rf"{_END} (\w+) -> (?:{_END}|(\w+))")
_NODE = re.compile(r"node (\d{1,8}) router (\d{1,8})")
_LINK = re.compile(r"link (\d{1,8}) (\d{1,8}) (\w{1,32})")

_Router = tuple[int, int, int]  # group, chassis, slot


@dataclass(frozen=True)
class Wiring:
    """The links of a Cray XC machine, read from a wiring dump.

    Parameters
    ----------
    routers
        (group, chassis, slot) of each router in order; groups are numbered without gaps.
    links
        Shape (num_links, 3): from and to router, and colour as a position in `COLOURS`; every
        direction of every link.
    """

    routers: tuple[_Router, ...]
    links: NDArray[np.int32]

    @property
    def groups(self) -> int:
        """Number of groups."""
        return len({router[0] for router in self.routers})

    @property
    def rows(self) -> int:
        """Chassis of a group."""
        return 1 + max(router[1] for router in self.routers)

    @property
    def columns(self) -> int:
        """Slots of a chassis."""
        return 1 + max(router[2] for router in self.routers)

    def coloured(self, colour: str) -> NDArray[np.int32]:
        """Return the links of one colour, shape (num_links, 3)."""
        return np.ascontiguousarray(self.links[self.links[:, 2] == COLOURS.index(colour)])


@dataclass(frozen=True)
class EdgeList:
    """Nodes and links of a graph.

    Parameters
    ----------
    node_router
        Shape (num_nodes,): router of each node.
    links
        Shape (num_links,): from and to router, and name of the class.
    """

    node_router: tuple[int, ...]
    links: tuple[tuple[int, int, str], ...]


def read_wiring(path: str | Path) -> Wiring:
    """Read a wiring dump.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    UserError
        A line is not understood, a link ends at a port that the file doesn't have (it dangles),
        or the port at its other end leads elsewhere (it goes one way).
    """
    path = Path(path)
    ports: dict[tuple[_Router, str], tuple[_Router, str, str, int] | None] = {}
    for number, line in read_lines(path):
        match = _PORT.fullmatch(line)
        if match is None:
            raise UserError("wiring: line not understood", value=line, where=f"{path}:{number}")
        port = (_router(match, 3), match[2])
        if port in ports:
            raise UserError("wiring: port listed twice", value=line, where=f"{path}:{number}")
        colour = match[6]
        wired = match[7] is not None
        if wired and colour not in COLOURS:
            allowed = ", ".join(COLOURS)
            raise UserError(
                "wiring: unknown colour", value=colour, allowed=allowed, where=f"{path}:{number}"
            )
        ports[port] = (_router(match, 9), match[8], colour, number) if wired else None
    if not ports:
        raise UserError("wiring: no ports in the file", where=str(path))
    return _wiring(ports, path)


def _wiring(
    ports: dict[tuple[_Router, str], tuple[_Router, str, str, int] | None], path: Path
) -> Wiring:
    group_numbers = {g: i for i, g in enumerate(sorted({router[0] for router, _ in ports}))}
    routers = sorted({router for router, _ in ports})
    numbers = {router: i for i, router in enumerate(routers)}
    links = []
    for (router, label), end in ports.items():
        if end is None:
            continue
        peer, peer_label, colour, number = end
        shown = f"{_shown(router, label)} -> {_shown(peer, peer_label)}"
        if (peer, peer_label) not in ports:
            raise UserError(
                "wiring: the link dangles, its other end is not in the file",
                value=shown,
                where=f"{path}:{number}",
            )
        back = ports[peer, peer_label]
        if back is None or back[:3] != (router, label, colour):
            raise UserError(
                "wiring: the link goes one way, its other end doesn't lead back",
                value=shown,
                where=f"{path}:{number}",
            )
        links.append((numbers[router], numbers[peer], COLOURS.index(colour)))
    places = tuple((group_numbers[g], chassis, slot) for g, chassis, slot in routers)
    return Wiring(places, np.array(links, dtype=np.int32).reshape(-1, 3))


def read_edges(path: str | Path) -> EdgeList:
    """Read an edge list.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    UserError
        A line is not understood, or nodes are not numbered from 0 without gaps.
    """
    path = Path(path)
    nodes: dict[int, int] = {}
    links: list[tuple[int, int, str]] = []
    for number, line in read_lines(path):
        if node := _NODE.fullmatch(line):
            if int(node[1]) in nodes:
                raise UserError("edges: node listed twice", value=line, where=f"{path}:{number}")
            nodes[int(node[1])] = int(node[2])
        elif link := _LINK.fullmatch(line):
            links.append((int(link[1]), int(link[2]), link[3]))
        else:
            raise UserError(
                "edges: line not understood", value=line, allowed=EDGES, where=f"{path}:{number}"
            )
    if sorted(nodes) != list(range(len(nodes))):
        first = next(n for n in range(len(nodes) + 1) if n not in nodes)
        raise UserError("edges: nodes are numbered from 0; missing", value=first, where=str(path))
    return EdgeList(tuple(nodes[n] for n in range(len(nodes))), tuple(links))


def _router(match: re.Match[str], first: int) -> _Router:
    return int(match[first]), int(match[first + 1]), int(match[first + 2])


def _shown(router: _Router, label: str) -> str:
    return f"({router[0]}:{router[1]}:{router[2]}) port {label}"
