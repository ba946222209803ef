"""Closed-form models of performance: the cycle of algebraic multigrid.

>>> from odonata import machine, model
>>> eos = model.parameters_of(machine.load("eos"))
>>> hierarchy = model.find_hierarchy("laplace", (50, 50, 25), 1024)
>>> f"{model.cycle_time(hierarchy, eos, 'distance').cycle_seconds * 1e3:.3f} ms"
'9.718 ms'
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
