"""Explanations: where the time of a run went, and what its critical path is.

>>> from odonata import explain, machine, placement, simulate, workload
>>> theta = machine.load("theta")
>>> job = simulate.Job(workload.Collective("allgather", "ring"), placement.place(theta, 16))
>>> told = explain.explain(simulate.simulate(theta, [job], explain=True))
>>> told.length_ps == sum(told.path_ps.values())
True
"""

from typing import TYPE_CHECKING

from odonata.lazy import lazily

if TYPE_CHECKING:
    from odonata.explain.account import Part, RankTime
    from odonata.explain.dependencies import Dependencies
    from odonata.explain.difference import Change, Difference
    from odonata.explain.explained import Explained, explain, load
    from odonata.explain.path import Hop, Stretch, hops, link_ends
    from odonata.explain.sentence import sentence
    from odonata.explain.timeline import KINDS, Messages, Timeline, Uses
    from odonata.explain.words import CATEGORIES, words_of

__all__ = [
    "CATEGORIES",
    "KINDS",
    "Change",
    "Dependencies",
    "Difference",
    "Explained",
    "Hop",
    "Messages",
    "Part",
    "RankTime",
    "Stretch",
    "Timeline",
    "Uses",
    "explain",
    "hops",
    "link_ends",
    "load",
    "sentence",
    "words_of",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "dependencies": ["Dependencies"],
        "difference": ["Change", "Difference"],
        "account": ["Part", "RankTime"],
        "explained": ["Explained", "explain", "load"],
        "path": ["Hop", "Stretch", "hops", "link_ends"],
        "sentence": ["sentence"],
        "timeline": ["KINDS", "Messages", "Timeline", "Uses"],
        "words": ["CATEGORIES", "words_of"],
    },
)
