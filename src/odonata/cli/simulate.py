"""``odonata simulate``: one run, or a comparison of several."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["simulate"]


def _print_list(wanted: bool) -> None:
    if wanted:
        from odonata.cli.lists import list_workloads

        list_workloads()
        raise typer.Exit


SAMPLES = 200
"""Of a run that is kept or drawn."""

_RUN = "The workload"
_TRAFFIC = "Traffic"
_WHERE = "Placement"
_NETWORK = "The network"
_OUT = "Output"


def simulate(
    operation: Annotated[
        str,
        typer.Argument(
            help="allgather(v), alltoall(v), allreduce, bcast, scatter(v), gather(v), reduce, "
            "reduce_scatter, reduce_scatter_block, scan, exscan, neighbor_allgather, "
            "neighbor_alltoall, barrier, pingpong, sendrecv, exchange or traffic."
        ),
    ],
    machine: Annotated[
        str,
        typer.Option(help="A machine (see odonata machines), or a .toml file.", show_default=False),
    ],
    algorithm: Annotated[
        str,
        typer.Option(help="Algorithms, with commas; auto: MPICH's choice.", rich_help_panel=_RUN),
    ] = "auto",
    ranks: Annotated[
        str | None,
        typer.Option(
            help="Numbers of ranks, with commas.", show_default="all nodes", rich_help_panel=_RUN
        ),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(
            "--bytes", help="Of a block, as in 4KiB.", show_default="1KiB", rich_help_panel=_RUN
        ),
    ] = None,
    root: Annotated[int, typer.Option(help="Rank at the root.", rich_help_panel=_RUN)] = 0,
    repetitions: Annotated[int, typer.Option(help="One by one.", rich_help_panel=_RUN)] = 1,
    background: Annotated[
        str | None,
        typer.Option(help="Traffic on all other nodes, as in uniform:0.3.", rich_help_panel=_RUN),
    ] = None,
    pattern: Annotated[
        str | None,
        typer.Option(
            help="uniform, adversarial+K, adversarial+h, permutation or hotspot.",
            show_default="uniform",
            rich_help_panel=_TRAFFIC,
        ),
    ] = None,
    load: Annotated[
        str | None,
        typer.Option(
            help="In units of the injection link; several with commas.",
            show_default="0.5",
            rich_help_panel=_TRAFFIC,
        ),
    ] = None,
    packets_per_node: Annotated[
        int | None, typer.Option(show_default="50", rich_help_panel=_TRAFFIC)
    ] = None,
    allocation: Annotated[
        str,
        typer.Option(
            help="contiguous (or contiguous:FIRST), random, random-routers, random-groups, or "
            "nodes as in 0-15,32.",
            rich_help_panel=_WHERE,
        ),
    ] = "contiguous",
    mapping: Annotated[
        str, typer.Option(help="block, cyclic or random.", rich_help_panel=_WHERE)
    ] = "block",
    ranks_per_node: Annotated[int, typer.Option(rich_help_panel=_WHERE)] = 1,
    engine: Annotated[
        str,
        typer.Option(help="packet, or analytic (without contention).", rich_help_panel=_NETWORK),
    ] = "packet",
    routing: Annotated[
        str,
        typer.Option(help="minimal, valiant, ugal-l, ugal-g or par.", rich_help_panel=_NETWORK),
    ] = "minimal",
    bias: Annotated[
        str, typer.Option(help="Bytes for the minimal side.", rich_help_panel=_NETWORK)
    ] = "0",
    packet_bytes: Annotated[
        str | None,
        typer.Option(help="Of a packet.", show_default="the machine's", rich_help_panel=_NETWORK),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help='A number of the machine, as in links.local.buffer="8 KiB"; may be repeated.',
            rich_help_panel=_NETWORK,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of all random choices.")] = 0,
    samples: Annotated[
        int | None,
        typer.Option(
            help="Of what waits, over time.",
            show_default="200 for a file or a figure",
            rich_help_panel=_OUT,
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A netCDF file.", rich_help_panel=_OUT)
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="A figure: .png, .pdf, .svg.", rich_help_panel=_OUT)
    ] = None,
    digest: Annotated[
        bool, typer.Option("--digest", help="Hash the event log.", rich_help_panel=_OUT)
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document.", rich_help_panel=_OUT)
    ] = False,
    list_: Annotated[
        bool,
        typer.Option(
            "--list",
            callback=_print_list,
            is_eager=True,
            help="List operations, algorithms and patterns.",
        ),
    ] = False,
) -> None:
    """Simulate a workload on a machine.

    With commas in --algorithm, --ranks or --load: a comparison, one row each.
    """
    from odonata.cli.outputs import Outputs
    from odonata.cli.perform import perform
    from odonata.cli.request import Request

    kept = output is not None or plot is not None
    request = Request(
        operation=operation,
        machine=machine,
        algorithm=algorithm,
        ranks=ranks,
        size=size,
        root=root,
        repetitions=repetitions,
        background=background,
        pattern=pattern,
        load=load,
        packets_per_node=packets_per_node,
        allocation=allocation,
        mapping=mapping,
        ranks_per_node=ranks_per_node,
        engine=engine,
        routing=routing,
        bias=bias,
        packet_bytes=packet_bytes,
        changes=tuple(changes or ()),
        seed=seed,
        samples=(SAMPLES if kept else 0) if samples is None else samples,
        digest=digest,
        record_messages=kept,
    )
    perform(request, Outputs(json=json, output=output, plot=plot))
