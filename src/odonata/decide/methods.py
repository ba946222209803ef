"""Ways to make an order of ranks that a search then improves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from odonata.decide.communication import Communication
from odonata.decide.cubes import halves, is_grid
from odonata.machine import Machine

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Situation", "along_curve", "by_bandwidth", "by_bisection", "why_not_here"]

Slots = NDArray[np.int32]

NEEDS = {"bisection": ("pymetis", "scipy"), "rcm": ("scipy",), "kahypar": ("mtkahypar", "scipy")}
"""Packages that a method needs."""

PROCESSORS = Path("/sys/devices/system/cpu")
"""Folder that is missing in a chroot and in some containers."""

MOST_WEIGHT = 10_000
"""Weight of the heaviest edge; METIS takes whole numbers."""


@dataclass(frozen=True)
class Situation:
    """Situation that a method starts from.

    Parameters
    ----------
    machine
        The machine.
    node_of
        Shape (ranks,): node of each slot.
    communication
        Who sends how much to whom.
    grid
        Processes in each dimension, the last one fastest; None: not known.
    """

    machine: Machine
    node_of: NDArray[np.int32]
    communication: Communication
    grid: Sequence[int] | None = None

    @cached_property
    def graph(self) -> csr_array:
        """Bytes between any two ranks, both directions added; shape (ranks, ranks)."""
        from scipy.sparse import coo_array

        matrix = self.communication
        shape = (matrix.ranks, matrix.ranks)
        one_way = coo_array((matrix.bytes, (matrix.source, matrix.target)), shape=shape).tocsr()
        return (one_way + one_way.T).tocsr()

    def near_slots(self) -> NDArray[np.int32]:
        """Return the slots so that those near each other on the machine are near in the list."""
        return np.lexsort(self.blocks()[::-1]).astype(np.int32)

    def slots_by_level(self) -> NDArray[np.int32]:
        """Return the slots in the order of the machine's levels: on a torus along its lines."""
        return np.lexsort(self.levels()[::-1]).astype(np.int32)

    def blocks(self) -> Sequence[NDArray[np.integer]]:
        """Return the blocks of each slot, from the largest to the node.

        They are levels of the machine; on a torus they are halves of its coordinates.
        """
        router = self.machine.node_router[self.node_of]
        if not is_grid(self.machine, router):
            return self.levels()
        positions = [self.machine.core.position(one) for one in router.tolist()]
        return [*halves(np.array(positions)), router, self.node_of]

    def levels(self) -> Sequence[NDArray[np.integer]]:
        """Return the block of each level that a slot is in, from the largest to the node."""
        router = self.machine.node_router[self.node_of]
        levels = [np.asarray(level.of_router)[router] for level in self.machine.core.levels]
        return [*reversed(levels), router, self.node_of]


def why_not_here(method: str) -> str | None:
    """Return packages or files that a method needs and that are missing; None: it can be tried.

    Parameters
    ----------
    method
        Its name.

    Examples
    --------
    >>> why_not_here("greedy") is None
    True
    """
    missing = [name for name in NEEDS.get(method, ()) if find_spec(name) is None]
    if missing:
        return f"needs {' and '.join(missing)} (pip install odonata[place])"
    if method == "kahypar" and not PROCESSORS.is_dir():  # its library would abort the process
        return f"needs {PROCESSORS}, where Mt-KaHyPar looks for processors"
    return None


def whole_weights(values: NDArray[np.float64]) -> list[int]:
    """Return weights of edges as partitioners take them: whole numbers from 1 on."""
    heaviest = float(values.max(initial=0.0)) or 1.0
    scaled = np.rint(values * (MOST_WEIGHT / heaviest)).astype(np.int64)
    return [max(1, weight) for weight in scaled.tolist()]


def by_bandwidth(situation: Situation) -> Slots:
    """Order ranks by reverse Cuthill and McKee (1969): partners get near numbers."""
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    ranks = reverse_cuthill_mckee(situation.graph, symmetric_mode=True)
    slots = np.empty(len(ranks), dtype=np.int32)
    slots[ranks] = situation.slots_by_level()
    return slots


def along_curve(situation: Situation) -> Slots:
    """Order the ranks of a grid along a Hilbert curve (Skilling 2004)."""
    assert situation.grid is not None
    ranks = np.argsort(hilbert_index(situation.grid), kind="stable")
    slots = np.empty(len(ranks), dtype=np.int32)
    slots[ranks] = situation.near_slots()
    return slots


