"""Figures of who sends to whom, by phase and level."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from odonata.errors import UserError
from odonata.report.style import (
    GREY,
    INK,
    clean,
    decades,
    house_style,
    new_figure,
    require_figure,
    save_figure,
)
from odonata.result.overview import count, size

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

__all__ = ["MatrixPanel", "draw_matrices", "draw_panel", "plot_matrices"]

Numbers = NDArray[np.int64]
What = Literal["messages", "bytes"]

COLOURS = "YlGnBu"
"""Light is little, dark is much, in print as well."""

LABELS = {"messages": "messages", "bytes": "bytes sent [B]"}
CHARACTERS = 13
"""Characters of the title in an inch."""

MOST_ROWS = 512
"""Rows of a panel; of more ranks, each row is a group of neighbours."""


class MatrixPhase(Protocol):
    """Place of a panel: columns are names, rows are levels; `odonata.trace.RunPhase` is one."""

    @property
    def name(self) -> str:
        """Name of the phase."""
        ...

    @property
    def level(self) -> int | None:
        """Level; None: none."""
        ...


class MatrixPanel(Protocol):
    """One panel; `odonata.trace.Matrix` is one."""

    @property
    def phase(self) -> MatrixPhase:
        """Its place."""
        ...

    @property
    def messages(self) -> Numbers:
        """Messages of each pair."""
        ...

    @property
    def bytes(self) -> Numbers:
        """Bytes of each pair [B]."""
        ...

    def dense(self, what: What) -> Numbers:
        """Return the whole matrix, a row for each source."""
        ...


def plot_matrices(
    panels: Sequence[MatrixPanel], path: str | Path, *, title: str = "", what: What = "messages"
) -> None:
    """Save a figure of who sends to whom: a column for each phase, a row for each level.

    Parameters
    ----------
    panels
        One for each phase and level; those without messages are left out.
    path
        The figure, ``.png``, ``.svg`` or ``.pdf``; one that exists is replaced.
    title
        Name of the run.
    what
        Values: numbers of messages, or their bytes.

    Raises
    ------
    UserError
        Another suffix, or no panels.
    WriteError
        The file could not be written.

    References
    ----------
    Model-guided AMG on a dragonfly, Figure 9.
    """
    require_figure(path)
    save_figure(draw_matrices(panels, title=title, what=what), path)


def draw_matrices(
    panels: Sequence[MatrixPanel], *, title: str = "", what: What = "messages"
) -> Figure:
    """Return the figure that `plot_matrices` saves, for notebooks and for changes of one's own.

    Parameters
    ----------
    panels
        One for each phase and level; those without messages are left out.
    title
        Name of the run.
    what
        Values: numbers of messages, or their bytes.

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
        raise UserError("figure: no phases to draw")
    panels = [panel for panel in panels if len(panel.messages)] or panels[:1]
    names = list(dict.fromkeys(panel.phase.name for panel in panels))
    levels = list(dict.fromkeys(panel.phase.level for panel in panels))
    levels.sort(key=lambda level: (level is None, level or 0))
    # Levels run along the longer side of the page.
    places = {
        (panel.phase.name, panel.phase.level): (
            names.index(panel.phase.name),
            levels.index(panel.phase.level),
        )
        for panel in panels
    }
    most = max((int(getattr(panel, what).max(initial=0)) for panel in panels), default=0)
    with house_style():
        figure = new_figure(1.1 + 2.3 * len(levels), 0.8 + 2.5 * len(names))
        grid = figure.subplots(len(names), len(levels), squeeze=False)
        for axes in grid.flat:
            axes.set_axis_off()
        image = None
        for panel in panels:
            row, column = places[panel.phase.name, panel.phase.level]
            image = draw_panel(grid[row, column], panel, what, most, left=column == 0)
        if image is not None and most:
            bar = figure.colorbar(image, ax=grid, label=LABELS[what], fraction=0.03, pad=0.01)
            decades(bar.ax.yaxis)
        lines = textwrap.wrap(title, int(CHARACTERS * figure.get_figwidth()))
        figure.suptitle("\n".join(lines), x=0.01, ha="left", fontsize=8.5)
    return figure


def draw_panel(axes: Axes, panel: MatrixPanel, what: What, most: int, *, left: bool) -> AxesImage:
    """Draw one matrix.

    Parameters
    ----------
    axes
        Where.
    panel
        The matrix.
    what
        Values: numbers of messages, or their bytes.
    most
        Value of the darkest colour.
    left
        Whether the rows have a label.
    """
    from matplotlib.colors import LogNorm
    from matplotlib.ticker import MaxNLocator

    whole = panel.dense(what)
    ranks = len(whole)
    values = _folded(whole)
    axes.set_axis_on()
    axes.set_facecolor("white")
    image = axes.imshow(
        np.ma.masked_equal(values, 0),
        cmap=COLOURS,
        norm=LogNorm(vmin=1, vmax=max(most, 2)),
        interpolation="nearest",
        extent=(-0.5, ranks - 0.5, ranks - 0.5, -0.5),
    )
    axes.set_title(_title(panel.phase))
    pairs = int(np.count_nonzero(whole) - np.count_nonzero(whole.diagonal()))
    total = count(int(panel.messages.sum())) if what == "messages" else size(int(panel.bytes.sum()))
    axes.set_xlabel(f"to rank\n{count(pairs)} pairs, {total}{' msg' * (what == 'messages')}")
    if left:
        axes.set_ylabel("from rank")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(4, integer=True, min_n_ticks=1))
    clean(axes, grid=None)
    for side in ("top", "right"):
        axes.spines[side].set_visible(True)
    for spine in axes.spines.values():
        spine.set_color(INK if pairs else GREY)
    return image


def _folded(values: Numbers) -> Numbers:
    """Return a matrix of at most `MOST_ROWS` rows; where ranks are more, sums of neighbors'."""
    fold = -(-len(values) // MOST_ROWS)
    starts = np.arange(0, len(values), fold)
    rows: Numbers = np.add.reduceat(values, starts, axis=0)
    found: Numbers = np.add.reduceat(rows, starts, axis=1)
    return found


def _title(phase: MatrixPhase) -> str:
    level = "" if phase.level is None else f", level {phase.level}"
    return f"{phase.name or 'outside of phases'}{level}"
