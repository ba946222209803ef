"""The files of a DUMPI trace: which they are, and everything in them but the calls."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from odonata import _core
from odonata.errors import ReadError, UserError
from odonata.files import read_beginning

__all__ = ["Counts", "DumpiFile", "find_files", "function_names", "is_dumpi_file"]

MAGIC = b"\xff\xaa\xddDUMPI"
FOOTER_MAGIC = 0xF007FEE7
INDEX = 8 * 8
"""Length of the index at the end of a file [B]."""

MOST_FILES = 2**20
MOST_META = 2**20
"""Longest description of a run that is read [B]."""

_NAME = re.compile(r"(?P<prefix>.*)-(?P<rank>\d{1,9})\.bin\Z", re.DOTALL)


@cache
def function_names() -> tuple[str, ...]:
    """Return the functions that the footer of a file counts, by number.

    Examples
    --------
    >>> function_names()[0], len(function_names())
    ('MPI_Send', 290)
    """
    names = [name for name, _ in _core.dumpi_functions()]
    counted = names[: names.index("end_of_functions")]
    return tuple(map(function_name, counted))


def function_name(name: str) -> str:
    """Return MPI's name of a function that DUMPI lists by this name.

    Examples
    --------
    >>> function_name("Send"), function_name("IO_Test")
    ('MPI_Send', 'MPIO_Test')
    """
    return f"MPIO_{name[3:]}" if name.startswith("IO_") else f"MPI_{name}"


def is_dumpi_file(path: Path) -> bool:
    """Whether a file begins as a DUMPI file does."""
    return read_beginning(path, len(MAGIC)) == MAGIC


@dataclass(frozen=True)
class Counts:
    """Calls that a rank made, by name of the function.

    Parameters
    ----------
    called
        Calls of the program, and of MPI itself inside them.
    ignored
        Calls that the recorder was told not to write.
    """

    called: dict[str, int]
    ignored: dict[str, int]


@dataclass(frozen=True)
class DumpiFile:
    """Everything in the file of one rank but its calls.

    Parameters
    ----------
    path
        The file.
    content
        Its bytes, mapped into memory.
    version
        Version of DUMPI that wrote it: (0, 6, 9).
    body
        Place of the first call [B].
    start
        Time at which it was opened [s since 1970].
    host, user
        Where and by whom.
    counts
        Calls by the footer.
    sizes
        Size of each datatype, by number [B]; 0 where it is not known.
    keys
        Key-value pairs.
    """

    path: Path
    content: NDArray[np.uint8]
    version: tuple[int, int, int]
    body: int
    start: int = 0
    host: str = ""
    user: str = ""
    counts: Counts = field(default_factory=lambda: Counts({}, {}))
    sizes: tuple[int, ...] = ()
    keys: dict[str, str] = field(default_factory=dict)

    @property
    def place(self) -> _core.DumpiPlace:
        """Place of its calls, for the readers in C++."""
        major, minor, micro = self.version
        return _core.DumpiPlace(self.body, 10_000 * major + 100 * minor + micro, str(self.path))

    @classmethod
    def open(cls, path: Path) -> DumpiFile:
        """Read a file.

        Raises
        ------
        UserError
            It is no DUMPI file, or damaged.
        """
        return _Reading(path).read()


class _Reading:
    """Reads the parts of a file that its index names."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            size = path.stat().st_size
            if size < len(MAGIC) + INDEX:
                raise self._error("too short for a DUMPI file", value=f"{size} B")
            self._content = np.memmap(path, dtype=np.uint8, mode="r")
        except OSError as error:
            raise ReadError.of(error, path) from error
        self._at = 0

    def read(self) -> DumpiFile:
        if self._bytes(0, len(MAGIC)) != MAGIC:
            raise self._error("not a DUMPI file")
        index = self._index()
        version, start, host, user = self._header(index["header"])
        return DumpiFile(
            path=self._path,
            content=self._content,
            version=version,
            body=index["body"],
            start=start,
            host=host,
            user=user,
            counts=self._footer(index["footer"]),
            sizes=self._sizes(index.get("sizes", 0)),
            keys=self._keys(index["keys"]),
        )

    def _index(self) -> dict[str, int]:
        """Return the places of the parts; files of early versions have fewer."""
        names = ("sizes", "addresses", "counters", "header", "body", "footer", "keys")
        for first in range(4):
            begin = len(self._content) - INDEX + 8 * first
            if self._bytes(begin, 8) == MAGIC:
                self._at = begin + 8
                found = {name: self._u8() for name in names[first:]}
                if max(found.values()) >= begin or found["body"] < len(MAGIC):
                    raise self._error("its index names places outside the file")
                return found
        raise self._error("no index at the end; the file was cut off, or is damaged")

    def _header(self, place: int) -> tuple[tuple[int, int, int], int, str, str]:
        if place == 0:
            raise self._error("no header, so that its version is unknown")
        self._at = place
        major, minor, micro = self._take(3)
        start = self._u8()
        return (major, minor, micro), start, self._text(), self._text()

    def _footer(self, place: int) -> Counts:
        if place == 0:
            return Counts({}, {})
        self._at = place
        if self._u8() != FOOTER_MAGIC:
            raise self._error("a damaged footer")
        names = function_names()
        rows = []
        for _ in range(2):
            numbers = np.frombuffer(self._take(4 * (len(names) + 1)), dtype=">u4")
            rows.append({n: int(c) for n, c in zip(names, numbers, strict=False) if c})
        return Counts(*rows)

    def _sizes(self, place: int) -> tuple[int, ...]:
        if place == 0:
            return ()
        self._at = place
        count = self._count(4)
        return tuple(np.frombuffer(self._take(4 * count), dtype=">i4").tolist())

    def _keys(self, place: int) -> dict[str, str]:
        if place == 0:
            return {}
        self._at = place
        return {self._text(): self._text() for _ in range(self._count(4))}

    def _count(self, least: int) -> int:
        (count,) = struct.unpack(">i", self._take(4))
        if not 0 <= count <= (len(self._content) - self._at) // least:
            raise self._error("a list longer than the file", value=count)
        return int(count)

    def _text(self) -> str:
        (length,) = struct.unpack(">H", self._take(2))
        return self._take(length).decode("utf-8", "replace").rstrip("\0")

    def _u8(self) -> int:
        (number,) = struct.unpack(">Q", self._take(8))
        return int(number)

    def _take(self, count: int) -> bytes:
        taken = self._bytes(self._at, count)
        self._at += count
        return taken

    def _bytes(self, begin: int, count: int) -> bytes:
        if not 0 <= begin <= len(self._content) - count:
            raise self._error("a part that lies beyond its end")
        return bytes(self._content[begin : begin + count])

    def _error(self, what: str, *, value: object = None) -> UserError:
        return UserError(f"{self._path}: {what}", value=value)


