"""Blocks of slots on a grid of routers: halves of the coordinates, again and again."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from odonata import _core
from odonata.machine import Machine

__all__ = ["halves", "is_grid"]

Ints = NDArray[np.int64]


def is_grid(machine: Machine, routers: NDArray[np.int32]) -> bool:
    """Return whether routers along an axis are as many links apart as steps, as on a torus.

    Parameters
    ----------
    machine
        The machine; on a dragonfly or a fat tree the answer is no.
    routers
        Shape (n,): routers to look at.
    """
    if len(machine.axes) < 2:
        return False
    at = {tuple(machine.core.position(router)): router for router in np.unique(routers).tolist()}
    triples = [_in_line(at, axis) for axis in range(len(machine.axes))]
    found = [triple for triple in triples if triple is not None]
    return bool(found) and all(
        _links(machine, first, second) == 1 and _links(machine, first, third) == 2
        for first, second, third in found
    )


def _in_line(at: Mapping[tuple[int, ...], int], axis: int) -> tuple[int, int, int] | None:
    """Return three routers that follow each other along an axis, or None."""
    for position, router in at.items():
        behind = [
            at.get((*position[:axis], position[axis] + step, *position[axis + 1 :]))
            for step in (1, 2)
        ]
        if behind[0] is not None and behind[1] is not None:
            return router, behind[0], behind[1]
    return None


def _links(machine: Machine, one: int, other: int) -> int:
    """Return the links between two routers."""
    nodes = [int(np.flatnonzero(machine.node_router == router)[0]) for router in (one, other)]
    return len(_core.count_distances(machine.core, machine.routing("minimal"), nodes)) - 1


def halves(positions: Ints) -> list[Ints]:
    """Return nested blocks of points, from two halves down to single points.

    Parameters
    ----------
    positions
        Shape (n, axes): coordinates.

    Returns
    -------
    list of NDArray
        Each of shape (n,): the block of each point. Each list halves the blocks of the previous
        list, along the axis on which a block is longest, where its points are divided most evenly.

    Examples
    --------
    >>> line = np.array([[0, 0], [1, 0], [2, 0], [3, 0]])
    >>> [block.tolist() for block in halves(line)]
    [[0, 0, 1, 1], [0, 1, 2, 3]]
    """
    found: list[Ints] = []
    block = np.zeros(len(positions), dtype=np.int64)
    while True:
        second = np.zeros(len(positions), dtype=bool)
        order = np.argsort(block, kind="stable")
        begins = np.flatnonzero(np.diff(block[order], prepend=-1))
        for members in np.split(order, begins[1:]):
            second[members] = _second_half(positions[members])
        if not second.any():
            return found
        block = 2 * block + second
        found.append(block)


def _second_half(points: Ints) -> NDArray[np.bool_]:
    """Return which points are behind the cut across the longest axis."""
    extent = points.max(axis=0) - points.min(axis=0)
    along = points[:, int(np.argmax(extent))]
    values, counts = np.unique(along, return_counts=True)
    before = np.cumsum(counts)[:-1]
    if not len(before):
        return np.zeros(len(points), dtype=bool)
    cut = int(np.argmin(abs(2 * before - len(points))))
    return np.asarray(along > values[cut])
