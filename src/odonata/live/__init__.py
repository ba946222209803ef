"""Programs that run for real, on a simulated machine.

>>> from odonata import mpirun
>>> result = mpirun("./program", ranks=8, machine="eos", compute="none")  # doctest: +SKIP
"""

from odonata.live.abi import ABIS, Abi, detect
from odonata.live.command import Command, parse_commands
from odonata.live.run import Launch, Launched, launch, mpirun, open_output

__all__ = [
    "ABIS",
    "Abi",
    "Command",
    "Launch",
    "Launched",
    "detect",
    "launch",
    "mpirun",
    "open_output",
    "parse_commands",
]
