"""``odonata machines draw``: a figure of the fabric of a machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from odonata import machine, report
from odonata.cli.changes import parse_changes, parse_faults
from odonata.cli.options import Fail, FaultSeed, Json, MachineChanges, MachineName, Slow
from odonata.report.printing import print_line, print_list
from odonata.text import json_document

__all__ = ["draw"]


def draw(
    name: MachineName,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="FIGURE", help="Figure: .png, .svg or .pdf."),
    ],
    set_: MachineChanges = None,
    fail: Fail = None,
    slow: Slow = None,
    seed: FaultSeed = 0,
    as_json: Json = False,
) -> None:
    """Draw the switches of a machine by level, their cables, and the cables that are missing.

    Switches with adapters stand lowest, with their number of adapters, and others above by their
    distance. Missing are cables that most pairs of switches of the same two levels have.
    """
    from odonata.machine.fabric.levels import bundles_of, levels_of  # for fabrics alone
    from odonata.machine.fabric.of_machine import fabric_of  # for fabrics alone
    from odonata.report.fabric_figure import plot_fabric  # for fabrics alone

    report.require_figure(output)
    loaded = machine.load(name, parse_changes(set_ or ()) | parse_faults(fail, slow, seed))
    fabric = fabric_of(loaded)
    broken = f", {loaded.faults.text}" if loaded.faults is not None else ""
    title = f"{loaded.name}: {len(fabric.switches)} switches, {len(fabric.adapters)} adapters"
    plot_fabric(fabric, output, title=title + broken)
    levels = levels_of(fabric)
    missing = [
        (fabric.switches[b.a].name, fabric.switches[b.b].name, b.cables, b.usual)
        for b in bundles_of(fabric, levels)
        if b.missing
    ]
    if as_json:
        document = {
            "machine": loaded.name,
            "levels": [[fabric.switches[switch].name for switch in level] for level in levels],
            "missing": [
                {"a": a, "b": b, "cables": cables, "usual": usual}
                for a, b, cables, usual in missing
            ],
        }
        typer.echo(json_document(document, indent=2))
        return
    rows = [[f"level {at}", f"{len(level)} switches"] for at, level in enumerate(levels)]
    rows.append(["missing cables", str(sum(usual - cables for _, _, cables, usual in missing))])
    print_list(report.Table(["part", "number"], rows, left=1), head=False)
    print_line(f"{output}: drawn")
