"""Simulations: a machine, some jobs and an engine give a result.

>>> from odonata import machine, placement, simulate, workload
>>> eos = machine.load("eos")
>>> job = simulate.Job(workload.Collective("barrier"), placement.place(eos, 16))
>>> simulate.simulate(eos, [job], seed=7).summary["messages"]
64
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
