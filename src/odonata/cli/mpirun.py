"""``odonata mpirun``: a real MPI program, as it is, on a simulated machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from odonata.cli.outputs import Outputs
    from odonata.cli.setting import Setting
    from odonata.live import Launch

__all__ = ["mpirun"]

SAMPLES = 200
"""Of a run that is kept or drawn."""

_RUN = "The program"
_WHERE = "Placement"
_NETWORK = "The network"
_OUT = "Output"


def mpirun(
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="-- PROGRAM [ARGUMENTS]... [: -n RANKS -- PROGRAM [ARGUMENTS]...]",
            help="What runs: an MPI program, as it is.",
        ),
    ],
    machine: Annotated[
        str,
        typer.Option(help="A machine (see odonata machines), or a .toml file.", show_default=False),
    ],
    ranks: Annotated[int, typer.Option("-n", "-np", "--ranks", help="Number of ranks.")] = 1,
    compute: Annotated[
        str,
        typer.Option(
            help="Time between calls: measured, none, or recorded:FILE (of a trace).",
            rich_help_panel=_RUN,
        ),
    ] = "measured",
    collectives: Annotated[
        list[str] | None,
        typer.Option(
            "--collective",
            metavar="OPERATION=ALGORITHM",
            help="As in allgather=ring; may be repeated.",
            show_default="auto: MPICH's choice",
            rich_help_panel=_RUN,
        ),
    ] = None,
    abi: Annotated[
        str | None,
        typer.Option(
            help="mpich, openmpi or standard.",
            show_default="what the program needs",
            rich_help_panel=_RUN,
        ),
    ] = None,
    fibers: Annotated[
        bool,
        typer.Option(
            "--fibers",
            help="Ranks share one process; the program is a shared object without globals.",
            rich_help_panel=_RUN,
        ),
    ] = False,
    stack: Annotated[str, typer.Option(help="Of a fiber.", rich_help_panel=_RUN)] = "256KiB",
    reorder: Annotated[
        Path | None,
        typer.Option(
            help="A file with the new rank of each rank, for topologies that may reorder them.",
            rich_help_panel=_RUN,
        ),
    ] = None,
    record: Annotated[
        Path | None, typer.Option(help="A trace, for odonata replay.", rich_help_panel=_RUN)
    ] = None,
    background: Annotated[
        str | None,
        typer.Option(help="Traffic on all other nodes, as in uniform:0.3.", rich_help_panel=_RUN),
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
            help='A number of the machine, as in node.compute_scale="0.5"; may be repeated.',
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
    program_output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            help="Standard output of the program.",
            show_default="ours; with --json, standard error",
            rich_help_panel=_OUT,
        ),
    ] = None,
    tag_output: Annotated[
        bool, typer.Option("--tag-output", help="Each line with its rank.", rich_help_panel=_OUT)
    ] = False,
    result: Annotated[
        Path | None, typer.Option("-o", "--result", help="A netCDF file.", rich_help_panel=_OUT)
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
) -> int:
    """Run an MPI program, as it is, on a simulated machine.

    Its ranks compute for real; their messages take simulated time, and MPI_Wtime is that.
    """
    from odonata.cli.outputs import Outputs
    from odonata.cli.replay import parse_collectives
    from odonata.cli.setting import Setting
    from odonata.live import Launch, open_output, parse_commands

    outputs = Outputs(json=json, output=result, plot=plot, beside=True)
    outputs.check()
    kept = result is not None or plot is not None
    setting = Setting(
        machine=machine,
        background=background,
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
    commands = parse_commands(command, ranks)
    with open_output(program_output, 2 if json else 1) as descriptor:
        what = Launch(
            commands=commands,
            abi=abi,
            compute=compute,
            collectives=parse_collectives(collectives or []),
            fibers=fibers,
            stack=stack,
            reorder=reorder,
            record=record,
            output=descriptor,
            tag_output=tag_output,
        )
        return _perform(what, setting, outputs)


def _perform(what: Launch, setting: Setting, outputs: Outputs) -> int:
    from odonata.cli.progress import ProgressBar
    from odonata.live import launch
    from odonata.simulate import Meter

    meter = Meter()
    machine = setting.load_machine()
    placement = setting.place(machine, what.ranks)
    names = " : ".join(command.words[0] for command in what.commands)
    with ProgressBar(f"{names} on {what.ranks} ranks") as progress:
        done = launch(
            what,
            machine,
            placement,
            setting.options(),
            behind=setting.behind(machine, [placement]),
            record_messages=setting.record_messages,
            progress=progress,
            meter=meter,
        )
    besides = {"mpi_calls": dict(done.mpi_calls), "ranks_cpu_seconds": done.ranks_cpu_seconds}
    outputs.deliver(done.run, besides)
    return done.exit_code
