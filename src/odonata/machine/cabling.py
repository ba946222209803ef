"""Names of the switches, hosts and cables of any machine, and the links that are a cable."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from odonata.errors import UserError, near_miss
from odonata.machine.machine import Machine

__all__ = ["CableLinks", "Cabling"]

MOST_SHOWN = 8
"""Names that an error lists."""

_ROUTER = re.compile(r"router-(\d{1,9})")
_NODE = re.compile(r"node-(\d{1,9})")


@dataclass(frozen=True)
class CableLinks:
    """A cable between two routers.

    Parameters
    ----------
    a, b
        The routers.
    there, back
        Numbers of its links, from a to b and from b to a.
    """

    a: int
    b: int
    there: int
    back: int


class Cabling:
    """Switches, hosts and cables by name, as ``odonata machines write`` has them.

    Parameters
    ----------
    machine
        The machine.
    """

    def __init__(self, machine: Machine) -> None:
        from odonata.machine.fabric.fabric import read_fabric  # few commands need names

        self._machine = machine
        self._fabric = (
            read_fabric(machine.file.path(str(machine.value("shape.fabric"))))
            if "shape.fabric" in machine.numbers
            else None
        )
        self._own = machine.num_adapters  # routers 0, 1, ... stand for nodes with several rails

    @cached_property
    def hosts(self) -> Sequence[str]:
        """Names of the nodes, in order."""
        from odonata.machine.fabric.of_machine import hosts_of  # few commands need names

        return hosts_of(self._machine) if self._fabric is None else self._fabric.hosts()

    @cached_property
    def routers(self) -> Sequence[str]:
        """Names of the routers, in order; routers that stand for nodes have the nodes' names."""
        if self._fabric is not None:
            return [switch.name for switch in self._fabric.switches]
        count = self._machine.num_routers
        digits = len(str(count - 1))
        switches = [f"router-{router:0{digits}d}" for router in range(count - self._own)]
        return [*(self.hosts if self._own else ()), *switches]

    @cached_property
    def cables(self) -> Sequence[CableLinks]:
        """Every cable between routers: in the order of the fabric's file, if there is one."""
        return list(self._of_machine() if self._fabric is None else self._of_fabric())

    @cached_property
    def between_switches(self) -> Sequence[int]:
        """Numbers of the cables that join two switches."""
        return [at for at, cable in enumerate(self.cables) if cable.a >= self._own]

    def name(self, cable: int) -> str:
        """Return the names of the two ends of a cable, with a colon between them."""
        ends = self.cables[cable]
        return f"{self.routers[ends.a]}:{self.routers[ends.b]}"

    def router(self, name: str) -> int | None:
        """Return the router of a name, None without one.

        Parameters
        ----------
        name
            The name; numbers of ``router-`` need no zeros in front.
        """
        found = _ROUTER.fullmatch(name)
        if self._fabric is None and found:
            number = int(found[1]) + self._own
            return number if number < self._machine.num_routers else None
        return self._router_of.get(name)

    def node(self, name: str) -> int | None:
        """Return the node of a name or number, None without one."""
        found = _NODE.fullmatch(name)
        if name.isdecimal() and len(name) < 10:
            number = int(name)
        elif found and name not in self._node_of:
            number = int(found[1])
        else:
            return self._node_of.get(name)
        return number if number < self._machine.num_nodes else None

    def ends(self, text: str, where: str | None) -> tuple[str, str]:
        """Return the two names that a colon joins; names may have colons, too.

        Raises
        ------
        UserError
            There is no colon, or a name is unknown.
        """
        parts = text.split(":")
        splits = [(":".join(parts[:i]), ":".join(parts[i:])) for i in range(1, len(parts))]
        if not splits:
            allowed = "two names with a colon between them, as in router-0:router-1"
            raise UserError("faults: not a link", value=text, allowed=allowed, where=where)
        for split in splits:
            if all(self._knows(name) for name in split):
                return split
        likely = max(splits, key=lambda split: sum(map(self._knows, split)))
        raise self.unknown(next(name for name in likely if not self._knows(name)), where)

    def unknown(self, name: str, where: str | None, what: str = "switch or host") -> UserError:
        """Return the error about a name that is unknown."""
        kinds = [self.routers] if "switch" in what else []
        kinds += [self.hosts] if what != "switch" else []
        spans = ", ".join(f"{known[0]} to {known[-1]}" for known in kinds)
        allowed = f"{spans}; odonata machines write lists them"
        near = near_miss(name, [name for known in kinds for name in known])
        return UserError(
            f"faults: no such {what}", value=name, near=near, allowed=allowed, where=where
        )

    def joining(self, a: int, b: int, where: str | None) -> list[int]:
        """Return the cables that join two routers.

        Raises
        ------
        UserError
            No cable does.
        """
        found = self._joins.get((min(a, b), max(a, b)))
        if found is not None:
            return found
        others = {pair[pair[0] == a] for pair in self._joins if a in pair}
        names = [self.routers[other] for other in sorted(others)]
        more = f", ... ({len(names)} in all)" if len(names) > MOST_SHOWN else ""
        raise UserError(
            f"faults: no cable joins {self.routers[a]} and {self.routers[b]}",
            near=near_miss(self.routers[b], names),
            allowed=f"{self.routers[a]} and {', '.join(names[:MOST_SHOWN])}{more}",
            where=where,
        )

    def at(self, router: int) -> list[int]:
        """Return the cables of a router."""
        return self._at.get(router, [])

    def _knows(self, name: str) -> bool:
        return self.router(name) is not None or self.node(name) is not None

    @cached_property
    def _router_of(self) -> Mapping[str, int]:
        return {name: number for number, name in reversed([*enumerate(self.routers)])}

    @cached_property
    def _node_of(self) -> Mapping[str, int]:
        return {name: number for number, name in reversed([*enumerate(self.hosts)])}

    @cached_property
    def _at(self) -> Mapping[int, list[int]]:
        found: dict[int, list[int]] = {}
        for at, cable in enumerate(self.cables):
            found.setdefault(cable.a, []).append(at)
            found.setdefault(cable.b, []).append(at)
        return found

    @cached_property
    def _joins(self) -> Mapping[tuple[int, int], list[int]]:
        found: dict[tuple[int, int], list[int]] = {}
        for at, cable in enumerate(self.cables):
            pair = min(cable.a, cable.b), max(cable.a, cable.b)
            found.setdefault(pair, []).append(at)
        return found

    def _of_fabric(self) -> Iterator[CableLinks]:
        """Yield the cables of a file: its ends in order are the links of the machine."""
        assert self._fabric is not None
        first = 2 * self._machine.num_node_ports
        link = {end[:2]: first + at for at, end in enumerate(self._fabric.ends())}
        for c in self._fabric.cables:
            yield CableLinks(c.a, c.b, link[c.a, c.a_port], link[c.b, c.b_port])

    def _of_machine(self) -> Iterator[CableLinks]:
        """Yield the cables in order of their routers; equal links back and forth are one each."""
        import numpy as np

        links = self._machine.core.links[2 * self._machine.num_node_ports :]
        there, back = (np.flatnonzero(links[:, i] < links[:, 1 - i]) for i in (0, 1))
        there = there[np.lexsort(links[there][:, [2, 1, 0]].T)]
        back = back[np.lexsort(links[back][:, [2, 0, 1]].T)]
        first = 2 * self._machine.num_node_ports
        rows = zip(links[there, :2].tolist(), there.tolist(), back.tolist(), strict=True)
        for (a, b), one, other in rows:
            yield CableLinks(a, b, first + one, first + other)
