from .collective import Collective, PointToPoint
from .fft import Fft
from .halo import DISTRIBUTIONS, Halo
from .names import algorithms, collectives, operations
from .played import Replay
from .program import ANY_SOURCE, ANY_TAG, Program, Rank
from .sedov import Sedov
from .traffic import PATTERNS, Traffic

__all__ = [
    "ANY_SOURCE",
    "ANY_TAG",
    "DISTRIBUTIONS",
    "PATTERNS",
    "Collective",
    "Fft",
    "Halo",
    "PointToPoint",
    "Program",
    "Rank",
    "Replay",
    "Sedov",
    "Traffic",
    "algorithms",
    "collectives",
    "operations",
]
