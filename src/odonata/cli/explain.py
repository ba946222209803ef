"""``odonata explain``: where the time of a saved run went."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from odonata.cli.commands import Numeric
from odonata.cli.options import Json

__all__ = ["app", "explain"]

app = typer.Typer(add_completion=False)


@app.command(cls=Numeric, no_args_is_help=True)
def explain(
    result: Annotated[
        Path, typer.Argument(metavar="RUN.nc", help="Result file that --explain -o wrote.")
    ],
    longest: Annotated[
        int, typer.Option(min=1, help="Number of stretches of the critical path to print.")
    ] = 10,
    plot: Annotated[
        Path | None,
        typer.Option(help="Figure of stacked bars, a rank each: .png, .pdf, .svg."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Say where the time of a run went: breakdown, critical path, what would help."""
    from odonata.explain import load

    if plot is not None:
        from odonata.report import require_figure

        require_figure(plot)
    explained = load(result)
    if plot is not None:
        from odonata.report import plot_breakdown

        plot_breakdown(explained, plot)
    if as_json:
        import json

        return typer.echo(json.dumps(explained.document(), indent=2))
    from odonata.report import (
        breakdown_table,
        part_table,
        print_table,
        slope_table,
        stretch_table,
    )

    tables = [breakdown_table(explained)]
    tables += [
        part_table(explained, what)
        for what in ("functions", "phases", "communicators")
        if len(getattr(explained, what)) > 1
    ]
    for table in (*tables, stretch_table(explained, longest), slope_table(explained)):
        print_table(table)
        print()
    if explained.sentence:
        print(explained.sentence)
    return None
