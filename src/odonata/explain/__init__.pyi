from .account import Part, RankTime
from .dependencies import Dependencies
from .difference import Change, Difference
from .explained import Explained, explain, load
from .path import Hop, Stretch, hops, link_ends
from .timeline import KINDS, Messages, Timeline, Uses
from .words import CATEGORIES, words_of

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
    "words_of",
]
