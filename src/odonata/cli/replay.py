"""``odonata replay``: a recorded program on another machine, placement or choice of algorithms."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from odonata import cli
from odonata.cli import option_groups, options
from odonata.cli.commands import WORDS, NumericTables

__all__ = ["app", "replay"]

app = typer.Typer(add_completion=False)


@app.command(cls=NumericTables, no_args_is_help=True)
@option_groups.showing(allocation="as recorded, on the same machine")
@option_groups.expanded
def replay(
    context: typer.Context,
    trace: Annotated[
        Path,
        typer.Argument(
            help="Trace of odonata mpirun --record, of another tool, or folder of odonata profile "
            "--depth trace."
        ),
    ],
    machine: Annotated[
        str | None,
        typer.Option(help=options.MACHINE_HELP, show_default="the recorded one"),
    ] = None,
    collectives: options.Collectives = None,
    compute: Annotated[
        str, typer.Option(help="Compute times: recorded, or none.", rich_help_panel=options.RUN)
    ] = "recorded",
    compute_scale: Annotated[
        str,
        typer.Option(
            help="Factors of the compute times, separated by commas; 0 drops them.",
            rich_help_panel=options.RUN,
        ),
    ] = "1",
    reorder: options.Reorder = None,
    *,
    others: option_groups.Others,
    where: option_groups.Wheres,
    network: option_groups.Network,
    seed: options.Seeds = "0",
    output: options.Output = None,
    outcome: option_groups.Outcome,
) -> None:
    """Play a recorded program on a machine.

    With the machine, nodes and options of the recorded run it takes exactly the recorded time.

    Several values of an option, separated by commas, make a comparison: one run for each
    combination, as with --machine eos,theta --collective bcast=binomial,ring. The allocation
    recorded has the nodes of the recorded run.
    """
    with cli.conversion.as_ours(trace) as ours:
        rows = cli.replay_rows.ReplayRows(
            trace=ours,
            machine=machine or "",
            collectives=collectives or [],
            compute=compute,
            compute_scale=compute_scale,
            reorder=reorder,
            placed=where.said,
            **vars(others),
            **where.chosen(),
            **vars(network),
            seed=0,  # each row has one of the seeds
            seeds=seed,
            **outcome.kept(output),
        )
        outputs = replace(outcome.outputs(output), keeps_trace=ours == trace)
        cli.perform.perform(rows, outputs, ["replay", *context.meta[WORDS]])
