"""Stacked bars of an explanation: the time of each rank, or step, by category."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from odonata.explain import Explained, words_of
from odonata.report.style import (
    SERIES,
    TIME_UNITS,
    clean,
    house_style,
    new_figure,
    require_figure,
    save_figure,
    scale_of,
)
from odonata.result.overview import title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_breakdown", "plot_breakdown"]

MOST_BARS = 128
"""Bars of a figure: more ranks than these are drawn in groups of neighbours, by their mean."""

MOST_SERIES = len(SERIES) - 1
"""Categories with a colour of their own; the others share the last one."""


def plot_breakdown(explained: Explained, path: str | Path) -> None:
    """Save a figure of the time of the ranks, and of the critical path, by category.

    Parameters
    ----------
    explained
        An explanation.
    path
        The figure, ``.png``, ``.svg`` or ``.pdf``; one that exists is replaced.

    Raises
    ------
    UserError
        Another suffix.
    WriteError
        The file could not be written.
    """
    require_figure(path)
    save_figure(draw_breakdown(explained), path)


def draw_breakdown(explained: Explained) -> Figure:
    """Return the figure that `plot_breakdown` saves.

    Parameters
    ----------
    explained
        An explanation.

    Returns
    -------
    matplotlib.figure.Figure
        It belongs to no window and to no global state.
    """
    groups = _groups(len(explained.ranks))
    totals = explained.totals_ps()
    order = sorted(totals, key=lambda name: -totals[name] - explained.path_ps[name])
    factor, unit = scale_of(explained.length_ps, TIME_UNITS)
    with house_style():
        figure = new_figure(9.0, 4.4)
        axes, path = figure.subplots(1, 2, sharey=True, width_ratios=[6, 1])
        below, path_below = [0.0] * len(groups), 0.0
        for at, name in enumerate([*order[:MOST_SERIES], ""]):
            names = [name] if name else order[MOST_SERIES:]
            if not names:
                continue
            heights = [_mean(explained, group, names) / factor for group in groups]
            colour, label = SERIES[at], words_of(name) if name else "other"
            lefts = [group.start for group in groups]
            widths = [len(group) for group in groups]
            axes.bar(
                lefts, heights, widths, below, align="edge", color=colour, label=label, linewidth=0
            )
            below = [low + high for low, high in zip(below, heights, strict=True)]
            part = sum(explained.path_ps[each] for each in names) / factor
            path.bar([0], [part], 0.8, path_below, color=colour, linewidth=0)
            path_below += part
        axes.set_xlabel("rank")
        axes.set_ylabel(f"time [{unit}]")
        axes.set_xlim(0, len(explained.ranks))
        axes.set_title(title(explained.run))
        path.set_xticks([0], ["critical path"])
        clean(axes)
        clean(path)
        figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _groups(ranks: int) -> list[range]:
    """Return neighbouring ranks, as many as share a bar."""
    width = -(-ranks // MOST_BARS)
    return [range(first, min(first + width, ranks)) for first in range(0, ranks, width)]


def _mean(explained: Explained, group: range, names: list[str]) -> float:
    times = (explained.ranks[at].categories_ps[name] for at in group for name in names)
    return sum(times) / len(group)
