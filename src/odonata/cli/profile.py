"""``odonata profile``: profiles of MPI programs, recorded and looked at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from odonata import cli, report
from odonata import profile as profiles
from odonata.cli.commands import FORM, Command, NumericTables
from odonata.cli.options import Json
from odonata.errors import UserError
from odonata.live.profiling import record_profile
from odonata.report.style import require_figure
from odonata.text import for_table

__all__ = ["app"]

RECORD = "record"
"""Command that is meant where none is named."""


class _Show(NumericTables):
    """A command whose option ``--csv`` needs no folder."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read `--csv` without a value as other commands read it, then parse all options."""
        for at, word in enumerate(args):
            if word == "--csv" and all(next_.startswith("-") for next_ in args[at + 1 : at + 2]):
                ctx.meta[FORM] = "csv"
                args = [*args[:at], *args[at + 1 :]]
                break
        return super().parse_args(ctx, args)


class _WithDefault(TyperGroup):
    """A group whose first command's name may be left out."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Parse words; without a command in front they go to the default command."""
        if args and args[0] not in self.commands and args[0] not in ("--help", "-h"):
            args = [RECORD, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_WithDefault,
    add_completion=False,
    no_args_is_help=True,
    help="Record the MPI calls of a program, and show them.\n\n"
    "odonata profile -o RUN -- mpiexec -n 8 ./program",
)


@app.callback()
def _group() -> None:
    pass


@app.command(
    RECORD,
    cls=Command,
    no_args_is_help=True,
    context_settings={"allow_interspersed_args": False},
)
def record(
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="-- COMMAND...", help="Command that starts the program, with its launcher."
        ),
    ],
    output: Annotated[
        Path,
        typer.Option("-o", "--output", help="Folder of the profile; an older one is replaced."),
    ],
    depth: Annotated[
        str,
        typer.Option(
            help="Depth of the record: summary (counters, bounded memory) or trace (every call: "
            "72 bytes and more, for odonata replay, and for waiting apart from transfer)."
        ),
    ] = "summary",
    abi: Annotated[
        str | None,
        typer.Option(
            help="ABI of the program: mpich, openmpi or standard.",
            show_default="what the program needs",
        ),
    ] = None,
) -> int:
    """Run a program on its own MPI, and record its profile; this command's name may be left out."""
    return record_profile(command, output, abi=abi, depth=depth)


@app.command(cls=_Show, no_args_is_help=True)
def show(
    profile: Annotated[
        Path,
        typer.Argument(
            metavar="RUN", help="Folder of a profile, a report of mpiP or IPM, or a trace."
        ),
    ],
    phase: Annotated[
        list[str] | None,
        typer.Option(help="Phase of the run that is shown; may be repeated."),
    ] = None,
    as_json: Json = False,
    csv: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the views as tables: calls.csv, sizes.csv, ...; without one, standard "
            "output."
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Figure of the views: .png, .pdf, .svg.")
    ] = None,
) -> None:
    """Print the views of a profile: calls, times, sizes of messages, who sends to whom."""
    if plot is not None:
        require_figure(plot)
    views = profiles.Views(profiles.select_phases(profiles.read(profile), phase or []))
    if csv is not None:
        cli.profile_tables.write_csv(views, csv)
    if plot is not None:
        title = f"{views.profile.ranks:,} ranks: {for_table(views.profile.program)[:120]}"
        report.plot_profile(views.plain(), views.matrix, plot, title=title)
    if as_json:
        typer.echo(json.dumps(views.plain()))
        return

    cli.profile_tables.print_views(views)


@app.command(cls=NumericTables, no_args_is_help=True)
def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help="A profile, a report, or a trace.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="The other one.")],
    as_json: Json = False,
) -> None:
    """Print two profiles side by side, and where they differ."""
    if first == second:
        raise UserError("profile compare: the same profile twice", value=str(first))
    both = profiles.Views(profiles.read(first)), profiles.Views(profiles.read(second))
    if as_json:
        typer.echo(json.dumps(profiles.compare_views(*both)))
    else:
        cli.profile_tables.print_comparison(profiles.compare_views(*both), first.name, second.name)
