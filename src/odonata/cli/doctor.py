"""``odonata doctor``: the parts of this installation, and how to get missing parts."""

from __future__ import annotations

import typer

from odonata import __version__, live, report
from odonata.cli.commands import NumericTables
from odonata.cli.options import Json
from odonata.live.parts import Part
from odonata.report.printing import print_line, print_table
from odonata.text import json_document

__all__ = ["app", "doctor"]

app = typer.Typer(add_completion=False)


@app.command(cls=NumericTables)
def doctor(as_json: Json = False) -> None:
    """Print which parts of Odonata are installed and work, and how to get the others.

    The exit status is 1 if an installed part doesn't work.
    """
    core, optional = live.core_parts(), live.optional_parts(checked=True)
    works = all(part.state != "broken" for part in [*core, *optional])
    if as_json:
        document = {
            "version": __version__,
            "works": works,
            "core": [part.plain() for part in core],
            "optional": [part.plain() for part in optional],
        }
        typer.echo(json_document(document, indent=2))
    else:
        print_line(f"Odonata {__version__}\n")
        _print("Core", core)
        print_line()
        _print("Optional parts", optional)
    if not works:
        raise typer.Exit(1)


def _print(title: str, parts: list[Part]) -> None:
    rows = [
        [
            part.name,
            part.state,
            part.found,
            part.purpose + (f"; to get it: {part.get}" if part.get else ""),
        ]
        for part in parts
    ]
    print_table(report.Table(["part", "state", "found", "purpose"], rows, left=4, title=title))
