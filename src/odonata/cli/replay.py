"""``odonata replay``: a recorded program on another machine, placement or choice of algorithms."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from odonata.cli import groups, options
from odonata.cli.commands import Numeric

if TYPE_CHECKING:
    from odonata.cli.outputs import Outputs
    from odonata.cli.setting import Setting
    from odonata.machine import Machine
    from odonata.placement import Placement
    from odonata.workload import Replay

__all__ = ["app", "parse_collectives", "replay"]

app = typer.Typer(add_completion=False)


@app.command(cls=Numeric, no_args_is_help=True)
@groups.showing(allocation="as recorded, on the same machine")
@groups.expanded
def replay(
    trace: Annotated[Path, typer.Argument(help="Trace that odonata mpirun --record wrote.")],
    machine: Annotated[
        str | None,
        typer.Option(help=options.MACHINE_HELP, show_default="the recorded one"),
    ] = None,
    collectives: options.Collectives = None,
    compute: Annotated[
        str, typer.Option(help="Compute times: recorded, or none.", rich_help_panel=options.RUN)
    ] = "recorded",
    reorder: options.Reorder = None,
    *,
    others: groups.Others,
    where: groups.Where,
    network: groups.Network,
    seed: options.Seed = 0,
    output: options.Output = None,
    outcome: groups.Outcome,
) -> None:
    """Play a recorded program on a machine.

    With the machine, nodes and options of the recorded run it takes exactly the recorded time.
    """
    from odonata.cli.outputs import Outputs
    from odonata.cli.setting import Setting
    from odonata.simulate import recorded_machine
    from odonata.workload import Replay

    outputs = Outputs(json=outcome.json, output=output, plot=outcome.plot)
    outputs.check()
    workload = Replay(path=trace, collectives=parse_collectives(collectives or []), compute=compute)
    setting = Setting(
        machine=machine or recorded_machine(workload.header),
        **vars(others),
        **where.chosen(),
        **vars(network),
        seed=seed,
        samples=outcome.samples,
        digest=outcome.digest,
        kept=output is not None or outcome.plot is not None,
    )
    _perform(workload, setting, outputs, reorder, as_recorded=not where.said)


def parse_collectives(choices: list[str]) -> dict[str, str]:
    """Return the algorithms that ``--collective operation=algorithm`` options ask for.

    Parameters
    ----------
    choices
        Each ``operation=algorithm``.

    Raises
    ------
    UserError
        There is no ``=``, or an operation is given twice.

    Examples
    --------
    >>> parse_collectives(["allgather=ring", "bcast=binomial"])
    {'allgather': 'ring', 'bcast': 'binomial'}
    """
    from odonata.errors import UserError

    chosen: dict[str, str] = {}
    for choice in choices:
        operation, equals, algorithm = (part.strip() for part in choice.partition("="))
        if not equals or not operation or not algorithm or operation in chosen:
            allowed = "OPERATION=ALGORITHM, each operation once"
            raise UserError("--collective: not understood", value=choice, allowed=allowed)
        chosen[operation] = algorithm
    return chosen


def _perform(
    workload: Replay,
    setting: Setting,
    outputs: Outputs,
    reorder: Path | None,
    *,
    as_recorded: bool,
) -> None:
    from odonata.cli.progress import ProgressBar
    from odonata.placement import read_order
    from odonata.simulate import Job, Meter, run

    meter = Meter()
    machine = setting.load_machine()
    placement = _place(workload, setting, machine, as_recorded=as_recorded)
    if reorder is not None:
        placement = placement.reordered(read_order(reorder, [workload.ranks]))
    jobs = [Job(workload, placement), *setting.behind(machine, [placement])]
    with ProgressBar(str(jobs[0])) as progress:
        made = run(
            machine,
            jobs,
            setting.options(),
            record_messages="auto" if setting.kept else False,
            progress=progress,
            meter=meter,
        )
    outputs.deliver(made, {"mpi_calls": workload.mpi_calls()})


def _place(workload: Replay, setting: Setting, machine: Machine, *, as_recorded: bool) -> Placement:
    from odonata.simulate import recorded_placement

    recorded = recorded_placement(machine, workload.header) if as_recorded else None
    return recorded or setting.place(machine, workload.ranks)
