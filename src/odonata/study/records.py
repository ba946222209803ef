"""Records of runs: lines of JSON, in one file for each worker, that are only appended to.

A file has one writer, so that no file system needs locks. A line that a kill has cut off is no
record: its run is made again.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from odonata.errors import ReadError, WriteError
from odonata.files import write_whole
from odonata.study.shapes import Begun, Lost, Marked, Record

__all__ = ["FOLDER", "Reading", "RecordFile", "forget_failed", "marked_in", "under_way"]

FOLDER = "runs"

ENDING = ".jsonl"

SYNC_SECONDS = 1.0
"""Longest time after which a record is on the disk, and not only in the system's memory [s]."""

_STEP_BYTES = 2**24
"""Bytes of a file that are looked at together."""


class RecordFile:
    """The records of one worker.

    Parameters
    ----------
    folder
        Folder of the study.

    Raises
    ------
    WriteError
        The file cannot be made or written.
    """

    def __init__(self, folder: Path) -> None:
        name = f"{_beginning(os.getpid())}{os.urandom(4).hex()}{ENDING}"
        self._path = folder / FOLDER / name
        self._number: int | None = None
        self._size = 0
        self._synced = time.monotonic()
        self._encode = msgspec.json.Encoder().encode

    def begin(self, key: str, seed: int) -> None:
        """Note that a run begins."""
        self._append(self._encode(Begun(key, seed)))

    def lose(self, key: str, seed: int) -> None:
        """Note that a run has ended its worker."""
        self._append(self._encode(Lost(key, seed)))

    def end(self, record: Record) -> None:
        """Keep a run."""
        self._append(self._encode(record))
        if time.monotonic() - self._synced > SYNC_SECONDS:
            self.sync()

    def sync(self) -> None:
        """Wait until all records are on the disk."""
        if self._number is not None:
            try:
                os.fsync(self._number)
            except OSError as error:
                raise WriteError.of(error, self._path) from error
        self._synced = time.monotonic()

    def close(self) -> None:
        """Close the file."""
        if self._number is not None:
            self.sync()
            os.close(self._number)
            self._number = None

    def _append(self, line: bytes) -> None:
        rest = line + b"\n"
        try:
            if self._number is None:
                self._path.parent.mkdir(exist_ok=True)
                self._number = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
            while rest:
                rest = rest[os.write(self._number, rest) :]
        except OSError as error:
            if self._number is not None:  # a part of a line would hide the next one
                os.ftruncate(self._number, self._size)
            raise WriteError.of(error, self._path) from error
        self._size += len(line) + 1


def _beginning(process: int) -> str:
    """Return the beginning of the names of files of a process of this computer."""
    return f"{socket.gethostname()}-{process}-"


def under_way(folder: Path, process: int) -> Begun | None:
    """Return the run that a process of this computer had begun, and not ended, when it was lost.

    Parameters
    ----------
    folder
        Folder of the study.
    process
        Number of the process.
    """
    files = sorted((folder / FOLDER).glob(f"{_beginning(process)}*{ENDING}"), key=os.path.getmtime)
    if not files:
        return None
    last = files[-1].read_bytes().rpartition(b"\n")[0].rpartition(b"\n")[2]
    try:
        return msgspec.json.decode(last, type=Begun)
    except (ValueError, RecursionError):  # it had ended its last run
        return None


class Reading:
    """The lines of all files of a folder, each given once.

    Parameters
    ----------
    folder
        Folder of the study.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FOLDER
        self._read: dict[str, int] = {}

    def new_lines(self) -> Iterator[tuple[str, int, bytes]]:
        """Yield file, offset and text of each whole line that was written since the last time.

        Raises
        ------
        ReadError
            A file cannot be read.
        """
        for name in self._names():
            path = self._folder / name
            try:
                with path.open("rb") as file:
                    yield from self._rest_of(name, file)
            except OSError as error:
                raise ReadError.of(error, path) from error

    def _names(self) -> list[str]:
        try:
            with os.scandir(self._folder) as entries:
                found = [
                    entry.name
                    for entry in entries
                    if entry.name.endswith(ENDING)
                    and entry.stat().st_size > self._read.get(entry.name, 0)
                ]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise ReadError.of(error, self._folder) from error
        return sorted(found)

    def _rest_of(self, name: str, file: BinaryIO) -> Iterator[tuple[str, int, bytes]]:
        at = self._read.get(name, 0)
        file.seek(at)
        kept = b""
        while part := file.read(_STEP_BYTES):
            *lines, kept = (kept + part).split(b"\n")
            for line in lines:
                yield name, at, line
                at += len(line) + 1
                self._read[name] = at


def forget_failed(folder: Path) -> int:
    """Remove the records of failed runs, so that these are made again, and return their number.

    Parameters
    ----------
    folder
        Folder of the study, without a worker.

    Raises
    ------
    WriteError
        A file cannot be written; the records are as they were.
    """
    lines: dict[str, list[bytes]] = {}
    for name, _, line in Reading(folder).new_lines():
        lines.setdefault(name, []).append(line)
    number = 0
    for name, each in lines.items():
        marks = [marked_in(line) for line in each]
        failed = {(mark.key, mark.seed) for mark in marks if mark.error is not None}
        kept = [
            line
            for line, mark in zip(each, marks, strict=True)
            if (mark.key or mark.begun or mark.lost, mark.seed) not in failed
        ]
        if failed:
            write_whole(folder / FOLDER / name, b"".join(line + b"\n" for line in kept))
        number += len(failed)
    return number


_decode_marked = msgspec.json.Decoder(Marked).decode


def marked_in(line: bytes) -> Marked:
    """Return which run a line is of; a line that a disk has damaged is of none.

    Parameters
    ----------
    line
        A line of records.
    """
    try:
        return _decode_marked(line)
    except (ValueError, RecursionError):  # msgspec's errors are ValueErrors
        return Marked()
