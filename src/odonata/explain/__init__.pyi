from .difference import Difference
from .explained import Explained, explain, load
from .path import Stretch
from .timeline import Timeline
from .words import words_of

__all__ = [
    "Difference",
    "Explained",
    "Stretch",
    "Timeline",
    "explain",
    "load",
    "words_of",
]
