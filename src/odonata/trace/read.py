"""Traces from files, which may be cut off, damaged, or made to harm.

Nothing that a file claims is believed: sizes are compared with limits, and with the length of the
file, before memory is taken; numbers of things with their count.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from odonata.errors import UserError
from odonata.files import open_regular
from odonata.trace.calls import MATCH, Block
from odonata.trace.claims import CallCounts, HeadCounts
from odonata.trace.columns import DamagedError
from odonata.trace.format import (
    BLOCK,
    BLOCK_SIGNATURE,
    CALLS,
    MATCHES,
    OLDEST,
    SIGNATURE,
    START,
    TIMES,
    TOTALS,
    VERSION,
    BlockHead,
    Header,
    Limits,
    Totals,
)
from odonata.trace.logs import find_trace
from odonata.trace.unpack import Unpacker

__all__ = ["Reader"]

T = TypeVar("T")


MOST_IDLE = 4096
"""Ranks without a call in traces that are converted or counted by rank."""


class Reader:
    """Reads a trace, block by block.

    A file that was cut off can be read up to its last whole block.

    Parameters
    ----------
    path
        The file, or the folder of a run that ``odonata profile --depth trace`` has recorded.

    Raises
    ------
    UserError
        The file isn't there, is no trace, is of a newer version, or its header is damaged.
    """

    def __init__(self, path: str | Path) -> None:
        if Path(path).is_dir():
            path = find_trace(Path(path))
        self._name = str(path)
        self._totals: Totals | None = None
        self._file = open_regular(path)
        try:
            self._size = os.fstat(self._file.fileno()).st_size
            self._header = self._read_header()
        except BaseException:
            self._file.close()
            raise
        self._first = self._file.tell()
        self._unpacker = Unpacker(self._header, self._version)

    @property
    def header(self) -> Header:
        """Description of the whole run."""
        return self._header

    @property
    def name(self) -> str:
        """The file."""
        return self._name

    @property
    def totals(self) -> Totals | None:
        """Counts at the end of the trace, once it has been read; None: the end is missing."""
        return self._totals

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks of calls, without their matches; functions have our numbers.

        Raises
        ------
        UserError
            A block is damaged.
        """
        counted = CallCounts(self._header.ranks)
        times: NDArray[np.int64] | None = None
        for number, head in self._heads():
            if head.kind == TIMES:
                with self._in_block(number):
                    times = self._unpacker.times(self._content(head), head)
            elif head.kind == CALLS:
                with self._in_block(number):
                    block = self._unpacker.calls(self._content(head), head)
                    counted.add(block)
                    if times is not None:
                        block = _with_times(block, times)
                        times = None
                yield block
        if self._totals is not None and not counted.agree_with(self._totals):
            raise UserError(f"{self._name}: damaged: its totals do not belong to its calls")

    def matches(self) -> NDArray[np.void]:
        """Return where all receives from any source got their messages from; shape (n,).

        Raises
        ------
        UserError
            A block is damaged.
        """
        found = [np.empty(0, dtype=MATCH)]
        for number, head in self._heads():
            if head.kind == MATCHES:
                with self._in_block(number):
                    found.append(self._unpacker.matches(self._content(head), head))
        return np.concatenate(found)

    def require_calls(self) -> None:
        """Refuse more ranks than have calls, before something is kept for each of them.

        Raises
        ------
        UserError
            There are `MOST_IDLE` ranks more than records, or a block is damaged.
        """
        most = MOST_IDLE + sum(head.records for _, head in self._heads() if head.kind == CALLS)
        if self.header.ranks > most:
            what = f"{self._name}: ranks: more than have calls"
            raise UserError(what, value=self.header.ranks, allowed=f"1 to {most}")

    def _read_header(self) -> Header:
        start = self._file.read(START.size)
        if not start or start[: len(SIGNATURE)] != SIGNATURE[: len(start)]:
            raise UserError(f"{self._name}: not a trace of Odonata")
        if len(start) < START.size:
            raise UserError(f"{self._name}: cut off in its header")
        _, version, length, checksum = START.unpack(start)
        if not OLDEST <= version <= VERSION:
            age = "an older" if version < VERSION else "a newer"
            remedy = "record it again" if version < VERSION else "update Odonata"
            what = f"{self._name}: a trace in a format of {age} Odonata ({remedy})"
            raise UserError(
                what, value=f"version {version}", allowed=f"version {OLDEST} to {VERSION}"
            )
        self._version = version
        if length > min(Limits.header_bytes, self._size - START.size):
            raise UserError(f"{self._name}: cut off in its header")
        text = self._file.read(length)
        if zlib.crc32(text, zlib.crc32(start[:-4] + bytes(4))) != checksum:
            raise UserError(f"{self._name}: damaged in its header")
        header = self._decoded(text, Header)
        self._check_header(header)
        return header

    def _check_header(self, header: Header) -> None:
        known = all(
            len(names) <= Limits.names
            for names in (header.functions, header.operations, header.collectives, header.modes)
        )
        if not 1 <= header.ranks <= Limits.ranks or not known:
            allowed = f"1 to {Limits.ranks}"
            raise UserError(
                f"{self._name}: ranks: out of range", value=header.ranks, allowed=allowed
            )
        if header.nodes and (len(header.nodes) != header.ranks or min(header.nodes) < 0):
            raise UserError(f"{self._name}: not a node for each rank", value=len(header.nodes))

    def _decoded(self, text: bytes, kind: type[T]) -> T:
        try:
            return msgspec.json.decode(text, type=kind)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            raise UserError(f"{self._name}: damaged: {error}") from error

    def _heads(self) -> Iterator[tuple[int, BlockHead]]:
        """Yield the head of every whole block but the totals; the caller reads its contents or not.

        The totals are read here, and compared with the blocks before them.
        """
        place, seen = self._first, HeadCounts(self._header.ranks)
        for number in count():
            self._file.seek(place)
            start = self._file.read(BLOCK.size)
            if len(start) < BLOCK.size:
                return
            with self._in_block(number):
                head = _head(start)
                seen.add(head)
                place += BLOCK.size + head.stored
                if place > self._size:
                    return
                if head.kind == TOTALS:
                    self._totals = self._unpacker.totals(self._content(head))
                    seen.check(self._totals)
                    break
            yield number, head
        if place < self._size:
            raise UserError(f"{self._name}: damaged: there is something after its end")

    def _content(self, head: BlockHead) -> memoryview:
        stored = self._file.read(head.stored)
        if len(stored) != head.stored or head.checksum_of(stored) != head.checksum:
            raise DamagedError("its checksum is wrong")
        unpacking = zlib.decompressobj()
        try:
            full = unpacking.decompress(stored, head.full + 1)
        except zlib.error as error:
            raise DamagedError(str(error)) from error
        if len(full) != head.full or not unpacking.eof or unpacking.unused_data:
            raise DamagedError("it has another length than it says")
        return memoryview(full)

    @contextmanager
    def _in_block(self, number: int) -> Iterator[None]:
        try:
            yield
        except DamagedError as error:
            raise UserError(f"{self._name}: damaged: block {number}: {error}") from error


def _with_times(block: Block, times: NDArray[np.int64]) -> Block:
    if len(times) != len(block):
        raise DamagedError("it has other times than calls")
    return replace(block, times=times)


def _head(start: bytes) -> BlockHead:
    signature, *fields = BLOCK.unpack(start)
    if signature != BLOCK_SIGNATURE:
        raise DamagedError("it begins with something else")
    return BlockHead(*fields)
