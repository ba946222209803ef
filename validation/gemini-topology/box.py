"""Nodes of a box of a Gemini machine by coordinates, and the groups of its rows and planes."""

from __future__ import annotations

from itertools import product

import numpy as np

from odonata.machine import Machine

AXES = "xyz"


class Box:
    """A box of nodes at the origin of a machine.

    Parameters
    ----------
    machine
        A machine of the family gemini.
    dual
        Axis along which the two nodes of a router count as neighbours; the paper's is y.
    """

    def __init__(self, machine: Machine, dual: str = "y") -> None:
        self.dual = AXES.index(dual)
        places = machine.router_positions[:, [machine.axes.index(axis) for axis in AXES]]
        routers = {tuple(place): router for router, place in enumerate(places.tolist())}
        order = np.argsort(machine.node_router, kind="stable")
        self._nodes = order.reshape(-1, 2)  # of each router
        self._routers = routers

    def node(self, *place: int) -> int:
        """Return the node at (x, y, z), counted in nodes along the axis of the two of a router."""
        at = list(place)
        at[self.dual], which = divmod(place[self.dual], 2)
        return int(self._nodes[self._routers[tuple(at)], which])

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
                members.append(self.node(*(place[i] for i in range(3))))
            found.append(members)
        return found
