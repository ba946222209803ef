"""Failures of the command line: one line on stderr, and an exit status that tells the cause.

`ExitStatus` has them all; ``docs/concepts/exit-statuses.md`` explains them. A program under
``odonata mpirun`` that fails ends the command with its own status.

With ``ODONATA_DEBUG=1`` the traceback is printed as well.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import traceback
from enum import IntEnum

import typer

from odonata.errors import DeadlockError, NoMpiError, RankError, UserError, WorkerError
from odonata.quiet import note
from odonata.text import for_terminal

__all__ = ["ExitStatus", "end_like_ctrl_c", "judged", "report", "warn"]


class ExitStatus(IntEnum):
    """Every exit status of the command line that is not the program's own."""

    DONE = 0
    CHECK_FAILED = 1
    WRONG_INPUT = 2
    DEADLOCK = 3
    NO_MPI = 4
    BUG = 70
    NO_MEMORY = 71
    WRITING_FAILED = 74
    INTERRUPTED = 130
    READER_GONE = 141


_OF_ERROR = (
    (UserError, ExitStatus.WRONG_INPUT),
    (DeadlockError, ExitStatus.DEADLOCK),
    (NoMpiError, ExitStatus.NO_MPI),
)


def report(error: BaseException) -> int:
    """Print an error as one line and return the exit status.

    Parameters
    ----------
    error
        The exception that ended the command.

    Returns
    -------
    int
        The status to exit with.
    """
    if os.environ.get("ODONATA_DEBUG") == "1":
        traceback.print_exception(error)
    status, message = judged(error)
    said = [text for text in (message, *getattr(error, "__notes__", ())) if text]
    if said:
        print(for_terminal("odonata: " + _one_line("\n".join(said))), file=sys.stderr)
    _settle_output()
    return status


def warn(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning as one line on stderr, in the place of `warnings.showwarning`.

    Parameters
    ----------
    message
        The warning.
    """
    note("warning: " + _one_line(str(message)))


def _one_line(message: str) -> str:
    return "; ".join(" ".join(line.split()) for line in message.splitlines())


def judged(error: BaseException) -> tuple[int, str]:
    """Return the exit status and the message of an error.

    Parameters
    ----------
    error
        The exception that ended the command.
    """
    if isinstance(error, RankError):
        return error.exit_code, "" if error.said else str(error)
    if isinstance(error, WorkerError):
        return error.exit_code, str(error)
    for kind, status in _OF_ERROR:
        if isinstance(error, kind):
            return status, str(error)
    if isinstance(error, (KeyboardInterrupt, typer.Abort)):
        return _interrupted()
    if isinstance(error, BrokenPipeError):
        return ExitStatus.READER_GONE, ""
    if isinstance(error, OSError):  # files that are read raise ReadError, a UserError
        return ExitStatus.WRITING_FAILED, _io_message(error)
    if isinstance(error, MemoryError):
        return ExitStatus.NO_MEMORY, "out of memory"
    usage = _usage_message(error)
    if usage is not None:
        return ExitStatus.WRONG_INPUT, usage
    return (
        ExitStatus.BUG,
        f"this is a bug: {type(error).__name__}: {error} (ODONATA_DEBUG=1 shows where)",
    )


# A handler of signals can only raise: the exit status tells later which signal it was.
_ended_by: list[signal.Signals] = []


def end_like_ctrl_c() -> None:
    """Let SIGTERM and SIGHUP end a command as Ctrl-C does, which saves finished output.

    A signal that is ignored, as ``nohup`` does, stays so.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)


def _interrupt(number: int, _: object) -> None:
    _ended_by.append(signal.Signals(number))
    raise KeyboardInterrupt


def _interrupted() -> tuple[int, str]:
    """Return the exit status and the message of a command that was interrupted."""
    if not _ended_by:
        return ExitStatus.INTERRUPTED, "interrupted"
    return 128 + _ended_by[0], f"ended by {_ended_by[0].name}"


def _io_message(error: OSError) -> str:
    reason = error.strerror or str(error)
    if error.errno == errno.EBADF and error.filename is None:
        return "standard output: it is closed"
    return f"{error.filename}: {reason}" if error.filename is not None else reason


def _usage_message(error: BaseException) -> str | None:
    """Return typer's message on a wrong option or argument, None of any other error."""
    tell = getattr(error, "format_message", None)
    if not callable(tell):
        return None
    message = str(tell())
    missing = message == "Missing option '--machine'."
    return f"{message} odonata machines lists them" if missing else message


def _settle_output() -> None:
    """Keep the interpreter from failing once more when it flushes stdout at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
