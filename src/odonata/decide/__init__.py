"""Decisions: changes that make a run faster, with the gain to expect.

>>> from odonata import decide, machine, placement
>>> eos = machine.load("eos")
>>> start = placement.place(eos, 8, ranks_per_node=4)
>>> far = decide.Communication(8, [0, 1, 2, 3], [4, 5, 6, 7], [1024.0] * 4)
>>> found = decide.map_ranks(far, start, objective="hop-bytes")
>>> found.before.hop_bytes, found.after.hop_bytes
(8192.0, 0.0)
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
