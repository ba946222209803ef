"""Panels on messages, bytes that wait, and buffers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from odonata.report.style import (
    BYTE_UNITS,
    GREY,
    TIME_UNITS,
    class_colours,
    clean,
    decades,
    legend_above,
    micro,
    say,
    scale_of,
)
from odonata.result import JobRun, Result, latency_quantiles
from odonata.result.latencies import bin_ends
from odonata.result.overview import seconds

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_buffers", "draw_latencies", "draw_waiting"]

Floats = NDArray[np.float64]

FRONT = "#0072B2"


def draw_latencies(axes: Axes, result: Result) -> None:
    """Draw how many messages were faster than a time: of the first job, and of the others in grey.

    Behind the curve stands the histogram, on the same logarithmic axis.

    Parameters
    ----------
    axes
        Where.
    result
        A run.
    """
    jobs = [job for job in result.jobs if job.latencies["count"].sum() > 0]
    if not jobs:
        say(axes, "no message was sent")
        return
    main = result.main_job if result.main_job in jobs else jobs[0]
    assert main is not None
    unit, name = scale_of(float(_bins(main)[1][-1]), TIME_UNITS)
    _draw_histogram(axes, main, unit)
    for job in jobs:
        _draw_cumulative(axes, job, unit, colour=FRONT if job is main else GREY)
    axes.set_xscale("log")
    starts, ends = _bins(main)
    axes.set_xlim(starts[0] / 1.15 / unit, ends[-1] * 1.15 / unit)
    axes.set_ylim(0, 100)
    axes.set_xlabel(f"latency [{name}]")
    axes.set_ylabel("messages as fast or faster [%]")
    _mark_quantiles(axes, main, unit)
    decades(axes.xaxis)
    if len(jobs) > 1:
        legend_above(axes)
    clean(axes)


def draw_waiting(axes: Axes, result: Result) -> None:
    """Draw how many bytes waited at routers for links of each class, over time.

    Bytes in the queues of NICs are not counted.

    Parameters
    ----------
    axes
        Where.
    result
        A run that took samples.
    """
    times, waiting = result.run.samples["time"], result.run.samples["waiting"]
    time_unit, time_name = scale_of(float(times.max(initial=0)), TIME_UNITS)
    byte_unit, byte_name = scale_of(float(waiting.max(initial=0)), BYTE_UNITS)
    colours = class_colours(result.run.link_classes)
    for at, name in enumerate(result.run.link_classes):
        if waiting[:, at].any():
            y = waiting[:, at] / byte_unit
            axes.plot(times / time_unit, y, color=colours[name], label=name, linewidth=1.2)
    if not waiting.any():
        say(axes, "nothing ever waited")
        return
    axes.set_xlim(0, None)
    axes.set_ylim(0, None)
    axes.set_xlabel(f"time [{time_name}]")
    axes.set_ylabel(f"bytes waiting at routers [{byte_name}]")
    legend_above(axes)
    clean(axes)


def draw_buffers(axes: Axes, result: Result) -> None:
    """Draw how full the buffers behind the links of each class ever were.

    Parameters
    ----------
    axes
        Where.
    result
        A run.
    """
    buffers = result.run.buffers
    if not buffers["peak"].any():
        used = "no buffer was used" if len(buffers["link"]) else "this engine has no buffers"
        say(axes, used)
        return
    number = result.run.links["class"][buffers["link"]]
    filling = 100 * buffers["peak"] / np.maximum(buffers["capacity"], 1)
    colours = class_colours(result.run.link_classes)
    for at, name in enumerate(result.run.link_classes):
        mine = np.sort(filling[number == at])
        if len(mine):
            above = 100 * np.arange(len(mine), 0, -1) / len(mine)
            axes.step(mine, above, where="pre", color=colours[name], label=name)
    axes.set_xlim(0, 100)
    axes.set_yscale("log")
    axes.set_ylim(None, 100)
    axes.set_xlabel("most that was ever reserved of a buffer [%]")
    axes.set_ylabel("buffers as full or fuller [%]")
    decades(axes.yaxis)
    legend_above(axes)
    clean(axes, grid="both")


def _bins(job: JobRun) -> tuple[Floats, Floats]:
    """Return the edges of the bins of a job [ps]; no bin begins at zero or has no width."""
    starts = np.maximum(job.latencies["latency"], 0.5)
    return starts, np.maximum(bin_ends(job), 1.02 * starts)


def _draw_histogram(axes: Axes, job: JobRun, unit: float) -> None:
    """Draw the density of messages over the logarithm of their latency, in units of its own."""
    starts, ends = _bins(job)
    corners = np.unique(np.concatenate([starts, ends]))
    density = np.zeros(len(corners) - 1)
    density[np.searchsorted(corners, starts)] = job.latencies["count"] / np.log2(ends / starts)
    axes.stairs(
        90 * density / density.max(), corners / unit, fill=True, color=FRONT, alpha=0.2, linewidth=0
    )


def _draw_cumulative(axes: Axes, job: JobRun, unit: float, *, colour: str) -> None:
    starts, ends = _bins(job)
    counts = job.latencies["count"]
    after = 100 * np.cumsum(counts) / counts.sum()
    x = np.stack([starts, ends], axis=1).ravel() / unit
    y = np.stack([np.concatenate([[0], after[:-1]]), after], axis=1).ravel()
    axes.plot(x, y, color=colour, label=job.name, linewidth=1.6 if colour == FRONT else 1.1)


def _mark_quantiles(axes: Axes, job: JobRun, unit: float) -> None:
    """Mark median, 99th percentile and maximum, and write them where no curve is."""
    median, most = latency_quantiles(job, np.array([0.5, 0.99]))
    marks = [
        ("median", median, 50),
        ("99 %", most, 99),
        ("longest", float(bin_ends(job)[-1]), 100),
    ]
    for _, latency, percent in marks:
        (dot,) = axes.plot(latency / unit, percent, "o", color=FRONT, markersize=5.5)
        dot.set(markeredgecolor="white", clip_on=False, zorder=4)
    lines = [f"{name}  {micro(seconds(latency / 1e12))}" for name, latency, _ in marks]
    low, high = axes.get_xlim()
    rises_early = median / unit < np.sqrt(low * high)
    x, y, side = (0.97, 0.52, "right") if rises_early else (0.03, 0.8, "left")
    axes.text(
        x,
        y,
        "\n".join(lines),
        transform=axes.transAxes,
        ha=side,
        va="center",
        linespacing=1.5,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.6, "pad": 2},
    )
