from . import launchers, topology
from .blocks import block_nodes
from .communicators import colours_of, place_groups, read_colours, split, write_colours
from .distance import mean_node_distance
from .divisions import groups
from .nodes import hosts_of, nodes_named, read_nodes
from .order import read_order
from .placement import Placement
from .placing import ALLOCATIONS, MAPPINGS, place, place_on_rest
from .spread import place_busy

__all__ = [
    "ALLOCATIONS",
    "MAPPINGS",
    "Placement",
    "block_nodes",
    "colours_of",
    "groups",
    "hosts_of",
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
    "write_colours",
]
