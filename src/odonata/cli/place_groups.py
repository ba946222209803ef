"""``odonata place groups``: communicators that follow the machine."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Annotated

import typer

from odonata import machine as machines
from odonata import placement, report
from odonata.cli import options
from odonata.errors import UserError
from odonata.placement.communicators import world
from odonata.placement.divisions import Group
from odonata.report.printing import print_table

__all__ = ["groups"]


def groups(
    machine: options.Machine,
    by: Annotated[
        str,
        typer.Option(
            help="Division of the machine: row:AXIS, plane:AXES, level:NAME, or a name that such "
            "machines have for it, such as green.",
            show_default=False,
        ),
    ],
    block: Annotated[
        str | None,
        typer.Option(
            help="Routers along each axis of a block to which the groups are limited, such as "
            "7x7x7.",
            show_default="the whole machine",
        ),
    ] = None,
    origin: Annotated[
        str | None,
        typer.Option(help="Least coordinates of the block.", show_default="0 along each axis"),
    ] = None,
    nodes_per_router: options.NodesPerRouter = "all",
    ranks_per_node: Annotated[
        int,
        typer.Option("-N", "--ranks-per-node", help="Ranks on every node, for -o and --hosts."),
    ] = 1,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File of colours for MPI_Comm_split: one line a rank, ranks by node.",
        ),
    ] = None,
    hosts: Annotated[
        Path | None, typer.Option(help="File with the node of each of these ranks.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Make communicators of nodes: rows, planes, levels, colours.

    Groups share no node, so they can run side by side: odonata simulate --groups takes the same
    divisions, or the file of colours.
    """
    loaded = machines.load(machine)
    made = placement.groups(
        loaded, by, block=block, origin=origin, nodes_per_router=nodes_per_router
    )
    if not made:
        raise UserError("groups: no node is in one", value=by, allowed="a larger block")
    everyone = world(loaded, made, ranks_per_node=ranks_per_node)
    if output is not None:
        placement.write_colours(output, placement.colours_of(everyone, made))
    if hosts is not None:
        everyone.write_hosts(hosts)
    if as_json:
        document = {
            "machine": loaded.name,
            "by": by,
            "block": block,
            "origin": origin,
            "nodes_per_router": nodes_per_router,
            "names": [group.name for group in made],
            "groups": [group.nodes for group in made],
        }
        typer.echo(json.dumps(document, indent=2))
        return
    _print(made)


def _print(made: list[Group]) -> None:
    rows = [
        [str(number), group.name, str(len(group.nodes)), _ranges(group.nodes)]
        for number, group in enumerate(made)
    ]
    print_table(report.Table(["group", "name", "nodes", "which"], rows, left=4))


def _ranges(nodes: Collection[int]) -> str:
    """Return sorted nodes as ranges: ``0-15,32``."""
    there = set(nodes)
    firsts = [node for node in nodes if node - 1 not in there]
    lasts = [node for node in nodes if node + 1 not in there]
    return ",".join(
        f"{first}-{last}" if last > first else str(first)
        for first, last in zip(firsts, lasts, strict=True)
    )
