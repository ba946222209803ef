"""The figures of the page, in the order of the paper's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import tables
from tables import Rows

from odonata.report.style import clean, house_style, letter, new_figure, save_figure

COLOURS = {"green": "#009E73", "black": "#222222", "red": "#D55E00", "blue": "#0072B2"}
MARKS = {"sendrecv": "s", "exchange": "o", "allreduce": "s", "allgather": "o", "alltoall": "^"}


def draw(rows: Rows, folder: Path) -> None:
    """Write every figure."""
    with house_style():
        save_figure(_benchmarks(rows, tables.POINT_TO_POINT), folder / "point-to-point.png")
        save_figure(_benchmarks(rows, tables.COLLECTIVES), folder / "collectives.png")


def _benchmarks(rows: Rows, operations: Sequence[str]):
    figure = new_figure(7.0, 3.2)
    for axes, name, kind, colours in zip(
        figure.subplots(1, 2),
        "ab",
        ("4 ranks, ensemble", "16 ranks"),
        (("green", "black"), tuple(COLOURS)),
        strict=True,
    ):
        for operation in operations:
            for colour in colours:
                of = tables.KINDS[kind]
                wanted = {"operation": operation, "colour": colour, **of}
                found = tables.times([row for row in rows if row["study"] != "imb"], **wanted)
                label = operation if colour == "green" else None
                axes.plot(
                    list(found),
                    list(found.values()),
                    MARKS[operation] + "-",
                    color=COLOURS[colour],
                    label=label,
                    markersize=3,
                    linewidth=0.8,
                )
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xlabel("message [B]")
        axes.set_ylabel("time [µs]")
        axes.legend()
        clean(axes)
        letter(axes, name, kind)
    return figure
