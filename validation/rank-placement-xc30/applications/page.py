"""Tables and figure of the page, from the results that are there."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from cases import DISTANCES, PUBLISHED_SECONDS, ROUTINGS, whole_seconds

from odonata.report.style import clean, house_style, letter, new_figure, save_figure

sys.path.append(str(Path(__file__).parents[2]))
from marked import fill

Row = Mapping[str, Any]
Rows = Sequence[Row]

HERE = Path(__file__).parent
NAMES = {
    "sedov 2048": "blast wave, 2048², 256 ranks",
    "sedov 8192": "blast wave, 8192², 4,096 ranks",
    "fft 384": "Poisson, 384³, 512 ranks",
    "fft 768": "Poisson, 768³, 4,096 ranks",
}
COLOURS = {False: "#0072B2", True: "#D55E00"}  # quiet, busy
CLASSES = ("injection", "green", "black", "blue")


def write(rows: Rows) -> None:
    """Put the tables between the markers of the page, and draw the figure."""
    made = {"times": times(rows), "shares": shares(rows), "links": links(rows)}
    fill(HERE / "README.md", made)
    draw(rows, HERE / "distance.png")


def chosen(rows: Rows, application: str, **wanted: object) -> list[Row]:
    """Return the runs of an application without its work that have some values."""
    usual = {"application": application, "whole": False} | wanted
    return [row for row in rows if usual.items() <= row.items()]


def settings() -> Iterator[tuple[str, dict[str, object]]]:
    """Yield what a run's machine may be: name, and values of the rows."""
    for busy in (False, True):
        for routing in ROUTINGS:
            name = f"{'80 % busy' if busy else 'quiet'}, {routing}"
            yield name, {"busy": busy, "routing": routing}
    yield "quiet, analytic", {"busy": False, "routing": "analytic"}


def milliseconds(rows: Rows) -> str:
    """Return the median of the times of exchange, their range, and the number of runs if not 5."""
    if not rows:
        return ""
    each = [1e3 * row["exchange_seconds"] for row in rows]
    few = "" if len(each) == 5 else f" ({len(each)})"
    digits = 3 if median(each) < 10 else 1
    low, middle, high = (f"{t:.{digits}f}" for t in (min(each), median(each), max(each)))
    return f"{middle}{few}" if low == high else f"{middle} ({low}–{high}){few}"


def times(rows: Rows) -> str:
    """Return the times outside the work by distance, on each setting."""
    lines = []
    for application, distances in DISTANCES.items():
        lines.append(["**" + NAMES[application] + "**", *(f"D̄ = {d:g}" for d in distances)])
        for name, wanted in settings():
            of = [chosen(rows, application, distance=d, **wanted) for d in distances]
            if any(of):
                lines.append([name, *map(milliseconds, of)])
    most = max(map(len, lines))
    head = ["exchange in a step or solve [ms]", *[""] * (most - 1)]
    return table(head, [[*line, *[""] * (most - len(line))] for line in lines])


def relative(rows: Rows, application: str, **wanted: object) -> dict[float, float]:
    """Return the relative time differences by distance: medians of the time with the work in it.

    The fastest of all runs with the same routing is the reference, as in equation 3 of the paper.
    """
    same = chosen(rows, application, routing=wanted["routing"])
    least = min(whole_seconds(application, row["exchange_seconds"]) for row in same)
    found = {}
    for distance in DISTANCES[application]:
        of = chosen(rows, application, distance=distance, **wanted)
        if of:
            middle = median(whole_seconds(application, row["exchange_seconds"]) for row in of)
            found[distance] = middle / least - 1
    return found


def shares(rows: Rows) -> str:
    """Return how much longer an application takes packed than spread, beside published values."""
    lines = []
    for application in DISTANCES:
        for name, wanted in list(settings())[:4]:
            found = chosen(rows, application, **wanted) and relative(rows, application, **wanted)
            if not found or len(found) < 2:
                continue
            near, far = min(found), max(found)
            ends = [chosen(rows, application, distance=d, **wanted) for d in (near, far)]
            packed, spread = (median(row["exchange_seconds"] for row in end) for end in ends)
            whole = [whole_seconds(application, t) for t in (packed, spread)]
            lines.append(
                [
                    NAMES[application],
                    name,
                    f"{100 * (packed / spread - 1):+.1f} %",
                    f"{100 * (whole[0] / whole[1] - 1):+.2f} %",
                    f"{1e3 * whole[0]:.1f}",
                    f"{1e3 * PUBLISHED_SECONDS[application]:.1f}",
                ]
            )
    head = ["application", "machine", "exchange, packed to spread", "whole, packed to spread",
            "packed, whole [ms]", "published t₀ [ms]"]  # fmt: skip
    return table(head, lines)


def links(rows: Rows) -> str:
    """Return the time for which the busiest link of each class sends, on a quiet machine."""
    lines = []
    for application, distances in DISTANCES.items():
        for routing in ROUTINGS:
            for distance in (distances[0], distances[-1]):
                wanted = {"distance": distance, "busy": False, "routing": routing}
                of = chosen(rows, application, **wanted)
                if not of:
                    continue
                busiest = [
                    [1e3 * row["links"][name]["most_seconds"] for row in of if name in row["links"]]
                    for name in CLASSES
                ]
                exchange = 1e3 * median(row["exchange_seconds"] for row in of)
                lines.append(
                    [
                        NAMES[application],
                        f"{routing}, D̄ = {distance:g}",
                        *(f"{median(each):.3g}" if each else "" for each in busiest),
                        f"{exchange:.3g}",
                    ]
                )
    return table(["application", "runs", *CLASSES, "exchange [ms]"], lines)


def draw(rows: Rows, path: Path) -> None:
    """Draw the relative time differences against the distance, as Figures 11 and 13 do."""
    with house_style():
        figure = new_figure(7.0, 4.6)
        for axes, which, application in zip(
            figure.subplots(2, 2).flat, "abcd", DISTANCES, strict=True
        ):
            for name, wanted in list(settings())[:4]:
                of = chosen(rows, application, **wanted)
                if not of:
                    continue
                colour = COLOURS[bool(wanted["busy"])]
                line = "-" if wanted["routing"] == "minimal" else "--"
                found = relative(rows, application, **wanted)
                percent = [100 * value for value in found.values()]
                axes.plot(
                    list(found), percent, line, color=colour, marker="o", markersize=3, label=name
                )
            if max(DISTANCES[application]) > 3:
                axes.set_xscale("log")
                axes.set_xticks(DISTANCES[application], [f"{d:g}" for d in DISTANCES[application]])
                axes.minorticks_off()
            axes.set_xlabel("average node distance")
            axes.set_ylabel("relative time difference [%]")
            axes.set_ylim(bottom=0)
            clean(axes)
            letter(axes, which, f"{NAMES[application]}")
            if which == "b":
                axes.legend(loc="upper right")
        save_figure(figure, path)


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    marks = "|".join(":--" if i < 1 else "--:" for i in range(len(head)))
    body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"| {' | '.join(head)} |\n|{marks}|\n{body}"
