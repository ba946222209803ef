"""A machine as plain lists: nodes, routers, directed links with classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


def transmission_time(num_bytes: int, bandwidth: int) -> int:
    """Return the time on the wire [ps] at a bandwidth [B/s], rounded up."""
    return -(-num_bytes * 10**12 // bandwidth)


@dataclass(frozen=True)
class LinkClass:
    """Common properties of all links of one class."""

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
    """A machine whose nodes have P ports in all: port p sends into link p, receives from P + p."""

    family: str

    router_delay: int  # [ps]
    node_latency: int  # [ps] between ranks of one node
    node_bandwidth: int  # [B/s] between ranks of one node
    memory_bandwidth: int  # [B/s] of all these messages of a node; 0: none waits
    node_router: list[int]
    port_router: list[int]
    ports: Any  # of a node: how many, the port of a rank, the size from which messages are cut
    first_port: list[int]  # of each node, and the number of ports; empty: as many of every node
    positions: list[tuple[int, ...]]  # coordinates of each router, in the order of its axes
    router_group: list[int]  # block of each router at the farthest level of locality
    groups: int  # how many there are, 0 on machines without levels
    links: list[Link]
    link_kinds: list[str]  # name of the class of each link

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return len(self.node_router)

    @property
    def num_ports(self) -> int:
        """Number of ports of all nodes."""
        return len(self.port_router)

    def port(self, node: int, at: int) -> int:
        """Return a port of a node."""
        first = self.first_port[node] if self.first_port else node * int(self.ports.per_node)
        return first + at

    def ports_of(self, node: int) -> int:
        """Return how many ports a node has."""
        return self.port(node + 1, 0) - self.port(node, 0)

    def injection(self, port: int) -> Link:
        """Return the link from a port to its router."""
        return self.links[port]

    def ejection(self, port: int) -> Link:
        """Return the link from its router to a port."""
        return self.links[self.num_ports + port]

    def router_links(self) -> list[Link]:
        """Return the links between routers, by number."""
        return self.links[2 * self.num_ports :]

    def group(self, router: int) -> int:
        """Return the group of a router."""
        return self.router_group[router]

    @property
    def num_routers(self) -> int:
        """Number of routers."""
        return len(self.positions)


def copy_machine(machine: Any) -> Machine:
    """Return the copy in plain lists of a machine that the extension module built."""
    classes = [LinkClass(c.bandwidth, c.latency, c.buffer, c.credit_delay) for c in machine.classes]
    links = [
        Link(number, int(source), int(target), classes[link_class])
        for number, (source, target, link_class) in enumerate(machine.links)
    ]
    return Machine(
        machine.family,
        machine.router_delay,
        machine.node_latency,
        machine.node_bandwidth,
        machine.memory_bandwidth,
        [int(router) for router in machine.node_router],
        [int(router) for router in machine.port_router],
        machine.ports,
        [int(port) for port in machine.first_port],
        [tuple(int(i) for i in position) for position in machine.positions],
        [int(group) for group in machine.levels[-1].of_router] if machine.levels else [],
        machine.groups,
        links,
        [machine.classes[link_class].name for _, _, link_class in machine.links],
    )
