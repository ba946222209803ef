"""``odonata explain``: where the time of a saved run went."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from odonata import cli, decide, report, simulate
from odonata import explain as explanations
from odonata.cli.commands import NumericTables
from odonata.cli.options import Explained, Json, WhatIf
from odonata.errors import UserError
from odonata.report.printing import print_line, print_tables
from odonata.report.style import require_figure, save_figure
from odonata.units import parse_time

__all__ = ["app", "explain", "parse_window"]

app = typer.Typer(add_completion=False)


@app.command(cls=NumericTables, no_args_is_help=True)
def explain(
    result: Explained,
    longest: Annotated[
        int, typer.Option(min=1, help="Number of stretches of the critical path to print.")
    ] = 10,
    plot: Annotated[
        Path | None,
        typer.Option(help="Figure of stacked bars of the breakdown: .png, .pdf, .svg."),
    ] = None,
    by: Annotated[
        str, typer.Option(help="Bars of that figure: a rank, or a step of the critical path, each.")
    ] = "rank",
    timeline: Annotated[
        Path | None,
        typer.Option(help="Figure of the ranks over time, with messages and the critical path."),
    ] = None,
    window: Annotated[
        str | None,
        typer.Option(help="Part of the run that the timeline shows, such as 10us:50us."),
    ] = None,
    what_if: WhatIf = False,
    tolerance: Annotated[
        bool, typer.Option("--tolerance", help="The same as odonata whatif --tolerance.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Say where the time of a run went: breakdown, critical path, slack."""
    for figure in (plot, timeline):
        if figure is not None:
            require_figure(figure)
    shown = _checked(by, timeline, window)
    explained = explanations.load(result)
    _draw(explained, plot, by, timeline, shown)
    recipe = simulate.Recipe.of_run(explained.run, str(result)) if what_if or tolerance else None
    tried = cli.whatif.try_changes(recipe, None, as_json=as_json) if recipe and what_if else None
    found = cli.whatif.find_tolerances(recipe) if recipe and tolerance else None
    if as_json:
        return _print_json(explained, tried, found)
    _print(explained, longest)
    if tried is not None:
        cli.whatif.print_trials(tried)
    if found is not None:
        cli.whatif.print_tolerances(found)
    return None


def _draw(
    explained: explanations.Explained,
    plot: Path | None,
    by: str,
    timeline: Path | None,
    window: tuple[int, int] | None,
) -> None:
    """Write the figures, or none of them if one can't be drawn."""
    if plot is None is timeline:
        return

    figures = []
    if plot is not None:
        figures.append((report.draw_breakdown(explained, by=by), plot))
    if timeline is not None:
        figures.append((report.draw_timeline(explained, window=window), timeline))
    for figure, path in figures:
        save_figure(figure, path)


def _print(explained: explanations.Explained, longest: int) -> None:
    tables = [report.breakdown_table(explained)]
    tables += [
        report.part_table(explained, what)
        for what in ("functions", "phases", "communicators")
        if len(getattr(explained, what)) > 1
    ]
    if explained.has_path:
        tables.append(report.stretch_table(explained, longest))
    if (slack := report.slack_table(explained)) is not None:
        tables.append(slack)
    print_tables(tables)
    if not explained.has_path:
        print_line(f"{explained.where}: {explained.without_path}")
    if explained.sentence:
        print_line(explained.sentence)


def _print_json(
    explained: explanations.Explained,
    tried: decide.WhatIf | None,
    found: Sequence[decide.Tolerance] | None,
) -> None:
    document: dict[str, object] = {
        **explained.document(),
        "slopes": tried and tried.document()["trials"],
        "latency_tolerance": None if found is None else [asdict(each) for each in found],
        "what_if": f"odonata whatif {explained.where}",
    }
    typer.echo(json.dumps(document, indent=2))


def _checked(by: str, timeline: Path | None, window: str | None) -> tuple[int, int] | None:
    """Refuse options that don't fit before anything is read; return the window [ps]."""
    if by not in ("rank", "step"):
        raise UserError("--by: no such bars", value=by, allowed="rank or step")
    if window is not None and timeline is None:
        raise UserError("--window: only with --timeline FILE")
    return parse_window(window)


def parse_window(window: str | None) -> tuple[int, int] | None:
    """Return begin and end of a window [ps].

    Parameters
    ----------
    window
        Two times with a colon between them; None: no window.

    Raises
    ------
    UserError
        There are not two times.

    Examples
    --------
    >>> parse_window("1us:2.5us")
    (1000000, 2500000)
    """
    if window is None:
        return None
    begin, colon, end = window.partition(":")
    if not colon:
        raise UserError("--window: not understood", value=window, allowed="BEGIN:END, as 10us:50us")
    return parse_time(begin, what="--window"), parse_time(end, what="--window")
