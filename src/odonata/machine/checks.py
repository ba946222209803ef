"""Properties of a machine under a routing policy, checked link by link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from odonata import _core
from odonata.errors import UserError
from odonata.machine.wiring import COLOURS, Wiring

__all__ = ["Check", "ClassCheck", "LinkDifference", "check", "compare_wiring"]


@dataclass(frozen=True)
class ClassCheck:
    """Links and virtual channels of a class.

    Parameters
    ----------
    name
        Of the class.
    links
        Directed links.
    vcs
        Virtual channels of each.
    channels
        ``links * vcs``.
    """

    name: str
    links: int
    vcs: int
    channels: int


@dataclass(frozen=True)
class Check:
    """The report on a machine under a routing policy.

    Parameters
    ----------
    policy
        Name of the policy.
    deadlock_free
        The channel dependency graph over all virtual channels has no cycle.
    cycle
        Pairs of link and virtual channel, each waiting for the next; empty without a cycle.
    channels, used_channels
        Virtual channels, and the number of them that packets can use.
    states, transitions
        How many routing states at routers, and hops from them, were visited to find out.
    connected
        Every router reaches every other; with faults, no node is broken or cut off.
    diameter
        Most links between routers on a minimal route; with injection and ejection two more.
    mean_distance
        Links between routers of the minimal route between two random nodes.
    bisection_bytes_per_second, bisection_links
        Least bandwidth and links, a direction, between two halves of the machine; sizes of the
        halves differ by one part at most: nine groups are cut four against five.
    bisection_halves
        How many parts each half has.
    bisection_parts
        Parts of the halves: groups; routers, if there are no two groups; nodes, if there are no two
        routers, and then the links are links of nodes.
    bisection_exact
        No other split has less. If False the value is the best that a local search found.
    classes
        Links and virtual channels by class.
    adapters
        Ports of the nodes.
    switches
        Routers, except routers that stand for the adapters of nodes with several rails.
    switch_links
        Cables between switches.
    unreachable_pairs
        Ordered pairs of adapters without a route; None if that was not counted.
    switches_per_route
        Ordered pairs of adapters by the number of switches on their route; None where a pair has
        several routes.
    channels_in_cycles
        Virtual channels behind switches that are left when those for which none waits are taken
        away again and again; None where a pair has several routes and some wait in a cycle.
    """

    policy: str
    deadlock_free: bool
    cycle: tuple[tuple[int, int], ...]
    channels: int
    used_channels: int
    states: int
    transitions: int
    connected: bool
    diameter: int
    mean_distance: float
    bisection_bytes_per_second: int
    bisection_links: int
    bisection_halves: tuple[int, int]
    bisection_parts: str
    bisection_exact: bool
    classes: tuple[ClassCheck, ...]
    adapters: int
    switches: int
    switch_links: int
    unreachable_pairs: int | None
    switches_per_route: Mapping[int, int] | None
    channels_in_cycles: int | None

    @property
    def passed(self) -> bool:
        """Whether the machine is connected, has all routes, and is free of deadlock."""
        return self.connected and self.deadlock_free and not self.unreachable_pairs

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data."""
        return asdict(self)


@dataclass(frozen=True)
class LinkDifference:
    """Difference between the links of a machine and of a wiring file, for one class.

    Parameters
    ----------
    link_class
        Name of the class.
    common, only_machine, only_wiring
        Directed links that both have, that only the machine has, that only the file has.
    """

    link_class: str
    common: int
    only_machine: int
    only_wiring: int

    @property
    def differing(self) -> int:
        """Directed links that only one of the two has."""
        return self.only_machine + self.only_wiring


def check(
    machine: _core.Machine,
    routing: _core.Routing,
    *,
    policy: str,
    rail_adapters: int = 0,
    cut_nodes: Sequence[int] | None = None,
) -> Check:
    """Check a machine.

    Parameters
    ----------
    machine
        The machine.
    routing
        A routing on it.
    policy
        Name of its policy, for the report.
    rail_adapters
        Routers that stand for the adapters of nodes with several rails.
    cut_nodes
        Nodes that faults have broken or cut off; None: the machine is whole.
    """
    counts = routing.count_routes()
    deadlock = _core.check_deadlock(machine, routing)
    properties = _core.find_properties(machine, routing)
    bisection = properties.bisection
    parts = bisection.count
    connected = properties.connected if cut_nodes is None else not cut_nodes
    return Check(
        policy=policy,
        deadlock_free=deadlock.deadlock_free,
        cycle=tuple((channel.link, channel.vc) for channel in deadlock.cycle),
        channels=deadlock.channels,
        used_channels=deadlock.used,
        states=deadlock.states,
        transitions=deadlock.transitions,
        connected=connected,
        diameter=properties.diameter,
        mean_distance=properties.mean_distance,
        bisection_bytes_per_second=bisection.bytes_per_second,
        bisection_links=bisection.links,
        bisection_halves=(parts // 2, parts - parts // 2),
        bisection_parts=bisection.parts,
        bisection_exact=bisection.exact,
        classes=tuple(ClassCheck(c.name, c.links, c.vcs, c.channels) for c in properties.classes),
        adapters=machine.num_ports,
        switches=machine.num_routers - rail_adapters,
        switch_links=(machine.num_links - 2 * machine.num_ports) // 2,
        **_of_routes(counts, connected, deadlock.deadlock_free),
    )


def _of_routes(
    counts: _core.RouteCounts | None, connected: bool, deadlock_free: bool
) -> dict[str, Any]:
    """Return the fields of a report that are of the routes of all pairs."""
    if counts is None:
        return {
            "unreachable_pairs": 0 if connected else None,
            "switches_per_route": None,
            "channels_in_cycles": 0 if deadlock_free else None,
        }
    pairs = {switches: number for switches, number in enumerate(counts.pairs_of) if number}
    return {
        "unreachable_pairs": counts.unreachable_pairs,
        "switches_per_route": pairs,
        "channels_in_cycles": counts.channels_in_cycles,
    }


def compare_wiring(machine: _core.Machine, wiring: Wiring) -> Mapping[str, LinkDifference]:
    """Compare the links between routers with a published wiring.

    Parameters
    ----------
    machine
        A machine of the Aries family.
    wiring
        The contents of the file.

    Returns
    -------
    Mapping
        By class of links.

    Raises
    ------
    UserError
        The file has another number of groups, chassis or slots.
    """
    shape = tuple(int(last) + 1 for last in machine.positions.max(axis=0, initial=-1))
    published = (wiring.groups, wiring.rows, wiring.columns)
    complete = len(wiring.routers) == machine.num_routers
    if machine.family != "aries" or shape != published or not complete:
        raise UserError(
            "wiring: of another shape than the machine",
            value=f"groups x chassis x slots {published}",
            allowed=f"{shape}, of the family aries",
        )
    other = _core.make_machine(
        "graph",
        basics=_core.Basics("wiring", 1, 0, 0, 1),
        values={
            "routers": len(wiring.routers),
            "node_router": [0],
            "links": [(a, b, 2 + colour) for a, b, colour in wiring.links.tolist()],
        },
        classes=[_core.LinkClass(name, 1, 0, 1, 0) for name in ("injection", "ejection", *COLOURS)],
    )
    found = _core.compare_links(machine, other)
    return {
        d.link_class: LinkDifference(d.link_class, d.common, d.only_first, d.only_second)
        for d in found
    }
