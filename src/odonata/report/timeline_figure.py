"""Timelines: ranks over time, with messages and the critical path drawn in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from odonata.errors import UserError
from odonata.explain import Explained, Timeline
from odonata.explain.path import hops
from odonata.explain.timeline import KINDS
from odonata.report.style import (
    INK,
    TIME_UNITS,
    figure_legend,
    house_style,
    new_figure,
    require_figure,
    save_figure,
    scale_of,
)
from odonata.result.kinds import SHOWN
from odonata.result.overview import heading, seconds

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["KIND_COLOURS", "draw_timeline", "plot_timeline"]

KIND_COLOURS = tuple(kind.colour for kind in SHOWN)
"""Colours of `odonata.explain.KINDS`: work as its first category, waits pale."""

MOST_ROWS, BINS = 256, 1200
MOST_MESSAGES = 1500
"""Messages in the window up to which they are drawn."""

FEWEST_INTERVALS = 12
"""Intervals that a window has at least where the run kept its ranks' kinds by interval alone."""


def plot_timeline(
    explained: Explained, path: str | Path, *, window: tuple[int, int] | None = None
) -> None:
    """Save a figure of the ranks' activities over time, with messages and the critical path.

    Parameters
    ----------
    explained
        An explanation whose run kept its steps.
    path
        The figure, ``.png``, ``.svg`` or ``.pdf``; one that exists is replaced.
    window
        Begin and end of the part that is drawn [ps]; None: the whole run.

    Raises
    ------
    UserError
        Another suffix, a window outside of the run or too narrow for it, or a run without its
        steps.
    WriteError
        The file could not be written.
    """
    require_figure(path)
    save_figure(draw_timeline(explained, window=window), path)


def draw_timeline(explained: Explained, *, window: tuple[int, int] | None = None) -> Figure:
    """Return the figure that `plot_timeline` saves.

    Parameters
    ----------
    explained
        An explanation whose run kept its steps.
    window
        Begin and end of the part that is drawn [ps]; None: the whole run.

    Returns
    -------
    matplotlib.figure.Figure
        It belongs to no window and to no global state. Above 256 ranks neighbours share a row,
        whose colour is their mean. Messages are drawn if they are not more than 1,500. Of a run
        with too many steps to keep each rank has the kind that most of an interval was.

    Raises
    ------
    UserError
        A window outside of the run, or too narrow for it, or a run without its steps.
    """
    from matplotlib.patches import Patch

    # Long runs keep the main activity in each interval, and no single steps or messages.
    coarse = explained.account.causes is None and explained.account.kinds is not None
    timeline = None if coarse else explained.timeline
    low, high = _checked(window, explained.length_ps)
    grid = _intervals(explained, (low, high)) if coarse else None
    factor, unit = scale_of(high, TIME_UNITS)
    ranks = len(explained.account.by_rank)
    with house_style():
        figure = new_figure(9.0, 5.2)
        axes = figure.subplots()
        rows = min(ranks, MOST_ROWS)
        begin, end, label = low, high, f"time [{unit}]"
        if timeline is not None:
            shares = timeline.shares(BINS, rows, (low, high))
        elif grid is not None:
            shares = _coarse_shares(explained, rows, grid)
            begin, end = grid.first * grid.width, grid.last * grid.width
            label += f", and the main activity of ranks in each {seconds(grid.width / 1e12)}"
        extent = (begin / factor, end / factor, ranks - 0.5, -0.5)
        axes.imshow(_colours(shares), extent=extent, aspect="auto", interpolation="nearest")
        drawn = [] if timeline is None else _draw_messages(axes, timeline, (low, high), factor)
        _draw_path(axes, explained, (low, high), factor)
        axes.set_xlim(low / factor, high / factor)
        axes.set_ylim(ranks - 0.5, -0.5)
        axes.set_xlabel(label)
        axes.set_ylabel("rank")
        axes.set_title(heading(explained.run))
        found = shares.sum(axis=(0, 1))
        handles: list[Any] = [
            Patch(color=colour, label=kind)
            for kind, colour, share in zip(KINDS, KIND_COLOURS, found, strict=True)
            if share > 0
        ]
        handles += [*drawn, *axes.get_lines()]
        labels = [str(handle.get_label()) for handle in handles]
        figure_legend(figure, handles, labels, loc="outside lower center", most_columns=4)
    return figure


