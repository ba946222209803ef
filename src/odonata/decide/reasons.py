"""Reasons for a gain: which classes of links an order unloads, and the busiest links."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from odonata.machine import Machine

__all__ = ["BusyLink", "ClassChange", "busiest", "class_changes"]

SHOWN = 5
"""Busiest links that are told."""


@dataclass(frozen=True)
class ClassChange:
    """Bytes on the links of a class, before and after.

    Parameters
    ----------
    link_class
        Name of the class.
    before, after
        Bytes on all its links [B].
    """

    link_class: str
    before: float
    after: float


@dataclass(frozen=True)
class BusyLink:
    """A link with much to carry.

    Parameters
    ----------
    link
        Its number.
    link_class
        Name of its class.
    ends
        Where it leads from and to, in words.
    bytes
        Bytes that it carries [B].
    seconds
        Bytes over its rate [s].
    """

    link: int
    link_class: str
    ends: str
    bytes: float
    seconds: float


def class_changes(
    machine: Machine, before: NDArray[np.float64], after: NDArray[np.float64]
) -> tuple[ClassChange, ...]:
    """Return the bytes that the links of each class carry.

    Parameters
    ----------
    machine
        The machine.
    before, after
        Shape (links,): bytes [B].
    """
    classes = machine.link_class
    count = len(machine.core.classes)
    sums = [np.bincount(classes, loads, minlength=count) for loads in (before, after)]
    return tuple(
        ClassChange(c.name, float(sums[0][i]), float(sums[1][i]))
        for i, c in enumerate(machine.core.classes)
    )


def busiest(machine: Machine, loads: NDArray[np.float64]) -> tuple[BusyLink, ...]:
    """Return the links that need the longest time for their bytes, the longest first.

    Parameters
    ----------
    machine
        The machine.
    loads
        Shape (links,): bytes [B].
    """
    rates = np.array([c.bandwidth for c in machine.core.classes], dtype=np.float64)
    seconds = loads / rates[machine.link_class]
    found = []
    for link in np.argsort(-seconds, kind="stable")[:SHOWN]:
        if seconds[link] <= 0:
            break
        kind = machine.core.classes[int(machine.link_class[link])].name
        found.append(
            BusyLink(
                int(link), kind, _ends(machine, int(link)), float(loads[link]), float(seconds[link])
            )
        )
    return tuple(found)


def _ends(machine: Machine, link: int) -> str:
    start, end = (int(end) for end in machine.core.links[link][:2])
    if link < machine.num_node_ports:
        return f"node {start} to {_router(machine, end)}"
    if link < 2 * machine.num_node_ports:
        return f"{_router(machine, start)} to node {end}"
    return f"{_router(machine, start)} to {_router(machine, end)}"


def _router(machine: Machine, router: int) -> str:
    at = machine.core.position(router)
    return f"router {router}" + (f" ({', '.join(map(str, at))})" if len(at) else "")
