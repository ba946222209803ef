"""Requests of a program to the dynamic linker: a small reader of ELF files that trusts nothing."""

from __future__ import annotations

import os
import re
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

__all__ = ["Dynamic", "read_dynamic"]

MOST_SEGMENTS = 4096
MOST_ENTRIES = 65536
LONGEST_NAME = 4096
MOST_STRINGS = 2**26

_LOAD, _DYNAMIC, _INTERPRETER = 1, 2, 3
_NEEDED, _STRINGS, _STRINGS_SIZE, _RPATH, _RUNPATH = 1, 5, 10, 15, 29
_MODULES = re.compile(rb"\0(p?mpi\w*_f08\w*_|__mpi\w*_MOD_\w+|p?mpi_sizeof_\w+)\0")


@dataclass(frozen=True)
class Dynamic:
    """Contents of the dynamic section of a file.

    Parameters
    ----------
    needed
        Names of the libraries that it needs.
    rpath
        Folders where its libraries, and theirs, are looked for first, as written: with ``$ORIGIN``;
        none if there is a ``runpath``.
    runpath
        Folders where its own libraries are looked for after ``LD_LIBRARY_PATH``.
    starts
        Whether it says who links it when it is started: programs do, shared objects don't.
    modules
        Whether it names functions that only MPICH's own library for Fortran has: functions of the
        module ``mpi_f08``, and ``MPI_Sizeof``.
    open_mpi
        Whether it names an object of Open MPI, as every program that was compiled with its
        ``mpi.h`` does.
    """

    needed: tuple[str, ...]
    rpath: tuple[str, ...]
    runpath: tuple[str, ...]
    starts: bool
    modules: bool = False
    open_mpi: bool = False


def read_dynamic(path: Path) -> Dynamic | None:
    """Return an ELF file's entries for the dynamic linker.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Dynamic or None
        None if it is no ELF file of 64 bits, a damaged one, or cannot be read: programs need not.
    """
    try:
        with path.open("rb") as file:
            return _read(file)
    except (OSError, struct.error, ValueError, OverflowError):
        return None


def _read(file: BinaryIO) -> Dynamic | None:
    head = file.read(64)
    if len(head) < 64 or head[:5] != b"\x7fELF\x02" or head[5] not in (1, 2):
        return None
    order = "<" if head[5] == 1 else ">"
    start, size, count = _segments(head, order)
    if size < 56 or count > MOST_SEGMENTS:
        return None
    loads: list[tuple[int, int, int]] = []  # address, offset, bytes in the file
    dynamic: tuple[int, int] | None = None
    starts = False
    for i in range(count):
        kind, _, offset, address, _, length = struct.unpack(
            order + "IIQQQQ", _bytes(file, start + i * size, 40)
        )
        if kind == _LOAD:
            loads.append((address, offset, length))
        elif kind == _DYNAMIC:
            dynamic = (offset, length)
        elif kind == _INTERPRETER:
            starts = True
    if dynamic is None:
        return Dynamic((), (), (), starts)
    return _names(file, order, dynamic, loads, starts)


def _segments(head: bytes, order: str) -> tuple[int, int, int]:
    """Return where the table of segments is, the size of an entry and their number."""
    (start,) = struct.unpack_from(order + "Q", head, 32)
    size, count = struct.unpack_from(order + "HH", head, 54)
    return start, size, count


def _names(
    file: BinaryIO,
    order: str,
    dynamic: tuple[int, int],
    loads: list[tuple[int, int, int]],
    starts: bool,
) -> Dynamic | None:
    """Return the entries of a dynamic section; None if its names cannot be found."""
    offset, length = dynamic
    entries = _bytes(file, offset, min(length // 16, MOST_ENTRIES) * 16)
    found: dict[int, list[int]] = {}
    for tag, value in struct.iter_unpack(order + "QQ", entries):
        if tag == 0:
            break
        found.setdefault(tag, []).append(value)
    strings = _offset_of(found[_STRINGS][-1], loads) if _STRINGS in found else None
    if strings is None:
        named = found.keys() & {_NEEDED, _RPATH, _RUNPATH}
        return None if named else Dynamic((), (), (), starts)
    texts = {
        tag: [_text(file, strings + at) for at in found.get(tag, [])]
        for tag in (_NEEDED, _RPATH, _RUNPATH)
    }
    size = min(found.get(_STRINGS_SIZE, [0])[-1], MOST_STRINGS)
    _go_to(file, strings)
    names = file.read(size)
    return Dynamic(
        tuple(texts[_NEEDED]),
        () if texts[_RUNPATH] else _folders(texts[_RPATH]),
        _folders(texts[_RUNPATH]),
        starts,
        _MODULES.search(names) is not None,
        b"\0ompi_mpi_" in names,
    )


def _folders(texts: list[str]) -> tuple[str, ...]:
    return tuple(folder for text in texts for folder in text.split(":") if folder)


def _offset_of(address: int, loads: list[tuple[int, int, int]]) -> int | None:
    for first, offset, length in loads:
        if first <= address < first + length:
            return address - first + offset
    return None


def _bytes(file: BinaryIO, offset: int, length: int) -> bytes:
    _go_to(file, offset)
    got = file.read(length)
    if len(got) < length:
        raise ValueError("the file ends early")
    return got


def _go_to(file: BinaryIO, offset: int) -> None:
    if offset > os.fstat(file.fileno()).st_size:
        raise ValueError("the file ends early")
    file.seek(offset)


def _text(file: BinaryIO, offset: int) -> str:
    _go_to(file, offset)
    text, end, _ = file.read(LONGEST_NAME).partition(b"\0")
    if not end:
        raise ValueError("a name without an end")
    return text.decode("utf-8", "surrogateescape")
