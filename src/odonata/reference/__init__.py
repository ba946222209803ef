"""A slow, obvious twin of the packet engine, to read and to test the fast one against.

It is written from the specification of the engine, in the simplest data structures: one heap of
events, lists that are sorted, rooms in buffers that are summed up. `tests/agree` compares the two
event by event. Start reading at `network`, then `routing`, `mpi` and `collectives`. Beside it
stands `redistribution`, the twin of a decision of the AMG model.

Examples
--------
An allgather of 1 KiB a rank on a machine that the extension module built:

>>> twin = Simulation(copy_machine(machine), NetworkOptions(), MpiOptions())  # doctest: +SKIP
>>> ranks = twin.add([0, 1, 2, 3], collective("allgather", "ring", 1024))  # doctest: +SKIP
>>> twin.run()  # doctest: +SKIP
>>> max(rank.finished for rank in ranks)  # doctest: +SKIP
2345678
"""

from .applications import Fft, Sedov, communicator, fft, sedov
from .collectives import collective
from .halo import Halo, cart, halo, plain
from .machine import Machine, copy_machine
from .mpi import MpiOptions
from .network import NetworkOptions
from .rank import Rank
from .routing import RoutingOptions
from .simulation import Simulation
from .traffic import Traffic, adversarial, permutation, traffic, uniform

__all__ = [
    "Fft",
    "Halo",
    "Machine",
    "MpiOptions",
    "NetworkOptions",
    "Rank",
    "RoutingOptions",
    "Sedov",
    "Simulation",
    "Traffic",
    "adversarial",
    "cart",
    "collective",
    "communicator",
    "copy_machine",
    "fft",
    "halo",
    "permutation",
    "plain",
    "sedov",
    "traffic",
    "uniform",
]
