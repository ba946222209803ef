"""The communicators of the paper: nodes of one colour, of which the first 4 or 16 take part."""

from __future__ import annotations

from dataclasses import dataclass

from odonata import placement
from odonata.machine import Machine
from odonata.placement import Placement

WHOLE = {"green": 16, "black": 6, "red": 6, "blue": 6}
"""Routers of a communicator none of whose nodes is missing."""

NODES = 4
"""Nodes of a router."""


@dataclass(frozen=True)
class Communicators:
    """Communicators of a colour that run at the same time.

    Parameters
    ----------
    colour
        One of `WHOLE`.
    ranks
        Ranks that take part: 4, on one node of each router, or 16, on all nodes of four routers,
        which is how IMB takes the first ranks of a larger communicator.
    ensemble
        With 4 ranks, whether the other nodes of the routers have communicators of their own.
    """

    colour: str
    ranks: int
    ensemble: bool = True

    def placements(self, machine: Machine) -> list[Placement]:
        """Return the placement of each communicator; communicators that lack nodes are left out."""
        seats = "all" if self.ranks > NODES else "each" if self.ensemble else "1"
        of_router = NODES if self.ranks > NODES else 1
        found = placement.groups(machine, self.colour, nodes_per_router=seats)
        whole = WHOLE[self.colour] * of_router
        return [
            Placement(machine, list(one.nodes[: self.ranks]))
            for one in found
            if len(one.nodes) == whole
        ]
