"""Bytes that collectives move from rank to rank, whatever their algorithm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from odonata.trace.calls import COLLECTIVES, OPERATIONS, Block

__all__ = ["Moved"]

_COLLECTIVE = [OPERATIONS.index(name) for name in ("collective", "icollective")]
_COMMUNICATOR = OPERATIONS.index("communicator")

_PLAIN: Mapping[str, Callable[[int, bool], int]] = {
    "bcast": lambda n, root: n * (n - 1) if root else 0,
    "scatter": lambda n, root: n * (n - 1) if root else 0,
    "gather": lambda n, root: 0 if root else n,
    "reduce": lambda n, root: 0 if root else n,
    "allgather": lambda n, root: n * (n - 1),
    "alltoall": lambda n, root: n * (n - 1),
    "reduce_scatter_block": lambda n, root: n * (n - 1),
    "allreduce": lambda n, root: 2 * (n - 1),
    "scan": lambda n, root: n - 1,
    "exscan": lambda n, root: n - 1,
}
"""Blocks that a call moves times the ranks n of its communicator: the share of one rank in what all
of them move. An allreduce is a reduce and a bcast."""


class Moved:
    """Adds up the bytes that collectives move.

    A rank's block counts once for every other rank that gets it, and in a reduction once where it
    is combined with another.

    Parameters
    ----------
    ranks
        Ranks of the world.
    """

    def __init__(self, ranks: int) -> None:
        self._ranks = ranks
        self._known: dict[tuple[int, int], tuple[int, int]] = {}
        self._shares: Counter[int] = Counter()

    @property
    def bytes(self) -> int:
        """Bytes so far [B]."""
        return sum(share // n for n, share in self._shares.items())

    def add(self, block: Block) -> None:
        """Take the calls of a block, which come after those of the blocks before."""
        calls = block.calls
        ends = np.cumsum(calls["num_words"])
        for at in np.flatnonzero(calls["operation"] == _COMMUNICATOR).tolist():
            key = int(block.ranks[at]), int(calls["comm"][at])
            self._known[key] = max(1, int(calls["num_words"][at])), int(calls["request2"][at])
        chosen = np.flatnonzero(np.isin(calls["operation"], _COLLECTIVE))
        plain = calls["num_words"][chosen] == 0
        self._add_plain(block, chosen[plain])
        for at in chosen[~plain].tolist():
            words = block.words[ends[at] - calls["num_words"][at] : ends[at]].astype(np.int64)
            self._add_words(block, at, words)

    def _add_plain(self, block: Block, chosen: NDArray[np.intp]) -> None:
        calls = block.calls[chosen]
        keys = [block.ranks[chosen], *(calls[name] for name in ("collective", "comm", "peer"))]
        rows, places = np.unique(np.stack(keys).astype(np.int64), axis=1, return_inverse=True)
        totals = [0] * rows.shape[1]
        for place, size in zip(places.ravel().tolist(), calls["bytes"].tolist(), strict=True):
            totals[place] += size
        for (rank, collective, comm, peer), total in zip(rows.T.tolist(), totals, strict=True):
            n, position = self._communicator(rank, comm)
            count = _PLAIN.get(COLLECTIVES[collective])
            if count is not None:
                self._shares[n] += total * count(n, peer == position)

    def _add_words(self, block: Block, at: int, words: NDArray[np.int64]) -> None:
        call = block.calls[at]
        n, position = self._communicator(int(block.ranks[at]), int(call["comm"]))
        name, peer, size = COLLECTIVES[call["collective"]], int(call["peer"]), int(call["bytes"])
        if name in ("gatherv", "scatterv") and peer == position < len(words):
            moved = n * int(words.sum() - words[position])
        elif name in ("allgatherv", "reduce_scatter"):
            moved = (n - 1) * int(words.sum())
        elif name == "alltoallv" and position < n <= len(words):
            moved = n * int(words[:n].sum() - words[position])
        elif name in ("neighbor_allgather", "neighbor_alltoall"):
            moved = n * _to_neighbours(name, words, size)
        else:
            moved = 0
        self._shares[n] += moved

    def _communicator(self, rank: int, comm: int) -> tuple[int, int]:
        """Return the size of a communicator, and the rank's position in it."""
        if comm < 2:
            return (self._ranks, rank) if comm == 0 else (1, 0)
        return self._known.get((rank, comm), (1, 0))


def _to_neighbours(name: str, words: NDArray[np.int64], size: int) -> int:
    """Return the bytes to all destinations; words are as the page on traces has them."""
    sources = int(words[0])
    destinations = int(words[1 + sources]) if 0 <= sources < len(words) - 1 else 0
    if name == "neighbor_allgather":
        return destinations * size
    return int(words[len(words) - destinations :].sum())
