"""``odonata export``: the timeline of a saved run for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from odonata import explain, report
from odonata.cli.commands import Numeric
from odonata.cli.options import Explained

__all__ = ["app", "export"]

app = typer.Typer(add_completion=False)


@app.command(cls=Numeric, no_args_is_help=True)
def export(
    result: Explained,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="File run.pftrace for Perfetto, or new folder run.otf2."
        ),
    ],
    kind: Annotated[
        str | None,
        typer.Option("--format", help="perfetto or otf2.", show_default="by the suffix"),
    ] = None,
) -> None:
    """Write the timeline of a run for Perfetto, or as OTF2 for Vampir and Scalasca.

    Every rank has its functions, and in them overheads, computing and waits. Messages connect
    ranks. Perfetto has the critical path as a track of its own and whole nanoseconds; OTF2 has
    picoseconds.
    """
    report.require_export(output, kind)
    report.export_timeline(explain.load(result), output, kind=kind)
