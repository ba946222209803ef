"""Figures of one run."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from odonata.report.comparison import field
from odonata.report.load_panels import (
    MOST_CELLS,
    draw_class_loads,
    draw_group_loads,
    draw_local_loads,
    draw_node_loads,
    draw_router_loads,
)
from odonata.report.message_panels import draw_buffers, draw_latencies, draw_waiting
from odonata.report.style import (
    house_style,
    letter,
    micro,
    new_figure,
    require_figure,
    save_figure,
)
from odonata.report.tables import where_the_time_goes
from odonata.result import Result
from odonata.result.loads import num_groups, num_routers
from odonata.result.overview import count, fixed, num_ranks, seconds, size, title

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.gridspec import SubplotSpec

__all__ = ["draw_run", "plot_run"]


def plot_run(result: Result, path: str | Path) -> None:
    """Save one page on a run: link loads by group and by class, latencies, waiting bytes.

    Parameters
    ----------
    result
        A run.
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
    save_figure(draw_run(result), path)


def draw_run(result: Result) -> Figure:
    """Return the figure that `plot_run` saves, for notebooks and for changes of one's own.

    Parameters
    ----------
    result
        A run.

    Returns
    -------
    matplotlib.figure.Figure
        Four panels; it belongs to no window and to no global state.
    """
    with house_style():
        figure = new_figure(10, 8.6)
        grid = figure.add_gridspec(2, 2, width_ratios=[1.05, 1], height_ratios=[1.35, 1])
        _draw_places(figure, grid[0, 0], result)
        classes = figure.add_subplot(grid[0, 1])
        draw_class_loads(classes, result)
        letter(classes, "b", "Links by class")
        latencies = figure.add_subplot(grid[1, 0])
        draw_latencies(latencies, result)
        letter(latencies, "c", "Latency of messages")
        last = figure.add_subplot(grid[1, 1])
        if len(result.run.samples["time"]):
            draw_waiting(last, result)
            letter(last, "d", "Waiting bytes")
        else:
            draw_buffers(last, result)
            letter(last, "d", "Fullest buffers")
        _draw_head(figure, result)
    return figure


def _draw_places(figure: Figure, place: SubplotSpec, result: Result) -> None:
    """Draw where the load was: by group, by router or by node, as the machine has them."""
    if not 1 < num_groups(result) <= MOST_CELLS:
        axes = figure.add_subplot(place)
        if 1 < num_routers(result) <= MOST_CELLS:
            image = draw_router_loads(axes, result)
            figure.colorbar(image, ax=axes, label="busy [%]", fraction=0.05, pad=0.02)
            letter(axes, "a", "Links between routers")
        else:
            draw_node_loads(axes, result)
            letter(axes, "a", "Links of nodes")
        return
    parts = place.subgridspec(2, 1, height_ratios=[4.2, 1])
    above = figure.add_subplot(parts[0])
    image = draw_group_loads(above, result)
    letter(above, "a", "Links between groups")
    figure.colorbar(image, ax=above, label="busy, mean [%]", fraction=0.05, pad=0.02)
    draw_local_loads(figure.add_subplot(parts[1], sharex=above), result)
    above.tick_params(labelbottom=False)


def _draw_head(figure: Figure, result: Result) -> None:
    """Write settings and outcome of the run above the panels."""
    inches = figure.get_figheight()
    lines = textwrap.wrap(_settings(result), 140)
    lines += [_outcome(result), where_the_time_goes(result)]
    for row, text in enumerate([title(result.run), *lines]):
        y = 1 - (0.2 + 0.21 * row) / inches
        style = {"fontsize": 12, "fontweight": "bold"} if row == 0 else {"fontsize": 8.5}
        figure.text(0.012, y, text, va="center", **style)
    figure.set_layout_engine("constrained", rect=(0, 0, 1, 1 - (0.37 + 0.21 * len(lines)) / inches))


def _settings(result: Result) -> str:
    """Return the settings of a run, in a line."""
    got = result.run.summary.get
    load, each = field(result, "load"), field(result, "ranks_per_node")
    words = [
        num_ranks(got("ranks")),
        f"{field(result, 'allocation')} allocation" if field(result, "allocation") else "",
        f"{count(each)} ranks a node" if isinstance(each, int) and each > 1 else "",
        size(field(result, "bytes")),
        f"load {fixed(load)}" if load is not None else "",
        ", ".join(str(word) for word in (got("engine"), got("routing")) if word),
        f"background {field(result, 'background')}" if field(result, "background") else "",
        f"with {got('changes')}" if got("changes") else "",
        f"seed {got('seed')}",
    ]
    return "  ·  ".join(word for word in words if word)


def _outcome(result: Result) -> str:
    """Return the outcome of a run, in a line."""
    got = result.run.summary.get
    accepted = got("accepted_load")
    words = [
        f"accepted load {fixed(accepted)}" if accepted is not None else "",
        "time " + micro(seconds(got("time_seconds"))),
        f"{count(got('messages'))} messages",
        f"{fixed(got('mean_routers'))} routers per packet",
        "mean latency " + micro(seconds(got("mean_latency_seconds"))),
    ]
    return "  ·  ".join(word for word in words if word)
