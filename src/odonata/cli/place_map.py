"""``odonata place map``: a better order of the ranks of a job."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from odonata import cli, decide, placement
from odonata import machine as machines
from odonata import simulate as simulations
from odonata.cli import option_groups, options
from odonata.files import require_writable, write_whole
from odonata.workload.halo import whole_numbers

__all__ = ["map_"]

SEARCH = "The search"


@dataclass(frozen=True, kw_only=True)
class Search:
    """Options of the search."""

    objective: Annotated[
        str,
        typer.Option(
            help="Cost to lower: hop-bytes, max-link or simulated.", rich_help_panel=SEARCH
        ),
    ] = "hop-bytes"
    method: Annotated[
        str | None,
        typer.Option(
            help="Methods, with commas: swaps, greedy, bisection, rcm, curve, kahypar, exhaustive.",
            show_default="all that can be tried",
            rich_help_panel=SEARCH,
        ),
    ] = None
    grid: Annotated[
        str | None,
        typer.Option(
            metavar="AxBxC",
            help="Processes in each dimension, the last one fastest; for the method curve.",
            show_default="read from the file",
            rich_help_panel=SEARCH,
        ),
    ] = None
    seed: options.Seed = 0
    simulate: Annotated[
        bool,
        typer.Option(help="Simulate the order before and after.", rich_help_panel=SEARCH),
    ] = True


@option_groups.showing(ranks_per_node="as few as fit on the listed nodes, else 1")
@option_groups.expanded
def map_(
    matrix: Annotated[
        Path,
        typer.Option(
            help="Who sends how much to whom: .mtx (Matrix Market), .csv, .trace, .nc of a run, or "
            "the folder of a profile.",
        ),
    ],
    machine: options.Machine,
    where: option_groups.Where,
    search: Search,
    others: option_groups.Others,
    nodes: Annotated[
        Path | None,
        typer.Option(
            help="File of the job's nodes: numbers, ranges and names.",
            show_default="by the allocation",
            rich_help_panel=options.WHERE,
        ),
    ] = None,
    routing: options.Routing = "minimal",
    changes: options.Changes = None,
    fail: options.Fail = None,
    slow: options.Slow = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File of the order, as odonata mpirun --reorder takes it.",
            rich_help_panel=options.OUT,
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Find a better order of the ranks of a job, with its gain and the reason."""
    if output is not None:
        require_writable(output)
    faults = cli.changes.parse_faults(fail, slow, search.seed)
    loaded = machines.load(machine, cli.changes.parse_changes(changes or ()) | faults)
    cli.changes.note_routes(loaded, routing)
    communication = decide.read_communication(matrix)
    start = _place(loaded, communication.ranks, nodes, where, search.seed)
    around = simulations.Surroundings(**vars(others)).jobs(loaded, [start], seed=search.seed)
    if cli.dry.is_dry():
        return
    found = _search(communication, start, search, routing, around)
    if output is not None:
        write_whole(output, "".join(f"{slot}\n" for slot in found.order).encode())
    if as_json:
        typer.echo(json.dumps(found.to_dict()))
    else:
        cli.rank_mapping.print_mapping(found)


def _place(
    machine: machines.Machine, ranks: int, nodes: Path | None, where: option_groups.Where, seed: int
) -> placement.Placement:
    """Return the placement to start from."""
    chosen = where.chosen()
    if nodes is None:
        return cli.setting.place_as_told(machine, ranks, seed=seed, **chosen)
    listed = placement.read_nodes(machine, nodes)
    each = where.ranks_per_node
    return placement.place(
        machine,
        ranks,
        allocation=listed,
        mapping=chosen["mapping"],
        ranks_per_node=-(-ranks // len(listed)) if each is None else each,
        seed=seed,
    )


def _search(
    communication: decide.Communication,
    start: placement.Placement,
    search: Search,
    routing: str,
    behind: Sequence[simulations.Job],
) -> decide.RankMapping:
    from odonata.decide.communication import MOST_RANKS  # imports NumPy

    return decide.map_ranks(
        communication,
        start,
        objective=search.objective,
        methods=None if search.method is None else cli.axes.split("method", search.method),
        grid=None if search.grid is None else whole_numbers("grid", search.grid, MOST_RANKS),
        routing=routing,
        seed=search.seed,
        simulate=search.simulate,
        behind=behind,
    )
