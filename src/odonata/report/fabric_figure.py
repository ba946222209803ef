"""Figure of a fabric: switches by level, their cables, and the cables that are missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import cos, pi, sin
from pathlib import Path
from typing import TYPE_CHECKING

from odonata.errors import UserError
from odonata.machine.fabric.fabric import Fabric
from odonata.machine.fabric.levels import Bundle, bundles_of, levels_of
from odonata.report.style import (
    GREY,
    INK,
    house_style,
    new_figure,
    require_figure,
    save_figure,
    series_colours,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_fabric", "plot_fabric"]

MOST_SWITCHES = 500
"""Switches of a figure; among more a cable cannot be followed."""

MOST_LABELS = 60
"""Names of a level that find room."""

_Place = tuple[float, float]


def plot_fabric(fabric: Fabric, path: str | Path, *, title: str) -> None:
    """Save a figure of a fabric.

    Parameters
    ----------
    fabric
        The fabric.
    path
        The figure, ``.png``, ``.svg`` or ``.pdf``; one that exists is replaced.
    title
        Name above the figure.

    Raises
    ------
    UserError
        Another suffix, or too many switches.
    WriteError
        The file could not be written.
    """
    require_figure(path)
    save_figure(draw_fabric(fabric, title=title), path)


def draw_fabric(fabric: Fabric, *, title: str) -> Figure:
    """Return the figure that `plot_fabric` saves.

    Parameters
    ----------
    fabric, title
        See `plot_fabric`.

    Returns
    -------
    matplotlib.figure.Figure
        Switches with adapters stand lowest, others above by their distance from these; a fabric all
        of whose switches have adapters is a circle. A line is as wide as its pair has cables.

    Raises
    ------
    UserError
        There are too many switches.
    """
    if len(fabric.switches) > MOST_SWITCHES:
        allowed = f"up to {MOST_SWITCHES}; machines write --format dot or graphml writes any"
        raise UserError("figure: too many switches", value=len(fabric.switches), allowed=allowed)
    levels = levels_of(fabric)
    places = _places(levels)
    with house_style():
        width = min(max(7.0, 0.24 * max(map(len, levels))), 16.0)
        is_circle = len(levels) == 1
        figure = new_figure(width, width if is_circle else 2.4 + 1.5 * len(levels))
        axes = figure.add_subplot(aspect="equal" if is_circle else "auto")
        axes.set_axis_off()
        axes.set_title(title, pad=14)
        _draw_cables(axes, bundles_of(fabric, levels), places)
        _draw_switches(axes, fabric, levels, places)
        figure.legend(loc="outside lower center", ncols=2)
        axes.margins(0.06, 0.2)
    return figure


def _places(levels: Sequence[Sequence[int]]) -> dict[int, _Place]:
    if len(levels) == 1:
        (level,) = levels
        angles = [pi / 2 - 2 * pi * at / len(level) for at in range(len(level))]
        return {s: (cos(a), sin(a)) for s, a in zip(level, angles, strict=True)}
    return {
        switch: ((at + 0.5) / len(level), float(height))
        for height, level in enumerate(levels)
        for at, switch in enumerate(level)
    }


def _draw_cables(axes: Axes, bundles: Sequence[Bundle], places: dict[int, _Place]) -> None:
    from matplotlib.collections import LineCollection

    most = max((bundle.cables for bundle in bundles), default=1)
    usual = Counter(bundle.kinds for bundle in bundles if bundle.cables).most_common(1)
    colours = series_colours(["", "other", "", "", "missing"])
    groups = {
        "cables (width: how many a pair has)": (GREY, "-", [b for b in bundles if b.cables]),
        "cables of another kind than most": (
            colours["other"][0],
            "-",
            [b for b in bundles if b.cables and usual and b.kinds != usual[0][0]],
        ),
        "pairs with fewer cables than most": (
            colours["missing"][0],
            "--",
            [b for b in bundles if b.missing],
        ),
    }
    for order, (label, (colour, style, chosen)) in enumerate(groups.items()):
        if not chosen:
            continue
        widths = [0.3 + 1.2 * max(b.cables, b.missing if order else 0) / most for b in chosen]
        lines = LineCollection(
            [(places[b.a], places[b.b]) for b in chosen],
            colors=colour,
            linestyles=style,
            linewidths=widths,
            alpha=0.35 if order == 0 else 0.9,
            label=f"{label}: {len(chosen)} pairs" if order else label,
            zorder=1 + order,
        )
        axes.add_collection(lines)


def _draw_switches(
    axes: Axes, fabric: Fabric, levels: Sequence[Sequence[int]], places: dict[int, _Place]
) -> None:
    adapters = Counter(adapter.switch for adapter in fabric.adapters)
    for level in levels:
        axes.plot(*zip(*(places[s] for s in level), strict=True), "s", color=INK, ms=4, zorder=9)
        if len(level) > MOST_LABELS:
            continue
        for switch in level:
            x, y = places[switch]
            name = fabric.switches[switch].name
            below = y <= 0
            axes.annotate(
                f"{name} ({adapters[switch]})" if adapters[switch] else name,
                (x, y),
                xytext=(0, -6 if below else 6),
                textcoords="offset points",
                rotation=90,
                ha="center",
                va="top" if below else "bottom",
                fontsize=6,
            )
