from .communication import Communication
from .files import read_communication
from .mapping import METHODS, OBJECTIVES, Costs, RankMapping, map_ranks
from .methods import why_not_here
from .reasons import BusyLink, ClassChange
from .trials import Advice, Tolerance, Trial, WhatIf, tolerances, what_if

__all__ = [
    "METHODS",
    "OBJECTIVES",
    "Advice",
    "BusyLink",
    "ClassChange",
    "Communication",
    "Costs",
    "RankMapping",
    "Tolerance",
    "Trial",
    "WhatIf",
    "map_ranks",
    "read_communication",
    "tolerances",
    "what_if",
    "why_not_here",
]
