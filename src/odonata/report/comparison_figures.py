"""Figures of several runs: time against ranks, accepted against offered load."""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from odonata.errors import UserError
from odonata.report.comparison import common, field, label, varying
from odonata.report.style import (
    GREY,
    INK,
    TIME_UNITS,
    clean,
    decades,
    figure_legend,
    house_style,
    letter,
    micro,
    new_figure,
    require_figure,
    save_figure,
    scale_of,
    series_colours,
)
from odonata.result import Result, class_loads
from odonata.result.overview import fixed, seconds

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_comparison", "plot_comparison"]

Floats = NDArray[np.float64]
Measure = Callable[[Result], float]


@dataclass(frozen=True)
class _Curve:
    """Values of one series: at each x the middle one of all runs, and the extremes."""

    x: Floats
    middle: Floats
    low: Floats
    high: Floats


def plot_comparison(results: Sequence[Result], path: str | Path) -> None:
    """Save one page on several runs.

    Runs of synthetic traffic become accepted load and latency against offered load; others
    become time against ranks (against bytes, if only those differ), and how much longer it is
    than the shortest. Runs that differ in nothing but their seed become one point with its range.

    Parameters
    ----------
    results
        Two runs or more, all of traffic or none.
    path
        The figure, ``.png``, ``.svg`` or ``.pdf``; one that exists is replaced.

    Raises
    ------
    UserError
        Another suffix, no run, or traffic and other workloads together.
    WriteError
        The file could not be written.
    """
    require_figure(path)
    save_figure(draw_comparison(results), path)


def draw_comparison(results: Sequence[Result]) -> Figure:
    """Return the figure that `plot_comparison` saves.

    Parameters
    ----------
    results
        Two runs or more, all of traffic or none.

    Returns
    -------
    matplotlib.figure.Figure
        It belongs to no window and to no global state.

    Raises
    ------
    UserError
        There is no run, or traffic and other workloads are together.
    """
    if not results:
        raise UserError("comparison: there is no run", allowed="1 or more")
    traffic = {result.run.summary.get("offered_load") is not None for result in results}
    if len(traffic) > 1:
        raise UserError("comparison: traffic and other workloads share no axis", value=len(results))
    with house_style():
        return _draw_traffic(results) if traffic.pop() else _draw_times(results)


def _draw_times(results: Sequence[Result]) -> Figure:
    axis = "bytes" if _distinct(results, "ranks") == 1 < _distinct(results, "bytes") else "ranks"
    series = _series(results, axis)
    if not _have_axis(results, axis):
        return _draw_bars(series, _title(results))
    figure = new_figure(9.6, 5.8)
    grid = figure.add_gridspec(2, 2, width_ratios=[1.5, 1], height_ratios=[1.6, 1])
    times = figure.add_subplot(grid[0, 0])
    _draw_time(times, series, axis)
    ratios = figure.add_subplot(grid[1, 0], sharex=times)
    _draw_ratios(ratios, series, axis)
    routers = figure.add_subplot(grid[0, 1], sharex=times)
    _draw_curves(routers, series, axis, lambda result: _value(result, "mean_routers"))
    routers.set_ylabel("routers per packet")
    letter(routers, "c", "Path length")
    busiest = figure.add_subplot(grid[1, 1], sharex=times)
    _draw_curves(busiest, series, axis, _busiest)
    busiest.set_ylim(0, 100)
    busiest.set_ylabel("busy [%]")
    letter(busiest, "d", "Busiest link")
    for axes in (ratios, busiest):
        axes.set_xlabel("bytes of each rank [B]" if axis == "bytes" else "ranks")
    for axes in (times, routers):
        axes.tick_params(labelbottom=False)
    _draw_legend(figure, times, _title(results))
    return figure


def _have_axis(results: Sequence[Result], axis: str) -> bool:
    """Return whether runs can be points of curves: of one kind, at several places of an axis."""
    places = {_place(result, axis) for result in results}
    alike = _distinct(results, "operation") == 1
    return alike and len(places) > 1 and all(np.isfinite(list(places)))


