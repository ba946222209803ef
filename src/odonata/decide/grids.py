"""The grid of processes behind a communication matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["MOST_DIMENSIONS", "grid_of"]

MOST_DIMENSIONS = 4


def grid_of(
    ranks: int, source: NDArray[np.int32], target: NDArray[np.int32]
) -> tuple[int, ...] | None:
    """Return the grid in which all messages go to neighbours along one axis, periodic or not.

    Parameters
    ----------
    ranks
        Number of ranks.
    source, target
        Shape (pairs,): who sends to whom.

    Returns
    -------
    tuple of int or None
        Processes in each dimension, the last one fastest: of several grids that fit, the fewest
        dimensions win. None if no grid fits or all ranks are on a line.

    Examples
    --------
    >>> grid_of(6, np.array([0, 0, 1]), np.array([1, 3, 4]))
    (2, 3)
    """
    steps = np.unique(np.abs(target.astype(np.int64) - source))
    if not len(steps) or len(steps) > 2 * MOST_DIMENSIONS:
        return None
    for dimensions in range(1, MOST_DIMENSIONS + 1):
        for grid in _grids(int(ranks), dimensions):
            if _steps_of(grid).issuperset(steps.tolist()) and _fits(grid, source, target):
                return grid if dimensions > 1 else None
    return None


def _grids(ranks: int, dimensions: int) -> Iterator[tuple[int, ...]]:
    """Yield all grids of so many dimensions, each of two processes or more along a side."""
    if dimensions == 1:
        if ranks > 1:
            yield (ranks,)
        return
    for side in range(2, ranks // 2 + 1):
        if ranks % side == 0:
            for rest in _grids(ranks // side, dimensions - 1):
                yield (side, *rest)


def _steps_of(grid: Sequence[int]) -> set[int]:
    """Return the differences between numbers of neighbours."""
    steps, stride = set(), 1
    for side in reversed(grid):
        steps |= {stride, stride * (side - 1)}
        stride *= side
    return steps


def _fits(grid: Sequence[int], source: NDArray[np.int32], target: NDArray[np.int32]) -> bool:
    """Return whether all pairs differ in one coordinate alone, and there by a neighbour's place."""
    ends = [np.array(np.unravel_index(end, tuple(grid))) for end in (source, target)]
    sides = np.array(grid)[:, None]
    apart = (ends[1] - ends[0]) % sides
    near = (apart == 1) | (apart == sides - 1)
    return bool((np.count_nonzero(apart, axis=0) == 1).all() and near.any(axis=0).all())
