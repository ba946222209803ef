"""Colours of the categories of time, the same in all figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from odonata.report.style import mix

__all__ = ["CATEGORY_COLOURS", "OTHER", "category_colours"]

CATEGORY_COLOURS: Mapping[str, str] = {
    "computing": "#009E73",
    "send_overhead": "#E69F00",
    "receive_overhead": "#D55E00",
    "copying": "#CC79A7",
    "reducing": "#882255",
    "matching": "#9A9A9A",
    "pausing": "#C8C8C8",
    "late_sender": "#F0E442",
    "late_receiver": "#B8A800",
    "late_in_collective": "#6B6B00",
    "rendezvous": "#AA44BB",
    "inside_node": "#56B4E9",
    "injection_queue": "#1B3A8C",
    "serialization": "#0072B2",
    "wire_and_routers": "#7C9CC0",
    "transmission": "#44C2B0",
    "ejection": "#0B5D3B",
}
"""Colours of `odonata.explain.CATEGORIES`; those of the network are blue and green."""

OTHER = "#555555"
"""Colour of all categories that have none of their own in a figure."""

_SHADES = {"queueing": ("#6E0A1E", "#FFA8A0"), "credit": ("#4B2A8C", "#C9B8F0")}
"""Colours of the first and the last class of links: queues are red, waits for credit violet."""


def category_colours(link_classes: Sequence[str]) -> dict[str, str]:
    """Return the colour of each category, by its name.

    Parameters
    ----------
    link_classes
        Classes of links of the machine, each of which has two categories.

    Returns
    -------
    dict of str to str
        No colour is there twice; those of a machine are the same for all its runs.

    Examples
    --------
    >>> colours = category_colours(["local", "global"])
    >>> colours["computing"], colours["queueing.local"], colours["queueing.global"]
    ('#009E73', '#6E0A1E', '#FFA8A0')
    """
    last = max(1, len(link_classes) - 1)
    shades = {
        f"{kind}.{name}": mix(*ends, at / last)
        for kind, ends in _SHADES.items()
        for at, name in enumerate(link_classes)
    }
    return {**CATEGORY_COLOURS, **shades}
