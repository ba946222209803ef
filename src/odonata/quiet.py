"""Standard error: our notes, unless ``--quiet``, and words of libraries, which are captured."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr

from odonata.text import for_terminal

__all__ = ["be_quiet", "errors_of_library", "is_quiet", "note"]

MOST_KEPT = 2**16
"""Bytes of a library's output that are looked at."""


_state = {"quiet": False}


def be_quiet(wanted: bool = True) -> None:
    """Print no notes, warnings or progress from here on, or print them again; errors are printed.

    Parameters
    ----------
    wanted
        Whether to be quiet.
    """
    _state["quiet"] = wanted


def is_quiet() -> bool:
    """Return whether notes, warnings and progress are unwanted."""
    return _state["quiet"]


def note(text: str) -> None:
    """Print a line about a result to standard error.

    Parameters
    ----------
    text
        The note.
    """
    if not is_quiet():
        print(for_terminal(f"odonata: {text}"), file=sys.stderr)


@contextmanager
def errors_of_library() -> Iterator[list[str]]:
    """Capture the lines that a library writes to standard error; the list has them at the end.

    Other threads' words go the same way meanwhile.

    Examples
    --------
    >>> with errors_of_library() as lines:
    ...     _ = os.write(2, b"[OTF2] error: invalid argument")
    >>> lines
    ['[OTF2] error: invalid argument']
    """
    import tempfile  # for libraries that write themselves, alone

    lines: list[str] = []
    sys.stderr.flush()
    before = os.dup(2)
    try:
        with tempfile.TemporaryFile() as kept:
            os.dup2(kept.fileno(), 2)
            try:
                with open(2, "w", buffering=1, closefd=False) as ours, redirect_stderr(ours):
                    yield lines
            finally:
                os.dup2(before, 2)
                kept.seek(0)
                text = kept.read(MOST_KEPT).decode("utf-8", "replace")
                lines += [line for line in text.splitlines() if line.strip()]
    finally:
        os.close(before)
