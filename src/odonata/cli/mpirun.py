"""``odonata mpirun``: an unmodified MPI program on a simulated machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from odonata import cli, live
from odonata.cli import option_groups, options
from odonata.cli.commands import FORM, NumericTables
from odonata.errors import UserError
from odonata.live.calibration import note_of_sharing
from odonata.live.command import Command, parse_commands
from odonata.live.output import check_result_name, open_output
from odonata.quiet import note
from odonata.simulate.meter import Meter

__all__ = ["app", "mpirun"]

app = typer.Typer(add_completion=False)

MAPPER = "--mapper"


class MpiRun(NumericTables):
    """The command, whose option ``--mapper`` needs no word."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Give the option its usual word where it stands alone, then read all options."""
        return super().parse_args(ctx, self._with_word(args))

    def _with_word(self, args: list[str]) -> list[str]:
        with_value = {
            name
            for parameter in self.params
            for name in parameter.opts
            if not getattr(parameter, "is_flag", False)
        }
        number = 0
        while number < len(args) and args[number].startswith("-") and args[number] != "--":
            alone = number + 1 == len(args) or args[number + 1].startswith("-")
            if args[number] == MAPPER and alone:
                return [*args[:number], f"{MAPPER}={live.DEFAULT_MAPPER}", *args[number + 1 :]]
            number += 2 if args[number] in with_value else 1
        return args


@app.command(
    cls=MpiRun,
    no_args_is_help=True,
    context_settings={"allow_interspersed_args": False},
)
@option_groups.expanded
def mpirun(
    context: typer.Context,
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="-- PROGRAM [ARGUMENTS]... [: -n RANKS -- PROGRAM [ARGUMENTS]...]",
            help="MPI program to run, unmodified.",
        ),
    ],
    machine: options.Machine,
    ranks: Annotated[int, typer.Option("-n", "-np", "--ranks", help="Number of ranks.")] = 1,
    compute: Annotated[
        str,
        typer.Option(
            help="Time between calls: measured, calibrated (corrected for shared caches by two "
            "more runs), none, or recorded:FILE (from a trace).",
            rich_help_panel=options.RUN,
        ),
    ] = "measured",
    clocks: Annotated[
        str,
        typer.Option(
            help="Time that gettimeofday, clock_gettime and time return: simulated or real.",
            rich_help_panel=options.RUN,
        ),
    ] = "simulated",
    collectives: options.Collectives = None,
    abi: Annotated[
        str | None,
        typer.Option(
            help="ABI of the program: mpich, openmpi or standard.",
            show_default="what the program needs",
            rich_help_panel=options.RUN,
        ),
    ] = None,
    fibers: Annotated[
        bool,
        typer.Option(
            "--fibers",
            help="Run ranks as fibers of one process; the program has to be a shared object.",
            rich_help_panel=options.RUN,
        ),
    ] = False,
    stack: Annotated[
        str, typer.Option(help="Stack size of a fiber.", rich_help_panel=options.RUN)
    ] = "256KiB",
    shared_globals: Annotated[
        bool,
        typer.Option(
            "--shared-globals",
            help="Let all fibers share the program's variables; each has its own otherwise.",
            rich_help_panel=options.RUN,
        ),
    ] = False,
    reorder: Annotated[
        Path | None,
        typer.Option(
            help="File with the order of ranks for topologies that may reorder.",
            rich_help_panel=options.RUN,
        ),
    ] = None,
    mapper: Annotated[
        str,
        typer.Option(
            metavar="[OBJECTIVE][:METHOD]",
            help="Mapper for topologies that may reorder: off, an objective (hop-bytes, max-link, "
            "simulated), a method of odonata place map, or OBJECTIVE:METHOD; without a word: "
            "hop-bytes.",
            rich_help_panel=options.RUN,
        ),
    ] = "off",
    env_style: Annotated[
        str,
        typer.Option(
            help="Launchers whose variables the ranks get: openmpi, mpich, slurm, or none.",
            rich_help_panel=options.RUN,
        ),
    ] = "openmpi,mpich",
    record: Annotated[
        Path | None,
        typer.Option(help="Trace to write, for odonata replay.", rich_help_panel=options.RUN),
    ] = None,
    profile: Annotated[
        Path | None,
        typer.Option(
            help="Folder of a profile to write, for odonata profile show.",
            rich_help_panel=options.RUN,
        ),
    ] = None,
    *,
    others: option_groups.Others,
    where: option_groups.Where,
    network: option_groups.Network,
    seed: options.Seed = 0,
    program_output: Annotated[
        Path | None,
        typer.Option(
            "--program-output",
            help="File for the standard output of the program.",
            show_default="ours; with --json or --csv, standard error",
            rich_help_panel=options.OUT,
        ),
    ] = None,
    tag_output: Annotated[
        bool,
        typer.Option(
            "--tag-output",
            help="Write the rank before each line of the program.",
            rich_help_panel=options.OUT,
        ),
    ] = False,
    result: Annotated[
        Path | None,
        typer.Option("-o", "--result", help="Result file, netCDF.", rich_help_panel=options.OUT),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(help="Same as --result; the name ends in .nc.", rich_help_panel=options.OUT),
    ] = None,
    outcome: option_groups.Outcome,
) -> int:
    """Run an unmodified MPI program on a simulated machine.

    Its ranks compute for real, their messages take simulated time, and MPI_Wtime returns it.
    """
    result = _result_file(result, output)
    outputs = outcome.outputs(result, beside=True)
    outputs.check()
    setting = cli.setting.Setting(
        machine=machine,
        **vars(others),
        **where.chosen(),
        **vars(network),
        seed=seed,
        **outcome.kept(result),
    )
    commands = parse_commands(command, ranks)
    _warn_of_options(commands, context)
    is_ours = outcome.json or context.meta.get(FORM) == "csv"
    with (
        open_output(program_output, 2 if is_ours else 1) as descriptor,
        _trace(record, wanted=outcome.what_if or outcome.interval is not None) as trace,
    ):
        what = live.Launch(
            commands=commands,
            abi=abi,
            compute=compute,
            clocks=clocks,
            collectives=cli.axes.parse_collectives(collectives or []),
            fibers=fibers,
            stack=stack,
            shared_globals=shared_globals,
            reorder=reorder,
            mapper=mapper,
            env_style=env_style,
            record=trace,
            profile=profile,
            output=descriptor,
            tag_output=tag_output,
        )
        return _perform(what, setting, replace(outputs, keeps_trace=record is not None))


