"""Claims of a trace: heads are checked before memory is taken for the announced contents."""

from __future__ import annotations

import zlib

import numpy as np

from odonata.trace.calls import CALL, HEAD, MORE, OUTCOME, Block
from odonata.trace.columns import HEADER_BYTES, DamagedError
from odonata.trace.format import (
    CALLS,
    MATCHES,
    TIMES,
    TOTALS,
    BlockHead,
    Limits,
    Totals,
    function_names,
)
from odonata.trace.views import VIEWS

__all__ = ["CallCounts", "HeadCounts"]

VIEW_COLUMNS = [len(CALL[view].names or ()) for view in VIEWS]
CALL_COLUMNS = len(HEAD) + 3  # rank, found and num_outcomes
OUTCOME_COLUMNS = len(OUTCOME.names or ()) - 1
MATCH_COLUMNS = 3
TIME_COLUMNS = 2
WIDEST = 8
"""Bytes of a number in a column."""

TOTALS_BYTES, TOTALS_BYTES_OF_RANK = 2**22, 24


class HeadCounts:
    """The heads of a trace's blocks, one after the other.

    Parameters
    ----------
    ranks
        Ranks of the trace.
    """

    def __init__(self, ranks: int) -> None:
        self._ranks = ranks
        self._blocks = self._records = self._matches = self._checksum = 0

    def add(self, head: BlockHead) -> None:
        """Count a block.

        Raises
        ------
        DamagedError
            It claims more than there can be.
        """
        if head.kind not in (CALLS, MATCHES, TIMES, TOTALS) or not self._may_be(head):
            raise DamagedError("it claims more than there can be")
        if head.kind == CALLS:
            self._records += head.records
        elif head.kind == MATCHES:
            self._matches += head.records
        if head.kind != TOTALS:
            self._blocks += 1
            self._checksum = zlib.crc32(head.pack(), self._checksum)

    def check(self, totals: Totals) -> None:
        """Compare the blocks so far with the totals.

        Raises
        ------
        DamagedError
            They are other blocks.
        """
        if totals.blocks != self._blocks:
            raise DamagedError(f"it counts {totals.blocks} blocks, and there are {self._blocks}")
        if totals.records != self._records:
            raise DamagedError(f"it counts {totals.records} calls, and there are {self._records}")
        if totals.checksum != self._checksum:
            raise DamagedError("the blocks before it were changed, or are in another order")

    def _may_be(self, head: BlockHead) -> bool:
        most = Limits.words_of(head.records, ranks=self._ranks, before=self._records)
        return (
            head.records <= Limits.records
            and head.words <= most
            and head.outcomes <= min(most, head.words + head.records)
            and (head.kind != MATCHES or self._matches + head.records <= self._records)
            and head.full <= min(self._most_bytes(head), Limits.expansion * head.stored)
        )

    def _most_bytes(self, head: BlockHead) -> int:
        """Return the largest size of the contents of a block, unpacked [B]."""
        if head.kind == TOTALS:
            return TOTALS_BYTES + TOTALS_BYTES_OF_RANK * self._ranks
        if head.kind in (MATCHES, TIMES):
            columns = MATCH_COLUMNS if head.kind == MATCHES else TIME_COLUMNS
            return columns * (HEADER_BYTES + WIDEST * head.records)
        columns = CALL_COLUMNS + sum(VIEW_COLUMNS) + 1 + OUTCOME_COLUMNS
        numbers = (CALL_COLUMNS + max(VIEW_COLUMNS)) * head.records
        numbers += head.words + OUTCOME_COLUMNS * head.outcomes
        return columns * HEADER_BYTES + WIDEST * numbers


class CallCounts:
    """The calls of a trace, by rank and by function.

    Parameters
    ----------
    ranks
        Ranks of the trace.
    """

    def __init__(self, ranks: int) -> None:
        self._ranks = np.zeros(ranks, dtype=np.int64)
        self._functions = np.zeros(len(function_names()), dtype=np.int64)

    def add(self, block: Block) -> None:
        """Count the calls of a block, which has our numbers of functions, rank by rank."""
        if len(block) == 0:
            return
        first, last = int(block.ranks[0]), int(block.ranks[-1])
        self._ranks[first : last + 1] += np.bincount(block.ranks - first)
        begins = (block.calls["flags"] & MORE) == 0
        counts = np.bincount(block.calls["function"][begins])
        self._functions[: len(counts)] += counts

    def agree_with(self, totals: Totals) -> bool:
        """Return whether the totals count the same calls."""
        names = function_names()
        found = {names[at]: int(self._functions[at]) for at in np.flatnonzero(self._functions)}
        return found == dict(totals.functions) and self._ranks.tolist() == list(totals.ranks)
