"""Figures of studies: medians along an axis with bands over seeds; one number against another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from odonata.report.style import (
    BYTE_UNITS,
    TIME_UNITS,
    clean,
    decades,
    figure_legend,
    house_style,
    new_figure,
    save_figure,
    scale_of,
    series_colours,
)
from odonata.result.overview import quantity
from odonata.units import format_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Line", "Panel", "draw_study", "plot_study"]

MOST_RATIO = 20
"""Ratio of the largest to the least value above which an axis is logarithmic."""

WIDTH, HEIGHT = 4.2, 3.6
"""Size of a panel [inch]."""

ACROSS = 3
"""Panels in a row."""


@dataclass(frozen=True)
class Line:
    """Runs of one series.

    Parameters
    ----------
    label
        Its name.
    x
        Values along the axis: numbers, or texts, which stand at equal distances.
    median, least, most
        Of the number, for each x.
    best
        Positions of the points that a line joins, where points have prices; None: all.
    """

    label: str
    x: Sequence[float | str]
    median: Sequence[float]
    least: Sequence[float]
    most: Sequence[float]
    best: Sequence[int] | None = None


@dataclass(frozen=True)
class Panel:
    """A part of the figure.

    Parameters
    ----------
    title
        Its title.
    lines
        Its series.
    names
        Names of places along the axis, such as machines at their prices.
    """

    title: str
    lines: Sequence[Line]
    names: Mapping[str, float] = field(default_factory=dict)


def plot_study(panels: Sequence[Panel], path: str | Path, *, x: str, y: str, title: str) -> None:
    """Save the figure of a study.

    Parameters
    ----------
    panels, x, y, title
        The same as for `draw_study`.
    path
        The figure, ``.png``, ``.svg`` or ``.pdf``; one that exists is replaced.

    Raises
    ------
    UserError
        Another suffix.
    WriteError
        The file could not be written.
    """
    figure = draw_study(panels, x=x, y=y, title=title)
    save_figure(figure, path)


def draw_study(panels: Sequence[Panel], *, x: str, y: str, title: str) -> Figure:
    """Return the figure of a study: lines of medians, bands from the least to the most.

    Parameters
    ----------
    panels
        Parts of the figure.
    x, y
        Names of the axis and of the number; a name that ends in ``seconds`` has a unit of time,
        and ``bytes`` one of sizes.
    title
        Title of the figure.

    Returns
    -------
    matplotlib.figure.Figure
        It belongs to no window and to no global state.
    """
    with house_style():
        across = min(ACROSS, len(panels))
        rows = -(-len(panels) // across)
        figure = new_figure(max(5.5, WIDTH * across), HEIGHT * rows + 0.8)
        labels = [*dict.fromkeys(line.label for panel in panels for line in panel.lines)]
        colours = series_colours(labels)
        unit = _unit_of(
            y, max(value for panel in panels for line in panel.lines for value in line.most)
        )
        for at, panel in enumerate(panels):
            axes = figure.add_subplot(rows, across, at + 1)
            _draw(axes, panel, colours, (x, y), unit)
        figure.suptitle(title, x=0.01, ha="left", fontweight="bold", fontsize=10)
        if any(labels):
            found = dict(zip(*reversed(_handles(figure)), strict=True))
            handles = [found[label] for label in labels]
            loc: Literal["outside lower center"] = "outside lower center"
            figure_legend(figure, handles, labels, loc=loc, most_columns=4)
    return figure


def _handles(figure: Figure) -> tuple[list[Any], list[str]]:
    pairs = [axes.get_legend_handles_labels() for axes in figure.axes]
    return [one for handles, _ in pairs for one in handles], [t for _, told in pairs for t in told]


def _draw(
    axes: Axes,
    panel: Panel,
    colours: dict[str, tuple[str, str]],
    names: tuple[str, str],
    unit_of: tuple[float, str],
) -> None:
    x, y = names
    per_unit, unit = unit_of
    words = [*dict.fromkeys(value for line in panel.lines for value in line.x)]
    texts = any(isinstance(value, str) for value in words)
    for line in panel.lines:
        at = [words.index(value) if texts else value for value in line.x]
        colour, marker = colours[line.label]
        middle, low, high = (np.asarray(v) / per_unit for v in (line.median, line.least, line.most))
        if texts or line.best is not None:
            reach = [middle - low, high - middle]
            axes.errorbar(
                at,
                middle,
                reach,
                fmt=marker,
                color=colour,
                label=line.label,
                capsize=2,
                markersize=5,
            )
            best = [*(line.best or ())]
            axes.plot(np.asarray(at)[best], middle[best], color=colour, linewidth=1, zorder=1)
        else:
            axes.fill_between(at, low, high, color=colour, alpha=0.2, linewidth=0)
            axes.plot(at, middle, color=colour, marker=marker, markersize=4, label=line.label)
    _scale(axes, words, texts=texts, of_bytes=x.endswith("bytes"))
    _scale_y(axes, [value / per_unit for line in panel.lines for value in line.median])
    clean(axes)
    axes.set_xlabel(x.replace("_", " "))
    named = y.removesuffix("_seconds").removesuffix("_bytes").replace("_", " ")
    axes.set_ylabel(f"{named} [{unit}]" if unit else named)
    axes.set_title(panel.title)
    if panel.names:
        axes.xaxis.set_major_formatter("{x:,.0f}")
        above = axes.secondary_xaxis("top")
        above.set_xticks([*panel.names.values()], [*panel.names], rotation=20, ha="left")
        above.tick_params(length=0)


def _unit_of(name: str, most: float) -> tuple[float, str]:
    """Return the unit of a number [of the number's own] and its name."""
    if quantity(name) == "time":
        picoseconds, unit = scale_of(most * 1e12, TIME_UNITS)
        return picoseconds / 1e12, unit
    return scale_of(most, BYTE_UNITS) if quantity(name) == "bytes" else (1.0, "")


def _scale(axes: Axes, words: Sequence[float | str], *, texts: bool, of_bytes: bool) -> None:
    if texts:
        axes.set_xticks(range(len(words)), [str(word) for word in words])
        return
    numbers = sorted(float(word) for word in words)
    if numbers and numbers[0] > 0 and numbers[-1] >= MOST_RATIO * numbers[0]:
        axes.set_xscale("log")
        decades(axes.xaxis)
    if of_bytes and len(numbers) <= 12:
        axes.set_xticks(numbers, [format_bytes(number) for number in numbers], rotation=30)
        axes.minorticks_off()


def _scale_y(axes: Axes, values: Sequence[float]) -> None:
    """Begin the axis at 0, or make it logarithmic if values differ by much."""
    if values and min(values) > 0 and max(values) >= MOST_RATIO * min(values):
        axes.set_yscale("log")
        decades(axes.yaxis)
    elif values and min(values) >= 0:
        axes.set_ylim(bottom=0)
