"""Files that are whole or not there."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from odonata.errors import WriteError

__all__ = ["require_writable", "write_whole"]


def write_whole(path: str | Path, content: bytes | memoryview) -> None:
    """Write a file at once: beside its place under another name, then renamed.

    Devices and pipes, which cannot be renamed over, are written as they stand.

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
    try:
        target = Path(os.path.realpath(path))
        if _is_special(target):
            with target.open("wb") as file:
                file.write(content)
        else:
            _replace(target, content)
    except (OSError, ValueError) as error:
        raise WriteError.of(error, path) from error


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
        target = Path(os.path.realpath(path))
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if _is_special(target):
            return
        beside = _beside(target)
        beside.open("xb").close()
        beside.unlink()
    except (OSError, ValueError) as error:
        raise WriteError.of(error, path) from error


def _replace(target: Path, content: bytes | memoryview) -> None:
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    beside = _beside(target)
    try:
        with beside.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # some disks tell that they are full only here
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _beside(target: Path) -> Path:
    """Return a hidden name in the same folder that no other writer uses."""
    return target.with_name(f".odonata-{os.getpid()}-{os.urandom(4).hex()}.part")


def _is_special(target: Path) -> bool:
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
