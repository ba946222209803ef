"""Places of routers on a map: levels of a tree, slices of a grid, or groups side by side."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, prod, sqrt
from re import findall

import numpy as np
from numpy.typing import NDArray

from odonata.result import Result
from odonata.result.loads import between_routers, num_routers

__all__ = ["NetworkMap", "map_network"]

MOST_LINKS = 6000
"""Links on a map: the busiest ones."""


@dataclass(frozen=True, eq=False)
class NetworkMap:
    """A map of the routers and links that a run used.

    Parameters
    ----------
    routers
        Numbers of the routers.
    places
        Shape (routers, 2): where each router is, in units of the distance of neighbours.
    frames
        Names and rectangles (left, top, width, height) of groups, slices or levels.
    links
        Numbers of the links on the map, the busiest first.
    left_out
        Number of used links between routers that are not on the map.
    """

    routers: list[int]
    places: list[tuple[float, float]]
    frames: list[tuple[str, tuple[float, float, float, float]]]
    links: list[int]
    left_out: int


def map_network(result: Result) -> NetworkMap:
    """Return the map of a run's network.

    Parameters
    ----------
    result
        The run.

    Returns
    -------
    NetworkMap
        Routers with nodes below routers without make levels; a machine with ``shape.sizes`` makes
        a grid that is cut into slices across its least used axes; other machines are drawn by
        group, in the rows and columns of ``shape.rows`` and ``shape.columns`` where they have them
        (an Aries group as six chassis of sixteen).
    """
    links = result.run.links
    real = between_routers(result)
    used = np.flatnonzero(real & (links["bytes"] > 0))
    order = used[np.argsort(-links["busy"][used], kind="stable")]
    drawn = order[:MOST_LINKS]
    nodes = _node_routers(result)
    count = max(num_routers(result), int(nodes.max(initial=0)) + 1)  # a star's is joined to none
    levels = _levels(result, real, count)
    mine = {int(nodes[node]) for job in result.run.jobs for node in job.nodes}
    ends = np.concatenate([links["from"][drawn], links["to"][drawn]])
    kept = sorted(mine | set(np.unique(ends).tolist()))
    if max((levels[router] for router in kept), default=0) > 0:
        blocks = _by_level(kept, levels)
    elif sizes := _sizes(result, count):
        blocks = _by_slice(kept, sizes)
    else:
        blocks = _by_group(kept, _groups(result, real, count), _rows_and_columns(result))
    places, frames = _arrange(blocks)
    return NetworkMap(
        routers=kept,
        places=[places[router] for router in kept],
        frames=frames,
        links=[int(link) for link in drawn],
        left_out=len(order) - len(drawn),
    )


@dataclass(frozen=True)
class _Block:
    """Routers that stand together, at places inside of a rectangle."""

    name: str
    inside: dict[int, tuple[float, float]]
    row: int | None = None


def _node_routers(result: Result) -> NDArray[np.int64]:
    """Return the router of each node: that which the injection link of its first port leads to."""
    run = result.run
    classes = [at for at, name in enumerate(run.link_classes) if name.startswith("injection")]
    into = np.flatnonzero(np.isin(run.links["class"], classes))
    routers = np.zeros(int(run.links["from"][into].max(initial=-1)) + 1, dtype=np.int64)
    into = into[::-1]  # of several ports of a node, the first one counts
    routers[run.links["from"][into]] = run.links["to"][into]
    return routers


def _levels(result: Result, real: NDArray[np.bool_], count: int) -> list[int]:
    """Return how many links each router is away from the nearest one with nodes."""
    links = result.run.links
    level = np.full(count, -1)
    level[np.unique(_node_routers(result))] = 0
    source, target = links["from"][real], links["to"][real]
    for step in range(count):
        reached = np.unique(target[level[source] == step])
        fresh = reached[level[reached] < 0]
        if not len(fresh):
            break
        level[fresh] = step + 1
    return [int(at) for at in np.maximum(level, 0)]


def _sizes(result: Result, count: int) -> list[int]:
    """Return the sizes of the machine's grid; empty if it has none."""
    sizes = [int(word) for word in findall(r"\d+", str(result.run.machine.get("shape.sizes", "")))]
    return sizes if sizes and prod(sizes) == count else []


