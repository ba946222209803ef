"""The command line: ``odonata machines ...``, ``odonata simulate ...``.

The modules of this package import what is slow (xarray, matplotlib) inside their functions, so
that ``odonata --help`` answers at once.
"""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from odonata import __version__
from odonata.cli import fit, machines, measure, mpirun, predict, replay, simulate, trace
from odonata.cli.failures import INTERRUPTED, report

__all__ = ["app", "main"]

app = typer.Typer(
    name="odonata",
    help="Predict, explain and cut the cost of MPI communication.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(machines.app, name="machines")
app.add_typer(predict.app, name="predict")
app.add_typer(fit.app, name="fit")
app.add_typer(trace.app, name="trace")
app.command("simulate", no_args_is_help=True)(simulate.simulate)
app.command("mpirun", no_args_is_help=True, context_settings={"allow_interspersed_args": False})(
    mpirun.mpirun
)
app.command("measure", cls=measure.OneVoice)(measure.measure)
app.command("replay", no_args_is_help=True)(replay.replay)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"odonata {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line and exit: 0, or what `odonata.cli.failures.report` says."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files need not be text
    try:
        status = app(standalone_mode=False)
        if status == INTERRUPTED:  # typer has turned Ctrl-C into a status, without a word
            raise KeyboardInterrupt
        sys.stdout.flush()
    except SystemExit as end:  # typer makes one of a reader that has gone
        cause = end.__context__
        sys.exit(report(cause) if isinstance(cause, BrokenPipeError) else end.code)
    except (Exception, KeyboardInterrupt) as error:
        sys.exit(report(error))
    sys.exit(status if isinstance(status, int) else 0)
