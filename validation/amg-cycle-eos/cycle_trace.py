"""Cut the timed cycles out of a trace of ``odonata-amg --flop-seconds``, to be replayed alone.

``python validation/amg-cycle-eos/cycle_trace.py whole.trace cycles.trace`` keeps the calls of each
rank from the barrier before its first stated flops up to the collective after the last ones.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from odonata.trace import Block, Reader, Writer
from odonata.trace.calls import OPERATIONS

COLLECTIVE, COMMUNICATOR, ISEND, IRECV, WAIT = (
    OPERATIONS.index(name) for name in ("collective", "communicator", "isend", "irecv", "wait")
)
FLOPS, ALWAYS = "MPI_Pcontrol", ("MPI_Init", "MPI_Finalize")


def find_cycles(reader: Reader) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first call of each rank's cycles, and the first call behind; shapes (ranks,)."""
    begin, end, before, calls = np.zeros((4, reader.header.ranks), dtype=np.int64)
    begin -= 1
    flops = reader.header.functions.index(FLOPS)
    for block in reader.blocks():
        for at, rank in enumerate(block.ranks.tolist()):
            if block.calls["operation"][at] == COLLECTIVE:
                before[rank] = calls[rank]
                if end[rank] == -1:
                    end[rank] = calls[rank]
            elif block.calls["function"][at] == flops:
                begin[rank] = before[rank] if begin[rank] < 0 else begin[rank]
                end[rank] = -1
            calls[rank] += 1
    return begin, end


class Requests:
    """New numbers for the requests of a rank, as if nothing had been before: the last free one."""

    def __init__(self) -> None:
        self._free: list[int] = []
        self._open: dict[int, int] = {}

    def begin(self, number: int) -> int:
        """Return the new number of a request that opens."""
        new = self._free.pop() if self._free else len(self._open) + 1
        self._open[number] = new
        return new

    def end(self, number: int) -> int:
        """Return the new number of a request that is complete."""
        new = self._open.pop(number)
        self._free.append(new)
        return new


def renumber(block: Block, requests: list[Requests]) -> None:
    """Give the requests of a block's calls their new numbers, in place."""
    word = 0
    for at, rank in enumerate(block.ranks.tolist()):
        call, own = block.calls[at], requests[rank]
        count = int(call["num_words"])
        if call["operation"] in (ISEND, IRECV) and call["request"]:
            call["request"] = own.begin(int(call["request"]))
        elif call["operation"] == WAIT:
            for i in range(word, word + count):
                if block.words[i]:
                    block.words[i] = own.end(int(block.words[i]))
            if call["request"]:
                call["request"] = own.end(int(call["request"]))
        word += count


def cut(reader: Reader) -> Iterator[Block]:
    """Yield the blocks of the cycles: with few wildcards, so that no matches are kept."""
    begin, end = find_cycles(reader)
    calls = np.zeros(reader.header.ranks, dtype=np.int64)
    requests = [Requests() for _ in calls]
    always = [reader.header.functions.index(name) for name in ALWAYS]
    for block in reader.blocks():
        position = np.empty(len(block), dtype=np.int64)
        for rank in np.unique(block.ranks):
            own = block.ranks == rank
            position[own] = calls[rank] + np.arange(np.count_nonzero(own))
            calls[rank] += np.count_nonzero(own)
        keep = (position >= begin[block.ranks]) & (position < end[block.ranks])
        keep |= np.isin(block.calls["function"], always)
        keep |= block.calls["operation"] == COMMUNICATOR
        kept = Block(
            block.ranks[keep],
            block.calls[keep],
            block.words[np.repeat(keep, block.calls["num_words"])].copy(),
            block.found[keep],
            block.num_outcomes[keep],
            block.outcomes[np.repeat(keep, block.num_outcomes)],
        )
        renumber(kept, requests)
        if len(kept):
            yield kept


def main() -> None:
    """Cut a trace."""
    source, target = sys.argv[1:]
    with Reader(source) as reader, Writer(target, reader.header) as writer:
        for block in cut(reader):
            writer.write(block)


if __name__ == "__main__":
    main()
