"""Traces to files, block by block."""

from __future__ import annotations

import zlib
from collections import Counter
from pathlib import Path
from types import TracebackType

import msgspec
import numpy as np
from numpy.typing import NDArray

from odonata import _core
from odonata.files import NewFile
from odonata.trace.calls import HEAD, MORE, OUTCOME, Block, Places
from odonata.trace.columns import encode
from odonata.trace.format import (
    BLOCK,
    CALLS,
    MATCHES,
    TIMES,
    TOTALS,
    Header,
    Limits,
    Totals,
    function_names,
    pack_block,
    pack_start,
)
from odonata.trace.views import VIEWS

__all__ = ["Recording", "Writer"]


class Writer:
    """Writes a trace beside its place; it takes its name when it is complete.

    Parameters
    ----------
    path
        The file; one that exists is replaced by a complete trace, and by nothing less.
    header
        Description of the run.

    Raises
    ------
    WriteError
        The file could not be written.
    """

    def __init__(self, path: str | Path, header: Header) -> None:
        self._header = header
        self._names = header.functions
        self._places = Places(header.operations)
        self._functions: Counter[str] = Counter()
        self._ranks = np.zeros(header.ranks, dtype=np.int64)
        self._records = self._blocks = self._checksum = 0
        self._file = NewFile(path)
        self._put(pack_start(header))

    @property
    def closed(self) -> bool:
        """Whether nothing more can be written: the trace is complete, or could not be written."""
        return self._file.closed

    def write(self, block: Block) -> None:
        """Append a block.

        Parameters
        ----------
        block
            Its calls may be in any order of ranks; functions are numbered as in the header. It has
            at most `Limits.records` calls and `Limits.words_of` words and outcomes.

        Raises
        ------
        ValueError
            The block is too large.
        WriteError
            The file could not be written: nothing is left behind.
        """
        self._check_size(block)
        if len(block):
            sorted_block = block.by_rank()
            if len(block.times):
                columns = b"".join(encode(sorted_block.times[:, at]) for at in (0, 1))
                self._put_block(pack_block(TIMES, columns, records=len(block)))
            self._put_block(
                pack_block(
                    CALLS,
                    encode_calls(sorted_block, self._places),
                    records=len(block),
                    words=len(block.words),
                    outcomes=len(block.outcomes),
                )
            )
            self._count(sorted_block)
        for begin in range(0, len(block.matches), Limits.records):
            some = block.matches[begin : begin + Limits.records]
            columns = b"".join(encode(some[name]) for name in ("rank", "source", "call"))
            self._put_block(pack_block(MATCHES, columns, records=len(some)))

    def close(self, *, end: int | None = None) -> None:
        """Write the totals, which make the trace complete.

        Parameters
        ----------
        end
            Simulated time at which the run ended [ps].
        """
        totals = Totals(
            records=self._records,
            blocks=self._blocks,
            checksum=self._checksum,
            ranks=tuple(self._ranks.tolist()),
            functions=dict(sorted(self._functions.items())),
            end=end,
        )
        self._put(pack_block(TOTALS, msgspec.json.encode(totals)))
        self._file.finish()

    def leave(self) -> Path | None:
        """Keep the incomplete trace as a file of its own.

        Returns
        -------
        Path or None
            Name of the file: the trace's and ``.part``. None if the trace is closed.
        """
        return None if self._file.closed else self._file.leave()

    def discard(self) -> None:
        """Leave nothing behind."""
        self._file.discard()

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._file.closed:
            return
        if kind is None:
            self.close()
        else:
            self.discard()

    def _check_size(self, block: Block) -> None:
        most = Limits.words_of(len(block), ranks=self._header.ranks, before=self._records)
        if len(block) > Limits.records or max(len(block.words), len(block.outcomes)) > most:
            raise ValueError(
                f"a block of {len(block)} calls with {len(block.words)} words and "
                f"{len(block.outcomes)} outcomes; allowed: {Limits.records} and {most}"
            )

    def _count(self, block: Block) -> None:
        self._records += len(block)
        self._ranks += np.bincount(block.ranks, minlength=len(self._ranks))
        first = (block.calls["flags"] & MORE) == 0
        counts = np.bincount(block.calls["function"][first])
        for number in np.flatnonzero(counts):
            self._functions[self._names[number]] += int(counts[number])

    def _put_block(self, block: bytes) -> None:
        self._put(block)
        self._blocks += 1
        self._checksum = zlib.crc32(block[: BLOCK.size], self._checksum)

    def _put(self, content: bytes) -> None:
        if self._file.closed:
            raise ValueError("the trace is closed")
        self._file.write(content)


def encode_calls(block: Block, places: Places) -> bytes:
    """Return the columns of a block's calls, one behind the other."""
    calls, outcomes = block.calls, block.outcomes
    columns: list[NDArray[np.generic]] = [block.ranks]
    columns += [calls[name] for name in HEAD]
    for view in VIEWS:
        own = calls[view][places.of(view, calls)]
        columns += [own[name] for name in own.dtype.names or ()]
    columns += [block.words, block.found, block.num_outcomes]
    columns += [outcomes[name] for name in OUTCOME.names or () if name != "reserved"]
    return b"".join(encode(column) for column in columns)


class Recording:
    """Records the calls of a source in a trace, on their way to the player.

    Parameters
    ----------
    path
        The file.
    header
        Description of the run; its names of functions are ours.
    source
        Where the calls come from.

    Raises
    ------
    WriteError
        The file could not be written.
    """

    def __init__(self, path: str | Path, header: Header, source: _core.TraceSource) -> None:
        if header.functions != function_names():
            raise ValueError("calls of a source have our own numbers of functions")
        self._writer = Writer(path, header)
        self._recorder = _core.RecordingSource(source, header.ranks, self._write)

    @property
    def source(self) -> _core.TraceSource:
        """Source of the same calls, to be played."""
        return self._recorder

    def finish(self, *, end: int | None = None) -> None:
        """Write the remaining calls at the end of the run, and name the file.

        Parameters
        ----------
        end
            Simulated time at which it ended [ps].

        Raises
        ------
        WriteError
            The file could not be written: nothing is left behind.
        """
        self._recorder.finish()
        self._writer.close(end=end)

    def leave(self) -> Path | None:
        """Write the remaining calls of a run that was cut off.

        Returns
        -------
        Path or None
            Name of the incomplete trace; None if it could not be written before.

        Raises
        ------
        WriteError
            The file could not be written: nothing is left behind.
        """
        if self._writer.closed:
            return None
        self._recorder.finish()
        return self._writer.leave()

    def discard(self) -> None:
        """Leave nothing behind of a run that has not begun."""
        self._writer.discard()

    def _write(self, columns: tuple[memoryview, ...]) -> None:
        self._writer.write(Block.of_bytes(columns))
