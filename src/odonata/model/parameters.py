"""Parameters of a machine for the model of a cycle, and its number of links."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from odonata import _core
from odonata.errors import UserError, near_miss
from odonata.machine import Machine

__all__ = [
    "COUNTS",
    "NEAREST",
    "Links",
    "Mix",
    "Parameters",
    "cache_of",
    "default_count",
    "diameter_of",
    "links_of",
    "parameters_of",
]

NEAREST = 2
"""Links between two nodes of one router: h_m."""

ARIES_DIAMETER = 7
"""Links between the two nodes that are furthest apart on Aries: D."""

_HOW: Mapping[str, str] = {
    "model.alpha": "the least latency of ping-pongs or rings of 8 bytes between two ranks",
    "model.beta": "8 bytes divided by the best bandwidth of long messages between two ranks",
    "model.gamma": "(largest latency - alpha) / (D - 2), with ping-pongs between far nodes",
    "model.t": "sparse matrix-vector products with each level's operator, seconds a flop",
    "model.memory_bandwidth": "STREAM Triad with 1, 2, 4, ... threads, divided by the threads",
}

_SMALL: Mapping[str, str] = {
    "message_gap": "nic.message_gap",
    "search_per_entry": "mpi.search_per_entry",
    "wait_per_request": "mpi.wait_per_request",
    "contention": "model.contention",
}


@dataclass(frozen=True)
class Mix:
    """Use of the cores of a node.

    Parameters
    ----------
    tasks
        MPI ranks a node: t.
    threads
        OpenMP threads a rank: j.
    """

    tasks: int
    threads: int = 1

    @staticmethod
    def parse(text: str) -> Mix:
        """Read ``16x1``: tasks a node, threads a task.

        Parameters
        ----------
        text
            Two positive whole numbers with an x between.

        Raises
        ------
        UserError
            It is something else.

        Examples
        --------
        >>> Mix.parse("8x2")
        Mix(tasks=8, threads=2)
        """
        parts = text.strip().lower().replace("×", "x").split("x")
        fits = all(part.isascii() and part.isdigit() and 0 < len(part) < 7 for part in parts)
        if len(parts) != 2 or not fits or "0" in (part.lstrip("0") or "0" for part in parts):
            raise UserError("mix: not ranks a node x threads a rank", value=text, allowed="16x1")
        return Mix(int(parts[0]), int(parts[1]))

    def __str__(self) -> str:
        return f"{self.tasks}x{self.threads}"


@dataclass(frozen=True)
class Links:
    """Links that messages share, counted as the paper's link-contention penalty needs it.

    Parameters
    ----------
    groups
        Groups of the machine: G.
    nodes_per_group
        384 on Aries.
    per_group
        Links between the routers of a group.
    per_pair
        Links between two groups.
    """

    groups: int
    nodes_per_group: int
    per_group: int
    per_pair: int

    def count(self, nodes: int) -> float:
        """Return the links that N nodes have, midpoint of fewest and most: l.

        Parameters
        ----------
        nodes
            In use: N.

        Notes
        -----
        With g links in a group, n nodes a group, b links a pair of G groups, fewest are
        N + g ceil(N/n) + b min(floor(N/n), G(G-1)/2), most
        N + g min(N, G) + b min(N-1, G(G-1)/2).

        References
        ----------
        Model-guided AMG on a dragonfly, section 4.2.

        Examples
        --------
        >>> Links(2, 384, 170, 4).count(64)
        321.0
        """
        pairs = self.groups * (self.groups - 1) // 2
        full = nodes // self.nodes_per_group
        fewest = self.per_group * math.ceil(nodes / self.nodes_per_group)
        fewest += self.per_pair * min(full, pairs)
        most = self.per_group * min(nodes, self.groups) + self.per_pair * min(nodes - 1, pairs)
        return nodes + (fewest + most) / 2


@dataclass(frozen=True)
class Parameters:
    """The machine's part of the model.

    Parameters
    ----------
    alpha
        Time to start a message between near nodes, α(h_m) [s].
    beta
        Time of a value of 8 bytes, β [s].
    gamma
        Time of a hop beyond h_m, γ [s].
    t
        Time of a floating-point operation on level 0, 1, ...; the last holds beyond [s].
    memory_bandwidth
        Bandwidth of a thread, with 1, 2, 4, ... threads: b_1, b_2, b_4, ... [B/s].
    peak_bandwidth
        Bandwidth of a node's way into the network, B_max [B/s].
    diameter, nearest
        Links between the furthest and the nearest nodes: D, h_m.
    message_gap, search_per_entry, wait_per_request
        Costs of many small messages, of ``[nic]`` and ``[mpi]`` [s].
    contention
        Additional time of a byte that a link carries, δ [s/B].

    References
    ----------
    Model-guided AMG on a dragonfly, sections 4.1 and 4.2, Tables 1 and 2.
    """

    alpha: float
    beta: float
    gamma: float
    t: tuple[float, ...]
    memory_bandwidth: tuple[float, ...]
    peak_bandwidth: float
    diameter: float
    nearest: float = NEAREST
    message_gap: float = 0.0
    search_per_entry: float = 0.0
    wait_per_request: float = 0.0
    contention: float = 0.0

    @property
    def has_small_messages(self) -> bool:
        """Whether any cost of many small messages is more than 0."""
        return any(getattr(self, name) > 0 for name in _SMALL)

    def slowdown(self, threads: int) -> float:
        """Return by how much a flop slows down with j threads: b_1 / b_j.

        Parameters
        ----------
        threads
            Threads of a rank: j.

        Raises
        ------
        UserError
            The machine file has no bandwidth for this number.
        """
        if threads == 1:
            return 1.0
        by_threads = {2**k: b for k, b in enumerate(self.memory_bandwidth)}
        if threads not in by_threads:
            raise UserError(
                "threads: model.memory_bandwidth has none for this number "
                f"(measured by odonata measure: {_HOW['model.memory_bandwidth']})",
                value=threads,
                allowed=", ".join(map(str, by_threads)) or "1",
            )
        return by_threads[1] / by_threads[threads]


def parameters_of(machine: Machine, *, threads: int = 1) -> Parameters:
    """Return the parameters of a machine, from ``[model]`` of its file.

    Parameters
    ----------
    machine
        The machine.
    threads
        Threads a rank; with more than one ``model.memory_bandwidth`` is needed too.

    Raises
    ------
    UserError
        A key is missing; says which, and how to give or measure it.

    Notes
    -----
    B_max is the bandwidth of an injection link; D is given by `diameter_of`. Where D is h_m there
    is nothing for γ to multiply: it may be missing, and is 0.

    Examples
    --------
    >>> from odonata import machine
    >>> parameters_of(machine.load("eos")).diameter
    7
    """
    diameter = diameter_of(machine)
    spared = {"model.memory_bandwidth"} if threads == 1 else set()
    spared |= {"model.gamma"} if diameter == NEAREST else set()
    for key in _HOW:
        if key not in spared and not _numbers(machine, key):
            how = f"--set {key}=VALUE gives it; odonata measure finds it: {_HOW[key]}"
            raise UserError(f"{key}: missing in machine {machine.name}; {how}")
    return Parameters(
        alpha=_numbers(machine, "model.alpha")[0] * 1e-12,
        beta=_numbers(machine, "model.beta")[0] * 1e-12,
        gamma=(*_numbers(machine, "model.gamma"), 0.0)[0] * 1e-12,
        t=tuple(time * 1e-12 for time in _numbers(machine, "model.t")),
        memory_bandwidth=_numbers(machine, "model.memory_bandwidth"),
        peak_bandwidth=_numbers(machine, "links.injection.bandwidth")[0],
        diameter=diameter,
        **{name: (*_numbers(machine, key), 0.0)[0] * 1e-12 for name, key in _SMALL.items()},
    )


def cache_of(machine: Machine, tasks: int) -> float | None:
    """Return the part of a node's shared cache that a rank has [B].

    Parameters
    ----------
    machine
        The machine.
    tasks
        MPI ranks a node.

    Returns
    -------
    float or None
        None if the machine file has no ``node.cache``.
    """
    cache = _numbers(machine, "node.cache")
    return cache[0] / tasks if cache else None


COUNTS = ("paper", "wiring")
"""Ways to count links: see `links_of`."""


def default_count(machine: Machine) -> str:
    """Return how a machine's links are counted by default, one of `COUNTS`.

    Parameters
    ----------
    machine
        Any.
    """
    return "paper" if machine.family == "aries" else "wiring"


def links_of(machine: Machine, links: str | None = None) -> Links:
    """Return how a machine's links are counted.

    Parameters
    ----------
    machine
        Any.
    links
        ``paper``: 170 links a group (16 · 5 + 6 · 15) and four a pair of groups, on Aries.
        ``wiring``: links of the machine file, 1,440 a group of Aries: 6 · C(16, 2) green and 3 · 16
        · C(6, 2) black ones; a machine without groups is one group. None: `default_count`.

    Raises
    ------
    UserError
        The paper's count is not for this machine.

    References
    ----------
    Model-guided AMG on a dragonfly, section 4.2.
    """
    links = links or default_count(machine)
    if links not in COUNTS:
        near = near_miss(links, COUNTS)
        raise UserError("links: unknown", value=links, near=near, allowed=", ".join(COUNTS))
    if machine.family != "aries":
        if links == "paper":
            raise UserError(f"links: not for machine {machine.name}, which is no Aries",
                            value=links, allowed="wiring")  # fmt: skip
        groups = max(1, machine.num_groups)
        return _wired(machine, groups, math.ceil(len(machine.node_router) / groups))
    rows, columns, per_router = (
        int(_numbers(machine, f"shape.{key}")[0]) for key in ("rows", "columns", "nodes_per_router")
    )
    nodes_per_group = rows * columns * per_router
    if links == "paper":
        return Links(machine.num_groups, nodes_per_group, 170, 4)
    return _wired(machine, machine.num_groups, nodes_per_group)


def _wired(machine: Machine, groups: int, nodes_per_group: int) -> Links:
    """Count cables (two directed links each) in the mean group and the mean pair of groups."""
    between = slice(2 * machine.num_node_ports, None)
    group = machine.router_group if groups > 1 else np.zeros_like(machine.router_group)
    inside = group[machine.link_from[between]] == group[machine.link_to[between]]
    pairs = max(1, groups * (groups - 1) // 2)
    local = int(inside.sum()) // (2 * groups)
    return Links(groups, nodes_per_group, local, int((~inside).sum()) // (2 * pairs))


def diameter_of(machine: Machine) -> int:
    """Return the links between the nodes that are furthest apart: D.

    Parameters
    ----------
    machine
        Any.

    Notes
    -----
    7 on Aries, as in the paper; elsewhere the diameter between routers, and two.
    """
    if machine.family == "aries":
        return ARIES_DIAMETER
    found = _core.find_properties(machine.core, machine.routing("minimal"))
    return int(found.diameter) + NEAREST


def _numbers(machine: Machine, key: str) -> tuple[float, ...]:
    """Return a number, or the numbers of a list, in base units; empty if the key is not there."""
    if key not in machine.numbers:
        return ()
    value = machine.value(key)
    listed = value if isinstance(value, tuple) else (value,)
    return tuple(float(number) for number in listed if isinstance(number, (int, float)))
