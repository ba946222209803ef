"""Panels on links: how busy they were, by group and by class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from odonata.report.style import GREY, INK, class_colours, clean, legend_above, say, whole
from odonata.result import Result, group_loads, router_loads, stalled_shares, utilisations
from odonata.result.loads import between_routers, num_groups

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage

__all__ = [
    "MOST_CELLS",
    "draw_class_loads",
    "draw_group_loads",
    "draw_local_loads",
    "draw_node_loads",
    "draw_router_loads",
]

Floats = NDArray[np.float64]

MOST_CELLS = 1024
"""Rows above which a heat map is unreadable."""

THINNEST = 0.4
"""Width of the bar of links that are all as busy as each other [%]."""

COLOURS = "YlGnBu"
"""Light is idle, dark is busy, in print as well; the same order to all eyes."""


def draw_group_loads(axes: Axes, result: Result) -> AxesImage:
    """Draw how busy the links from group to group were.

    Parameters
    ----------
    axes
        Where.
    result
        A run on a machine with at most `MOST_CELLS` groups.

    Returns
    -------
    matplotlib.image.AxesImage
        What a colour bar belongs to.
    """
    loads = 100 * group_loads(result)
    np.fill_diagonal(loads, np.nan)
    return _draw_matrix(axes, loads, "group")


def draw_router_loads(axes: Axes, result: Result) -> AxesImage:
    """Draw how busy the links from router to router were.

    Parameters
    ----------
    axes
        Where.
    result
        A run on a machine with at most `MOST_CELLS` routers.

    Returns
    -------
    matplotlib.image.AxesImage
        What a colour bar belongs to.
    """
    return _draw_matrix(axes, 100 * router_loads(result), "router")


def draw_local_loads(axes: Axes, result: Result) -> None:
    """Draw how busy the links inside each group were: the mean as a bar, the busiest as a tick.

    Parameters
    ----------
    axes
        Where; its x axis counts groups.
    result
        A run on a machine with groups.
    """
    links = result.run.links
    inside = between_routers(result) & (links["group_from"] == links["group_to"])
    if not inside.any():
        say(axes, "groups of one router have no local links")
        return
    size = num_groups(result)
    group, used = links["group_from"][inside], 100 * utilisations(result)[inside]
    mean = np.bincount(group, used, size) / np.maximum(np.bincount(group, minlength=size), 1)
    most = np.zeros(size)
    np.maximum.at(most, group, used)
    axes.plot(range(size), most, "_", color=INK, markersize=_tick(size), label="busiest")
    axes.bar(range(size), mean, width=0.8, color="#E69F00", label="mean")
    whole(axes.xaxis)
    axes.set_xlabel("group")
    axes.set_ylabel("local links\nbusy [%]")
    axes.set_ylim(0, 1.05 * max(most.max(), 1))
    legend_above(axes)
    clean(axes)


def draw_node_loads(axes: Axes, result: Result) -> None:
    """Draw how busy the links of each node were.

    Parameters
    ----------
    axes
        Where.
    result
        A run.
    """
    colours = class_colours(result.run.link_classes)
    used = 100 * utilisations(result)
    for number, name in enumerate(result.run.link_classes):
        mine = used[result.run.links["class"] == number]
        if len(mine) and name.partition("-")[0] in ("injection", "ejection"):
            axes.plot(mine, ".-", color=colours[name], label=name, linewidth=0.8, markersize=3)
    whole(axes.xaxis)
    axes.set_xlabel("node")
    axes.set_ylabel("busy [%]")
    axes.set_ylim(0, None)
    legend_above(axes)
    clean(axes)


def draw_class_loads(axes: Axes, result: Result) -> None:
    """Draw the spread of the used links of each class: how busy, and how long without credit.

    Parameters
    ----------
    axes
        Where.
    result
        A run.
    """
    colours = class_colours(result.run.link_classes)
    used, stalled = 100 * utilisations(result), 100 * stalled_shares(result)
    labels: dict[float, str] = {}
    y = 0.0
    for number, name in enumerate(result.run.link_classes):
        mine = result.run.links["class"] == number
        if not mine.any():
            continue
        active = mine & (result.run.links["bytes"] > 0)
        labels[y] = f"{name}\n{active.sum():,} of {mine.sum():,}"
        if active.any():
            _draw_spread(axes, y, used[active], colours[name], 0.5)
        if stalled[active].any():
            y += 0.6
            _draw_spread(axes, y, stalled[active], colours[name], 0.22)
            labels[y] = "without credit"
        y += 1.0
    axes.set_ylim(y - 0.45, -0.5)
    axes.set_xlim(0, 100)
    axes.set_xlabel(
        "share of the run [%]\nof links that sent: line, all; pale, 90 %; bar, 50 %; ○, mean"
    )
    clean(axes, grid="x")
    _label_rows(axes, labels)


def _draw_matrix(axes: Axes, percent: Floats, what: str) -> AxesImage:
    most = float(np.nanmax(percent, initial=0.0)) or 1.0
    axes.set_facecolor("#BDBDBD")
    image = axes.imshow(
        percent, cmap=COLOURS, vmin=0, vmax=most, interpolation="nearest", aspect="auto"
    )
    whole(axes.xaxis)
    whole(axes.yaxis)
    axes.set_xlabel(f"to {what}")
    axes.set_ylabel(f"from {what}")
    clean(axes, grid=None)
    for side in ("top", "right"):
        axes.spines[side].set_visible(True)
    return image


def _tick(size: int) -> float:
    """Return how long the ticks of so many bars may be [point]."""
    return min(12.0, max(2.0, 250 / size))


def _label_rows(axes: Axes, labels: Mapping[float, str]) -> None:
    axes.set_yticks(list(labels), list(labels.values()))
    for text in axes.get_yticklabels():
        if text.get_text() == "without credit":
            text.set(fontsize=7, color=GREY)
    axes.tick_params(axis="y", length=0)


def _draw_spread(axes: Axes, y: float, values: Floats, colour: str, height: float) -> None:
    """Draw the middle half of values, nine tenths of them, all of them, and their mean."""
    least, low, first, median, third, high, most = np.quantile(
        values, [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1]
    )
    axes.plot([least, most], [y, y], color=colour, linewidth=1, solid_capstyle="butt")
    axes.plot([least, most], [y, y], "|", color=colour, markersize=22 * height, clip_on=False)
    axes.barh(y, high - low, left=low, height=height * 0.55, color=colour, alpha=0.4)
    hair = max(0.0, THINNEST - (third - first)) / 2
    axes.barh(y, third - first + 2 * hair, left=first - hair, height=height, color=colour)
    if not hair:
        axes.plot([median] * 2, [y - height / 2, y + height / 2], color="white", linewidth=1.1)
    axes.plot(values.mean(), y, "o", color="white", markeredgecolor=INK, markersize=3.2)
