"""Archives of DUMPI traces (``.tar.gz``, ``.zip``, ...), unpacked without other files."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from odonata.errors import ReadError, UserError, WriteError
from odonata.interchange.archive_files import (
    DAMAGE,
    ArchiveFile,
    files_of,
    is_zip,
    may_be_archive,
)

__all__ = ["Unpacked", "is_archive", "unpacked"]

MAGIC = b"\xff\xaa\xddDUMPI"
MOST_MEMBERS = 2**20
MOST_META = 2**20
"""Longest description of a run that is unpacked [B]."""

MOST_UNPACKED = 2**40
"""Most bytes of all files together; half of the free disk space is another limit [B]."""

MOST_SEARCHED = 2**14
"""Files among which the first one of a trace must be."""

PIECE = 2**20

_FILE = re.compile(r".+-\d{1,9}\.bin", re.DOTALL)


@dataclass
class Unpacked:
    """Contents of an archive.

    Parameters
    ----------
    folder
        Has the files that begin as DUMPI files do, and descriptions (``.meta``).
    places
        Folders in the archive, and the names of those where their files are now.
    ignored
        Names of other files of the archive.
    """

    folder: Path
    places: dict[str, str] = field(default_factory=dict)
    ignored: list[str] = field(default_factory=list)

    def place(self, name: str) -> Path:
        """Return where a file of the archive is unpacked: under its own name, nowhere else."""
        inside = PurePosixPath(name)
        place = self.places.setdefault(inside.parent.as_posix(), f"place-{len(self.places)}")
        return self.folder / place / inside.name

    def in_archive(self, text: str) -> str:
        """Return a text with the names of files as they are in the archive."""
        inside = {place: name for name, place in self.places.items()}

        def name(match: re.Match[str]) -> str:
            return (PurePosixPath(inside[match[1]]) / match[2]).as_posix()

        folder = re.escape(str(self.folder))
        return re.sub(rf"(?:{folder}/)?(place-\d+)/(\S)", name, text)


def is_archive(path: Path) -> bool:
    """Whether a file is an archive with a file of a DUMPI trace among its first ones.

    A damaged zip archive is taken for one, so that its damage is told.
    """
    if not path.is_file() or not may_be_archive(path):
        return False
    try:
        return any(map(_begins_as_dumpi, islice(files_of(path), MOST_SEARCHED)))
    except (OSError, *DAMAGE):
        return is_zip(path)


def _begins_as_dumpi(file: ArchiveFile) -> bool:
    if _FILE.fullmatch(PurePosixPath(file.name).name) is None:
        return False
    return bool(file.refusal) or (
        file.content is not None and file.content.read(len(MAGIC)) == MAGIC
    )


@contextmanager
def unpacked(path: Path) -> Iterator[Unpacked]:
    """Unpack the files of a trace into a folder that lasts as long as the context.

    Raises
    ------
    UserError
        The archive is damaged or too large.
    WriteError
        There is no room for its files.
    """
    with tempfile.TemporaryDirectory(prefix="odonata-") as name:
        found = Unpacked(Path(name))
        try:
            _unpack(path, found)
        except UserError:
            raise
        except DAMAGE as error:
            what = f"{path}: cut off, or a damaged archive: {error}"
            raise UserError(what) from error
        except WriteError:
            raise
        except OSError as error:
            raise ReadError.of(error, path) from error
        try:
            yield found
        except UserError as error:
            raise UserError(f"{path}: {found.in_archive(str(error))}") from error


def _unpack(path: Path, found: Unpacked) -> None:
    room = min(MOST_UNPACKED, shutil.disk_usage(found.folder).free // 2)
    for number, file in enumerate(files_of(path)):
        if number >= MOST_MEMBERS:
            raise UserError(f"{path}: files", allowed=f"up to {MOST_MEMBERS}")
        taken = 0
        if file.refusal and _is_wanted(file):
            raise UserError(f"{path}: {file.name} is {file.refusal}")
        if file.content is not None and _is_wanted(file):
            taken = _copy(path, file, found.place(file.name), room)
        room -= taken
        if not taken:
            found.ignored.append(file.name)


def _is_wanted(file: ArchiveFile) -> bool:
    name = PurePosixPath(file.name).name
    if name.endswith(".meta"):
        return file.size <= MOST_META
    return _FILE.fullmatch(name) is not None


def _copy(archive: Path, file: ArchiveFile, target: Path, room: int) -> int:
    """Copy a file of the trace; return its length, 0 if it is something else [B]."""
    content = cast("BinaryIO", file.content)
    piece = content.read(PIECE)
    if target.suffix == ".bin" and not piece.startswith(MAGIC):
        return 0
    if file.size > room:  # no more than this can be read of it
        what = f"{archive}: bytes of its files"
        raise UserError(what, value=f"more than {room}", allowed="half of the free disk")
    if target.exists():
        raise UserError(f"{archive}: two files of the same name", value=file.name)
    target.parent.mkdir(exist_ok=True)
    with target.open("xb") as copy:
        while piece:
            try:
                copy.write(piece)
            except OSError as error:
                raise WriteError.of(error, target) from error
            piece = content.read(PIECE)
    return file.size
