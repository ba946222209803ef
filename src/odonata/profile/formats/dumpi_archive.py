"""Archives of DUMPI traces (``.tar``, ``.tar.gz``, ...), unpacked beside what else lies in them."""

from __future__ import annotations

import re
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from lzma import LZMAError
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from odonata.errors import ReadError, UserError, WriteError
from odonata.files import read_beginning

__all__ = ["is_archive", "unpacked"]

MAGIC = b"\xff\xaa\xddDUMPI"
MOST_MEMBERS = 2**20
MOST_META = 2**20
"""Longest description of a run that is unpacked [B]."""

MOST_UNPACKED = 2**40
"""Most bytes of all files together; half of the free disk space is another limit [B]."""

MOST_SEARCHED = 2**14
"""Members among which the first file of a trace must be."""

PIECE = 2**20

_FIRST = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00")
"""Beginnings of packed files."""

_FILE = re.compile(r".+-\d{1,9}\.bin", re.DOTALL)
_DAMAGE = (tarfile.TarError, EOFError, zlib.error, LZMAError, ValueError)


def is_archive(path: Path) -> bool:
    """Whether a file is an archive with a file of a DUMPI trace among its first members."""
    if not path.is_file() or not _may_be(path):
        return False
    try:
        with tarfile.open(path, "r|*") as archive:
            for _, member in zip(range(MOST_SEARCHED), archive, strict=False):
                if _FILE.fullmatch(_name(member)) and member.isreg():
                    content = archive.extractfile(member)
                    if content is not None and content.read(len(MAGIC)) == MAGIC:
                        return True
    except (OSError, *_DAMAGE):
        return False
    return False


@contextmanager
def unpacked(path: Path) -> Iterator[tuple[Path, list[str]]]:
    """Unpack the files of a trace into a folder that lasts as long as the context.

    Yields
    ------
    folder
        Has the files that begin as DUMPI files do, and descriptions (``.meta``).
    ignored
        Names of other files of the archive.

    Raises
    ------
    UserError
        The archive is damaged or too large.
    WriteError
        There is no room for its files.
    """
    with tempfile.TemporaryDirectory(prefix="odonata-") as name:
        folder = Path(name)
        try:
            ignored = _unpack(path, folder)
        except _DAMAGE as error:
            what = f"{path}: cut off, or a damaged archive: {error}"
            raise UserError(what) from error
        except OSError as error:
            raise ReadError.of(error, path) from error
        yield folder, ignored


def _may_be(path: Path) -> bool:
    start = read_beginning(path, 512)
    return start.startswith(_FIRST) or start[257:262] == b"ustar"


def _name(member: tarfile.TarInfo) -> str:
    return PurePosixPath(member.name).name


def _unpack(path: Path, folder: Path) -> list[str]:
    room = min(MOST_UNPACKED, shutil.disk_usage(folder).free // 2)
    ignored: list[str] = []
    places: dict[str, Path] = {}
    with tarfile.open(path, "r|*") as archive:
        for number, member in enumerate(archive):
            if number >= MOST_MEMBERS:
                raise UserError(f"{path}: files", allowed=f"up to {MOST_MEMBERS}")
            if not member.isfile():
                if not member.isdir():
                    ignored.append(member.name)
                continue
            inside = str(PurePosixPath(member.name).parent)
            place = places.setdefault(inside, folder / str(len(places)))
            content = archive.extractfile(member)
            if content is None or not _is_wanted(member):
                ignored.append(member.name)
                continue
            taken = _copy(path, cast("BinaryIO", content), place / _name(member), room)
            room -= taken
            if not taken:
                ignored.append(member.name)
    return ignored


def _is_wanted(member: tarfile.TarInfo) -> bool:
    name = _name(member)
    if name.endswith(".meta"):
        return member.size <= MOST_META
    return _FILE.fullmatch(name) is not None


def _copy(archive: Path, content: BinaryIO, target: Path, room: int) -> int:
    """Copy a file of the trace; return its length, 0 if it is something else [B]."""
    piece = content.read(PIECE)
    if target.suffix == ".bin" and not piece.startswith(MAGIC):
        return 0
    length = 0
    target.parent.mkdir(exist_ok=True)
    with target.open("xb") as file:
        while piece:
            length += len(piece)
            if length > room:
                what = f"{archive}: bytes of its files"
                raise UserError(what, value=f"more than {room}", allowed="half of the free disk")
            try:
                file.write(piece)
            except OSError as error:
                raise WriteError.of(error, target) from error
            piece = content.read(PIECE)
    return length