def find_files(path: Path) -> tuple[list[Path], list[str]]:
    """Return the files of a trace, rank by rank, and other files beside them.

    Parameters
    ----------
    path
        A directory, a file ``name.meta``, or one of the files ``name-0000.bin``.

    Returns
    -------
    files
        One for each rank.
    ignored
        Names of files of the directory that belong to no trace.

    Raises
    ------
    UserError
        There is no trace, or several; or the file of a rank is missing.
    """
    folder = path if path.is_dir() else path.parent
    names = sorted(_list(folder))
    traces: dict[str, dict[int, Path]] = {}
    ignored = []
    for name in names:
        match = _NAME.match(name.name)
        if match is None or not is_dumpi_file(name):
            ignored.append(name.relative_to(folder).as_posix())
            continue
        key = (name.parent / match["prefix"]).as_posix()
        ranks = traces.setdefault(key, {})
        rank = int(match["rank"])
        if rank in ranks:
            raise UserError(f"{folder}: two files of rank {rank}: {ranks[rank]} and {name}")
        ranks[rank] = name
    prefix = _choose(path, folder, traces)
    files = traces[prefix]
    expected = max(_announced(Path(f"{prefix}.meta")), max(files) + 1)
    missing = [rank for rank in range(expected) if rank not in files]
    if missing:
        some = ", ".join(map(str, missing[:8])) + (", ..." if len(missing) > 8 else "")
        raise UserError(
            f"{_below(folder, prefix)}: {len(missing)} of {expected} ranks have no file: {some}",
            allowed="a file for each rank",
        )
    own = Path(f"{prefix}.meta").relative_to(folder).as_posix()
    return [files[rank] for rank in range(expected)], [name for name in ignored if name != own]


def _list(folder: Path) -> Iterable[Path]:
    try:
        found = [file for file in folder.rglob("*") if file.is_file()]
    except OSError as error:
        raise ReadError.of(error, folder) from error
    if len(found) > MOST_FILES:
        raise UserError(f"{folder}: files", value=len(found), allowed=f"up to {MOST_FILES}")
    return found


def _choose(path: Path, folder: Path, traces: dict[str, dict[int, Path]]) -> str:
    """Return the beginning of the names of a trace's files."""
    if path.suffix == ".meta" and path.with_suffix("").as_posix() in traces:
        return path.with_suffix("").as_posix()
    match = _NAME.match(path.name) if path.is_file() else None
    if match is not None:
        return (path.parent / match["prefix"]).as_posix()
    if not traces:
        raise UserError(f"{path}: no files of a DUMPI trace", allowed="name-0000.bin and so on")
    if len(traces) > 1:
        raise UserError(
            f"{path}: several DUMPI traces",
            value=", ".join(sorted(_below(folder, prefix) for prefix in traces)[:8]),
            allowed="one; name it by one of its files, in an archive after unpacking",
        )
    return next(iter(traces))


def _below(folder: Path, prefix: str) -> str:
    """Return the beginning of names as it is in a folder."""
    return Path(prefix).relative_to(folder).as_posix()


def _announced(meta: Path) -> int:
    """Return the number of ranks in the description of a run; 0 if it is missing."""
    try:
        with meta.open("rb") as file:
            text = file.read(MOST_META).decode("utf-8", "replace")
    except OSError:
        return 0
    match = re.search(r"^numprocs=(\d{1,7})\s*$", text, re.MULTILINE)
    return int(match[1]) if match else 0
