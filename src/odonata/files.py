"""Files: written whole or not at all, read within bounds."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from odonata.errors import WriteError

__all__ = ["NewFile", "require_writable", "write_whole"]

LONGEST_NAME = 200
"""Bytes of a file's name that the name of its incomplete part begins with."""


class NewFile:
    """A file that grows beside its place, and takes its name when it is complete.

    Until then an older file of that name stays as it was. Devices and pipes, which cannot be
    renamed over, are written as they stand.

    Parameters
    ----------
    path
        The file; a symbolic link is followed.

    Raises
    ------
    WriteError
        It cannot be made.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = path
        try:
            self._target = _target(path)
            self._part = self._target if _is_special(self._target) else _beside(self._target)
            how = "wb" if self._part == self._target else "xb"
            self._file = self._part.open(how, buffering=0)
        except (OSError, ValueError) as error:
            raise WriteError.of(error, path) from error

    @property
    def closed(self) -> bool:
        """Whether nothing more can be written."""
        return self._file.closed

    def write(self, content: bytes | memoryview) -> None:
        """Append to the file.

        Parameters
        ----------
        content
            All of it is written.

        Raises
        ------
        WriteError
            It could not be: nothing is left behind.
        """
        rest = memoryview(content)
        try:
            while rest:
                rest = rest[self._file.write(rest) or 0 :]
        except OSError as error:
            self.discard()
            raise WriteError.of(error, self._path) from error

    def finish(self) -> None:
        """Give the file its name.

        Raises
        ------
        WriteError
            It could not be: nothing is left behind.
        """
        try:
            if self._part != self._target:
                os.fsync(self._file.fileno())  # some disks tell that they are full only here
                self._part.replace(self._target)
            self._file.close()
        except OSError as error:
            self.discard()
            raise WriteError.of(error, self._path) from error

    def discard(self) -> None:
        """Leave nothing behind."""
        try:
            self._file.close()
        finally:
            if self._part != self._target:
                self._part.unlink(missing_ok=True)

    def leave(self) -> Path:
        """Keep what there is as a file of its own, and return its name.

        It is the file's name with ``.part`` behind it; an older part is replaced.

        Raises
        ------
        WriteError
            It could not be: nothing is left behind.
        """
        kept = self._target
        try:
            if self._part != self._target:
                kept = self._target.with_name(f"{self._target.name}.part")
                self._part.replace(kept)
            self._file.close()
        except OSError as error:
            self.discard()
            raise WriteError.of(error, kept) from error
        return kept


def write_whole(path: str | Path, content: bytes | memoryview) -> None:
    """Write a file at once: beside its place under another name, then renamed.

    Parameters
    ----------
    path
        The file; a symbolic link is followed.
    content
        All of it.

    Raises
    ------
    WriteError
        It could not be written: nothing of it is left behind, and an older file of that name is as
        it was.
    """
    made = NewFile(path)
    try:
        made.write(content)
        made.finish()
    except BaseException:
        made.discard()
        raise


def require_writable(path: str | Path) -> None:
    """Fail now if a file could not be written later, so that no long run is lost.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    WriteError
        Its folder doesn't exist or may not be written to, or the path is that of a folder.
    """
    try:
        if _is_special(_target(path)):
            return
    except (OSError, ValueError) as error:
        raise WriteError.of(error, path) from error
    NewFile(path).discard()


def _target(path: str | Path) -> Path:
    """Return where a file will be."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return target


def _beside(target: Path) -> Path:
    """Return a name in the same folder that no other writer uses."""
    begin = os.fsdecode(os.fsencode(target.name)[:LONGEST_NAME])
    return target.with_name(f"{begin}.{os.getpid()}-{os.urandom(4).hex()}.part")


def _is_special(target: Path) -> bool:
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
