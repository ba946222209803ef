"""The figure of the page, from results.json."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tables import FLOP_SECONDS, FLOPS, NODES, POINTS, RANKS_PER_NODE, rating

from odonata.report.style import GREY, clean, house_style, letter, new_figure, save_figure

NETWORKS = {"jupiter-fdr": ("FDR InfiniBand", "#0072B2"), "jupiter-1gbe": ("1GbE", "#D55E00")}
SOLVERS = {1: "#0072B2", 3: "#E69F00", 0: "#009E73", 2: "#CC79A7"}
MARKS = "osD^"

Rows = Mapping[str, Mapping[str, Any]]


def draw(rows: Rows, folder: Path) -> None:
    """Write the figure."""
    with house_style():
        figure = new_figure(7.0, 2.9)
        left, right = figure.subplots(1, 2)
        _full_size(left, rows)
        letter(left, "a", "Solver 1, 150³ points a rank")
        _small(right, rows)
        letter(right, "b", "Solvers, 12³ points a rank, FDR")
        save_figure(figure, folder / "ratings.png")


def _full_size(axes: Any, rows: Rows) -> None:
    work = FLOPS * POINTS * FLOP_SECONDS
    for at, (name, (label, colour)) in enumerate(NETWORKS.items()):
        points = []
        for n in NODES:
            row = rows[f"{name} | exchange | {n}"]
            seconds = work + row["faces_seconds"] + 3 * row["sum_seconds"]
            points.append(POINTS * RANKS_PER_NODE * n / seconds / 1e9)
        axes.plot(NODES, points, MARKS[at] + "-", color=colour, label=label)
        if name == "jupiter-fdr":
            axes.plot(NODES, [points[0] * n for n in NODES], ":", color=GREY, label="linear")
    _axes(axes)


def _small(axes: Any, rows: Rows) -> None:
    for at, (solver, colour) in enumerate(SOLVERS.items()):
        known = {n: rows.get(f"jupiter-fdr | 12 | {n} | {solver}") for n in NODES}
        points = [(n, rating(row, 12, n) / 1e9) for n, row in known.items() if row]
        if points:
            axes.plot(*zip(*points, strict=True), MARKS[at] + "-", color=colour, label=str(solver))
    axes.set_yscale("log")
    _axes(axes)


def _axes(axes: Any) -> None:
    axes.set_xscale("log", base=2)
    axes.set_xticks(NODES, [str(n) for n in NODES])
    axes.minorticks_off()
    axes.set_xlabel("nodes of 16 ranks")
    axes.set_ylabel("rating [10⁹ unknowns/s]")
    axes.set_ylim(bottom=0) if axes.get_yscale() == "linear" else None
    axes.legend(frameon=False)
    clean(axes)
