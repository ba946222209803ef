"""Microbenchmarks of the machine at hand, or results of other benchmarks: a machine file.

``mpiexec -n 8 odonata measure -o here.toml`` on the command line; in a program that mpiexec runs:

    from odonata import measure

    world = measure.World()
    measured = measure.measure_here(world, measure.Wanted())
    if world.rank == 0:
        print(measured.to_toml(None, "here"))
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
