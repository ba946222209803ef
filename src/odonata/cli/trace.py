"""``odonata trace``: what is in a trace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from odonata.cli.commands import Numeric
from odonata.cli.options import Json

if TYPE_CHECKING:
    from odonata.trace import Summary

__all__ = ["app"]

app = typer.Typer(add_completion=False, help="Look at traces.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    pass


@app.command(cls=Numeric)
def show(
    trace: Annotated[Path, typer.Argument(help="A trace; it may be cut off.")],
    as_json: Json = False,
) -> None:
    """Print what is in a trace: ranks, calls by function, bytes, compute times."""
    from odonata.trace import summarize

    summary = summarize(trace)
    if as_json:
        typer.echo(json.dumps(summary.plain(), indent=2))
    else:
        _print(summary)


def _print(summary: Summary) -> None:
    from odonata.report import Table, print_table
    from odonata.result.overview import count, seconds, size

    ended = summary.complete
    whole = {
        "program": summary.program,
        "recorded on": summary.machine,
        "ranks": count(summary.ranks),
        "calls": count(summary.calls) + ("" if ended else " (the end of the trace is missing)"),
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
    rows = [[_harmless(label), _harmless(value)] for label, value in whole.items() if value]
    print_table(Table(["trace", ""], rows, left=2))
    typer.echo()
    functions = [
        [name, count(of.calls), size(of.bytes) if of.bytes else "", seconds(of.compute_seconds)]
        for name, of in summary.functions.items()
    ]
    print_table(Table(["function", "calls", "bytes", "computed before"], functions, left=1))


def _harmless(text: str) -> str:
    """Return a text without what tells a terminal what to do."""
    return "".join(c if c.isprintable() else "?" for c in text)
