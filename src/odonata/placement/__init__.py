"""Placement: which nodes a job has (allocation) and how its ranks use them (mapping).

>>> from odonata import machine, placement
>>> small = machine.load("eos")
>>> placement.place(small, 8, ranks_per_node=4).nodes
array([0, 0, 0, 0, 1, 1, 1, 1], dtype=int32)
"""

from odonata.placement.placement import ALLOCATIONS, MAPPINGS, Placement, place, place_on_rest

__all__ = ["ALLOCATIONS", "MAPPINGS", "Placement", "place", "place_on_rest"]
