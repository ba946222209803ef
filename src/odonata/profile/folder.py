"""Folders of profiles while they are made.

An older profile stays until the new one is there: the new one is made beside it, in FOLDER.part.
"""

from __future__ import annotations

import re
from pathlib import Path

from odonata.errors import UserError, WriteError

__all__ = ["NewFolder"]

_OURS = re.compile(r"rank-\d+\.od[pl](\.part)?|functions(\.\d+|\.part)?|trace(\.part)?")


class NewFolder:
    """The folder of a profile that is made now.

    Parameters
    ----------
    folder
        The folder; it may hold an older profile, and nothing else.

    Raises
    ------
    UserError
        There is something else of that name, other files are in it, or it cannot be made.

    Attributes
    ----------
    path
        Where the files go until `finish`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._new = not folder.exists()
        part = folder.with_name(f"{folder.name}.part")
        self.path = part if _files_of(folder) else folder
        for left in _files_of(part):
            left.unlink()
        try:
            if part != self.path and part.is_dir():
                part.rmdir()
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"{self.path}: {error.strerror}") from error

    def finish(self) -> None:
        """Let the new profile take the place of the older one.

        Raises
        ------
        WriteError
            A file could not be moved.
        """
        if self.path == self._folder:
            return
        try:
            for old in _files_of(self._folder):
                old.unlink()
            for made in self.path.iterdir():
                made.rename(self._folder / made.name)
            self.path.rmdir()
        except OSError as error:
            raise WriteError(f"{self._folder}: {error.strerror}") from error

    def discard(self) -> None:
        """Remove the new folder; an older profile is as it was."""
        if not self.path.is_dir():
            return
        for made in self.path.iterdir():
            if _OURS.fullmatch(made.name):
                made.unlink(missing_ok=True)
        if (self._new or self.path != self._folder) and not any(self.path.iterdir()):
            self.path.rmdir()


def _files_of(folder: Path) -> list[Path]:
    """Return the files of the profile in a folder, which must hold nothing else."""
    if not folder.exists():
        return []
    if not folder.is_dir():
        raise UserError(f"{folder}: is a file; a profile is a folder")
    files = sorted(folder.iterdir())
    for path in files:
        if not _OURS.fullmatch(path.name) or path.is_dir():
            raise UserError(f"{folder}: holds {path.name!r}, which is no part of a profile")
    return files
