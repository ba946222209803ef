"""Nodes of a box of a Gemini machine by coordinates, and the groups of its rows and planes."""

from __future__ import annotations

from itertools import product

import numpy as np

from odonata.machine import Machine

AXES = "xyz"


class Box:
    """A box of nodes of a machine; the two nodes of a router count as neighbours along y.

    Parameters
    ----------
    machine
        A machine of the family gemini.
    first
        Coordinates (x, y, z) of the router at which the box begins.
    """

    def __init__(self, machine: Machine, first: tuple[int, int, int] = (0, 0, 0)) -> None:
        self.first = first
        places = machine.router_positions[:, [machine.axes.index(axis) for axis in AXES]]
        self._sizes = [int(size) for size in places.max(axis=0) + 1]
        self._routers = {tuple(place): router for router, place in enumerate(places.tolist())}
        self._nodes = np.argsort(machine.node_router, kind="stable").reshape(-1, 2)  # by router

    def node(self, x: int, y: int, z: int) -> int:
        """Return the node at (x, y, z), counted from the start of the box; y counts nodes."""
        routers, which = divmod(y, 2)
        steps = zip(self.first, (x, routers, z), self._sizes, strict=True)
        router = self._routers[tuple((start + step) % size for start, step, size in steps)]
        return int(self._nodes[router, which])

    def groups(self, along: str, side: int) -> list[list[int]]:
        """Return the nodes of each row (``x``) or plane (``xz``) of a cube, first axis first."""
        inside = [AXES.index(axis) for axis in along]
        outside = [i for i in range(3) if i not in inside]
        found = []
        for fixed in product(range(side), repeat=len(outside)):
            members = []
            for free in product(range(side), repeat=len(inside)):
                place = dict(zip(outside, fixed, strict=True))
                place |= dict(zip(reversed(inside), free, strict=True))
                members.append(self.node(place[0], place[1], place[2]))
            found.append(members)
        return found
