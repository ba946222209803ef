"""Placement: which nodes a job has (allocation) and how its ranks use them (mapping).

>>> from odonata import machine, placement
>>> small = machine.load("eos")
>>> placement.place(small, 8, ranks_per_node=4).nodes
array([0, 0, 0, 0, 1, 1, 1, 1], dtype=int32)

Communicators that follow the machine are jobs side by side:

>>> [one.ranks for one in placement.place_groups(small, "group")]
[372, 372]

Nodes are found by their names (`nodes_named`), and placements become files for launchers: see
`launchers`, `hostlist` and `topology`.
"""

from typing import TYPE_CHECKING

from odonata.lazy import lazily
from odonata.placement.placement import Placement
from odonata.placement.placing import ALLOCATIONS, MAPPINGS, place, place_on_rest

if TYPE_CHECKING:
    from odonata.placement import hostlist, launchers, topology
    from odonata.placement.blocks import BLOCK, allocated_block, block_nodes
    from odonata.placement.communicators import (
        colours_of,
        place_groups,
        read_colours,
        split,
        world,
        write_colours,
    )
    from odonata.placement.distance import mean_node_distance
    from odonata.placement.divisions import NODES_PER_ROUTER, Group, divided_by, groups
    from odonata.placement.nodes import hosts_of, nodes_named, read_nodes
    from odonata.placement.order import inverse, read_order
    from odonata.placement.spread import DISTANCE, place_busy

__all__ = [
    "ALLOCATIONS",
    "BLOCK",
    "DISTANCE",
    "MAPPINGS",
    "NODES_PER_ROUTER",
    "Group",
    "Placement",
    "allocated_block",
    "block_nodes",
    "colours_of",
    "divided_by",
    "groups",
    "hostlist",
    "hosts_of",
    "inverse",
    "launchers",
    "mean_node_distance",
    "nodes_named",
    "place",
    "place_busy",
    "place_groups",
    "place_on_rest",
    "read_colours",
    "read_nodes",
    "read_order",
    "split",
    "topology",
    "world",
    "write_colours",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "blocks": ["BLOCK", "allocated_block", "block_nodes"],
        "communicators": [
            *("colours_of", "place_groups", "read_colours", "split", "world", "write_colours"),
        ],
        "distance": ["mean_node_distance"],
        "divisions": ["NODES_PER_ROUTER", "Group", "divided_by", "groups"],
        "hostlist": ["hostlist"],
        "launchers": ["launchers"],
        "nodes": ["hosts_of", "nodes_named", "read_nodes"],
        "order": ["inverse", "read_order"],
        "spread": ["DISTANCE", "place_busy"],
        "topology": ["topology"],
    },
)