@contextmanager
def _trace(record: Path | None, *, wanted: bool) -> Iterator[Path | None]:
    """Yield the trace to write: `record`, or a temporary file if a trace is wanted."""
    if record is not None or not wanted:
        yield record
        return
    with TemporaryDirectory(prefix="odonata-") as folder:
        yield Path(folder) / "run.trace"


def _result_file(result: Path | None, output: Path | None) -> Path | None:
    """Return where the result goes; --output once meant the text of the program."""
    if output is None:
        return result
    if result is not None:
        raise UserError("--output: the same as --result (-o)", value=str(output), allowed="one")
    check_result_name("--output", output, "--program-output")
    return output


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _warn_of_options(commands: Sequence[Command], context: typer.Context) -> None:
    """Warn of options of ours behind a program's name, where they are passed to the program.

    One that stands before the program as well is the program's own.
    """
    given = {name for name in context.params if _is_given(context, name)}
    ours = {
        name
        for parameter in context.command.params
        if parameter.name not in given
        for name in parameter.opts
    }
    for command in commands:
        names = [word.partition("=")[0] for word in command.words[1:] if word.startswith("--")]
        found = [name for name in dict.fromkeys(names) if name in ours]
        if found:
            before = f"options of odonata mpirun stand before {command.words[0]}"
            note(f"warning: {', '.join(found)}: passed to the program; {before}")


def _perform(what: live.Launch, setting: cli.setting.Setting, outputs: cli.outputs.Outputs) -> int:
    meter = Meter()
    machine = setting.load_machine()
    placement = setting.place(machine, what.ranks)
    if cli.dry.is_dry():
        return 0
    names = " : ".join(command.words[0] for command in what.commands)
    with cli.progress.ProgressBar(f"{names} on {what.ranks} ranks") as progress:
        done = live.launch(
            what,
            machine,
            placement,
            setting.options(),
            behind=setting.behind(machine, [placement]),
            record_messages=setting.kept,
            progress=progress,
            meter=meter,
        )
    besides = {
        "mpi_calls": dict(done.mpi_calls),
        "mapper": what.mapper,
        "reordered": [asdict(one) for one in done.reordered],
        "ranks_cpu_seconds": done.ranks_cpu_seconds,
        "questions": done.questions,
        "waits": done.waits,
        "compute": what.compute,
        "compute_seconds": done.compute_seconds,
        "calibration": done.calibration and done.calibration.factor,
    }
    outputs.deliver(done.run, besides)
    beside = done.calibration and str(done.calibration)
    if what.compute == "measured":
        beside = note_of_sharing(what.ranks, fibers=what.fibers)
    if beside:
        note(beside)
    return done.exit_code
