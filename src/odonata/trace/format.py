"""The layout of a trace file; ``docs/concepts/trace.md`` describes it byte by byte.

::

    SIGNATURE | version | length | checksum | header (JSON)
    block ... | block of totals

All numbers are little-endian.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

import msgspec

from odonata import __version__, _core
from odonata.text import for_file
from odonata.trace.calls import OPERATIONS
from odonata.trace.views import COLLECTIVES, MODES

__all__ = [
    "CALLS",
    "MATCHES",
    "TIMES",
    "TOTALS",
    "BlockHead",
    "Header",
    "Limits",
    "Totals",
    "function_names",
    "pack_block",
    "pack_start",
]

SIGNATURE = b"\x89ODT\r\n\x1a\n"
"""First bytes of a trace: not text, and spoilt by whatever spoils line ends."""

OLDEST, VERSION = 3, 4

START = struct.Struct("<8sIII")
"""Signature, version, length of the header [B], checksum of all of this (as 0) and the header."""

BLOCK_SIGNATURE = b"ODTB"
BLOCK = struct.Struct("<4sIIIIIII")
"""Signature, kind, stored and full length [B], records, words, outcomes, checksum as above."""

CALLS, MATCHES, TOTALS, TIMES = 1, 2, 3, 4
"""Kinds of blocks; a block of times belongs to the calls after it."""


COMPRESSION = 3
"""Level of zlib: beyond it blocks take twice the time and lose 3 % of their size."""


class Limits:
    """The most that a file may claim."""

    ranks = 2**20
    header_bytes = 2**26
    records = 2**16
    words = 2**18
    names = 2**16
    expansion = 1040  # zlib reaches 1032

    @classmethod
    def words_of(cls, records: int, *, ranks: int, before: int) -> int:
        """Return the most words, or outcomes, of a block.

        A call that has more than a block may have is a block of its own. It lists requests, each
        opened by a call before it, or numbers for each rank: at most sources, destinations and
        bytes for both.

        Parameters
        ----------
        records
            Calls in the block.
        ranks
            Ranks of the trace.
        before
            Calls in the blocks before.

        Examples
        --------
        >>> Limits.words_of(2, ranks=2**20, before=0), Limits.words_of(1, ranks=2**20, before=0)
        (262144, 4194306)
        """
        return max(cls.words, 4 * ranks + 2, before) if records == 1 else cls.words


@cache
def function_names() -> tuple[str, ...]:
    """Return the names of the functions of MPI, by number.

    Examples
    --------
    >>> "MPI_Send" in function_names()
    True
    """
    return tuple(_core.function_names())


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """Description of the whole run in a trace.

    Parameters
    ----------
    ranks
        Number of ranks.
    program
        Command line of the program.
    machine
        Name of the machine it was recorded on; empty: a real one.
    nodes
        Node of each rank there; empty: unknown.
    compute
        How compute times were got: ``measured``, ``recorded`` or ``none``.
    options
        Options of the run: engine, routing, seed, ...
    odonata
        Version that wrote it.
    functions, operations, collectives, modes
        Names, by number.
    """

    ranks: int
    program: str = ""
    machine: str = ""
    nodes: tuple[int, ...] = ()
    compute: str = "none"
    options: dict[str, int | float | str | bool | None] = {}
    odonata: str = __version__
    functions: tuple[str, ...] = msgspec.field(default_factory=function_names)
    operations: tuple[str, ...] = OPERATIONS
    collectives: tuple[str, ...] = COLLECTIVES
    modes: tuple[str, ...] = MODES


class Totals(msgspec.Struct, frozen=True, kw_only=True):
    """Counts at the end of a trace, which make it complete.

    Parameters
    ----------
    records
        Calls of all ranks.
    blocks
        Blocks before it.
    ranks
        Shape (ranks,): calls of each rank.
    functions
        Calls of each function that was called.
    end
        Simulated time at which the recorded run ended [ps]; None: unknown.
    checksum
        CRC-32 of the heads of all blocks before it, in their order.
    """

    records: int
    blocks: int
    checksum: int
    ranks: tuple[int, ...]
    functions: Mapping[str, int]
    end: int | None = None


@dataclass(frozen=True)
class BlockHead:
    """Head of a block, which stands before its contents.

    Parameters
    ----------
    kind
        `CALLS`, `MATCHES`, `TIMES` or `TOTALS`.
    stored, full
        Length of the contents, compressed and not [B].
    records, words, outcomes
        How many there are.
    checksum
        CRC-32 of the head, with 0 in its place, and the compressed contents.
    """

    kind: int
    stored: int
    full: int
    records: int = 0
    words: int = 0
    outcomes: int = 0
    checksum: int = 0

    def pack(self) -> bytes:
        """Return its bytes."""
        return BLOCK.pack(
            BLOCK_SIGNATURE,
            self.kind,
            self.stored,
            self.full,
            self.records,
            self.words,
            self.outcomes,
            self.checksum,
        )

    def checksum_of(self, stored: bytes) -> int:
        """Return the right checksum for these compressed contents."""
        return zlib.crc32(stored, zlib.crc32(self.pack()[:-4] + bytes(4)))


def pack_start(header: Header) -> bytes:
    """Return the first bytes of a trace, up to its first block.

    Parameters
    ----------
    header
        Description of the run.
    """
    text = msgspec.json.encode(msgspec.structs.replace(header, program=for_file(header.program)))
    plain = START.pack(SIGNATURE, VERSION, len(text), 0)
    return START.pack(SIGNATURE, VERSION, len(text), zlib.crc32(text, zlib.crc32(plain))) + text


def pack_block(
    kind: int, content: bytes, *, records: int = 0, words: int = 0, outcomes: int = 0
) -> bytes:
    """Return a block with these contents.

    Parameters
    ----------
    kind
        `CALLS`, `MATCHES`, `TIMES` or `TOTALS`.
    content
        Not yet compressed.
    records, words, outcomes
        How many there are.
    """
    stored = zlib.compress(content, COMPRESSION)
    head = BlockHead(kind, len(stored), len(content), records, words, outcomes)
    return replace(head, checksum=head.checksum_of(stored)).pack() + stored
