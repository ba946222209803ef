from .abi import ABIS
from .launching import launch
from .parts import core_parts, optional_parts
from .reordering import DEFAULT_MAPPER
from .request import Launch
from .run import mpirun

__all__ = [
    "ABIS",
    "DEFAULT_MAPPER",
    "Launch",
    "core_parts",
    "launch",
    "mpirun",
    "optional_parts",
]
