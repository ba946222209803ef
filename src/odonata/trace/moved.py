"""Bytes that collectives move from rank to rank, whatever their algorithm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from odonata import _core
from odonata.trace.calls import OPERATIONS, Block

__all__ = ["Moved", "moved_bytes", "sent_blocks"]

_COLLECTIVE = [OPERATIONS.index(name) for name in ("collective", "icollective")]
_COMMUNICATOR = OPERATIONS.index("communicator")

_ROWS = tuple(_core.collective_operations())

_SHARE: Mapping[str, Callable[[int, bool], int]] = {
    "nothing": lambda n, root: 0,
    "from_root": lambda n, root: n * (n - 1) if root else 0,
    "to_root": lambda n, root: 0 if root else n,
    "to_each": lambda n, root: n * (n - 1),
    "there_and_back": lambda n, root: 2 * (n - 1),
    "up_the_ranks": lambda n, root: n - 1,
}
"""Blocks that a call moves, all of one size, times the ranks n of its communicator: the share of
one rank in the bytes that all of them move."""


def moved_bytes(
    collective: int,
    ranks: NDArray[np.int64],
    root: NDArray[np.bool_],
    blocks: NDArray[np.int64],
) -> int:
    """Return the bytes that calls of a collective move, from the sums of their blocks [B].

    Parameters
    ----------
    collective
        Number of the operation.
    ranks, root
        Shape (n,): size of the communicator, and whether the rank is the root.
    blocks
        Shape (n,): sum of the calls' blocks, or, where blocks are not alike, of the blocks that the
        rank sends to others, or of every rank's blocks, which are the same on all ranks [B].
    """
    sizes, moves = _ROWS[collective].sizes, _ROWS[collective].moves
    shares: Counter[int] = Counter()
    for n, is_root, size in zip(ranks.tolist(), root.tolist(), blocks.tolist(), strict=True):
        if sizes == "alike":
            shares[n] += size * _SHARE[moves](n, is_root)
        else:
            shares[n] += size * (n - 1 if sizes == "of_ranks" else n)
    return sum(share // n for n, share in shares.items() if n)


def sent_blocks(block: Block) -> Iterator[tuple[int, int]]:
    """Yield the places of calls whose blocks are of many sizes, and the bytes that each sends [B].

    These are alltoallv, alltoallw and their forms for neighbours; in all others a rank's own block
    is in the record of the call.
    """
    calls = block.calls
    collective = np.isin(calls["operation"], _COLLECTIVE) & (calls["num_words"] > 0)
    ends = np.cumsum(calls["num_words"])
    for at in np.flatnonzero(collective).tolist():
        own = calls["collective"][at]
        sizes = _ROWS[own["operation"]].sizes
        words = block.words[ends[at] - calls["num_words"][at] : ends[at]].astype(np.int64)
        if sizes == "of_pairs":
            yield at, int(words[: len(words) // 2].sum())
        elif sizes == "of_neighbors":
            yield at, _to_neighbours(sizes, words, int(own["bytes"]))


class Moved:
    """Adds up the bytes that collectives move.

    A rank's block counts once for every other rank that gets it, and in a reduction once where it
    is combined with another.

    Parameters
    ----------
    ranks
        Ranks of the world.
    known
        Communicators that another one of these has seen: size and position by rank and number.
    """

    def __init__(
        self, ranks: int, known: dict[tuple[int, int], tuple[int, int]] | None = None
    ) -> None:
        self._ranks = ranks
        self._known = {} if known is None else known
        self._shares: Counter[int] = Counter()

    @property
    def bytes(self) -> int:
        """Bytes so far [B]."""
        return sum(share // n for n, share in self._shares.items())

    def add(self, block: Block) -> None:
        """Take the calls of a block, which follow the calls of earlier blocks."""
        self.learn(block)
        self.count(block, np.flatnonzero(np.isin(block.calls["operation"], _COLLECTIVE)))

    def learn(self, block: Block) -> None:
        """Take the communicators of a block, and none of its collectives."""
        calls = block.calls
        for at in np.flatnonzero(calls["operation"] == _COMMUNICATOR).tolist():
            key = int(block.ranks[at]), int(calls["comm"][at])
            position = int(calls["communicator"]["position"][at])
            self._known[key] = max(1, int(calls["num_words"][at])), position

    def count(self, block: Block, chosen: NDArray[np.intp]) -> None:
        """Take some collectives of a block whose communicators are known, by their places."""
        calls = block.calls
        ends = np.cumsum(calls["num_words"])
        plain = calls["num_words"][chosen] == 0
        self._add_plain(block, chosen[plain])
        for at in chosen[~plain].tolist():
            words = block.words[ends[at] - calls["num_words"][at] : ends[at]].astype(np.int64)
            self._add_words(block, at, words)

    def _add_plain(self, block: Block, chosen: NDArray[np.intp]) -> None:
        calls = block.calls[chosen]
        own = calls["collective"]
        keys = [block.ranks[chosen], own["operation"], calls["comm"], own["root"]]
        rows, places = np.unique(np.stack(keys).astype(np.int64), axis=1, return_inverse=True)
        totals = [0] * rows.shape[1]
        for place, size in zip(places.ravel().tolist(), own["bytes"].tolist(), strict=True):
            totals[place] += size
        for (rank, collective, comm, root), total in zip(rows.T.tolist(), totals, strict=True):
            n, position = self._communicator(rank, comm)
            if _ROWS[collective].sizes == "alike":
                share = _SHARE[_ROWS[collective].moves]
                self._shares[n] += total * share(n, root == position)

    def _add_words(self, block: Block, at: int, words: NDArray[np.int64]) -> None:
        call = block.calls[at]
        n, position = self._communicator(int(block.ranks[at]), int(call["comm"]))
        own = call["collective"]
        sizes, root = _ROWS[own["operation"]].sizes, int(own["root"])
        if sizes == "of_ranks_at_root" and root == position < len(words):
            moved = n * int(words.sum() - words[position])
        elif sizes == "of_ranks":
            moved = (n - 1) * int(words.sum())
        elif sizes == "of_pairs" and position < n <= len(words):
            moved = n * int(words[:n].sum() - words[position])
        elif sizes in ("of_sources", "of_neighbors"):
            moved = n * _to_neighbours(sizes, words, int(own["bytes"]))
        else:
            moved = 0
        self._shares[n] += moved

    def _communicator(self, rank: int, comm: int) -> tuple[int, int]:
        """Return the size of a communicator, and the rank's position in it."""
        if comm < 2:
            return (self._ranks, rank) if comm == 0 else (1, 0)
        return self._known.get((rank, comm), (1, 0))


def _to_neighbours(sizes: str, words: NDArray[np.int64], size: int) -> int:
    """Return the bytes to all destinations; words are as the page on traces has them."""
    sources = int(words[0])
    destinations = int(words[1 + sources]) if 0 <= sources < len(words) - 1 else 0
    if sizes == "of_sources":
        return destinations * size
    return int(words[len(words) - destinations :].sum())
