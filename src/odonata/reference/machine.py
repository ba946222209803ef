"""A machine as plain lists: nodes, routers, directed links with classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


def transmission_time(num_bytes: int, bandwidth: int) -> int:
    """Return the time on the wire [ps] at a bandwidth [B/s], rounded up."""
    return -(-num_bytes * 10**12 // bandwidth)


@dataclass(frozen=True)
class LinkClass:
    """What all links of one class share."""

    bandwidth: int  # [B/s]
    latency: int  # [ps]
    buffer: int  # [B] a virtual channel, at the far end
    credit_delay: int  # [ps]


@dataclass(frozen=True)
class Link:
    """A directed link; its ends are routers, or the node of an injection or ejection link."""

    number: int
    source: int
    target: int
    link_class: LinkClass


@dataclass(frozen=True)
class Machine:
    """A machine of N nodes: node n sends into link n, receives from link N + n.

    With groups, routers stand in a grid of rows by columns in each; router number =
    (group * rows + row) * columns + column.
    """

    router_delay: int  # [ps]
    node_latency: int  # [ps] between ranks of one node
    node_bandwidth: int  # [B/s] between ranks of one node
    groups: int  # 0: a machine without groups
    rows: int
    columns: int
    node_router: list[int]
    num_routers: int
    links: list[Link]

    @property
    def num_nodes(self) -> int:
        """How many nodes there are."""
        return len(self.node_router)

    def injection(self, node: int) -> Link:
        """Return the link from a node to its router."""
        return self.links[node]

    def ejection(self, node: int) -> Link:
        """Return the link from its router to a node."""
        return self.links[self.num_nodes + node]

    def router_links(self) -> list[Link]:
        """Return the links between routers, by number."""
        return self.links[2 * self.num_nodes :]

    def group(self, router: int) -> int:
        """Return the group of a router."""
        return router // (self.rows * self.columns)


def copy_machine(machine: Any) -> Machine:
    """Return the copy in plain lists of a machine that the extension module built."""
    classes = [LinkClass(c.bandwidth, c.latency, c.buffer, c.credit_delay) for c in machine.classes]
    links = [
        Link(number, int(source), int(target), classes[link_class])
        for number, (source, target, link_class) in enumerate(machine.links)
    ]
    return Machine(
        machine.router_delay,
        machine.node_latency,
        machine.node_bandwidth,
        machine.groups,
        machine.rows,
        machine.columns,
        [int(router) for router in machine.node_router],
        machine.num_routers,
        links,
    )
