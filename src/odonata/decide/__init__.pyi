from .communication import Communication
from .files import read_communication
from .mapping import METHODS, OBJECTIVES, RankMapping, map_ranks
from .reasons import BusyLink
from .trials import Advice, Tolerance, WhatIf, tolerances, what_if

__all__ = [
    "METHODS",
    "OBJECTIVES",
    "Advice",
    "BusyLink",
    "Communication",
    "RankMapping",
    "Tolerance",
    "WhatIf",
    "map_ranks",
    "read_communication",
    "tolerances",
    "what_if",
]
