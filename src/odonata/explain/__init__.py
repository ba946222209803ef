"""Explanations: where the time of a run went, and its critical path.

>>> from odonata import explain, machine, placement, simulate, workload
>>> theta = machine.load("theta")
>>> job = simulate.Job(workload.Collective("allgather", "ring"), placement.place(theta, 16))
>>> told = explain.explain(simulate.simulate(theta, [job], explain=True))
>>> told.length_ps == sum(told.path_ps.values())
True
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
