"""The fabric of any machine: its hosts, switches and cables with names and ports.

A machine that was imported has the names and ports of its own file. In other machines hosts have
the names of the machine's nodes, or ``node-00017``, and switches are ``router-0042`` with the
number of the router; the ports of a switch lead first to adapters, then to other switches, in the
order of the machine. Two directed links, one a direction, are a cable.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from odonata.machine.fabric.fabric import (
    Adapter,
    Cable,
    Fabric,
    LinkKind,
    Switch,
    read_fabric,
)
from odonata.machine.machine import Machine, has_names
from odonata.machine.node_names import Names

__all__ = ["fabric_of", "hosts_of"]


def fabric_of(machine: Machine) -> Fabric:
    """Return the fabric of a machine.

    Parameters
    ----------
    machine
        The machine.

    Returns
    -------
    Fabric
        Its kinds of links are the machine's classes of links; adapters have classes of
        injection links.

    Examples
    --------
    >>> from odonata.machine import load
    >>> eos = fabric_of(load("eos"))
    >>> eos.adapters[0].host, eos.switches[-1].name, len(eos.cables)
    ('nid00012', 'router-191', 3120)
    """
    kinds = {
        link.name: LinkKind(
            f"{link.bandwidth} B/s",
            f"links.{link.name} of {machine.name}",
            "",
            f"{link.latency} ps",
        )
        for link in machine.core.classes
    }
    if "shape.fabric" in machine.numbers:
        read = read_fabric(machine.file.path(str(machine.value("shape.fabric"))))
        return replace(
            read, adapters=_with_classes(machine, read), cables=_left(machine, read), kinds=kinds
        )
    ports = _Ports(machine.num_routers)
    adapters = [*_adapters(machine, ports)]
    cables: list[Cable] = []
    rails: dict[int, list[Adapter]] = {}
    own = machine.num_adapters  # routers 0, 1, ... stand for nodes with several rails
    hosts = hosts_of(machine) if own else []
    for a, b, kind in _joined(machine):
        if a < own:
            its = rails.setdefault(a, [])
            its.append(Adapter(hosts[a], f"HCA-{len(its) + 1:02d}", b - own, ports.next(b), kind))
        else:
            cables.append(Cable(a - own, ports.next(a), b - own, ports.next(b), kind))
    if own:
        adapters = [adapter for node in sorted(rails) for adapter in rails[node]]
    digits = len(str(machine.num_routers - 1))
    switches = tuple(Switch(f"router-{r:0{digits}d}") for r in range(machine.num_routers - own))
    return Fabric(switches, tuple(adapters), tuple(cables), kinds)


def hosts_of(machine: Machine) -> list[str]:
    """Return the host names of the nodes, in order.

    Parameters
    ----------
    machine
        The machine; if it has no names, they are ``node-`` and the number of the node.
    """
    if has_names(machine):
        names = Names(machine)
        return [names.host(node) for node in range(machine.num_nodes)]
    digits = len(str(machine.num_nodes - 1))
    return [f"node-{node:0{digits}d}" for node in range(machine.num_nodes)]


def _with_classes(machine: Machine, fabric: Fabric) -> tuple[Adapter, ...]:
    """Return the adapters with the classes of their injection links in the place of kinds."""
    names, classes = machine.link_classes, machine.link_class.tolist()
    return tuple(replace(each, kind=names[classes[i]]) for i, each in enumerate(fabric.adapters))


def _left(machine: Machine, fabric: Fabric) -> tuple[Cable, ...]:
    """Return the cables that faults have left, with the classes of their links."""
    if machine.faults is None:
        return fabric.cables
    lost = machine.faults.lost
    left = replace(fabric, cables=tuple(c for at, c in enumerate(fabric.cables) if at not in lost))
    names, classes = machine.link_classes, machine.link_class.tolist()
    first = 2 * machine.num_node_ports
    kind = {end[:2]: names[classes[first + at]] for at, end in enumerate(left.ends())}
    return tuple(replace(c, kind=kind[c.a, c.a_port]) for c in left.cables)


class _Ports:
    """Ports of routers that have a link already."""

    def __init__(self, routers: int) -> None:
        self._last = [0] * routers

    def next(self, router: int) -> int:
        """Return the next free port of a router."""
        self._last[router] += 1
        return self._last[router]


def _adapters(machine: Machine, ports: _Ports) -> Iterator[Adapter]:
    """Yield the ports of the nodes; none where routers stand for the adapters."""
    if machine.num_adapters:
        return
    routers, classes = machine.port_router.tolist(), machine.link_class.tolist()
    firsts = [machine.first_port(node) for node in range(machine.num_nodes)]
    ends = [*firsts[1:], machine.num_node_ports]
    for host, first, end in zip(hosts_of(machine), firsts, ends, strict=True):
        digits = len(str(end - first))
        for port in range(first, end):
            label = f"HCA-{port - first + 1:0{digits}d}"
            router = routers[port]
            kind = machine.link_classes[classes[port]]
            yield Adapter(host, label, router, ports.next(router), kind)


def _joined(machine: Machine) -> Iterator[tuple[int, int, str]]:
    """Yield the two routers of each cable, the lesser first, and the class of its links.

    Each link has one of its class that leads back, which a machine is checked for.
    """
    first = 2 * machine.num_node_ports
    columns = (machine.link_from, machine.link_to, machine.link_class)
    for a, b, kind in zip(*(column[first:].tolist() for column in columns), strict=True):
        if a < b:
            yield a, b, machine.link_classes[kind]
