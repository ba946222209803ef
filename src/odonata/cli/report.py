"""``odonata report``: a saved run as a page for a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from odonata import explain
from odonata import report as reports
from odonata.cli.commands import Numeric
from odonata.cli.options import Explained

__all__ = ["app", "report"]

app = typer.Typer(add_completion=False)


@app.command(cls=Numeric, no_args_is_help=True)
def report(
    result: Explained,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Page to write, such as run.html.")
    ],
) -> None:
    """Write a page that shows where the time of a run went, for any browser, without a network.

    It has the tables, the breakdown by rank and by step, the timeline with messages and critical
    path, and a map of the network. A click on a link shows who used it when, a click on a rank its
    timeline.
    """
    reports.require_page(output)
    reports.save_page(explain.load(result), output)
