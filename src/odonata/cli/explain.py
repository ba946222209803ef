"""``odonata explain``: where the time of a saved run went."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from odonata.cli.commands import NumericTables
from odonata.cli.options import Explained, Json

if TYPE_CHECKING:
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
    tolerance: Annotated[
        bool,
        typer.Option(
            "--tolerance", help="Find the tolerance of latency, however large the run is."
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Say where the time of a run went: breakdown, critical path, what would help."""
    from odonata.explain import load

    for figure in (plot, timeline):
        if figure is not None:
            from odonata.report import require_figure

            require_figure(figure)
    shown = _checked(by, timeline, window)
    explained = load(result, asked=tolerance)
    if tolerance:
        _find_tolerance(explained)
    _draw(explained, plot, by, timeline, shown)
    if as_json:
        import json

        return typer.echo(json.dumps(explained.document(), indent=2))
    return _print(explained, longest)


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


def _find_tolerance(explained: Explanation) -> None:
    from odonata.cli.progress import ProgressBar
    from odonata.errors import UserError

    if explained.moved is None:
        raise UserError(f"{explained.where}: {explained.without_tolerance}")
    with ProgressBar("latency tolerance") as bar:
        explained.moved.find(bar.note_share)


def _print(explained: Explanation, longest: int) -> None:
    from odonata.report import (
        breakdown_table,
        part_table,
        print_line,
        print_tables,
        slope_table,
        stretch_table,
        tolerance_table,
    )

    tables = [breakdown_table(explained)]
    tables += [
        part_table(explained, what)
        for what in ("functions", "phases", "communicators")
        if len(getattr(explained, what)) > 1
    ]
    if explained.has_path:
        tables += [stretch_table(explained, longest), slope_table(explained)]
    if (tolerance := tolerance_table(explained)) is not None:
        tables.append(tolerance)
    print_tables(tables)
    if explained.without_tolerance:
        print_line(f"{explained.where}: {explained.without_tolerance}")
    if explained.sentence:
        print_line(explained.sentence)


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
