from .checks import Check, ClassCheck, LinkDifference, compare_wiring
from .files import Number, names
from .machine import Machine, Place, from_document, has_names, load
from .node_names import Names
from .policies import routing_policy, routings
from .wiring import EdgeList, Wiring, read_edges, read_wiring

__all__ = [
    "Check",
    "ClassCheck",
    "EdgeList",
    "LinkDifference",
    "Machine",
    "Names",
    "Number",
    "Place",
    "Wiring",
    "compare_wiring",
    "from_document",
    "has_names",
    "load",
    "names",
    "read_edges",
    "read_wiring",
    "routing_policy",
    "routings",
]