def _draw_traffic(results: Sequence[Result]) -> Figure:
    series = _series(results, "load")
    figure = new_figure(9.6, 4.4)
    accepted, latency = figure.subplots(1, 2)
    _draw_curves(accepted, series, "load", lambda result: _value(result, "accepted_load"))
    most = max(_value(result, "offered_load") for result in results)
    accepted.plot([0, most], [0, most], color=GREY, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
    accepted.set_ylabel("accepted load")
    letter(accepted, "a", "Accepted and offered load")
    _draw_curves(latency, series, "load", lambda result: 1e6 * _value(result, _LATENCY))
    latency.set_yscale("log")
    latency.set_ylabel("mean latency [µs]")
    decades(latency.yaxis)
    letter(latency, "b", "Latency of messages")
    for axes in (accepted, latency):
        axes.set_xlim(0, None)
        axes.set_xlabel("offered load [share of injection bandwidth]")
    accepted.set_ylim(0, None)
    _draw_legend(figure, accepted, _title(results))
    return figure


_LATENCY = "mean_latency_seconds"


def _draw_bars(series: dict[str, list[Result]], title: str) -> Figure:
    """Draw runs that only their series tells apart."""
    figure = new_figure(9.6, 1.7 + 0.34 * len(series))
    figure.suptitle(title, x=0.01, ha="left", fontsize=8.5)
    times, routers = figure.subplots(1, 2, sharey=True, width_ratios=[1.7, 1])
    spans = [[_time(result) for result in runs] for runs in series.values()]
    unit, name = scale_of(max(max(span) for span in spans) * 1e12, TIME_UNITS)
    scaled = [[time * 1e12 / unit for time in span] for span in spans]
    texts = [micro(seconds(float(np.median(span)))) for span in spans]
    _draw_bar_panel(times, series, scaled, texts)
    times.set_yticks(range(len(series)), list(series))
    times.set_ylim(len(series) - 0.4, -0.6)
    times.set_xlabel(f"time [{name}]")
    letter(times, "a", "Time")
    paths = [[_value(result, "mean_routers") for result in runs] for runs in series.values()]
    texts = [fixed(float(np.median(path))) for path in paths]
    _draw_bar_panel(routers, series, paths, texts)
    routers.set_xlabel("routers per packet")
    letter(routers, "b", "Path length")
    return figure


def _draw_bar_panel(
    axes: Axes, names: Iterable[str], values: Sequence[Sequence[float]], texts: Sequence[str]
) -> None:
    """Draw the median of each series as a bar with a text, and the range of several runs."""
    colours = [colour for colour, _ in series_colours(list(names)).values()]
    medians = [float(np.median(each)) for each in values]
    axes.barh(range(len(values)), medians, color=colours, height=0.62)
    for y, (each, text) in enumerate(zip(values, texts, strict=True)):
        if max(each) > min(each):
            axes.plot([min(each), max(each)], [y, y], color=INK, linewidth=1)
            axes.plot([min(each), max(each)], [y, y], "|", color=INK, markersize=6)
        axes.text(max(each), y, f"  {text}", va="center", fontsize=8)
    axes.margins(x=0.16)
    clean(axes, grid="x")
    axes.tick_params(axis="y", length=0)


def _draw_time(axes: Axes, series: dict[str, list[Result]], axis: str) -> None:
    longest = max(_time(result) for runs in series.values() for result in runs)
    unit, name = scale_of(longest * 1e12, TIME_UNITS)
    _draw_curves(axes, series, axis, lambda result: _time(result) * 1e12 / unit)
    axes.set_xscale("log")
    axes.set_yscale("log")
    _tick_runs(axes, series, axis)
    decades(axes.yaxis)
    axes.set_ylabel(f"time [{name}]")
    letter(axes, "a", "Time")


def _draw_ratios(axes: Axes, series: dict[str, list[Result]], axis: str) -> None:
    """Draw each time over the shortest of all series of the same size at the same x."""
    curves = {name: _curve(runs, axis, _time) for name, runs in series.items()}
    sizes = {name: field(runs[0], "bytes") for name, runs in series.items()}
    if axis == "bytes":  # x is the size
        sizes = dict.fromkeys(series)
    shortest: dict[tuple[object, float], float] = {}
    for name, curve in curves.items():
        for x, time in zip(curve.x, curve.middle, strict=True):
            shortest[sizes[name], x] = min(time, shortest.get((sizes[name], x), time))
    for name, (colour, marker) in series_colours(list(series)).items():
        curve = curves[name]
        ratio = curve.middle / np.maximum([shortest[sizes[name], x] for x in curve.x], 1e-15)
        axes.plot(curve.x, ratio, color=colour, marker=marker, markersize=4, clip_on=False)
    axes.set_ylim(1, None)
    if axes.get_ylim()[1] > 8:
        axes.set_yscale("log")
        decades(axes.yaxis)
    axes.set_ylabel("time / shortest")
    letter(axes, "b", "How much longer than the fastest")
    clean(axes)


def _draw_curves(axes: Axes, series: dict[str, list[Result]], axis: str, measure: Measure) -> None:
    for name, (colour, marker) in series_colours(list(series)).items():
        curve = _curve(series[name], axis, measure)
        (line,) = axes.plot(curve.x, curve.middle, color=colour, marker=marker, label=name)
        line.set(markersize=4.5, clip_on=False)  # whole, too, where a link is busy all the time
        if np.any(curve.high > curve.low):
            axes.vlines(curve.x, curve.low, curve.high, color=colour, linewidth=1)
    clean(axes)


def _tick_runs(axes: Axes, series: dict[str, list[Result]], axis: str) -> None:
    """Put the ticks of x where runs are, unless those are many."""
    from matplotlib.ticker import FixedLocator, NullLocator

    decades(axes.xaxis)
    places = sorted({_place(result, axis) for runs in series.values() for result in runs})
    if len(places) <= 8:
        axes.xaxis.set_major_locator(FixedLocator(places))
        axes.xaxis.set_minor_locator(NullLocator())


def _draw_legend(figure: Figure, axes: Axes, title: str) -> None:
    """Draw one legend for all panels, above them."""
    handles, names = axes.get_legend_handles_labels()
    figure_legend(
        figure,
        handles,
        names,
        loc="outside upper left",
        most_columns=6,
        title=title,
        alignment="left",
        title_fontsize=8.5,
    )


def _title(results: Sequence[Result]) -> str:
    """Return the common fields of runs, in lines that fit the page."""
    return "\n".join(textwrap.wrap(common(results), 140))


def _series(results: Sequence[Result], axis: str) -> dict[str, list[Result]]:
    """Return the runs of each series, by its name."""
    names = [name for name in varying(results) if name != axis] or ["algorithm", "routing"]
    chosen = {str(field(result, "algorithm")) for result in results}
    automatic = {name for name in chosen if name.endswith(" (auto)")}
    series: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        name, algorithm = label(result, names), str(field(result, "algorithm"))
        if algorithm in automatic and len(automatic) > 1:  # one series, whatever auto stood for
            name = name.replace(algorithm, "auto")
        series[name].append(result)
    return dict(series)


def _curve(runs: Sequence[Result], axis: str, measure: Measure) -> _Curve:
    values: dict[float, list[float]] = defaultdict(list)
    for result in runs:
        values[_place(result, axis)].append(measure(result))
    x = sorted(values)
    columns = [(np.median(values[at]), min(values[at]), max(values[at])) for at in x]
    middle, low, high = np.array(columns, dtype=np.float64).T
    return _Curve(np.array(x), middle, low, high)


def _place(result: Result, axis: str) -> float:
    """Return where a run stands on the x axis."""
    if axis == "load":
        return _value(result, "offered_load")
    value = field(result, axis)
    return float(value) if isinstance(value, (int, float)) else float("nan")


def _distinct(results: Sequence[Result], name: str) -> int:
    return len({field(result, name) for result in results})


def _value(result: Result, name: str) -> float:
    value = result.run.summary.get(name)
    return float(value) if isinstance(value, (int, float)) else float("nan")


def _time(result: Result) -> float:
    return _value(result, "time_seconds")


def _busiest(result: Result) -> float:
    return 100 * max((load.max_utilisation for load in class_loads(result)), default=0.0)
