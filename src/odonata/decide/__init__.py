"""Decisions: what to change so that a run takes less time, with the gain to expect.

>>> from odonata import decide, machine, placement
>>> eos = machine.load("eos")
>>> start = placement.place(eos, 8, ranks_per_node=4)
>>> far = decide.Communication(8, [0, 1, 2, 3], [4, 5, 6, 7], [1024.0] * 4)
>>> found = decide.map_ranks(far, start, objective="hop-bytes")
>>> found.before.hop_bytes, found.after.hop_bytes
(8192.0, 0.0)
"""

from typing import TYPE_CHECKING

from odonata.lazy import lazily

if TYPE_CHECKING:
    from odonata.decide.communication import Communication
    from odonata.decide.files import read_communication
    from odonata.decide.mapping import METHODS, OBJECTIVES, Costs, RankMapping, map_ranks
    from odonata.decide.methods import why_not_here
    from odonata.decide.reasons import BusyLink, ClassChange
    from odonata.decide.trials import Tolerance, Trial, WhatIf, tolerances, what_if

__all__ = [
    "METHODS",
    "OBJECTIVES",
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

__getattr__, __dir__ = lazily(
    __name__,
    {
        "communication": ["Communication"],
        "files": ["read_communication"],
        "mapping": ["METHODS", "OBJECTIVES", "Costs", "RankMapping", "map_ranks"],
        "methods": ["why_not_here"],
        "reasons": ["BusyLink", "ClassChange"],
        "trials": ["Tolerance", "Trial", "WhatIf", "tolerances", "what_if"],
    },
)
