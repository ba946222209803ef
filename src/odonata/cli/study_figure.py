"""Figures of studies: along an axis, or against the price of the machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from odonata import machine
from odonata.cli.study_tables import axes_in, conditions_of, told
from odonata.errors import UserError
from odonata.machine.fabric.cost import cost_of
from odonata.machine.fabric.prices import read_prices
from odonata.report.study_figure import Line, Panel, plot_study
from odonata.report.style import require_figure
from odonata.study.groups import Group, grouped
from odonata.study.results import Study
from odonata.study.values import LEFT_OUT, Value, number_of

__all__ = ["Asked", "draw"]

MACHINE = "machine"


@dataclass(frozen=True)
class Asked:
    """Contents of a figure.

    Parameters
    ----------
    x
        Axis along the figure; None: the price.
    of
        Name of the number.
    by, panels
        Axes of the lines, separated by commas, and of the panels.
    prices
        Price file.
    where
        Conditions of runs, each ``AXIS=VALUE``.
    """

    x: str | None
    of: str
    by: str | None
    panels: str | None
    prices: Path | None
    where: Sequence[str]


def draw(folder: Path, output: Path, asked: Asked) -> None:
    """Save the figure of a study.

    Parameters
    ----------
    folder
        The study's folder.
    output
        The figure.
    asked
        Contents of the figure.
    """
    require_figure(output)
    study = Study(folder)
    if (asked.x is None) == (asked.prices is None):
        given = "neither" if asked.x is None else "both"
        raise UserError("study plot: along which axis", value=given, allowed="--x or --prices")
    by = _lines(study, asked)
    panel = [] if asked.panels is None else [asked.panels]
    along = [] if asked.x is None else [asked.x]
    groups = [
        group
        for group in grouped(study, conditions_of(asked.where), [*panel, *by, *along], asked.of)
        if group.median is not None
    ]
    if not groups:
        raise UserError("study plot: no run has this number", value=asked.of)
    each = _by_panel(groups, asked.panels)
    if asked.prices is None:
        panels = [Panel(title, _along(part, by, len(panel))) for title, part in each.items()]
    else:
        panels = _against(each, len(panel), by, _prices(study, asked.prices))
    x = asked.x or f"price [{_currency(asked.prices)}]"
    title = f"odonata {' '.join([*study.file.command, *study.file.words])}"
    plot_study(panels, output, x=x, y=asked.of, title=title)


def _lines(study: Study, asked: Asked) -> list[str]:
    """Return the axes of the lines: the given axes, or else all others."""
    taken = {asked.x, asked.panels}
    by = axes_in(asked.by) if asked.by else [n for n in study.options if n not in taken]
    for name in by:
        if name in taken:
            raise UserError("study plot: --by has the axis of --x or --panels", value=name)
    if asked.prices is not None and MACHINE not in by:
        what = "--prices: needs machines among the axes of --by"
        raise UserError(what, value=",".join(by), allowed=MACHINE)
    return by


def _by_panel(groups: Sequence[Group], panels: str | None) -> dict[str, list[Group]]:
    found: dict[str, list[Group]] = {}
    for group in groups:
        title = "" if panels is None else f"{panels} {told(group.values[0])}"
        found.setdefault(title, []).append(group)
    return found


def _along(groups: Sequence[Group], by: Sequence[str], first: int) -> list[Line]:
    """Return lines along the last of the axes, in the order of the study."""
    lines: dict[str, list[Group]] = {}
    for group in groups:
        label = _label(by, group.values[first:-1])
        lines.setdefault(label, []).append(group)
    numbers = all(number_of(group.values[-1]) is not None for group in groups)
    return [
        _line(label, each, [_place(group.values[-1], number=numbers) for group in each])
        for label, each in lines.items()
    ]


def _label(names: Sequence[str], values: Sequence[Value]) -> str:
    """Return the name of a series; a number has its axis, and a missing option is left out."""
    pairs = zip(names, values, strict=True)
    return ", ".join(
        f"{name} {value}" if str(value).isdecimal() else told(value)
        for name, value in pairs
        if value is not LEFT_OUT
    )


def _place(value: Value, *, number: bool) -> float | str:
    found = number_of(value) if number else None
    return told(value) if found is None else found


def _against(
    each: Mapping[str, Sequence[Group]], first: int, by: Sequence[str], prices: Mapping[str, float]
) -> list[Panel]:
    """Return panels with a series for each workload, which has a point for each machine."""
    at = first + by.index(MACHINE)
    others = [name for name in by if name != MACHINE]
    panels = []
    for title, groups in each.items():
        series: dict[str, list[Group]] = {}
        for group in groups:
            label = _label(others, group.values[first:at] + group.values[at + 1 :])
            series.setdefault(label, []).append(group)
        lines = []
        for label, of in series.items():
            line = _line(label, of, [prices[str(group.values[at])] for group in of])
            lines.append(replace(line, best=_unbeaten(line)))
        panels.append(Panel(title, lines, _names(prices)))
    return panels


def _unbeaten(line: Line) -> list[int]:
    """Return the points of which no other point has both a lower price and a lower median."""
    points = [*zip(line.x, line.median, strict=True)]
    return [
        at
        for at, (price, median) in enumerate(points)
        if not any(
            other != (price, median) and other[0] <= price and other[1] <= median  # type: ignore[operator]
            for other in points
        )
    ]


def _names(prices: Mapping[str, float]) -> dict[str, float]:
    return {Path(name).stem: price for name, price in prices.items()}


def _line(label: str, groups: Sequence[Group], x: Sequence[float | str]) -> Line:
    pairs = sorted(
        zip(x, groups, strict=True), key=lambda pair: pair[0] if isinstance(pair[0], float) else 0
    )
    numbers = [[getattr(g, name) for _, g in pairs] for name in ("median", "least", "most")]
    return Line(label, [place for place, _ in pairs], *numbers)


def _prices(study: Study, prices: Path) -> dict[str, float]:
    """Return the price of each machine of a study."""
    told_prices = read_prices(prices)
    at = study.position(MACHINE)
    names = dict.fromkeys(str(point.values[at]) for point in study.plan)
    base = Path(study.plan.header.base)
    found = {}
    for name in names:
        loaded = machine.load(base / name if name.endswith(".toml") else name)
        price = cost_of(loaded, told_prices).price
        assert price is not None
        found[name] = price
    return found


def _currency(prices: Path | None) -> str:
    return "" if prices is None else read_prices(prices).currency
