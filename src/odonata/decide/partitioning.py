"""An order of ranks by a hypergraph partitioner: Mt-KaHyPar, an optional package."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from odonata import _core
from odonata.decide.methods import Situation, Slots, whole_weights

__all__ = ["by_partition"]

IMBALANCE = 0.03
"""Surplus of the largest block; ranks beyond a node's slots move on."""

MANY_BLOCKS = 128
"""Blocks beyond which the preset for many blocks is used, which takes a fifth of the time."""


def by_partition(situation: Situation) -> Slots:
    """Partition the ranks into as many blocks as there are nodes, and place the blocks.

    Where a node has one rank, a block has the ranks of a router, or of the next level that has
    several.
    """
    unit = _units(situation)
    sizes = np.bincount(unit)
    block = _balanced(situation, _partition(situation, len(sizes)), sizes)
    return _placed(situation, block, unit)


@cache
def _library() -> Any:
    """Return the library, which may be started once in a process."""
    import mtkahypar

    return mtkahypar.initialize(1)


def _units(situation: Situation) -> NDArray[np.int64]:
    """Return the unit of each slot: the smallest kind of block that has more than one slot."""
    units = np.zeros(len(situation.node_of), dtype=np.int64)
    for key in reversed(situation.blocks()):
        _, units = np.unique(key, return_inverse=True)
        if np.bincount(units).max() > 1:
            break
    return units


def _partition(situation: Situation, blocks: int) -> NDArray[np.int64]:
    ranks = situation.communication.ranks
    if blocks == 1:
        return np.zeros(ranks, dtype=np.int64)
    import mtkahypar

    library = _library()
    presets = mtkahypar.PresetType  # with one thread all of them are deterministic
    preset = presets.LARGE_K if blocks > MANY_BLOCKS else presets.DETERMINISTIC
    context = library.context_from_preset(preset)
    context.set_partitioning_parameters(blocks, IMBALANCE, mtkahypar.Objective.CUT)
    context.logging = False
    mtkahypar.set_seed(0)
    edges, weights = _edges(situation)
    graph = library.create_graph(context, ranks, len(edges), edges, [1] * ranks, weights)
    return np.asarray(graph.partition(context).get_partition(), dtype=np.int64)


def _edges(situation: Situation) -> tuple[list[tuple[int, int]], list[int]]:
    """Return the pairs of ranks with bytes, each once, and whole weights."""
    graph = situation.graph.tocoo()
    once = graph.row < graph.col
    pairs = zip(graph.row[once].tolist(), graph.col[once].tolist(), strict=True)
    return list(pairs), whole_weights(graph.data[once])


def _balanced(
    situation: Situation, block: NDArray[np.int64], sizes: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Move ranks out of blocks that are too large, those with the fewest bytes to them first."""
    graph = situation.graph
    room = np.sort(sizes)[::-1]
    counts = np.bincount(block, minlength=len(sizes))
    larger = np.argsort(-counts, kind="stable")  # the largest block gets the largest unit
    wanted = np.empty_like(counts)
    wanted[larger] = room
    for full in np.flatnonzero(counts > wanted):
        members = np.flatnonzero(block == full)
        inside = np.asarray(graph[members][:, members].sum(axis=1)).ravel()
        for rank in members[np.argsort(inside, kind="stable")][: counts[full] - wanted[full]]:
            block[rank] = np.flatnonzero(np.bincount(block, minlength=len(sizes)) < wanted)[0]
    return block


def _placed(
    situation: Situation, block: NDArray[np.int64], unit: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Place blocks on units as ranks on slots, then the ranks of a block on the unit's slots."""
    communication = situation.communication
    first = np.unique(unit, return_index=True)[1]
    among = _core.Mapper(
        situation.machine.core,
        situation.node_of[first].tolist(),
        block[communication.source].tolist(),
        block[communication.target].tolist(),
        communication.bytes.tolist(),
    )
    unit_of = np.asarray(among.improved("hop-bytes", among.greedy(), 0, 50))
    unit_of = _fitting(unit_of, np.bincount(block, minlength=len(first)), np.bincount(unit))
    block_of = np.empty_like(unit_of)
    block_of[unit_of] = np.arange(len(first))
    slots = np.empty(communication.ranks, dtype=np.int32)
    slots[np.argsort(block, kind="stable")] = np.argsort(block_of[unit], kind="stable")
    return slots


def _fitting(
    unit_of: NDArray[np.int64], counts: NDArray[np.int64], sizes: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Swap the units of blocks until every block has a unit of its own size."""
    for number, count in enumerate(counts):
        if sizes[unit_of[number]] != count:
            other = next(
                at
                for at in range(len(counts))
                if sizes[unit_of[at]] == count and sizes[unit_of[at]] != counts[at]
            )
            unit_of[[number, other]] = unit_of[[other, number]]
    return unit_of
