"""``odonata compare``: where the difference of two saved runs comes from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from odonata import explain, report
from odonata.cli.commands import NumericTables
from odonata.cli.options import Json
from odonata.report.printing import print_line, print_tables
from odonata.result.overview import heading
from odonata.text import for_table

__all__ = ["app", "compare"]

app = typer.Typer(add_completion=False)


@app.command(cls=NumericTables, no_args_is_help=True)
def compare(
    first: Annotated[
        Path,
        typer.Argument(metavar="A.nc", help="Result file of --explain, or --breakdown, and -o."),
    ],
    second: Annotated[Path, typer.Argument(metavar="B.nc", help="Another one.")],
    as_json: Json = False,
) -> None:
    """Say why one run takes longer than another: by category, function and link.

    The critical paths of the two runs are compared. Their parts add up to the runs' times, so the
    changes add up to the difference, to the picosecond. Of runs with --breakdown the mean ranks
    are compared, without links.
    """
    difference = explain.Difference(
        explain.load(first), explain.load(second), _names(first, second)
    )
    if as_json:
        return typer.echo(json.dumps(difference.document(), indent=2))

    for name, run in zip(difference.names, (difference.a, difference.b), strict=True):
        print_line(f"{name}: {heading(run.run)}")
    print_line()
    print_tables(report.difference_tables(difference))
    if difference.without_path:
        print_line(difference.without_path)
    print_line(difference.sentence)
    return None


def _names(first: Path, second: Path) -> tuple[str, str]:
    """Return the names of the files, or their paths if the names are the same."""
    if first.name != second.name:
        return for_table(first.name), for_table(second.name)
    return for_table(str(first)), for_table(str(second))