def hilbert_index(grid: Sequence[int]) -> NDArray[np.int64]:
    """Return the place of each point of a grid on a Hilbert curve through a cube around it.

    Parameters
    ----------
    grid
        Points in each dimension, the last one fastest.

    Returns
    -------
    NDArray[np.int64]
        Shape (points,).

    Examples
    --------
    >>> hilbert_index([2, 2]).tolist()
    [0, 1, 3, 2]
    """
    axes = np.indices(tuple(grid)).reshape(len(grid), -1).astype(np.int64)
    bits = max(1, (max(grid) - 1).bit_length())
    _to_transposed(axes, bits)
    index = np.zeros(axes.shape[1], dtype=np.int64)
    for bit in reversed(range(bits)):
        for axis in axes:
            index = index << 1 | axis >> bit & 1
    return index


def _to_transposed(axes: NDArray[np.int64], bits: int) -> None:
    """Turn coordinates into the bits of the index, in place: AxestoTranspose of Skilling."""
    bit = 1 << (bits - 1)
    while bit > 1:
        below = bit - 1
        for axis in axes:
            inverted = (axis & bit) > 0
            swapped = (axes[0] ^ axis) & below
            swapped[inverted] = 0
            axes[0][inverted] ^= below
            axes[0] ^= swapped
            if axis is not axes[0]:
                axis ^= swapped
        bit >>= 1
    for before, axis in pairwise(axes):
        axis ^= before
    mask = np.zeros(axes.shape[1], dtype=np.int64)
    bit = 1 << (bits - 1)
    while bit > 1:
        mask[(axes[-1] & bit) > 0] ^= bit - 1
        bit >>= 1
    axes ^= mask


def by_bisection(situation: Situation) -> Slots:
    """Halve the ranks and the slots again and again, with few bytes between the halves (METIS)."""
    order = situation.near_slots()
    slots = np.empty(situation.communication.ranks, dtype=np.int32)
    keys = [key[order] for key in situation.blocks()]
    waiting = [(np.arange(len(slots)), 0, situation.graph)]
    while waiting:
        ranks, first, graph = waiting.pop()
        last = first + len(ranks)
        cut = _cut(keys, first, last)
        if cut is None:
            slots[ranks] = order[first:last]
            continue
        side = _halve(graph, cut - first)
        for members, begin in ((~side, first), (side, cut)):
            waiting.append((ranks[members], begin, graph[members][:, members]))
    return slots


def _cut(keys: Sequence[NDArray[np.integer]], first: int, last: int) -> int | None:
    """Return where a range of slots is cut: between two of the largest blocks, near the middle.

    It is not cut where all slots are equally far from each other: on one node, or on different
    nodes of one router.
    """
    *_, router, node = (key[first:last] for key in keys)
    if (router == router[0]).all() and len(np.unique(node)) == last - first:
        return None
    for key in keys:
        cuts = first + 1 + np.flatnonzero(np.diff(key[first:last]))
        if len(cuts):
            return int(cuts[np.argmin(abs(2 * cuts - first - last))])
    return None


def _halve(graph: csr_array, size: int) -> NDArray[np.bool_]:
    """Return which vertices are on the second side, when the first one has so many."""
    total = graph.shape[0]
    side = np.arange(total) >= size
    if graph.nnz:
        import pymetis

        _, parts = pymetis.part_graph(
            2,
            pymetis.CSRAdjacency(graph.indptr.tolist(), graph.indices.tolist()),
            eweights=whole_weights(graph.data),
            tpwgts=[size / total, 1 - size / total],
            options=pymetis.Options(seed=0),
        )
        side = np.asarray(parts) == 1
    _balance(graph, side, size)
    return side


def _balance(graph: csr_array, side: NDArray[np.bool_], size: int) -> None:
    """Move vertices, those with the least loss first, until the first side has so many."""
    while (few := size - int((~side).sum())) != 0:
        from_side = few > 0
        to_second = graph @ side.astype(np.float64)
        to_first = graph @ (~side).astype(np.float64)
        loss = to_second - to_first if from_side else to_first - to_second
        movable = np.flatnonzero(side == from_side)
        side[movable[np.argmin(loss[movable])]] = not from_side
