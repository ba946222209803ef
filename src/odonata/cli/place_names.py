"""``odonata place where``: numbers, names and coordinates of nodes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from odonata import cli, placement, report
from odonata import machine as machines
from odonata.cli import options
from odonata.errors import UserError
from odonata.machine.machine import has_names
from odonata.report.printing import print_line, print_table

__all__ = ["where"]


def where(
    nodes: Annotated[
        list[str] | None,
        typer.Argument(
            help="Nodes by number (12, 0-15), NID, cname or xname; also lists such as "
            "'nid[00012-00015,00020]'.",
            show_default=False,
        ),
    ] = None,
    *,
    machine: options.Machine,
    file: Annotated[
        Path | None,
        typer.Option("--nodes", help="File that lists nodes, with spaces or line ends between."),
    ] = None,
    changes: options.Changes = None,
    as_json: options.Json = False,
) -> None:
    """Print where nodes are: number, names, router, coordinates, and how far they spread.

    The average node distance is computed from the sorted NIDs: 1 for nodes side by side.
    """
    if not nodes and file is None:
        raise UserError("nodes: none given", allowed="nodes, or --nodes FILE")
    loaded = machines.load(machine, cli.changes.parse_changes(changes or ()))
    names = machines.Names(loaded) if has_names(loaded) else None
    found = placement.nodes_named(loaded, nodes or ())
    if file is not None:
        found += placement.read_nodes(loaded, file)
    rows = [_row(loaded, names, node) for node in found]
    distance = placement.mean_node_distance(loaded, found)
    if as_json:
        document = {"machine": loaded.name, "nodes": rows, "mean_node_distance": distance}
        typer.echo(json.dumps(document, indent=2))
        return
    _print(rows, names)
    if len(set(found)) > 1:
        print_line(f"\n{len(found)} nodes, average node distance {distance:.6g}")


def _row(machine: machines.Machine, names: machines.Names | None, node: int) -> dict[str, Any]:
    place = machine.place(node)
    return {
        "node": node,
        **(names.of(node) if names else {}),
        "router": place.router,
        "position": place.position,
        "coordinates": dict(place.coordinates),
    }


def _print(rows: list[dict[str, Any]], names: machines.Names | None) -> None:
    kinds = names.kinds if names else ()
    axes = list(rows[0]["coordinates"])
    columns = ["node", *kinds, "router", "position"]
    cells = [
        [str(row[column]) for column in columns] + [str(row["coordinates"][axis]) for axis in axes]
        for row in rows
    ]
    print_table(report.Table([*columns, *axes], cells, left=0))
