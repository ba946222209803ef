"""Stacked bars of an explanation: the time of each rank, or step, by category."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from odonata.errors import UserError
from odonata.explain import Explained, words_of
from odonata.report.category_colours import OTHER, category_colours
from odonata.report.style import (
    TIME_UNITS,
    clean,
    figure_legend,
    house_style,
    new_figure,
    require_figure,
    save_figure,
    scale_of,
)
from odonata.result.overview import heading

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["MOST_SERIES", "bar_groups", "draw_breakdown", "plot_breakdown"]

MOST_BARS = 128
"""Bars of a figure: more ranks than these are drawn in groups of neighbours, by their mean."""

MOST_SERIES = 7
"""Categories with a colour of their own; the others share one."""


def plot_breakdown(explained: Explained, path: str | Path, *, by: str = "rank") -> None:
    """Save a figure of the time of the ranks, and of the critical path, by category.

    Parameters
    ----------
    explained
        An explanation.
    path
        The figure, ``.png``, ``.svg`` or ``.pdf``; one that exists is replaced.
    by
        Bars: a ``rank``, or a ``step`` of the critical path, each.

    Raises
    ------
    UserError
        Another suffix.
    WriteError
        The file could not be written.
    """
    require_figure(path)
    save_figure(draw_breakdown(explained, by=by), path)


def draw_breakdown(explained: Explained, *, by: str = "rank") -> Figure:
    """Return the figure that `plot_breakdown` saves.

    Parameters
    ----------
    explained
        An explanation.
    by
        Bars: a ``rank``, or a ``step`` of the critical path, each.

    Returns
    -------
    matplotlib.figure.Figure
        It belongs to no window and to no global state.
    """
    bars = _bars(explained, by)
    groups = bar_groups(len(bars))
    totals = explained.totals_ps()
    on_path = explained.path_ps if explained.has_path else dict.fromkeys(totals, 0)
    order = sorted(totals, key=lambda name: -totals[name] - on_path[name])
    tallest = max(sum(bar.values()) for bar in bars) if bars else 1
    factor, unit = scale_of(tallest, TIME_UNITS)
    whole, whole_unit = scale_of(explained.length_ps, TIME_UNITS)
    colours = category_colours(explained.run.link_classes)
    with house_style():
        figure = new_figure(9.0, 4.4)
        # Without a path its axes are invisible, and yet need a width.
        widths = [6, 1] if explained.has_path else [1, 0.001]
        axes, path = figure.subplots(1, 2, sharey=by == "rank", width_ratios=widths)
        below, path_below = [0.0] * len(groups), 0.0
        for name in [*order[:MOST_SERIES], ""]:
            names = [name] if name else order[MOST_SERIES:]
            if not names:
                continue
            heights = [_mean(bars, group, names) / factor for group in groups]
            part = sum(on_path[each] for each in names) / (factor if by == "rank" else whole)
            if not part and not any(heights):  # its label would stand in the legend for nothing
                continue
            colour, label = (colours[name], words_of(name)) if name else (OTHER, "other")
            lefts = [group.start - 0.5 for group in groups]  # a number is below its bar's middle
            sizes = [len(group) for group in groups]
            axes.bar(
                lefts, heights, sizes, below, align="edge", color=colour, label=label, linewidth=0
            )
            below = [low + high for low, high in zip(below, heights, strict=True)]
            path.bar([0], [part], 0.8, path_below, color=colour, linewidth=0)
            path_below += part
        axes.set_xlabel(_axis(by, max(map(len, groups), default=1)))
        axes.set_ylabel(f"time [{unit}]")
        axes.set_xlim(-0.5, max(1, len(bars)) - 0.5)
        axes.xaxis.get_major_locator().set_params(integer=True)
        if by != "rank":
            path.set_ylabel(f"time [{whole_unit}]")
        axes.set_title(heading(explained.run))
        path.set_xticks([0], ["critical path"])
        clean(axes)
        clean(path)
        path.set_visible(explained.has_path)
        shown = axes.get_legend_handles_labels()
        figure_legend(figure, *shown, loc="outside lower center", most_columns=3)
    return figure


def bar_groups(ranks: int) -> list[range]:
    """Return neighbouring ranks, or steps, as many as share a bar.

    Parameters
    ----------
    ranks
        How many there are.
    """
    width = -(-ranks // MOST_BARS)
    return [range(first, min(first + width, ranks)) for first in range(0, ranks, width)]


def _axis(by: str, width: int) -> str:
    """Return the name of the axis, and how many neighbours are a bar."""
    what, many = ("rank", "ranks") if by == "rank" else ("step of the critical path", "steps")
    return what if width == 1 else f"{what} (a bar is the mean of {width} {many})"


def _bars(explained: Explained, by: str) -> list[dict[str, int]]:
    if by == "rank":
        return [rank.categories_ps for rank in explained.ranks]
    if by == "step":
        return explained.steps_ps
    raise UserError("bars: no such kind", value=by, allowed="rank or step")


def _mean(bars: list[dict[str, int]], group: range, names: list[str]) -> float:
    times = (bars[at][name] for at in group for name in names)
    return sum(times) / len(group)
