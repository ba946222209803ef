"""``odonata explain``: where the time of a saved run went."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from odonata.cli.commands import NumericTables
from odonata.cli.options import Explained, Json, WhatIf

if TYPE_CHECKING:
    from odonata.decide import Tolerance
    from odonata.decide import WhatIf as Trials
    from odonata.explain import Explained as Explanation

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
    from odonata.cli.whatif import find_tolerances, print_tolerances, print_trials, try_changes
    from odonata.explain import load
    from odonata.simulate import Recipe

    for figure in (plot, timeline):
        if figure is not None:
            from odonata.report import require_figure

            require_figure(figure)
    shown = _checked(by, timeline, window)
    explained = load(result)
    _draw(explained, plot, by, timeline, shown)
    recipe = Recipe.of_run(explained.run, str(result)) if what_if or tolerance else None
    tried = try_changes(recipe, None, as_json=as_json) if recipe and what_if else None
    found = find_tolerances(recipe) if recipe and tolerance else None
    if as_json:
        return _print_json(explained, tried, found)
    _print(explained, longest)
    if tried is not None:
        print_trials(tried)
    if found is not None:
        print_tolerances(found)
    return None


def _draw(
    explained: Explanation,
    plot: Path | None,
    by: str,
    timeline: Path | None,
    window: tuple[int, int] | None,
) -> None:
    """Write the figures, or none of them if one can't be drawn."""
    if plot is None is timeline:
        return
    from odonata.report import draw_breakdown, draw_timeline, save_figure

    figures = []
    if plot is not None:
        figures.append((draw_breakdown(explained, by=by), plot))
    if timeline is not None:
        figures.append((draw_timeline(explained, window=window), timeline))
    for figure, path in figures:
        save_figure(figure, path)


def _print(explained: Explanation, longest: int) -> None:
    from odonata.report import (
        breakdown_table,
        part_table,
        print_line,
        print_tables,
        slack_table,
        stretch_table,
    )

    tables = [breakdown_table(explained)]
    tables += [
        part_table(explained, what)
        for what in ("functions", "phases", "communicators")
        if len(getattr(explained, what)) > 1
    ]
    if explained.has_path:
        tables.append(stretch_table(explained, longest))
    if (slack := slack_table(explained)) is not None:
        tables.append(slack)
    print_tables(tables)
    if not explained.has_path:
        print_line(f"{explained.where}: {explained.without_path}")
    if explained.sentence:
        print_line(explained.sentence)


def _print_json(
    explained: Explanation, tried: Trials | None, found: Sequence[Tolerance] | None
) -> None:
    import json
    from dataclasses import asdict

    document: dict[str, object] = {
        **explained.document(),
        "slopes": tried and tried.document()["trials"],
        "latency_tolerance": None if found is None else [asdict(each) for each in found],
        "what_if": f"odonata whatif {explained.where}",
    }
    typer.echo(json.dumps(document, indent=2))


def _checked(by: str, timeline: Path | None, window: str | None) -> tuple[int, int] | None:
    """Refuse options that don't fit before anything is read; return the window [ps]."""
    from odonata.errors import UserError

    if by not in ("rank", "step"):
        raise UserError("--by: no such bars", value=by, allowed="rank or step")
    if window is not None and timeline is None:
        raise UserError("--window: it is that of a timeline, and there is none; add --timeline")
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
    from odonata.errors import UserError
    from odonata.units import parse_time

    if window is None:
        return None
    begin, colon, end = window.partition(":")
    if not colon:
        raise UserError("--window: not understood", value=window, allowed="BEGIN:END, as 10us:50us")
    return parse_time(begin, what="--window"), parse_time(end, what="--window")
