"""Static mapping by Scotch's own programs, amk_grf and gmap."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from odonata.decide import Communication
from odonata.machine import Machine
from odonata.placement import Placement

__all__ = ["by_scotch", "version"]

LEAST_WEIGHT, MOST_WEIGHT = 1, 10_000


def version() -> str:
    """Return what ``scotch_gmap -V`` says."""
    told = subprocess.run(["scotch_gmap", "-V"], capture_output=True, text=True, check=False)
    return (told.stdout or told.stderr).splitlines()[0]


def by_scotch(communication: Communication, start: Placement) -> NDArray[np.int32]:
    """Return the slot of each rank by Scotch's default strategy.

    The target is the graph of all routers and the job's nodes, of which the nodes are terminals.
    Ranks of a node that got too many move to one that got too few, by increasing loss.
    """
    nodes = sorted(set(start.node_of))
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        (where / "target.grf").write_text(_target(start.machine, nodes))
        routers = start.machine.num_routers
        terminals = [str(routers + at) for at in range(len(nodes))]
        (where / "list").write_text("\n".join([str(len(nodes)), *terminals]) + "\n")
        (where / "source.grf").write_text(_source(communication))
        _run("amk_grf", f"-l{where / 'list'}", where / "target.grf", where / "target.tgt")
        _run("scotch_gmap", "-b0", *(where / f for f in ("source.grf", "target.tgt", "map")))
        lines = (where / "map").read_text().splitlines()[1:]
    placed = np.empty(communication.ranks, dtype=np.int64)
    for line in lines:
        rank, at = map(int, line.split())
        placed[rank] = at - routers if at >= routers else at
    return _slots(communication, start, nodes, placed)


def _run(*words: object) -> None:
    subprocess.run([str(word) for word in words], check=True, capture_output=True, timeout=600)


def _grf(rows: Sequence[Sequence[tuple[int, int]]], *, weights: bool) -> str:
    """Return a graph in Scotch's format: neighbours of each vertex, with weights."""
    lines = ["0", f"{len(rows)} {sum(map(len, rows))}", f"0 {'010' if weights else '000'}"]
    for row in rows:
        words = [str(len(row))]
        for neighbour, weight in row:
            words += [str(weight), str(neighbour)] if weights else [str(neighbour)]
        lines.append(" ".join(words))
    return "\n".join(lines) + "\n"


def _target(machine: Machine, nodes: Sequence[int]) -> str:
    beside: list[set[int]] = [set() for _ in range(machine.num_routers + len(nodes))]
    for start, end, *_ in machine.core.links[2 * machine.num_nodes :]:
        if start != end:
            beside[start].add(end)
            beside[end].add(start)
    for at, node in enumerate(nodes, start=machine.num_routers):
        router = int(machine.node_router[node])
        beside[at].add(router)
        beside[router].add(at)
    return _grf([[(other, 1) for other in sorted(row)] for row in beside], weights=False)


def _source(communication: Communication) -> str:
    rows: list[dict[int, float]] = [{} for _ in range(communication.ranks)]
    ends = (communication.source.tolist(), communication.target.tolist())
    for source, target, size in zip(*ends, communication.bytes.tolist(), strict=True):
        for one, other in ((source, target), (target, source)):
            rows[one][other] = rows[one].get(other, 0.0) + size
    scale = MOST_WEIGHT / max(max(row.values(), default=1.0) for row in rows)
    return _grf(
        [
            [(other, max(LEAST_WEIGHT, round(size * scale))) for other, size in sorted(row.items())]
            for row in rows
        ],
        weights=True,
    )


def _slots(
    communication: Communication,
    start: Placement,
    nodes: Sequence[int],
    placed: NDArray[np.int64],
) -> NDArray[np.int32]:
    """Return slots on the nodes that ranks were placed on."""
    slots_of = [np.flatnonzero(start.nodes == node) for node in nodes]
    room = np.array([len(slots) for slots in slots_of])
    inside = _bytes_inside(communication, placed)
    counts = np.bincount(placed, minlength=len(nodes))
    for full in np.flatnonzero(counts > room):
        members = np.flatnonzero(placed == full)
        least = members[np.argsort(inside[members], kind="stable")]
        for rank in least[: counts[full] - room[full]]:
            free = np.flatnonzero(np.bincount(placed, minlength=len(nodes)) < room)
            placed[rank] = free[0]
    slots = np.empty(len(placed), dtype=np.int32)
    for at, own in enumerate(slots_of):
        slots[placed == at] = own
    return slots


def _bytes_inside(communication: Communication, placed: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the bytes of each rank that stay on its node."""
    same = placed[communication.source] == placed[communication.target]
    total = np.zeros(communication.ranks)
    for ends in (communication.source, communication.target):
        total += np.bincount(ends[same], communication.bytes[same], minlength=communication.ranks)
    return total
