"""``odonata simulate``: one run, or a comparison of several."""

from __future__ import annotations

from typing import Annotated

import typer

from odonata import cli
from odonata.cli import option_groups, options
from odonata.cli.commands import WORDS, Simulating, form_asked

__all__ = ["app", "simulate"]

app = typer.Typer(add_completion=False)


def _print_list(context: typer.Context, wanted: bool) -> None:
    if wanted:
        with form_asked(context):
            cli.lists.list_workloads()
        raise typer.Exit


_TRAFFIC = "Traffic"


@app.command(cls=Simulating, no_args_is_help=True)
@option_groups.expanded
def simulate(
    context: typer.Context,
    operation: Annotated[
        str,
        typer.Argument(
            help="Operation, such as allgather, pingpong, halo, traffic or fft; --list shows all."
        ),
    ],
    machine: options.Machine,
    algorithm: Annotated[
        str,
        typer.Option(
            help="Algorithms, separated by commas; auto is the choice of the machine's MPI.",
            rich_help_panel=options.RUN,
        ),
    ] = "auto",
    ranks: Annotated[
        str | None,
        typer.Option(
            "-n",
            "--ranks",
            help="Numbers of ranks, separated by commas.",
            show_default="all nodes",
            rich_help_panel=options.RUN,
        ),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(
            "--bytes",
            help="Sizes of a block such as 4KiB, separated by commas.",
            show_default="1KiB",
            rich_help_panel=options.RUN,
        ),
    ] = None,
    root: Annotated[str, typer.Option(help="Rank of the root.", rich_help_panel=options.RUN)] = "0",
    repetitions: Annotated[
        str,
        typer.Option(
            help="Repetitions of the operation, one after the other.", rich_help_panel=options.RUN
        ),
    ] = "1",
    pattern: Annotated[
        str | None,
        typer.Option(
            help="Destinations: uniform, adversarial+K, adversarial+h, permutation or hotspot.",
            show_default="uniform",
            rich_help_panel=_TRAFFIC,
        ),
    ] = None,
    load: Annotated[
        str | None,
        typer.Option(
            help="Offered loads in units of the injection link's rate, separated by commas.",
            show_default="0.5",
            rich_help_panel=_TRAFFIC,
        ),
    ] = None,
    packets_per_node: Annotated[
        str | None,
        typer.Option(
            help="Packets that each node sends.",
            show_default="200, or as many as the window takes",
            rich_help_panel=_TRAFFIC,
        ),
    ] = None,
    warm_up: Annotated[
        str | None,
        typer.Option(
            help="Time before the accepted load is measured, such as 20us.",
            show_default="half of the time in which all nodes send",
            rich_help_panel=_TRAFFIC,
        ),
    ] = None,
    window: Annotated[
        str | None,
        typer.Option(
            help="Time during which the accepted load is measured, such as 20us.",
            show_default="until the first node has sent all packets",
            rich_help_panel=_TRAFFIC,
        ),
    ] = None,
    *,
    others: option_groups.Others,
    stencil: option_groups.Stencil,
    application: option_groups.Application,
    where: option_groups.Wheres,
    reorder: options.Reorder = None,
    groups_: Annotated[
        str | None,
        typer.Option(
            "--groups",
            help="Communicators into which the ranks are divided, and which run side by side: "
            "row:AXIS, plane:AXES, level:NAME, a name such as green (see odonata place groups), or "
            "a file with the colour of each rank.",
            show_default="one of all ranks",
            rich_help_panel=options.WHERE,
        ),
    ] = None,
    nodes_per_router: options.NodesPerRouter = "all",
    network: option_groups.Network,
    seed: options.Seeds = "0",
    output: options.Output = None,
    record_messages: Annotated[
        bool,
        typer.Option(
            "--record-messages",
            help="Keep every message in the file, even more than 200,000.",
            rich_help_panel=options.OUT,
        ),
    ] = False,
    outcome: option_groups.Outcome,
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

    Several values of an option, separated by commas, make a comparison: one run for each
    combination, as with --machine eos,theta --bytes 1KiB,1MiB --set node.cores=4,8.
    """
    experiment = cli.experiment.Experiment(
        operation=operation,
        machine=machine,
        algorithm=algorithm,
        ranks=ranks,
        size=size,
        root=root,
        repetitions=repetitions,
        **vars(others),
        pattern=pattern,
        load=load,
        packets_per_node=packets_per_node,
        warm_up=warm_up,
        window=window,
        **vars(stencil),
        **vars(application),
        reorder=reorder,
        groups=groups_,
        nodes_per_router=nodes_per_router,
        **where.chosen(),
        **vars(network),
        seed=0,  # each row has one of the seeds
        seeds=seed,
        **outcome.kept(output),
        record_messages=record_messages,
    )
    words = ["simulate", *context.meta[WORDS]]
    cli.perform.perform(experiment, outcome.outputs(output), words)
