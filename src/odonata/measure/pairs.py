"""Choice of the pairs of ranks that are measured, where there are too many for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations

import numpy as np

__all__ = ["choose_pairs"]

_DRAWN_FOR_ONE = 50

Pair = tuple[int, int]


def choose_pairs(
    ranks: int, most: int, distance: Callable[[int, int], int], seed: int
) -> list[Pair]:
    """Choose pairs of ranks: all of them, or some of every distance.

    Parameters
    ----------
    ranks
        Two or more.
    most
        Pairs to choose.
    distance
        Between two ranks, in any measure that tells near from far.
    seed
        Seed of the choice.

    Returns
    -------
    list of pair
        Different ones, the lower rank first, sorted.

    Examples
    --------
    >>> choose_pairs(3, 10, lambda a, b: 1, seed=0)
    [(0, 1), (0, 2), (1, 2)]
    >>> pairs = choose_pairs(1000, 4, lambda a, b: a // 4 != b // 4, seed=0)
    >>> sorted(a // 4 != b // 4 for a, b in pairs)
    [False, False, True, True]
    """
    if ranks * (ranks - 1) // 2 <= most:
        return list(combinations(range(ranks), 2))
    by_distance: dict[int, list[Pair]] = {}
    for pair in _candidates(ranks, most, seed):
        by_distance.setdefault(distance(*pair), []).append(pair)
    return sorted(_in_turn(by_distance[key] for key in sorted(by_distance))[:most])


def _candidates(ranks: int, most: int, seed: int) -> list[Pair]:
    """Return neighbours and random pairs, in random order."""
    draw = np.random.default_rng(seed)
    ends = draw.integers(ranks, size=(_DRAWN_FOR_ONE * most, 2)).tolist()
    drawn = {(min(a, b), max(a, b)) for a, b in ends if a != b}
    pairs = sorted(drawn | {(rank, rank + 1) for rank in range(ranks - 1)})
    return [pairs[i] for i in draw.permutation(len(pairs))]


def _in_turn(lists: Iterable[list[Pair]]) -> list[Pair]:
    """Return the first of each list, then the second, and so on."""

    def turns() -> Iterator[Pair]:
        waiting = [iter(pairs) for pairs in lists]
        while waiting:
            for pairs in list(waiting):
                pair = next(pairs, None)
                if pair is None:
                    waiting.remove(pairs)
                else:
                    yield pair

    return list(turns())
