"""Operations of many ranks that are made in turn, few of which are in memory."""

from __future__ import annotations

import marshal
import tempfile
from collections.abc import Iterator
from itertools import chain

from odonata.interchange.goal_schedule import Operation, hold

__all__ = ["HeldRanks"]

MOST_HELD = 2**16
"""Operations of all ranks that are held in memory before they go to a temporary file."""

_Row = tuple[int, int, int, int, list[int], list[int]]


class HeldRanks:
    """Schedules of ranks, most of which are in a temporary file until a rank is asked for.

    Parameters
    ----------
    num_ranks
        Number of ranks.
    """

    def __init__(self, num_ranks: int) -> None:
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed by close()
        self._rows: list[list[_Row]] = [[] for _ in range(num_ranks)]
        self._pieces: list[list[tuple[int, int]]] = [[] for _ in range(num_ranks)]
        self._end = self._held = 0

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Iterator[Operation]]:
        """Yield the operations of each rank, one rank after the other."""
        return map(self._operations, range(len(self)))

    def _operations(self, rank: int) -> Iterator[Operation]:
        pieces = (self._read(*piece) for piece in self._pieces[rank])
        for rows in chain(pieces, [self._rows[rank]]):
            for kind, size, peer, tag, after, after_start in rows:
                yield Operation(kind, size, peer, tag, 0, 0, after, after_start)

    def __enter__(self) -> HeldRanks:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove the temporary file."""
        self._file.close()

    def append(self, rank: int, made: Operation) -> None:
        """Append an operation of the first processor and adapter.

        Parameters
        ----------
        rank
            The rank.
        made
            The operation; its lists must not change any more. Operations may share them.

        Raises
        ------
        WriteError
            The temporary file could not be written.
        """
        row = (made.kind, made.size, made.peer, made.tag, made.after, made.after_start)
        self._rows[rank].append(row)
        self._held += 1
        if self._held >= MOST_HELD:
            self._let_go()

    def _let_go(self) -> None:
        for rows, pieces in zip(self._rows, self._pieces, strict=True):
            if rows:
                # A list that several operations share is in it once.
                size = hold(self._file, marshal.dumps(rows))
                pieces.append((self._end, size))
                self._end += size
                rows.clear()
        self._held = 0

    def _read(self, begin: int, size: int) -> list[_Row]:
        self._file.seek(begin)
        rows: list[_Row] = marshal.loads(self._file.read(size))
        return rows
