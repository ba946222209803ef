"""Machines: nodes, routers and directed links, routing, machine files and their checks.

>>> from odonata import machine
>>> eos = machine.load("eos")
>>> eos.num_nodes, eos.check("ugal").deadlock_free
(744, True)
"""

from typing import TYPE_CHECKING

from odonata.lazy import lazily
from odonata.machine.files import Number, names
from odonata.machine.machine import Machine, Place, from_document, has_names, load
from odonata.machine.policies import routing_policy, routings

if TYPE_CHECKING:
    from odonata.machine.checks import Check, ClassCheck, LinkDifference, compare_wiring
    from odonata.machine.node_names import Names
    from odonata.machine.wiring import EdgeList, Wiring, read_edges, read_wiring

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

__getattr__, __dir__ = lazily(
    __name__,
    {
        "checks": ["Check", "ClassCheck", "LinkDifference", "compare_wiring"],
        "node_names": ["Names"],
        "wiring": ["EdgeList", "Wiring", "read_edges", "read_wiring"],
    },
)
