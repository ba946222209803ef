"""Kinds of time and of recorded data: the rows of ``cpp/odonata/explain/kinds.inc``."""

from __future__ import annotations

from dataclasses import dataclass

from odonata import _core

__all__ = [
    "ACT_KINDS",
    "CATEGORIES",
    "KINDS",
    "LEGS",
    "LINK_CATEGORIES",
    "SHOWN",
    "STEP_KINDS",
    "WAY_PARTS",
    "Category",
    "LinkCategory",
    "Shown",
]


@dataclass(frozen=True)
class Category:
    """A category of time.

    Parameters
    ----------
    name
        Name in tables and JSON.
    shown
        Name of its kind in a timeline.
    colour
        Its colour in all figures.
    cause
        Name of the cause of long runs that it belongs to.
    words
        Words for tables and sentences.
    """

    name: str
    shown: str
    colour: str
    cause: str
    words: str


@dataclass(frozen=True)
class LinkCategory:
    """A category of time that every class of links has.

    Parameters
    ----------
    name
        Name before the dot: ``queueing.global``.
    first, last
        Its colours for the first and the last class of links.
    cause
        Name of the cause of long runs that it belongs to.
    words
        Words for tables and sentences; ``{}`` stands for the class.
    """

    name: str
    first: str
    last: str
    cause: str
    words: str


@dataclass(frozen=True)
class Shown:
    """A kind of a rank's time in a timeline: its name, its colour, its words."""

    name: str
    colour: str
    words: str


CATEGORIES = tuple(Category(*row) for row in _core.categories())
"""Categories of every machine."""

LINK_CATEGORIES = tuple(LinkCategory(*row) for row in _core.link_categories())
"""Categories that follow, each for all classes of links."""

SHOWN = tuple(Shown(*row) for row in _core.shown_kinds())
"""Kinds of a rank's time in a timeline."""

KINDS = tuple(kind.words for kind in SHOWN)
"""Their words."""

STEP_KINDS = tuple(_core.steps())
"""Categories of the kinds of steps; a rank that waits does so for a crossing."""

WAY_PARTS = tuple(words for _, words in sorted(_core.way_parts().items()))
"""Parts of the way of a message; the last two are inside a node."""

LEGS = tuple(words for _, words in sorted(_core.legs().items()))
"""Kinds of crossings; an answer goes from the receiver of the whole message to its sender."""

ACT_KINDS = tuple(words for _, words in sorted(_core.act_kinds().items()))
"""Kinds of acts of a program; a rest lasts until the processor has nothing left to do."""