def _groups(result: Result, real: NDArray[np.bool_], count: int) -> list[int]:
    links = result.run.links
    groups = np.zeros(count, dtype=np.int64)
    groups[links["from"][real]] = links["group_from"][real]
    groups[links["to"][real]] = links["group_to"][real]
    return [int(group) for group in groups]


def _by_level(kept: list[int], levels: list[int]) -> list[_Block]:
    top = max(levels[router] for router in kept)
    rows = {level: [r for r in kept if levels[r] == level] for level in range(top, -1, -1)}
    widest = max(len(row) for row in rows.values())
    return [
        _Block(
            f"level {level}",
            {router: ((at + 0.5) * widest / len(row), 0.0) for at, router in enumerate(row)},
            row=top - level,
        )
        for level, row in rows.items()
        if row
    ]


def _by_slice(kept: list[int], sizes: list[int]) -> list[_Block]:
    """Return slices along the two axes on which the routers are spread most; see `_coordinates`."""
    if len(sizes) == 1:
        sizes = [*sizes, 1]  # a ring is drawn as a row
    at = {router: _coordinates(router, sizes) for router in kept}
    spread = [len({where[axis] for where in at.values()}) for axis in range(len(sizes))]
    order = sorted(range(len(sizes)), key=lambda axis: (-spread[axis], axis))
    across, along = sorted(order[:2])
    cut = sorted(order[2:])
    blocks: dict[tuple[int, ...], dict[int, tuple[float, float]]] = {}
    for router, where in at.items():
        slice_of = tuple(where[axis] for axis in cut)
        blocks.setdefault(slice_of, {})[router] = (float(where[across]), float(where[along]))
    return [
        _Block(f"slice {','.join(map(str, slice_of))}".rstrip(), inside)
        for slice_of, inside in sorted(blocks.items())
    ]


def _coordinates(router: int, sizes: list[int]) -> list[int]:
    """Return where a router is on a grid; the first axis counts fastest."""
    where = []
    for size in sizes:
        router, at = divmod(router, size)
        where.append(at)
    return where


def _rows_and_columns(result: Result) -> tuple[int, int] | None:
    """Return the rows and columns that the routers of a group stand in, where it has them."""
    found = [result.run.machine.get(f"shape.{key}") for key in ("rows", "columns")]
    rows, columns = (each if isinstance(each, int) else 0 for each in found)
    return (rows, columns) if rows and columns else None


def _by_group(
    kept: list[int], groups: list[int], rows_and_columns: tuple[int, int] | None
) -> list[_Block]:
    members: dict[int, list[int]] = {}
    for router in kept:
        members.setdefault(groups[router], []).append(router)
    square = max(1, ceil(sqrt(max(len(each) for each in members.values()))))
    rows, columns = rows_and_columns or (0, square)

    def place(router: int, at: int) -> tuple[float, float]:
        row, column = divmod(router % (rows * columns) if rows else at, columns)
        return float(column), float(row)

    return [
        _Block(f"group {group}", {router: place(router, at) for at, router in enumerate(each)})
        for group, each in sorted(members.items())
    ]


def _arrange(
    blocks: list[_Block],
) -> tuple[dict[int, tuple[float, float]], list[tuple[str, tuple[float, float, float, float]]]]:
    """Put blocks of one size in rows side by side; levels below each other."""
    width = 1 + max(place[0] for block in blocks for place in block.inside.values())
    height = 1 + max(place[1] for block in blocks for place in block.inside.values())
    levels = any(block.row is not None for block in blocks)
    across = 1 if levels else max(1, round(sqrt(len(blocks) * 1.6 * height / width)))
    gap = max(2.0, width / 8) if levels else 1.5
    places: dict[int, tuple[float, float]] = {}
    frames = []
    for at, block in enumerate(blocks):
        left = (at % across) * (width + gap)
        top = (at // across) * (height + gap)
        frames.append((block.name, (left, top, width, height)))
        for router, (x, y) in block.inside.items():
            places[router] = (left + x + (0.0 if levels else 0.5), top + y + 0.5)
    return places, frames
