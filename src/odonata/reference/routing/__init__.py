"""Choice of a packet's next link and virtual channel: a readable routing for each family."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from odonata.reference.machine import Machine
from odonata.reference.routing.base import Hop, Route, Routing, RoutingOptions, Waiting
from odonata.reference.routing.dragonfly_plus import DragonflyPlusRouting
from odonata.reference.routing.fat_tree import FatTreeRouting
from odonata.reference.routing.graph import make_graph_routing
from odonata.reference.routing.grouped import GroupRouting
from odonata.reference.routing.hyperx import HyperxRouting
from odonata.reference.routing.tables import TableRouting
from odonata.reference.routing.torus import TorusRouting

__all__ = ["ROUTINGS", "Hop", "Route", "Routing", "RoutingOptions", "Waiting", "make_routing"]

ROUTINGS: Mapping[str, Callable[[Machine, RoutingOptions], Routing]] = {
    "dragonfly": GroupRouting,
    "dragonfly-plus": DragonflyPlusRouting,
    "aries": GroupRouting,
    "hyperx": HyperxRouting,
    "torus": TorusRouting,
    "gemini": TorusRouting,
    "fat-tree": FatTreeRouting,
    "star": TableRouting,
    "graph": make_graph_routing,
}
"""The routing of each family."""


def make_routing(machine: Machine, options: RoutingOptions) -> Routing:
    """Return the routing of a machine, as its family does it."""
    return ROUTINGS[machine.family](machine, options)
