"""``odonata machines write``: the fabric of a machine, for other programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from odonata import machine, report
from odonata.cli.changes import parse_changes, parse_faults
from odonata.cli.options import Fail, FaultSeed, Json, MachineChanges, MachineName, Slow
from odonata.errors import UserError, near_miss
from odonata.files import write_parts
from odonata.quiet import note
from odonata.report.printing import print_line, print_list
from odonata.text import json_document

if TYPE_CHECKING:
    from odonata.machine.fabric.fabric import Fabric  # types alone
    from odonata.machine.fabric.infiniband import Written  # types alone

__all__ = ["write"]

LINES_AT_ONCE = 5_000


def write(
    name: MachineName,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            help="ibnetdiscover, ibsim (for OpenSM without a network), graphml or dot.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="File to write.", show_default="standard output"),
    ] = None,
    set_: MachineChanges = None,
    fail: Fail = None,
    slow: Slow = None,
    seed: FaultSeed = 0,
    as_json: Json = False,
) -> None:
    """Write the fabric of any machine: hosts, switches and cables, for OpenSM or a graph tool.

    The formats ibnetdiscover and ibsim have the width and speed nearest to the rate of a link; a
    note names the classes of links whose rate is another.
    """
    from odonata.machine.fabric.of_machine import fabric_of  # for fabrics alone
    from odonata.machine.fabric.writing import WRITERS  # for fabrics alone

    if form not in WRITERS:
        near, allowed = near_miss(form, WRITERS), ", ".join(WRITERS)
        raise UserError("--format: unknown", value=form, allowed=allowed, near=near)
    if as_json and output is None:
        raise UserError("--json: only with --output; the file is on standard output")
    loaded = machine.load(name, parse_changes(set_ or ()) | parse_faults(fail, slow, seed))
    fabric = fabric_of(loaded)
    lines = WRITERS[form].lines(fabric, f"{loaded.name}, written by odonata machines write")
    written = WRITERS[form].speeds_of(fabric)
    if output is None:
        for part in _parts(lines):
            typer.echo(part, nl=False)
    else:
        write_parts(output, (part.encode() for part in _parts(lines)))
    for each in written:
        if not each.exact:
            note(f"{each}, the nearest width and speed")
    if output is None:
        return
    if as_json:
        typer.echo(json_document(_document(loaded.name, form, fabric, written), indent=2))
        return
    rows = [[what.replace("_", " "), str(number)] for what, number in _counts(fabric).items()]
    rows += [[f"links.{each.link_class}", each.name] for each in written]
    print_list(report.Table(["part", "number"], rows, left=1), head=False)
    print_line(f"{output}: written as {form}")


def _counts(fabric: Fabric) -> dict[str, int]:
    return {
        "hosts": len(fabric.hosts()),
        "switches": len(fabric.switches),
        "adapters": len(fabric.adapters),
        "switch_links": len(fabric.cables),
    }


def _document(name: str, form: str, fabric: Fabric, written: Sequence[Written]) -> dict[str, Any]:
    links = {
        each.link_class: {
            "bytes_per_second": each.rate,
            "written": each.name,
            "written_bytes_per_second": each.written_rate,
        }
        for each in written
    }
    return {"machine": name, "format": form, **_counts(fabric), "links": links}


def _parts(lines: Iterable[str]) -> Iterator[str]:
    """Yield many lines at once."""
    kept: list[str] = []
    for line in lines:
        kept.append(f"{line}\n")
        if len(kept) >= LINES_AT_ONCE:
            yield "".join(kept)
            kept.clear()
    yield "".join(kept)
