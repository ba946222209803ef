"""Figures of a cycle by level: measured, and modelled under each scenario."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from odonata.errors import UserError
from odonata.report.style import (
    INK,
    clean,
    decades,
    figure_legend,
    house_style,
    new_figure,
    require_figure,
    save_figure,
    series_colours,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["LevelPanel", "draw_levels", "plot_levels"]

LEAST = 1e-9  # ms: below it a level has no time, and no point on a logarithmic axis


class LevelPanel(Protocol):
    """One panel: seconds of each level; `odonata.model.Panel` is one."""

    @property
    def title(self) -> str:
        """Name of the run."""
        ...

    @property
    def modelled(self) -> Mapping[str, Sequence[float]]:
        """Seconds of each level, by scenario."""
        ...

    @property
    def measured(self) -> Sequence[float] | None:
        """Seconds of each level; None if it was not measured."""
        ...

    @property
    def best(self) -> str | None:
        """The scenario that fits best, drawn solid; None: all are."""
        ...

    @property
    def measured_as(self) -> str:
        """Name in the legend: measured, or simulated."""
        ...


def plot_levels(panels: Sequence[LevelPanel], path: str | Path, *, columns: int = 3) -> None:
    """Save a figure of cycles by level: measured in black, each scenario in a colour.

    Parameters
    ----------
    panels
        One a run.
    path
        The figure, ``.png``, ``.svg`` or ``.pdf``; one that exists is replaced.
    columns
        Most panels side by side.

    Raises
    ------
    UserError
        Another suffix, or no panels.
    WriteError
        The file could not be written.

    References
    ----------
    Model-guided AMG on a dragonfly, Figures 5 and 6.
    """
    require_figure(path)
    save_figure(draw_levels(panels, columns=columns), path)


def draw_levels(panels: Sequence[LevelPanel], *, columns: int = 3) -> Figure:
    """Return the figure that `plot_levels` saves, for notebooks and for changes of one's own.

    Parameters
    ----------
    panels
        One a run.
    columns
        Most panels side by side.

    Returns
    -------
    matplotlib.figure.Figure
        It belongs to no window and to no global state.

    Raises
    ------
    UserError
        There are no panels.
    """
    if not panels:
        raise UserError("figure: no runs to draw")
    columns = min(columns, len(panels))
    rows = math.ceil(len(panels) / columns)
    names = list(dict.fromkeys(name for panel in panels for name in panel.modelled))
    colours = series_colours(names)
    with house_style():
        figure = new_figure(1.0 + 3.2 * columns, 0.7 + 2.7 * rows)
        grid = figure.subplots(rows, columns, squeeze=False, sharey=True)
        for at, axes in enumerate(grid.flat):
            if at < len(panels):
                _draw(axes, panels[at], colours, left=at % columns == 0)
            else:
                axes.set_axis_off()
        _add_legend(figure)
    return figure


def _draw(
    axes: Axes, panel: LevelPanel, colours: Mapping[str, tuple[str, str]], *, left: bool
) -> None:
    from matplotlib.ticker import MaxNLocator

    for name, levels in panel.modelled.items():
        colour, marker = colours[name]
        axes.plot(
            *_points(levels),
            color=colour,
            marker=marker,
            markersize=4,
            label=name,
            linestyle="-" if panel.best in (None, name) else ":",
            linewidth=1.8 if panel.best == name else 1.1,
        )
    if panel.measured is not None:
        axes.plot(*_points(panel.measured), color=INK, linewidth=2.2, label=panel.measured_as)
    axes.set_yscale("log")
    axes.set_title(panel.title)
    axes.set_xlabel("level")
    if left:
        axes.set_ylabel("time of the level [ms]")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    clean(axes)
    decades(axes.yaxis)


def _add_legend(figure: Figure) -> None:
    """Name each series once, above all panels."""
    handles = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles[label] = handle
    rows = math.ceil(len(handles) / max(1, int(figure.get_figwidth() / 1.15)))
    columns = math.ceil(len(handles) / rows)
    shown = [*handles.values()], [*handles]
    figure_legend(figure, *shown, loc="outside upper center", most_columns=columns)


def _points(seconds: Sequence[float]) -> tuple[list[int], list[float]]:
    """Return the levels that took time, and their milliseconds."""
    shown = [(level, 1e3 * s) for level, s in enumerate(seconds) if 1e3 * s > LEAST]
    return [level for level, _ in shown], [ms for _, ms in shown]