@dataclass(frozen=True)
class _Intervals:
    """Intervals of a run, from the first to before the last, that a window touches."""

    first: int
    last: int
    width: int  # [ps]


def _intervals(explained: Explained, window: tuple[int, int]) -> _Intervals:
    """Return the intervals of a window; a UserError if they are too few to see anything."""
    number = len(explained.account.kinds[0]) if explained.account.kinds is not None else 1
    width = -(-explained.length_ps // number)
    found = _Intervals(window[0] // width, -(-window[1] // width), width)
    if found.last - found.first < FEWEST_INTERVALS:
        given = f"{seconds(window[0] / 1e12)} to {seconds(window[1] / 1e12)}"
        raise UserError(
            f"{explained.where}: too narrow a window: of so many steps only the main activity "
            f"of ranks in each {seconds(width / 1e12)} was kept (odonata simulate "
            "--record-messages keeps all)",
            value=given,
            allowed=f"{seconds(FEWEST_INTERVALS * width / 1e12)} and more",
        )
    return found


def _coarse_shares(explained: Explained, rows: int, grid: _Intervals) -> NDArray[np.float64]:
    """Return the shares of rows of ranks in each kind, of a run whose steps were not kept."""
    kinds = np.asarray(explained.account.kinds)
    row = np.arange(len(kinds)) * rows // len(kinds)
    sizes = np.maximum(1, np.bincount(row, minlength=rows))[:, None]
    shares = np.zeros((rows, grid.last - grid.first, len(KINDS)))
    for kind in range(len(KINDS)):
        np.add.at(shares[:, :, kind], row, kinds[:, grid.first : grid.last] == kind)
    mean: NDArray[np.float64] = shares / sizes[:, :, None]
    return mean


def _checked(window: tuple[int, int] | None, length: int) -> tuple[int, int]:
    if length == 0:
        raise UserError("timeline: the run takes no time, so there is nothing to draw")
    low, high = window or (0, length)
    if not 0 <= low < high or low >= length:
        allowed = f"a begin before its end, from 0 to {seconds(length / 1e12)}"
        given = f"{seconds(low / 1e12)} to {seconds(high / 1e12)}"
        raise UserError("timeline: no such window", value=given, allowed=allowed)
    return low, min(high, length)


def _colours(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean colour of each cell; white where ranks had ended."""
    from matplotlib.colors import to_rgb

    palette = np.array([to_rgb(colour) for colour in KIND_COLOURS])
    rest = np.clip(1 - shares.sum(axis=2, keepdims=True), 0, 1)
    mixed: NDArray[np.float64] = np.clip(shares @ palette + rest, 0, 1)
    return mixed


def _draw_messages(
    axes: Axes, timeline: Timeline, window: tuple[int, int], factor: float
) -> list[Any]:
    """Draw the messages in the window, if they are not too many."""
    from matplotlib.collections import LineCollection

    found = timeline.messages
    inside = np.flatnonzero((found.delivered >= window[0]) & (found.sent <= window[1]))
    if not 0 < len(inside) <= MOST_MESSAGES:
        return []
    begins = np.stack([found.sent[inside] / factor, found.source[inside]], axis=1)
    ends = np.stack([found.delivered[inside] / factor, found.target[inside]], axis=1)
    width = 0.7 if len(inside) < 300 else 0.35
    lines = LineCollection(
        list(np.stack([begins, ends], axis=1)), colors="#5B4B8A", linewidths=width, label="messages"
    )
    axes.add_collection(lines)
    return [lines]


def _draw_path(axes: Axes, explained: Explained, window: tuple[int, int], factor: float) -> None:
    times, ranks = [], []
    for hop in hops(explained.account):
        if hop.end_ps < window[0] or hop.begin_ps > window[1]:
            continue
        times += [hop.begin_ps / factor, hop.end_ps / factor]
        ranks += [hop.rank, hop.rank if hop.to < 0 else hop.to]
    axes.plot(times, ranks, color=INK, linewidth=1.1, label="critical path")
