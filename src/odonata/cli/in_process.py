"""Commands of ``odonata`` run inside of this process: no interpreter starts for each run."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import typer

from odonata.cli.dry import dry_run
from odonata.cli.failures import ExitStatus, judged
from odonata.errors import OdonataError, UserError, near_miss
from odonata.quiet import be_quiet, is_quiet
from odonata.study.file import command_of
from odonata.study.work import Outcome

__all__ = ["OUTPUTS", "QUIET", "InProcess"]

COSTS = ("cpu_seconds", "peak_memory_bytes", "ranks_cpu_seconds", "compute_seconds", "calibration")
"""Entries of documents that differ from time to time."""

OUTPUTS = ("-o", "--output", "--result", "--plot", "--json", "--csv", "--wide")
"""Options of the output, which a study asks for itself."""

QUIET = ("--quiet", "-q")


class InProcess:
    """Runs the commands of studies, and checks them.

    Each command is imported once, and prints into memory.
    """

    def __init__(self) -> None:
        self._commands: dict[str, Any] = {}

    def __call__(self, words: Sequence[str]) -> Outcome:
        """Run a command and return its document as numbers and texts by name.

        Parameters
        ----------
        words
            The command without ``odonata``.

        Raises
        ------
        OSError
            Its file cannot be written.
        KeyboardInterrupt
            It was interrupted.
        """
        try:
            document = json.loads(self._printed(words))
        except (OSError, MemoryError) as error:
            if not isinstance(error, (UserError, MemoryError)):  # a full disk is no fault of a run
                raise
            return Outcome(error=judged(error)[1])
        except Exception as error:
            return Outcome(error=judged(error)[1])
        result = dict(flat(document))
        cost = {name: result.pop(name) for name in COSTS if name in result}
        return Outcome(result, cost=cost)

    def expect(self, words: Sequence[str]) -> float:
        """Check the input of a command, and return the time that its run is expected to take [s].

        Parameters
        ----------
        words
            The command without ``odonata``.

        Raises
        ------
        UserError
            An option is unknown, or a value is wrong.
        """
        with dry_run() as expected:
            try:
                self._printed(words)
            except OdonataError:
                raise
            except Exception as error:
                _, told = judged(error)
                raise UserError(told) from error
        return expected.seconds

    def check_options(self, command: Sequence[str], names: Sequence[str], where: str) -> None:
        """Raise UserError unless a command has options of these names, which a study may set.

        Parameters
        ----------
        command
            Words of the command.
        names
            Names of options without dashes, or of arguments.
        where
            ``file:line:key`` of the axes.
        """
        known = {
            text.removeprefix("--")
            for each in self._command(command).params
            for text in ([each.name] if each.param_type_name == "argument" else each.opts)
            if text not in (*OUTPUTS, *QUIET) and (text.startswith("--") or text == each.name)
        }
        for name in names:
            if name.partition(".")[0] not in known:
                what = f"axis: odonata {' '.join(command)} has no such option"
                raise UserError(what, value=name, near=near_miss(name, known), where=where)

    def options_of(self, command: Sequence[str]) -> dict[str, Any]:
        """Return the options of a command by each of their names, with dashes.

        Parameters
        ----------
        command
            Words of the command.
        """
        options = (one for one in self._command(command).params if one.param_type_name == "option")
        return {
            name: option for option in options for name in (*option.opts, *option.secondary_opts)
        }

    def _printed(self, words: Sequence[str]) -> str:
        name = command_of(words)
        command = self._command(name)
        printed = io.StringIO()
        before = is_quiet()
        be_quiet()
        try:
            with contextlib.redirect_stdout(printed):
                told = ["--json", *words[len(name) :]]
                status = command.main(told, standalone_mode=False, prog_name="odonata")
        finally:
            be_quiet(before)
        if status == ExitStatus.INTERRUPTED:  # typer has turned Ctrl-C into a status
            raise KeyboardInterrupt
        if isinstance(status, int) and status:
            raise UserError("the program ended with a status", value=status, allowed="0")
        return printed.getvalue()

    def _command(self, words: Sequence[str]) -> Any:
        name = " ".join(words)
        if name not in self._commands:
            made = typer.main.get_command(import_module(f"odonata.cli.{words[0]}").app)
            for word in words[1:]:
                made = made.get_command(None, word)  # type: ignore[attr-defined]
            self._commands[name] = made
        return self._commands[name]


def flat(document: Mapping[str, Any], before: str = "") -> list[tuple[str, Any]]:
    """Return the numbers and texts of a document, with dotted names.

    Lists of texts, such as warnings, become one text; other lists are left out.

    Parameters
    ----------
    document
        Decoded JSON.
    before
        Beginning of the names.

    Examples
    --------
    >>> flat({"a": 1, "b": {"c": "x"}, "rows": [1, 2]})
    [('a', 1), ('b.c', 'x')]
    """
    found: list[tuple[str, Any]] = []
    for name, value in document.items():
        if isinstance(value, Mapping):
            found += flat(value, f"{before}{name}.")
        elif not isinstance(value, list):
            found.append((before + name, value))
        elif all(isinstance(each, str) for each in value):
            found.append((before + name, "; ".join(value)))
    return found
