"""``odonata show``: the tables of a result that was saved."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from odonata import cli, result
from odonata.cli.commands import NumericTables
from odonata.cli.options import Json

__all__ = ["app", "show"]

app = typer.Typer(add_completion=False)


@app.command(cls=NumericTables, no_args_is_help=True)
def show(
    results: Annotated[
        list[Path], typer.Argument(metavar="RUN.nc...", help="Result files that -o wrote.")
    ],
    as_json: Json = False,
) -> None:
    """Print a saved result as the run itself did, or a comparison of several."""
    runs = [result.Result.load(path).run for path in results]
    outputs = cli.outputs.Outputs(json=as_json, output=None, plot=None)
    if len(runs) == 1:
        outputs.deliver(runs[0])
    else:
        outputs.deliver_all(runs)
