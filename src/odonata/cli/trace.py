"""``odonata trace``: the contents of a trace, and other formats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from odonata import cli, report
from odonata import trace as traces
from odonata.cli.commands import NumericTables
from odonata.cli.matrix import Wanted, show_matrices
from odonata.cli.options import Json
from odonata.errors import UserError
from odonata.report.printing import print_line, print_table
from odonata.result.overview import count, seconds, size

__all__ = ["app"]

OF = "The matrix"

app = typer.Typer(add_completion=False, help="Inspect and convert traces.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    pass


@app.command(cls=NumericTables)
def show(
    trace: Annotated[Path, typer.Argument(help="Trace, which may be incomplete.")],
    matrix: Annotated[
        bool,
        typer.Option(
            "--matrix",
            help="Print who sends to whom, by the phases and levels that MPI_Pcontrol marked.",
        ),
    ] = False,
    phase: Annotated[
        list[str] | None,
        typer.Option(
            help="Phase of the matrix, such as setup; may be repeated.", rich_help_panel=OF
        ),
    ] = None,
    level: Annotated[
        list[int] | None,
        typer.Option(help="Level of the matrix; may be repeated.", rich_help_panel=OF),
    ] = None,
    values: Annotated[
        str,
        typer.Option(help="Colours of the figure: messages or bytes.", rich_help_panel=OF),
    ] = "messages",
    plot: Annotated[
        Path | None,
        typer.Option(help="Figure of the matrices: .png, .pdf, .svg.", rich_help_panel=OF),
    ] = None,
    as_json: Json = False,
) -> None:
    """Print a summary of a trace: ranks, calls by function, bytes, compute times."""
    if matrix:
        show_matrices(Wanted(trace, phase or [], level or [], values, plot, json=as_json))
        return
    if phase or level or plot or values != "messages":
        raise UserError("--phase, --level, --values, --plot: only with --matrix")

    with cli.conversion.as_ours(trace) as ours:
        summary = traces.summarize(ours)
    if as_json:
        typer.echo(json.dumps(summary.plain(), indent=2))
    else:
        _print(summary)


@app.command(cls=NumericTables, no_args_is_help=True)
def convert(
    source: Annotated[Path, typer.Argument(help="Trace: a file, or the folder of one.")],
    target: Annotated[Path, typer.Argument(help="File or folder to write.")],
    from_format: Annotated[
        str | None,
        typer.Option("--from", help="Format of the source.", show_default="as its contents say"),
    ] = None,
    to_format: Annotated[
        str | None,
        typer.Option(
            "--to", help="Format of the target.", show_default="as its name ends, or odonata"
        ),
    ] = None,
    machine: Annotated[
        str | None,
        typer.Option(
            help="Machine whose times of reducing and copying a GOAL schedule has: its name or "
            "a .toml file.",
            show_default="as the trace names it",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Convert a trace from one format to another.

    odonata trace formats lists the formats. Calls that can't be played, because the trace lacks
    their counterparts, are counted by reason, as are calls that the target expresses in another
    way.
    """
    cli.conversion.convert_trace(source, target, from_format, to_format, machine, as_json=as_json)


@app.command(cls=NumericTables)
def formats(as_json: Json = False) -> None:
    """List the formats of traces that convert reads and writes."""
    cli.conversion.list_formats(as_json=as_json)


def _print(summary: traces.Summary) -> None:
    ended = summary.complete
    whole = {
        "program": summary.program,
        "recorded on": summary.machine,
        "ranks": count(summary.ranks),
        "calls": count(summary.calls) + ("" if ended else " (the end of the trace is missing)"),
        "coverage": f"{100 * summary.calls / summary.calls_made:.3g} % of the calls that were made"
        if summary.calls_made
        else "",
        "sent": size(summary.sent_bytes),
        "moved by collectives": size(summary.collective_bytes),
        "communicators": count(summary.communicators),
        "compute times": summary.compute,
        "computed": seconds(summary.compute_seconds) if summary.compute != "none" else "",
        "longest rank": seconds(summary.longest_compute_seconds)
        if summary.compute != "none"
        else "",
        "simulated time": seconds(summary.simulated_seconds),
        "written by": f"Odonata {summary.odonata}",
    }
    rows = [[label, value] for label, value in whole.items() if value]
    print_table(report.Table(["trace", ""], rows, left=2))
    print_line()
    functions = [
        [name, count(of.calls), size(of.bytes) if of.bytes else "", seconds(of.compute_seconds)]
        for name, of in summary.functions.items()
    ]
    print_table(report.Table(["function", "calls", "bytes", "computed before"], functions, left=1))
