"""Positions of ranks on a machine of known topology, by the names of their nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from odonata import _core
from odonata.errors import UserError
from odonata.machine import Machine, Names
from odonata.machine.machine import has_names

__all__ = ["links_between", "node_numbers"]

NODE_LINKS = 2
"""Links of a route that belong to its two nodes."""


def node_numbers(names: Sequence[str], machine: Machine) -> list[int]:
    """Return the machine's number of each node.

    Parameters
    ----------
    names
        Names of the machine's own kinds, or its numbers in the form ``nid00012`` if it has none.
    machine
        Whose nodes have these names.

    Raises
    ------
    UserError
        A name is another one, or the machine has no such node.

    Examples
    --------
    >>> from odonata.machine import load
    >>> node_numbers(["nid00012", "nid00743"], load("eos"))
    [0, 719]
    >>> node_numbers(["nid00012"], load("dragonfly-5256"))
    [12]
    """
    known = Names(machine) if has_names(machine) else None
    return [_number(name, machine) if known is None else known.node(name) for name in names]


def _number(name: str, machine: Machine) -> int:
    digits = name.removeprefix("nid")
    number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else -1
    if digits == name or not 0 <= number < machine.num_nodes:
        raise UserError(
            f"distances: the name of a node is not one of machine {machine.name}",
            value=name,
            allowed=f"nid00000 to nid{machine.num_nodes - 1:05d}; or --distances assumed",
        )
    return number


def links_between(machine: Machine, nodes: Sequence[int]) -> Callable[[int, int], int]:
    """Return a function that counts the links between the nodes of two ranks, on a shortest route.

    Parameters
    ----------
    machine
        The machine.
    nodes
        Node of each rank.

    Returns
    -------
    Callable
        0 for two ranks of a node; else the links of both nodes count.

    Examples
    --------
    >>> from odonata.machine import load
    >>> apart = links_between(load("eos"), [0, 0, 1, 4])
    >>> apart(0, 1), apart(0, 2), apart(0, 3)
    (0, 2, 3)
    """
    routing = machine.routing("minimal")

    @cache
    def between(a: int, b: int) -> int:
        if nodes[a] == nodes[b]:
            return 0
        counts = _core.count_distances(machine.core, routing, [nodes[a], nodes[b]])
        return NODE_LINKS + int(np.flatnonzero(counts)[-1])

    return between
