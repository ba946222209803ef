"""The figure of the page: waiting times of three simulators, and their ratios."""

from __future__ import annotations

from pathlib import Path
from statistics import mean

from cases import Case
from tables import NAMES, Row

from odonata.report.style import GREY, clean, house_style, letter, new_figure, save_figure

COLOURS = {"booksim": "#E69F00", "codes": "#0072B2"}
MARKERS = {"booksim": "s", "codes": "o"}


def draw(ours: list[Row], theirs: list[Row], path: Path) -> None:
    """Write the figure."""
    found = {Case.of(row["case"]): row["network"] for row in ours}  # type: ignore[arg-type]
    rows = [row for row in theirs if row["table"] == "matched" and row["network"]]
    with house_style():
        figure = new_figure(7.0, 3.0)
        left, right = figure.subplots(1, 2)
        for simulator, name in NAMES.items():
            points = [
                (mean(row["network"]), found[Case.of(row["case"])])  # type: ignore[arg-type]
                for row in rows
                if row["simulator"] == simulator
            ]
            style = {"color": COLOURS[simulator], "marker": MARKERS[simulator], "label": name}
            _against(left, points, style)
            _ratios(right, points, style)
        ends = [0.05, 30]
        left.plot(ends, ends, color=GREY, linewidth=0.8)
        for axes in (left, right):
            axes.set_xscale("log")
            axes.set_xlabel("waiting time, other simulator [packet times]")
            clean(axes)
        left.set_yscale("log")
        left.set_ylabel("Odonata [packet times]")
        left.legend()
        letter(left, "a", "Mean time that packets wait")
        right.axhline(0, color=GREY, linewidth=0.8)
        right.set_ylabel("Odonata over the other [%]")
        letter(right, "b", "Difference; bars: our five seeds")
        save_figure(figure, path)


def _against(axes, points, style) -> None:  # type: ignore[no-untyped-def]
    axes.plot([x for x, _ in points], [mean(y) for _, y in points], linestyle="none", **style)


def _ratios(axes, points, style) -> None:  # type: ignore[no-untyped-def]
    for x, values in points:
        middle, low, high = (100 * (v / x - 1) for v in (mean(values), min(values), max(values)))
        bars = [[middle - low], [high - middle]]
        plain = {**style, "label": None}
        axes.errorbar([x], [middle], yerr=bars, linestyle="none", linewidth=0.8, **plain)
