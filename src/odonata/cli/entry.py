"""The entry of the command line: options of all commands, and what happens when one fails."""

from __future__ import annotations

import atexit
import gc
import io
import sys
import warnings
from typing import Annotated

import typer

from odonata import __version__
from odonata.cli.commands import Commands
from odonata.cli.failures import ExitStatus, end_like_ctrl_c, warn
from odonata.cli.failures import report as report_failure
from odonata.quiet import be_quiet

__all__ = ["app", "main"]

app = typer.Typer(
    name="odonata",
    cls=Commands,
    help="Predict, explain and cut the cost of MPI communication.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"odonata {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", "-V", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet", "-q", help="Print results and errors alone: no notes, warnings or progress."
        ),
    ] = False,
) -> None:
    be_quiet(quiet)


MOST_NEW_OBJECTS = 50_000
"""Objects between two searches for garbage: imports make many, and no garbage."""


def main() -> None:
    """Run the command line and exit: 0, or what `odonata.cli.failures.report` says."""
    gc.set_threshold(MOST_NEW_OBJECTS)
    atexit.register(gc.freeze)  # the process ends: no search for garbage
    warnings.showwarning = warn
    end_like_ctrl_c()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files need not be text
    try:
        status = app(standalone_mode=False)
        if (
            status == ExitStatus.INTERRUPTED
        ):  # typer has turned Ctrl-C into a status, without a word
            raise KeyboardInterrupt
        sys.stdout.flush()
    except SystemExit as end:  # typer makes one of a reader that has gone
        cause = end.__context__
        sys.exit(report_failure(cause) if isinstance(cause, BrokenPipeError) else end.code)
    except (Exception, KeyboardInterrupt) as error:
        sys.exit(report_failure(error))
    sys.exit(status if isinstance(status, int) else 0)
