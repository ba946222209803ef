"""The files in an archive (tar or zip), read in turn within bounded memory."""

from __future__ import annotations

import bz2
import gzip
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import FileIO, RawIOBase
from lzma import LZMADecompressor, LZMAError
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from odonata.files import open_regular, read_beginning

__all__ = ["DAMAGE", "ArchiveFile", "files_of", "is_zip", "may_be_archive"]

DAMAGE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    EOFError,
    zlib.error,
    LZMAError,
    ValueError,
    RecursionError,  # headers of tar that describe headers that describe headers ...
)
"""Errors that the readers raise of a damaged archive, besides errors of the system."""

MOST_HEADER = 2**20
"""Longest header of a file's name and attributes in a tar archive [B]."""

MOST_UNPACKED, MOST_GROWTH = 2**26, 5000
"""Bytes that an archive may unpack to: so many, and so many for each byte of it.

Gzip unpacks a byte to 1,032 at most; traces grow up to some hundred times."""

MOST_MEMORY = 2**27
"""Memory that an xz archive may ask for [B]; its highest level asks for 65 MiB."""

PIECE = 2**16
"""Bytes of a packed archive that are read at once."""

MOST_GLOBAL = 1000
"""Most attributes that a tar archive gives to all files after them."""

MOST_DIRECTORY = 2**25
"""Longest list of files at the end of a zip archive [B]; some 300,000 files have room."""

_PACKED_TAR = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00")
_WAYS = {9: "deflate64", 12: "bzip2", 14: "LZMA", 93: "Zstandard"}
_ZIP = b"PK\x03\x04"


@dataclass(frozen=True)
class ArchiveFile:
    """A file in an archive.

    Parameters
    ----------
    name
        Its path in the archive.
    size
        Its length as the archive claims it [B].
    content
        Reads it, until the next file is asked for; None: a link or a device, or refused.
    refusal
        Why it can't be read.
    """

    name: str
    size: int
    content: BinaryIO | None
    refusal: str = ""


def may_be_archive(path: Path) -> bool:
    """Whether a file begins as archives do that `files_of` reads."""
    start = read_beginning(path, 512)
    return start.startswith((*_PACKED_TAR, _ZIP)) or start[257:262] == b"ustar"


def is_zip(path: Path) -> bool:
    """Whether a file begins as zip archives do."""
    return read_beginning(path, len(_ZIP)) == _ZIP


def files_of(path: Path) -> Iterator[ArchiveFile]:
    """Yield the files of an archive in their order, without its folders."""
    return _files_of_zip(path) if is_zip(path) else _files_of_tar(path)


def _files_of_tar(path: Path) -> Iterator[ArchiveFile]:
    with (
        _unpacked(path) as file,
        tarfile.open(fileobj=file, mode="r|", tarinfo=_BoundedHeader) as archive,
    ):
        while (member := archive.next()) is not None:
            archive.members.clear()  # type: ignore[attr-defined]  # it would keep all of them
            if len(archive.pax_headers) > MOST_GLOBAL:
                raise tarfile.ReadError(f"{len(archive.pax_headers)} global headers")
            if not member.isdir():
                content = archive.extractfile(member) if member.isreg() else None
                yield ArchiveFile(member.name, member.size, cast("BinaryIO | None", content))


@contextmanager
def _unpacked(path: Path) -> Iterator[BinaryIO]:
    """Open a tar archive, unpacked in short pieces, whatever a block of it unpacks to."""
    start = read_beginning(path, 6)
    most = MOST_UNPACKED + MOST_GROWTH * path.stat().st_size
    packed: RawIOBase | gzip.GzipFile
    with open_regular(path) as file:
        if start.startswith(b"\x1f\x8b"):
            packed = gzip.GzipFile(fileobj=file)
        elif start.startswith(b"BZh"):
            packed = _Unpacker(file, bz2.BZ2Decompressor)
        elif start.startswith(b"\xfd7zXZ\x00"):
            packed = _Unpacker(file, lambda: LZMADecompressor(memlimit=MOST_MEMORY))
        else:
            yield file
            return
        with packed:
            yield cast("BinaryIO", _Bounded(cast("BinaryIO", packed), most))


class _Decompressor(Protocol):
    """Decompressor of the standard library."""

    @property
    def needs_input(self) -> bool:
        """Whether it has unpacked all that it got."""

    @property
    def eof(self) -> bool:
        """Whether the stream is at its end."""

    @property
    def unused_data(self) -> bytes:
        """Bytes behind the end of the stream."""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Return the next bytes, at most so many."""


class _Unpacker(RawIOBase):
    """The unpacked contents of a file, of one stream or several in a row."""

    def __init__(self, file: BinaryIO, make: Callable[[], _Decompressor]) -> None:
        self._file, self._make = file, make
        self._stream, self._rest = make(), b""

    def read(self, size: int = -1, /) -> bytes:
        """Return some of the next bytes; none at the end."""
        while True:
            if self._stream.eof:
                self._rest = self._stream.unused_data or self._file.read(PIECE)
                if not self._rest:
                    return b""
                self._stream = self._make()
            elif self._stream.needs_input:
                self._rest = self._rest or self._file.read(PIECE)
                if not self._rest:
                    raise EOFError("cut off")
            given, self._rest = self._rest, b""
            made = self._stream.decompress(given, max_length=size)
            if made:
                return made


class _Bounded(RawIOBase):
    """A file that is read up to a number of bytes."""

    def __init__(self, file: BinaryIO, most: int) -> None:
        self._file, self._most, self._left = file, most, most

    def read(self, size: int = -1, /) -> bytes:
        """Return the next bytes, as many as are asked for unless it is the end."""
        parts = []
        while size > 0 and (part := self._file.read(size)):
            parts.append(part)
            size -= len(part)
            self._left -= len(part)
            if self._left < 0:
                raise tarfile.ReadError(f"unpacks to more than {self._most} bytes")
        return b"".join(parts)


class _BoundedHeader(tarfile.TarInfo):
    """A header that does not make tarfile read more into memory than `MOST_HEADER`."""

    _LONG = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
    _PAX = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE)

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        """Read on behind the header: tarfile says that its types are extended here.

        Newer versions of Python, and Debian's 3.11.2, do not call `frombuf`.
        """
        if self.type in (*self._LONG, *self._PAX) and self.size > MOST_HEADER:
            raise tarfile.ReadError(f"a header of {self.size} bytes")
        if self.type == tarfile.GNUTYPE_SPARSE:
            raise tarfile.ReadError("a file with holes, which is not read")
        return cast("tarfile.TarInfo", super()._proc_member(archive))  # type: ignore[misc]


def _files_of_zip(path: Path) -> Iterator[ArchiveFile]:
    with _ShortReads(path) as file, zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            if member.is_dir():
                continue
            refusal = _refusal(member)
            if refusal:
                yield ArchiveFile(member.filename, member.file_size, None, refusal)
                continue
            with archive.open(member) as content:
                yield ArchiveFile(member.filename, member.file_size, cast("BinaryIO", content))


def _refusal(member: zipfile.ZipInfo) -> str:
    if member.flag_bits & 1:
        return "encrypted"
    if member.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return ""
    way = _WAYS.get(member.compress_type, f"method {member.compress_type}")
    return f"packed by {way}, where only deflate is read"


class _ShortReads(FileIO):
    """A file of which zipfile does not read a list of any length at once."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the next bytes."""
        if size is not None and size > MOST_DIRECTORY:
            raise zipfile.BadZipFile(f"a list of files of {size} bytes")
        return super().read(-1 if size is None else size)
