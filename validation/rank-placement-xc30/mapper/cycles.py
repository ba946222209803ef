"""The timed cycles of a trace of odonata-amg, as a trace of their own.

``python cycles.py amg.trace cycles.trace`` keeps what each rank calls from its third MPI_Barrier
on, which begins the cycles, and numbers its requests anew. The program has no communicators of its
own.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from odonata.trace import Block, Reader, Writer

FIRST_BARRIER = 3


class Cycles:
    """Calls of the cycles, block by block.

    Parameters
    ----------
    ranks
        Number of ranks.
    functions
        Names of functions, by number.
    """

    def __init__(self, ranks: int, functions: tuple[str, ...]) -> None:
        self._barrier = functions.index("MPI_Barrier")
        self._init = functions.index("MPI_Init")
        self._barriers = np.zeros(ranks, dtype=np.int64)
        self._numbers: list[dict[int, int]] = [{} for _ in range(ranks)]

    def of(self, block: Block) -> Block:
        """Return the calls of a block that are kept."""
        block = block.by_rank()
        kept = self._kept(block)
        calls = block.calls[kept].copy()
        words = self._renumbered(block.ranks[kept], calls, block.words[pieces(block, kept)])
        return Block(
            ranks=block.ranks[kept],
            calls=calls,
            words=words,
            found=block.found[kept],
            num_outcomes=block.num_outcomes[kept],
            outcomes=block.outcomes[np.repeat(kept, block.num_outcomes)],
        )

    def _kept(self, block: Block) -> NDArray[np.bool_]:
        function = block.calls["function"]
        here = (function == self._barrier).astype(np.int64)
        until = np.cumsum(here)
        first = np.searchsorted(block.ranks, block.ranks)
        count = self._barriers[block.ranks] + until - until[first] + here[first]
        np.add.at(self._barriers, block.ranks, here)
        return (count >= FIRST_BARRIER) | (function == self._init)

    def _renumbered(
        self, ranks: NDArray[np.int32], calls: NDArray[np.void], words: NDArray[np.uint64]
    ) -> NDArray[np.uint64]:
        """Return what waits list, after the requests of all calls were numbered by first use."""
        renumbered, at = words.copy(), 0
        for rank, call in zip(ranks.tolist(), calls, strict=True):
            numbers = self._numbers[rank]
            if request := int(call["request"]):
                call["request"] = numbers.setdefault(request, len(numbers) + 1)
            for _ in range(int(call["num_words"])):
                if words[at]:
                    renumbered[at] = numbers[int(words[at])]
                at += 1
        return renumbered


def pieces(block: Block, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which words belong to calls that are kept."""
    return np.repeat(kept, block.calls["num_words"])


def main() -> None:
    """Cut."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    given = parser.parse_args()
    with Reader(given.source) as trace:
        cycles = Cycles(trace.header.ranks, tuple(trace.header.functions))
        with Writer(given.target, trace.header) as out:
            for block in trace.blocks():
                out.write(cycles.of(block))


if __name__ == "__main__":
    main()
