"""Simulation of MPI programs on networks of supercomputers, and where their time goes.

>>> import odonata
>>> df = odonata.machine.load("dragonfly-5256")
>>> ring = odonata.workload.Collective("allgather", "ring")
>>> job = odonata.simulate.Job(ring, odonata.placement.place(df, 8))
>>> odonata.simulate.simulate(df, [job]).summary["messages"]
56

Each part is imported when it is first used. `odonata.optional_parts()` lists parts that an
installation may have or lack, as ``odonata doctor`` does on the command line.
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
__all__ += ["__version__"]

__version__ = "0.1.0"
