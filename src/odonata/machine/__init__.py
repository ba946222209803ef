"""Machines: nodes, routers and directed links, routing, machine files and their checks.

>>> from odonata import machine
>>> eos = machine.load("eos")
>>> eos.num_nodes, eos.check("ugal").deadlock_free
(744, True)
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
