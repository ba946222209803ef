"""Traces to files, block by block."""

from __future__ import annotations

from collections import Counter
from io import FileIO
from pathlib import Path
from types import TracebackType

import msgspec
import numpy as np
from numpy.typing import NDArray

from odonata import _core
from odonata.errors import WriteError
from odonata.trace.calls import CALL, MATCH, MORE, OUTCOME, Block
from odonata.trace.columns import encode
from odonata.trace.format import (
    CALLS,
    MATCHES,
    TOTALS,
    Header,
    Totals,
    function_names,
    pack_block,
    pack_start,
)

__all__ = ["Recording", "TraceError", "Writer"]


class TraceError(WriteError):
    """A trace could not be written; what was written before can be read."""


class Writer:
    """Writes a trace; what has been written can be read whatever happens later.

    Parameters
    ----------
    path
        The file; one that exists is replaced.
    header
        What it says of the run.

    Raises
    ------
    TraceError
        The file could not be written.
    """

    def __init__(self, path: str | Path, header: Header) -> None:
        self._path = str(path)
        self._header = header
        self._names = header.functions
        self._functions: Counter[str] = Counter()
        self._ranks = np.zeros(header.ranks, dtype=np.int64)
        self._blocks = 0
        self._file: FileIO | None = None
        try:
            self._file = Path(path).open("wb", buffering=0)  # noqa: SIM115
        except (OSError, ValueError) as error:
            raise TraceError.of(error, self._path) from error
        self._put(pack_start(header))

    def write(self, block: Block) -> None:
        """Append a block.

        Parameters
        ----------
        block
            Its calls may be in any order of ranks; numbers of functions are those of the header.
        """
        if len(block):
            sorted_block = block.by_rank()
            self._put(
                pack_block(
                    CALLS,
                    encode_calls(sorted_block),
                    records=len(block),
                    words=len(block.words),
                    outcomes=len(block.outcomes),
                )
            )
            self._count(sorted_block)
        if len(block.matches):
            columns = b"".join(encode(block.matches[name]) for name in ("rank", "source", "call"))
            self._put(pack_block(MATCHES, columns, records=len(block.matches)))
            self._blocks += 1

    def close(self, *, end: int | None = None) -> None:
        """Write the totals, which make the trace complete.

        Parameters
        ----------
        end
            Simulated time at which the run ended [ps].
        """
        totals = Totals(
            records=int(self._ranks.sum()),
            blocks=self._blocks,
            ranks=tuple(self._ranks.tolist()),
            functions=dict(sorted(self._functions.items())),
            end=end,
        )
        self._put(pack_block(TOTALS, msgspec.json.encode(totals)))
        self.leave()

    def leave(self) -> None:
        """Close the file as it is; without totals the trace stays incomplete."""
        file, self._file = self._file, None
        if file is not None:
            try:
                file.close()
            except OSError as error:
                raise TraceError.of(error, self._path) from error

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._file is None:
            return
        if kind is None:
            self.close()
        else:
            self.leave()

    def _count(self, block: Block) -> None:
        self._blocks += 1
        self._ranks += np.bincount(block.ranks, minlength=len(self._ranks))
        first = (block.calls["flags"] & MORE) == 0
        counts = np.bincount(block.calls["function"][first])
        for number in np.flatnonzero(counts):
            self._functions[self._names[number]] += int(counts[number])

    def _put(self, content: bytes) -> None:
        if self._file is None:
            raise ValueError("the trace is closed")
        rest = memoryview(content)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            self._file.close()
            self._file = None
            raise TraceError.of(error, self._path) from error


def encode_calls(block: Block) -> bytes:
    """Return the columns of a block's calls, one behind the other."""
    calls, outcomes = block.calls, block.outcomes
    columns: list[NDArray[np.generic]] = [block.ranks]
    columns += [calls[name] for name in CALL.names or () if name != "reserved"]
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
        What it says of the run; its names of functions are ours.
    source
        Where the calls come from.

    Raises
    ------
    TraceError
        The file could not be written.
    """

    def __init__(self, path: str | Path, header: Header, source: _core.TraceSource) -> None:
        if header.functions != function_names():
            raise ValueError("calls of a source have our own numbers of functions")
        self._writer = Writer(path, header)
        self._recorder = _core.Recorder(source, header.ranks, self._write)

    @property
    def source(self) -> _core.TraceSource:
        """What is to be played: the same calls."""
        return self._recorder

    def finish(self, *, end: int | None = None, complete: bool = True) -> None:
        """Write what is left, once the run is over.

        Parameters
        ----------
        end
            Simulated time at which it ended [ps].
        complete
            Whether it came to its end; otherwise the trace is left incomplete.
        """
        self._recorder.finish()
        if complete:
            self._writer.close(end=end)
        else:
            self._writer.leave()

    def _write(self, columns: tuple[NDArray[np.uint8], ...]) -> None:
        ranks, calls, words, found, num_outcomes, outcomes, matches = columns
        self._writer.write(
            Block(
                ranks=ranks.view(np.int32),
                calls=calls.view(CALL),
                words=words.view(np.uint64),
                found=found,
                num_outcomes=num_outcomes.view(np.uint32),
                outcomes=outcomes.view(OUTCOME),
                matches=matches.view(MATCH),
            )
        )
