"""Figures of a profile: calls, time in them, sizes of messages, who sends to whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from odonata.errors import UserError
from odonata.report.matrix_figures import MatrixPanel, draw_panel
from odonata.report.style import (
    SERIES,
    clean,
    decades,
    house_style,
    new_figure,
    require_figure,
    save_figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_profile", "plot_profile"]

MOST_BARS = 12
"""Functions that a panel shows; the others are added up."""


def plot_profile(
    document: Mapping[str, Any], matrix: MatrixPanel, path: str | Path, *, title: str = ""
) -> None:
    """Save a figure of the views of a profile.

    Parameters
    ----------
    document
        Views as `odonata.profile.Views.plain` returns them.
    matrix
        Who sends to whom.
    path
        The figure, ``.png``, ``.svg`` or ``.pdf``; one that exists is replaced.
    title
        Name of the run.

    Raises
    ------
    UserError
        Another suffix, or no calls.
    WriteError
        The file could not be written.

    References
    ----------
    AMG2013 Performance Benchmark and Profiling, HPC Advisory Council, 2013.
    """
    require_figure(path)
    save_figure(draw_profile(document, matrix, title=title), path)


def draw_profile(document: Mapping[str, Any], matrix: MatrixPanel, *, title: str = "") -> Figure:
    """Return the figure that `plot_profile` saves.

    Parameters
    ----------
    document, matrix, title
        See `plot_profile`.

    Returns
    -------
    matplotlib.figure.Figure
        It belongs to no window and to no global state.

    Raises
    ------
    UserError
        There are no calls.
    """
    calls = document["calls"]
    if not calls:
        raise UserError("figure: a profile without calls")
    with house_style():
        figure = new_figure(9.5, 7.0)
        (first, second), (third, fourth) = figure.subplots(2, 2)
        _bars(first, {name: call["share"] for name, call in calls.items()}, "share of calls")
        _times(second, calls)
        _sizes(third, document["sizes"]["paper"])
        most = int(matrix.bytes.max(initial=0))
        fourth.set_title("bytes from rank to rank")
        image = draw_panel(fourth, matrix, "bytes", most, left=True)
        if most:
            bar = figure.colorbar(image, ax=fourth, label="bytes [B]", fraction=0.05, pad=0.02)
            decades(bar.ax.yaxis)
        figure.suptitle(title, x=0.01, ha="left", fontsize=8.5)
    return figure


def _times(axes: Axes, calls: Mapping[str, Any]) -> None:
    shares = {name: call["mpi_share"] for name, call in calls.items()}
    if any(share is None for share in shares.values()):
        axes.set_axis_off()
        axes.text(0.5, 0.5, "a trace has no times", ha="center")
        return
    _bars(axes, shares, "share of the time in MPI")


def _bars(axes: Axes, shares: Mapping[str, float], label: str) -> None:
    """Draw a bar for each function, the largest at the top."""
    order = sorted(shares, key=lambda name: -shares[name])
    names, values = order[:MOST_BARS], [100 * shares[name] for name in order[:MOST_BARS]]
    if len(order) > MOST_BARS:
        names.append("all others")
        values.append(100 * sum(shares[name] for name in order[MOST_BARS:]))
    axes.barh(names[::-1], values[::-1], color=SERIES[0])
    axes.set_xlabel(f"{label} [%]")
    clean(axes, grid="x")


def _sizes(axes: Axes, bins: Sequence[Mapping[str, Any]]) -> None:
    names = [_short(one) for one in bins]
    axes.bar(names, [one["messages"] for one in bins], color=SERIES[2])
    if any(one["messages"] for one in bins):
        axes.set_yscale("log")
        decades(axes.yaxis)
    axes.set_ylabel("messages and blocks")
    axes.set_xlabel("size [B]")
    axes.tick_params(axis="x", rotation=45)
    clean(axes)


def _short(one: Mapping[str, Any]) -> str:
    """Return the limits of a bin as the paper writes them."""
    least = one["from"] - 1 if one["from"] else 0
    return f"{_binary(least)} and more" if one["to"] is None else f"to {_binary(one['to'])}"


def _binary(size: int) -> str:
    for unit, name in ((2**20, "Mi"), (2**10, "Ki")):
        if size >= unit:
            return f"{size // unit} {name}"
    return str(size)
