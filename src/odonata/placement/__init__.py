"""Placement: which nodes a job has (allocation) and how its ranks use them (mapping).

>>> from odonata import machine, placement
>>> small = machine.load("eos")
>>> placement.place(small, 8, ranks_per_node=4).nodes
array([0, 0, 0, 0, 1, 1, 1, 1], dtype=int32)

Communicators that follow the machine are jobs side by side:

>>> [one.ranks for one in placement.place_groups(small, "group")]
[372, 372]

Nodes are found by their names (`nodes_named`), and placements become files for launchers: see
`launchers` and `topology`.
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
