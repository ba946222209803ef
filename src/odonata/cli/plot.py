"""``odonata plot``: a figure of results that were saved."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from odonata import report, result
from odonata.cli.commands import Numeric
from odonata.report.style import require_figure

__all__ = ["app", "plot"]

app = typer.Typer(add_completion=False)


@app.command(cls=Numeric, no_args_is_help=True)
def plot(
    results: Annotated[
        list[Path], typer.Argument(metavar="RUN.nc...", help="Result files that -o wrote.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Figure to write: .png, .pdf, .svg.")
    ],
) -> None:
    """Draw a saved result as --plot does, or a comparison of several."""
    require_figure(output)
    if len(results) == 1:
        report.plot_run(result.Result.load(results[0]), output)
    else:
        runs = [result.comparable(result.Result.load(path).run) for path in results]
        report.plot_comparison([result.Result(run) for run in runs], output)
