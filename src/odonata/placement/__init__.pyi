from . import hostlist, launchers, topology
from .blocks import BLOCK, allocated_block, block_nodes
from .communicators import colours_of, place_groups, read_colours, split, world, write_colours
from .distance import mean_node_distance
from .divisions import NODES_PER_ROUTER, Group, divided_by, groups
from .nodes import hosts_of, nodes_named, read_nodes
from .order import inverse, read_order
from .placement import Placement
from .placing import ALLOCATIONS, MAPPINGS, place, place_on_rest
from .spread import DISTANCE, place_busy

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
