"""Colours of the categories of time, the same in all figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from odonata.report.style import mix
from odonata.result.kinds import CATEGORIES, LINK_CATEGORIES

__all__ = ["CATEGORY_COLOURS", "OTHER", "category_colours"]

CATEGORY_COLOURS: Mapping[str, str] = {each.name: each.colour for each in CATEGORIES}
"""Colours of `odonata.explain.CATEGORIES`; the network is blue and green."""

OTHER = "#555555"
"""Colour of all categories that have none of their own in a figure."""


def category_colours(link_classes: Sequence[str]) -> dict[str, str]:
    """Return the colour of each category, by its name.

    Parameters
    ----------
    link_classes
        Classes of links of the machine, each of which has two categories.

    Returns
    -------
    dict of str to str
        No colour is there twice; a machine has the same colours in all its runs.

    Examples
    --------
    >>> colours = category_colours(["local", "global"])
    >>> colours["computing"], colours["queueing.local"], colours["queueing.global"]
    ('#009E73', '#6E0A1E', '#FFA8A0')
    """
    last = max(1, len(link_classes) - 1)
    shades = {
        f"{each.name}.{name}": mix(each.first, each.last, at / last)
        for each in LINK_CATEGORIES
        for at, name in enumerate(link_classes)
    }
    return {**CATEGORY_COLOURS, **shades}
