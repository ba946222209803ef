"""Placement: which nodes a job has (allocation) and how its ranks use them (mapping).

>>> from odonata import machine, placement
>>> small = machine.load("eos")
>>> placement.place(small, 8, ranks_per_node=4).nodes
array([0, 0, 0, 0, 1, 1, 1, 1], dtype=int32)

Nodes are found by their names (`nodes_named`), and placements become files for launchers: see
`launchers`, `hostlist` and `topology`.
"""

from typing import TYPE_CHECKING

from odonata.lazy import lazily
from odonata.placement.placement import ALLOCATIONS, MAPPINGS, Placement, place, place_on_rest

if TYPE_CHECKING:
    from odonata.placement import hostlist, launchers, topology
    from odonata.placement.nodes import hosts_of, mean_node_distance, nodes_named, read_nodes
    from odonata.placement.order import inverse, read_order

__all__ = [
    "ALLOCATIONS",
    "MAPPINGS",
    "Placement",
    "hostlist",
    "hosts_of",
    "inverse",
    "launchers",
    "mean_node_distance",
    "nodes_named",
    "place",
    "place_on_rest",
    "read_nodes",
    "read_order",
    "topology",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "hostlist": ["hostlist"],
        "launchers": ["launchers"],
        "nodes": ["hosts_of", "mean_node_distance", "nodes_named", "read_nodes"],
        "order": ["inverse", "read_order"],
        "topology": ["topology"],
    },
)
