"""``odonata place map``: the command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from odonata.cli.options import Json

__all__ = ["map_"]

WHERE, SEARCH, OUT = "The job", "The search", "Output"


def map_(
    matrix: Annotated[
        Path,
        typer.Option(
            help="Who sends how much to whom: .mtx (Matrix Market), .csv, .trace, or .nc of a run.",
            rich_help_panel=WHERE,
        ),
    ],
    machine: Annotated[
        str, typer.Option(help="Name of a machine, or path of a .toml file.", rich_help_panel=WHERE)
    ],
    nodes: Annotated[
        Path | None,
        typer.Option(help="File of the job's nodes: numbers and ranges.", rich_help_panel=WHERE),
    ] = None,
    allocation: Annotated[
        str, typer.Option(help="Nodes, where no file lists them.", rich_help_panel=WHERE)
    ] = "contiguous",
    mapping: Annotated[
        str, typer.Option(help="Order to start from: block, cyclic, random.", rich_help_panel=WHERE)
    ] = "block",
    ranks_per_node: Annotated[
        int | None,
        typer.Option(
            help="Ranks on a node.",
            show_default="as few as fit on the listed nodes, else 1",
            rich_help_panel=WHERE,
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Changed number of the machine, such as links.local.buffer=8KiB.",
            rich_help_panel=WHERE,
        ),
    ] = None,
    objective: Annotated[
        str,
        typer.Option(
            help="Cost to lower: hop-bytes, max-link or simulated.", rich_help_panel=SEARCH
        ),
    ] = "hop-bytes",
    method: Annotated[
        str | None,
        typer.Option(
            help="Methods, with commas: swaps, greedy, bisection, rcm, curve, kahypar, exhaustive.",
            show_default="all that can be tried",
            rich_help_panel=SEARCH,
        ),
    ] = None,
    grid: Annotated[
        str | None,
        typer.Option(
            metavar="AxBxC",
            help="Processes in each dimension, the last one fastest; for the method curve.",
            rich_help_panel=SEARCH,
        ),
    ] = None,
    routing: Annotated[
        str, typer.Option(help="Routing of the simulations.", rich_help_panel=SEARCH)
    ] = "minimal",
    seed: Annotated[
        int, typer.Option(help="Seed of the search and of the simulations.", rich_help_panel=SEARCH)
    ] = 0,
    simulate: Annotated[
        bool,
        typer.Option(help="Simulate the order before and after.", rich_help_panel=SEARCH),
    ] = True,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File of the order, as odonata mpirun --reorder takes it.",
            rich_help_panel=OUT,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Find a better order of the ranks of a job, and say what it gains and why."""
    from odonata.cli.rank_mapping import Wanted, map_job

    map_job(
        Wanted(
            matrix=matrix,
            machine=machine,
            changes=set_ or (),
            nodes=nodes,
            allocation=allocation,
            mapping=mapping,
            ranks_per_node=ranks_per_node,
            objective=objective,
            methods=method,
            grid=grid,
            routing=routing,
            seed=seed,
            simulate=simulate,
            output=output,
            json=as_json,
        )
    )
