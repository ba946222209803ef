"""A machine: its graph, its numbers, and where each of them comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from odonata import _core
from odonata import machine as machines
from odonata.errors import InternalError, UserError, near_miss
from odonata.machine.build import build
from odonata.machine.files import Description, Number, describe
from odonata.machine.policies import routing_policy
from odonata.machine.values import Value
from odonata.units import format_bytes, format_rate, format_time

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Breaking", "Faults", "Machine", "Place", "has_names"]

UNCHECKED = "not checked against measurements"
"""Words for a machine whose simulated times were never held against measured ones."""

NODE_CLASSES = ("injection", "ejection")
"""Classes of the links of nodes, the first ones of every machine; names of others begin so."""


@dataclass(frozen=True)
class Place:
    """Position of a node.

    Parameters
    ----------
    coordinates
        Coordinates of its router by name, in the order of `Machine.axes`: group, row (a chassis, on
        Aries) and column (a slot) on machines with groups; empty where routers have none.
    router
        Its router.
    position
        Which of the router's nodes it is.
    blocks
        Block of each level of locality that it is in, by the level's name, the nearest first.
    """

    coordinates: Mapping[str, int]
    router: int
    position: int
    blocks: Mapping[str, int]


@dataclass(frozen=True)
class Faults:
    """Faults of a machine, and the machine with them.

    Parameters
    ----------
    core
        The machine with them, as the engines see it.
    lost
        Numbers of the cables that are gone, see `odonata.machine.cabling.Cabling`.
    classes
        Names of the classes of slower links, behind the machine's own.
    cut_nodes
        Nodes that are broken or cut off, in order.
    text
        The faults in words.
    plain_routing
        Function that returns the routing that ``minimal`` means on the machine.
    """

    core: _core.Machine
    lost: frozenset[int]
    classes: tuple[str, ...]
    cut_nodes: tuple[int, ...]
    text: str
    plain_routing: Callable[[Machine], str]


Breaking = Callable[["Machine"], Faults | None]
"""Function that reads the faults of a machine; None: it has none."""


class Machine:
    """A machine: nodes, routers and directed links, and the numbers behind them.

    Links are numbered: port p of the nodes injects by link p and is delivered to by link
    ``num_node_ports + p``; behind those come the links between routers, by the router that they
    leave. The ports of a node follow each other.

    Parameters
    ----------
    description
        A machine file, checked; most callers use `load`.
    changes
        Changes of it.
    breaking
        Function that reads the faults of a machine that is still whole.
    """

    def __init__(
        self,
        description: Description,
        changes: Mapping[str, object] | None = None,
        breaking: Breaking | None = None,
    ) -> None:
        self._described = description
        self._changes = dict(changes or {})
        self.core = build(description)
        """The machine as the engines see it."""
        self._breaking = breaking
        self.faults: Faults | None = None
        """Its faults; None: it is whole."""
        if any(key.startswith("faults.") for key in description.numbers):
            if breaking is None:
                raise InternalError("machine: nothing reads its faults; odonata.machine.load does")
            self.faults = breaking(self)
            self.core = self.faults.core if self.faults else self.core

    @property
    def name(self) -> str:
        """Name of the machine."""
        return self._described.name

    @property
    def family(self) -> str:
        """Name of its family."""
        return self._described.family

    @property
    def description(self) -> str:
        """Description in a sentence or two."""
        return self._described.description

    @property
    def file(self) -> Description:
        """The machine file, checked, with the changes."""
        return self._described

    @property
    def numbers(self) -> Mapping[str, Number]:
        """Every number with its source, by dotted key."""
        return self._described.numbers

    @property
    def checked(self) -> str:
        """How far simulated times were from measured ones, in words."""
        numbers = self.numbers
        if "checked.cases" not in numbers:
            return UNCHECKED
        cases, error, factor = (
            float(str(numbers[f"checked.{key}"].value))
            for key in ("cases", "median_error", "factor")
        )
        text = f"{cases:,.0f} measured cases, median error {error:.0%}".replace("%", " %")
        text += f", 90 % within a factor {factor:.2g}"
        return f"{text}, before these changes" if self.changes else text

    @property
    def changes(self) -> Mapping[str, object]:
        """Changes against the file."""
        return self._changes

    @property
    def changes_text(self) -> str:
        """Changes against the file, and faults, in words; empty without either."""
        changes = [
            f"{key}={value}"
            for key, value in self._changes.items()
            if not (self.faults and key.startswith("faults."))
        ]
        return "; ".join([*changes, *([self.faults.text] if self.faults else [])])

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return self.core.num_nodes

    @property
    def cut_nodes(self) -> tuple[int, ...]:
        """Nodes that faults have broken or cut off, in order."""
        return self.faults.cut_nodes if self.faults else ()

    @property
    def cut_ports(self) -> list[int]:
        """Ports of the nodes that faults have broken or cut off."""
        return [port for node in self.cut_nodes for port in self.ports_of(node)]

    def ports_of(self, node: int) -> range:
        """Return the numbers of the ports of a node.

        Parameters
        ----------
        node
            Number of the node.
        """
        last = node + 1 == self.num_nodes
        return range(
            self.first_port(node), self.num_node_ports if last else self.first_port(node + 1)
        )

    @property
    def num_node_ports(self) -> int:
        """Number of ports (NICs) of all nodes together."""
        return self.core.num_ports

    def first_port(self, node: int) -> int:
        """Return the number of the first port of a node.

        Parameters
        ----------
        node
            Number of the node.
        """
        first = self.core.first_port
        return int(first[node]) if len(first) else node * int(self.core.ports.per_node)

    @property
    def num_routers(self) -> int:
        """Number of routers."""
        return self.core.num_routers

    @property
    def num_adapters(self) -> int:
        """Number of routers that stand for the adapters of nodes with several rails, one a node."""
        rails = self.numbers.get("shape.rails")
        several = rails is not None and isinstance(rails.value, int) and rails.value > 1
        return self.num_nodes if several else 0

    @property
    def num_ports(self) -> int:
        """Most links of a router in one direction, including links of nodes."""
        import numpy as np

        if not self.num_routers:
            return 0
        own = np.bincount(self.port_router, minlength=self.num_routers)
        between = self.link_from[2 * self.num_node_ports :]
        return int((own + np.bincount(between, minlength=self.num_routers)).max())

    @property
    def num_links(self) -> int:
        """Number of directed links, including links of nodes."""
        return self.core.num_links

    @property
    def num_groups(self) -> int:
        """Number of groups, the blocks of the farthest level of locality; 0 on machines without."""
        return self.core.groups

    @property
    def cores_per_node(self) -> int:
        """Cores of a node."""
        return self.core.cores_per_node

    @property
    def link_classes(self) -> tuple[str, ...]:
        """Names of the classes of links, in the order of their numbers."""
        slower = self.faults.classes if self.faults else ()
        return (*self._described.link_classes, *slower)

    @property
    def node_router(self) -> NDArray[np.int32]:
        """Router of the first port of each node, shape (num_nodes,)."""
        return _array(self.core.node_router)

    @property
    def port_router(self) -> NDArray[np.int32]:
        """Router of each port of the nodes, shape (num_node_ports,)."""
        return _array(self.core.port_router)

    @property
    def link_from(self) -> NDArray[np.int32]:
        """Router (node, of injection links) that each link leaves, shape (num_links,)."""
        return self.core.links[:, 0]

    @property
    def link_to(self) -> NDArray[np.int32]:
        """Router (node, of ejection links) that each link leads to, shape (num_links,)."""
        return self.core.links[:, 1]

    @property
    def link_class(self) -> NDArray[np.int32]:
        """Number of the class of each link, shape (num_links,)."""
        return self.core.links[:, 2]

    @property
    def levels(self) -> tuple[str, ...]:
        """Names of the levels of locality between a router and the machine, the nearest first."""
        return tuple(level.name for level in self.core.levels)

    @property
    def axes(self) -> tuple[str, ...]:
        """Names of the coordinates of a router, as people list them; empty if it has none."""
        return tuple(self.core.axes)

    @property
    def router_positions(self) -> NDArray[np.int32]:
        """Coordinates of each router in the order of `axes`, shape (num_routers, num_axes)."""
        return self.core.positions

    @property
    def router_group(self) -> NDArray[np.int32]:
        """Group of each router, shape (num_routers,); 0 on machines without groups."""
        levels = self.core.levels
        return _array(levels[-1].of_router if levels else [0] * self.num_routers)

    @property
    def node_group(self) -> NDArray[np.int32]:
        """Group of each node, shape (num_nodes,)."""
        return self.router_group[self.node_router]

    def group_of(self, router: int) -> int:
        """Return the group of a router; 0 on machines without groups."""
        return self.core.group_of(router)

    def value(self, key: str) -> Value:
        """Return a number in base units: ps, B, B/s, ps/B.

        Parameters
        ----------
        key
            Dotted key, such as ``links.local.bandwidth``.

        Raises
        ------
        UserError
            The machine has no such key.
        """
        if key not in self.numbers:
            raise UserError(f"{key}: unknown key", near=near_miss(key, self.numbers))
        return self.numbers[key].value

    def with_values(self, changes: Mapping[str, object]) -> Machine:
        """Return the machine with some numbers changed.

        Parameters
        ----------
        changes
            Values by dotted key, as in a machine file: ``{"links.local.buffer": "8 KiB"}``.

        Raises
        ------
        UserError
            A key is unknown, or a value is wrong.
        """
        merged = {**self._changes, **changes}
        described = describe(self._described.document, self._described.folder, merged)
        return Machine(described, merged, self._breaking)

    def document(self) -> dict[str, object]:
        """Return the machine file as plain data, without changes: see `machine.from_document`."""
        return self._described.document.plain(self._described.folder)

    def place(self, node: int) -> Place:
        """Return where a node is.

        Parameters
        ----------
        node
            Number of the node.

        Raises
        ------
        UserError
            There is no such node.

        Examples
        --------
        >>> from odonata.machine import load
        >>> load("dragonfly-5256").place(80)
        Place(coordinates={'group': 1, 'row': 0, 'column': 1}, router=13, position=2, \
blocks={'group': 1})
        """
        if not 0 <= node < self.num_nodes:
            allowed = f"0 to {self.num_nodes - 1}"
            raise UserError("node: no such node", value=node, allowed=allowed)
        routers = self.core.node_router
        router = routers[node]
        position = list(routers[:node]).count(router)
        at = dict(zip(self.axes, self.core.position(router), strict=True))
        blocks = {level.name: level.of_router[router] for level in self.core.levels}
        return Place(at, router, position, {name: b for name, b in blocks.items() if b >= 0})

    def policy(self, name: str) -> str:
        """Return the full name of a routing policy on this machine.

        Parameters
        ----------
        name
            Name or alias. ``minimal`` is the plain one of the family; with faults it stands for
            the tables or shortest routes that are computed again.

        Raises
        ------
        UserError
            The machine has no such policy.
        """
        if self.faults is None:
            return routing_policy(name, self.family)
        if name == "minimal":
            return self._plain_routing
        return routing_policy(name, self.core.family)

    @cached_property
    def _plain_routing(self) -> str:
        assert self.faults is not None
        return self.faults.plain_routing(self)

    def routing(self, policy: str, *, seed: int = 0, bias_bytes: int = 0) -> _core.Routing:
        """Return the routing of a policy on this machine.

        Parameters
        ----------
        policy
            Name of one of its family's policies (`odonata.machine.routings`); ``minimal`` is the
            plain one of every family.
        seed
            Of the random choices.
        bias_bytes
            How many bytes more may wait on the minimal side before adaptive policies leave it.
        """
        return _core.make_routing(self.core, self.policy(policy), seed, bias_bytes)

    def check(self, policy: str) -> machines.Check:
        """Check the machine under a routing policy: see `odonata.machine.Check`.

        Parameters
        ----------
        policy
            As for `routing`.
        """
        from odonata.machine.checks import check  # imports NumPy

        full = self.policy(policy)
        rails = self.num_adapters
        return check(
            self.core,
            self.routing(policy),
            policy=full,
            rail_adapters=rails,
            cut_nodes=self.cut_nodes if self.faults else None,
        )

    def fluid_bound(self, policy: str, pattern: str, *, shift: int = 1) -> float:
        """Return the most load that oblivious routing can carry, per node.

        Parameters
        ----------
        policy
            An oblivious one: ``minimal``, ``valiant``.
        pattern
            ``uniform``, or ``adversarial``: to a random node of the group `shift` groups on.
        shift
            Of adversarial traffic.

        Returns
        -------
        float
            In units of the injection link.

        Notes
        -----
        By counting: each unit of load puts an expected load on every link; the first link to be
        full sets the bound.
        """
        full = self.policy(policy)
        return float(_core.fluid_bound(self.core, full, pattern, shift).load)

    def __repr__(self) -> str:
        head = f"{self.name} ({self.family})"
        groups = f", {self.num_groups} groups" if self.num_groups else ""
        per_node = self.core.ports.per_node
        most = "up to " if len(self.core.first_port) else ""
        ports = f" and {most}{per_node} ports" if per_node > 1 else ""
        counts = (
            f"{self.num_nodes} nodes of {self.cores_per_node} cores{ports}, "
            f"{self.num_routers - self.num_adapters} routers of up to {self.num_ports} ports"
            f"{f', {self.num_adapters} adapters' if self.num_adapters else ''}{groups}"
        )
        head_row = ("links", "number", "cables", "bandwidth", "latency", "buffer")
        rows: list[tuple[str, ...]] = [head_row]
        for i, link_class in enumerate(self.core.classes):
            number = int((self.link_class == i).sum())
            end = link_class.name.partition("-")[0]
            of_nodes = end in NODE_CLASSES  # a cable has one of each
            rows.append(
                (
                    link_class.name,
                    str(number),
                    "-" if end == "ejection" else str(number // (2 - of_nodes)),
                    format_rate(link_class.bandwidth),
                    format_time(link_class.latency),
                    format_bytes(link_class.buffer) if link_class.buffer else "-",
                )
            )
        return "\n".join([head, counts, *_columns(rows)])


def _array(numbers: memoryview | Sequence[int]) -> NDArray[np.int32]:
    """Return numbers as NumPy has them, which is imported when it is first needed."""
    import numpy as np

    return np.asarray(numbers, dtype=np.int32)


def _columns(rows: list[tuple[str, ...]]) -> list[str]:
    """Return the rows as lines, the first column to the left and the others to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            row[0].ljust(widths[0]),
            *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True)),
        ]
        lines.append("  ".join(cells))
    return lines


def has_names(machine: Machine) -> bool:
    """Return whether a machine's file says how its nodes are named.

    Parameters
    ----------
    machine
        The machine.
    """
    return "names.scheme" in machine.numbers
