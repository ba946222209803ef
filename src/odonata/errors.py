"""The roots of errors: the user's input is wrong, the run is stuck, or we have a bug."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Self

__all__ = [
    "ConservationError",
    "DeadlockError",
    "InternalError",
    "NoMpiError",
    "OdonataError",
    "RankError",
    "ReadError",
    "UserError",
    "WorkerError",
    "WriteError",
    "near_file",
    "near_miss",
]

LONGEST = 200
"""Characters of a value that a message shows."""

MOST_NEIGHBOURS = 10_000
"""Files of a folder that are searched for a name like the missing one."""

LONGEST_PART = 4_000
"""Characters of a part of a message that is shown whole: paths are not longer."""


class OdonataError(Exception):
    """Root of every error that Odonata raises on purpose."""


class UserError(OdonataError, ValueError):
    """Wrong input of the user; the message is one line.

    Parameters
    ----------
    what
        The problem, starting with the name of the thing: ``"bandwidth: no unit"``.
    value
        The offending value, shown as Python writes it.
    allowed
        The allowed range or choices, in words.
    where
        ``file:line:key`` of the value.
    near
        The known name that was probably meant.

    Examples
    --------
    >>> str(UserError("ranks: out of range", value=-1, allowed="1 to 4096"))
    'ranks: out of range: -1; allowed: 1 to 4096'
    """

    def __init__(
        self,
        what: str,
        *,
        value: object = None,
        allowed: str | None = None,
        where: str | None = None,
        near: str | None = None,
    ) -> None:
        self.what = what
        self.value = value
        self.allowed = allowed
        self.where = where
        self.near = near
        super().__init__(self._message())

    def _message(self) -> str:
        parts = [f"{_clipped(self.where)}: " if self.where else "", _clipped(self.what)]
        if self.value is not None:
            parts.append(f": {_shown(self.value)}")
        if self.near:
            parts.append(f"; did you mean {self.near!r}?")
        if self.allowed:
            parts.append(f"; allowed: {self.allowed}")
        return " ".join("".join(parts).split())


class ReadError(UserError):
    """A file that the user named is missing or cannot be read.

    Examples
    --------
    >>> str(ReadError.of(FileNotFoundError(2, "No such file or directory"), "mine.toml"))
    'mine.toml: cannot be read: No such file or directory'
    """

    @classmethod
    def of(cls, error: OSError | ValueError, path: str | Path) -> Self:
        """Return what an error of the system means for a file.

        Parameters
        ----------
        error
            What the system, or Python of an impossible path, said.
        path
            The file.
        """
        reason = getattr(error, "strerror", None) or str(error)
        near = near_file(path) if isinstance(error, FileNotFoundError) else None
        return cls(f"{path}: cannot be read: {reason}", near=near)


class WriteError(OdonataError, OSError):
    """A file could not be written: a full disk, no such folder, no permission.

    Examples
    --------
    >>> error = WriteError(28, "No space left on device", "run.nc")
    >>> str(error), error.filename, error.errno
    ('run.nc: cannot be written: No space left on device', 'run.nc', 28)
    """

    @classmethod
    def of(cls, error: OSError | ValueError, path: str | Path) -> Self:
        """Return what an error of the system means for a file.

        Parameters
        ----------
        error
            What the system, or Python of an impossible path, said.
        path
            The file.
        """
        code = getattr(error, "errno", None) or errno.EINVAL
        reason = getattr(error, "strerror", None) or str(error)
        return cls(code, reason, str(path))

    def __str__(self) -> str:
        return f"{self.filename}: cannot be written: {self.strerror}"


class DeadlockError(OdonataError):
    """The ranks of a run wait for each other for ever; the message says who waits for whom."""


class NoMpiError(OdonataError):
    """A program that was run to be simulated ended without one call of MPI."""


class RankError(OdonataError):
    """A rank of a program that ran crashed, aborted, or left without MPI_Finalize.

    Parameters
    ----------
    why
        Which rank, and how it ended.
    rank
        The rank.
    exit_code
        Exit code of the run, as launchers have it: 128 and the number of the signal, the code of
        MPI_Abort, or the rank's own.
    said
        Whether the rank has told standard error why.
    """

    def __init__(self, why: str, rank: int, exit_code: int, said: bool = False) -> None:
        self.said = said
        self.rank = rank
        self.exit_code = exit_code
        super().__init__(why)


class WorkerError(OdonataError):
    """Workers of a study end without doing their work.

    Parameters
    ----------
    why
        The message of the last worker.
    exit_code
        Its exit status.
    """

    def __init__(self, why: str, exit_code: int) -> None:
        self.exit_code = exit_code
        super().__init__(why)


class InternalError(OdonataError):
    """An invariant of ours is broken: a bug to report."""


class ConservationError(InternalError):
    """Something is lost at the end of a run, or has come from nowhere.

    Parameters
    ----------
    message
        All of it in one line.
    place
        A link, a buffer or a message.
    found, expected
        The found and the expected number; the message names them, with the unit.
    """

    def __init__(self, message: str, *, place: str = "", found: int = 0, expected: int = 0) -> None:
        self.place = place
        self.found = found
        self.expected = expected
        super().__init__(message)


def near_miss(name: str, known: Iterable[str]) -> str | None:
    """Return the known name closest to a misspelt one, or None if none is close.

    Parameters
    ----------
    name
        The given name.
    known
        The names that exist.

    Examples
    --------
    >>> near_miss("brukc", ["ring", "bruck"])
    'bruck'
    """
    import difflib  # for errors alone

    by_folded = {candidate.casefold(): candidate for candidate in known}
    close = difflib.get_close_matches(name[:LONGEST].casefold(), by_folded, n=1)
    return by_folded[close[0]] if close else None


def near_file(path: str | Path) -> str | None:
    """Return the file or folder that was probably meant by one that is missing.

    It is in the same folder, and has the same suffix if there is one, or else the same name before
    a suffix that is close.

    Parameters
    ----------
    path
        The missing file.

    Returns
    -------
    str or None
        Its path; None if none is close, or the folder has very many files.
    """
    path = Path(path)
    try:
        with os.scandir(path.parent) as entries:
            names = {entry.name for entry in islice(entries, MOST_NEIGHBOURS + 1)} - {path.name}
    except (OSError, ValueError):
        return None
    if len(names) > MOST_NEIGHBOURS:
        return None
    known = [Path(name) for name in sorted(names)]
    alike = [each.name for each in known if path.suffix in ("", each.suffix)]
    suffixes = {each.suffix: each.name for each in known if each.stem == path.stem}
    found = near_miss(path.name, alike) or suffixes.get(near_miss(path.suffix, suffixes) or "")
    return str(path.with_name(found)) if found else None


def _clipped(text: str) -> str:
    """Return a text; the middle of a long one, such as a key of 3 MB, is left out."""
    return text if len(text) <= LONGEST_PART else f"{text[:LONGEST]}...{text[-LONGEST:]}"


def _shown(value: object) -> str:
    # A number of NumPy is written as a number; this module does not import NumPy.
    text = repr(value.item() if hasattr(value, "item") else value)
    return text if len(text) <= LONGEST else text[:LONGEST] + "..."
