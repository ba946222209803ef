from . import hostlist
from .checks import Check, LinkDifference, compare_wiring
from .files import names
from .loading import from_document, load
from .machine import Machine, Place
from .node_names import Names
from .policies import routings
from .wiring import EdgeList, Wiring, read_edges, read_wiring

__all__ = [
    "Check",
    "EdgeList",
    "LinkDifference",
    "Machine",
    "Names",
    "Place",
    "Wiring",
    "compare_wiring",
    "from_document",
    "hostlist",
    "load",
    "names",
    "read_edges",
    "read_wiring",
    "routings",
]
