"""Files: written whole or not at all, read within bounds, and JSON checked against a type."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import select
import stat
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from io import FileIO
from pathlib import Path
from typing import BinaryIO, TypeVar

from odonata.errors import ReadError, UserError, WriteError

__all__ = [
    "NewFile",
    "checked",
    "open_regular",
    "open_stream",
    "read_beginning",
    "read_bytes",
    "read_json",
    "read_text",
    "require_writable",
    "write_parts",
    "write_whole",
]

T = TypeVar("T")

PATIENCE_SECONDS = 1.0
"""Longest time that a pipe may have no writer [s]."""

LONGEST_NAME = 200
"""Bytes of a file's name that the name of its incomplete part begins with."""


_WORDS = {
    "array": "a list",
    "float": "a number",
    "int": "a whole number",
    "object": "an object of JSON",
    "str": "a text",
}
_WRONG = re.compile(r"Expected `(?P<kind>\w+)`(?P<got>, got `\w+`)?(?P<rest>.*)", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(?P<key>.*)`")
_PART = re.compile(r"\.([0-9]{1,9})-[0-9a-f]{8}\.part$")
_STEP = re.compile(r"\.?([^.\[\]]+)")


class NewFile:
    """A file that grows beside its place, and takes its name when it is complete.

    Until then an older file of that name stays as it was. Devices and pipes, which cannot be
    renamed over, are written as they stand. An incomplete file left by a kill is removed when the
    file is written again.

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
            if self._part == self._target:
                self._file = self._part.open("wb", buffering=0)
            else:
                _remove_left(self._target)
                self._file = self._part.open("xb", buffering=0)
                _lock(self._file)
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
        """Keep the incomplete file under another name, and return that name.

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
    write_parts(path, [content])


def write_parts(path: str | Path, parts: Iterable[bytes | memoryview]) -> None:
    """Write a file part by part: beside its place under another name, then renamed.

    Parameters
    ----------
    path
        The file; a symbolic link is followed.
    parts
        Its contents, in order; they may be made one after the other.

    Raises
    ------
    WriteError
        It could not be written: nothing of it is left behind, and an older file of that name is as
        it was.
    """
    made = NewFile(path)
    try:
        for part in parts:
            made.write(part)
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
        Its folder doesn't exist or may not be written to, or the path is a folder.
    """
    try:
        if _is_special(_target(path)):
            return
    except (OSError, ValueError) as error:
        raise WriteError.of(error, path) from error
    NewFile(path).discard()


def read_bytes(path: str | Path, most: int, *, what: str = "file") -> bytes:
    """Return the contents of a file, which may be a pipe.

    Parameters
    ----------
    path
        The file.
    most
        Bytes that it may have; no more are read.
    what
        Name of such a file in messages.

    Raises
    ------
    ReadError
        It cannot be read.
    UserError
        It is too long.
    """
    try:
        with open_stream(path) as file:
            content = _read_at_most(file, most + 1)
    except OSError as error:
        raise ReadError.of(error, path) from error
    if len(content) > most:
        raise UserError(f"{what}: too long", allowed=f"{most} bytes", where=str(path))
    return content


def _read_at_most(file: BinaryIO, most: int) -> bytes:
    """Return at most so many bytes, for which no more memory is taken than the file has bytes."""
    size = max(os.fstat(file.fileno()).st_size + 1, 2**16)  # a pipe has none
    parts, missing = [], most
    while missing > 0 and (part := file.read(min(size, missing))):
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def read_text(path: str | Path, most: int, *, what: str) -> str:
    """Return the contents of a text file in UTF-8.

    Parameters
    ----------
    path, most, what
        The same as for `read_bytes`.

    Raises
    ------
    ReadError
        It cannot be read.
    UserError
        It is too long, or not UTF-8.
    """
    try:
        return read_bytes(path, most, what=what).decode()
    except UnicodeDecodeError as error:
        raise UserError(f"{what}: not UTF-8 text", where=str(path)) from error


def read_json(path: str | Path, most: int, *, what: str) -> object:
    """Return the contents of a JSON file.

    Parameters
    ----------
    path
        The file.
    most
        Longest file that is read [B].
    what
        Name of the document in errors.

    Raises
    ------
    ReadError
        It cannot be read.
    UserError
        It is too long, or not JSON.
    """
    import msgspec

    data = read_bytes(path, most, what=what)
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"{what}: not JSON: {error}", where=str(path)) from error


def checked(document: object, kind: type[T], *, what: str, where: str) -> T:
    """Return a document, or a part of one, as a type.

    Parameters
    ----------
    document
        Decoded JSON.
    kind
        A `msgspec.Struct`, or another type that msgspec knows.
    what
        Name of the document in errors.
    where
        File, and behind a colon the part of it: ``run.json:runs[2]``.

    Raises
    ------
    UserError
        A key is missing, or a value is of another type or out of range.

    Examples
    --------
    >>> checked([1, 2], list[int], what="numbers", where="run.json:sizes")
    [1, 2]
    """
    import msgspec

    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `$")
        raise _error(message, path.removesuffix("`"), document, what, where) from None


def open_stream(path: str | Path) -> BinaryIO:
    """Open a file to be read from its begin to its end.

    A pipe may be read (``<(...)`` of a shell is one), but not waited for: a pipe without a writer
    is refused.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    ReadError
        It cannot be read.
    """
    try:
        file = open(path, "rb", opener=_open_at_once)  # noqa: SIM115 (the caller closes it)
        try:
            _await_writer(file)
        except BaseException:
            file.close()
            raise
    except (OSError, ValueError) as error:
        raise ReadError.of(error, path) from error
    return file


def read_beginning(path: Path, most: int) -> bytes:
    """Return the first bytes of a file, by which its kind is known; none of a pipe or device.

    Parameters
    ----------
    path
        The file.
    most
        Number of bytes.
    """
    try:
        with open_regular(path) as file:
            return file.read(most)
    except ReadError:
        return b""


def open_regular(path: str | Path) -> BinaryIO:
    """Open a file to be read at any place of it; pipes and devices have no places.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    ReadError
        It cannot be read, or is no regular file.
    """
    try:
        file = open(path, "rb", opener=_open_at_once)  # noqa: SIM115 (the caller closes it)
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            file.close()
            raise ValueError("it is a pipe or a device")
    except (OSError, ValueError) as error:
        raise ReadError.of(error, path) from error
    return file


def _open_at_once(path: str, flags: int) -> int:
    """Open a file without waiting for the writer of a pipe."""
    return os.open(path, flags | os.O_NONBLOCK)


def _await_writer(file: BinaryIO) -> None:
    """Fail if the file is a pipe without a writer; from then on, reading waits for data."""
    number = file.fileno()
    if stat.S_ISFIFO(os.fstat(number).st_mode):
        waiting = select.poll()
        waiting.register(number, select.POLLIN)
        if not waiting.poll(PATIENCE_SECONDS * 1000) and _has_ended(number):
            raise ValueError("no process writes to this pipe")
    os.set_blocking(number, True)


def _has_ended(number: int) -> bool:
    """Return whether a pipe that has nothing to read has no writer either."""
    try:
        return os.read(number, 1) == b""
    except BlockingIOError:
        return False


def _target(path: str | Path) -> Path:
    """Return where a file will be."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return target


def _beside(target: Path) -> Path:
    """Return a name in the same folder that no other writer uses."""
    return target.with_name(f"{_part_begin(target)}.{os.getpid()}-{os.urandom(4).hex()}.part")


def _part_begin(target: Path) -> str:
    """Return the beginning of the names of a file's incomplete parts."""
    return os.fsdecode(os.fsencode(target.name)[:LONGEST_NAME])


def _lock(file: BinaryIO | FileIO) -> bool:
    """Lock a file for as long as it is open here; false if another process has it open so."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:  # some file systems have no locks
        return error.errno not in (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL)
    return True


@lru_cache(maxsize=1)
def _parts_in(folder: Path) -> list[str]:
    """Return the names of the incomplete parts of files that a folder had at the first look."""
    with os.scandir(folder) as entries:
        return [entry.name for entry in entries if _PART.search(entry.name)]


def _remove_left(target: Path) -> None:
    """Remove incomplete parts of a file that no process writes."""
    begin = _part_begin(target)
    for name in _parts_in(target.parent):
        found = _PART.search(name)
        if found is None or name[: found.start()] != begin or _is_running(int(found[1])):
            continue
        part = target.with_name(name)
        with suppress(OSError), open(part, "rb", opener=_open_at_once) as file:
            if _lock(file):
                part.unlink()


def _is_running(process: int) -> bool:
    """Return whether a process of this number is there, be it another one by now."""
    try:
        os.kill(process, 0)  # signal 0 is not sent: only the process is looked for
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _is_special(target: Path) -> bool:
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _error(message: str, path: str, document: object, what: str, where: str) -> UserError:
    missing = _MISSING.fullmatch(message)
    if missing is not None:
        key = missing["key"]
        return UserError(f"{key}: missing", where=_place(where, f"{path}.{key}"))
    steps = [step for step in _STEP.findall(path) if not step.isdecimal()]
    name, place = steps[-1] if steps else what, _place(where, path)
    value = _value_at(document, path)
    shown = None if isinstance(value, (dict, list)) else value
    wrong = _WRONG.fullmatch(message)
    if wrong is None:
        return UserError(f"{name}: {message}", value=shown, where=place)
    if wrong["rest"].startswith(" that's a multiple of 1"):
        return UserError(f"{name}: not a whole number", value=shown, where=place)
    word = _WORDS.get(wrong["kind"], wrong["kind"])
    if wrong["got"] or (wrong["rest"].startswith(" of length") and ", got" in wrong["rest"]):
        length = wrong["rest"].partition(",")[0]
        return UserError(f"{name}: not {word}{length}", value=shown, where=place)
    allowed = f"{word}{wrong['rest']}".removesuffix(".0")
    return UserError(f"{name}: out of range", value=shown, allowed=allowed, where=place)


def _place(where: str, path: str) -> str:
    """Return the file and the dotted path in it."""
    inner = path if ":" in where else path.removeprefix(".")
    return where + (inner if ":" in where or not inner else f":{inner}")


def _value_at(document: object, path: str) -> object:
    found = document
    for step in _STEP.findall(path):
        if isinstance(found, dict):
            found = found.get(step)
        elif isinstance(found, list):
            found = found[int(step)]
    return found
