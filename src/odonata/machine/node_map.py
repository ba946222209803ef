"""Files that list the nodes of each leaf of a machine whose leaves form cells.

A line for every leaf, cell after cell::

    cell 1 leaf 10100 nodes 1-8,13-14
    cell 1 leaf 10102 nodes 15-16,21-28

The name of a leaf is for readers. Nodes have numbers without gaps, as their hosts have, from 0, 1
or another first one on. ``#`` starts a comment, and the file may be compressed by gzip.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from odonata.errors import UserError
from odonata.machine.lines import read_lines

__all__ = ["NodeMap", "read_node_map"]

FORM = "lines 'cell <number> leaf <name> nodes <first>-<last>,<number>,...', cell after cell"
"""Form of a map."""

MOST_NODES = 2_000_000
"""Most nodes of a machine."""

_LINE = re.compile(r"cell (\d{1,6}) leaf (\w{1,32}) nodes ([\d,-]{1,900})")
_RANGE = re.compile(r"(\d{1,7})(?:-(\d{1,7}))?")


@dataclass(frozen=True)
class NodeMap:
    """Leaves of cells, and the nodes on them.

    Parameters
    ----------
    leaves_per_cell
        Number of leaves of each cell.
    leaf_of_node
        Leaf of each node; leaves are numbered through all cells.
    """

    leaves_per_cell: tuple[int, ...]
    leaf_of_node: tuple[int, ...]


def read_node_map(path: str | Path) -> NodeMap:
    """Read a map.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    UserError
        A line is not understood, a node is listed twice, or numbers have gaps.
    """
    path = Path(path)
    leaves: dict[int, int] = {}  # of each cell, in the order of the file
    leaf_of: dict[int, int] = {}
    last = None
    for number, line in read_lines(path):
        where = f"{path}:{number}"
        match = _LINE.fullmatch(line)
        if match is None:
            raise UserError("map: line not understood", value=line, allowed=FORM, where=where)
        cell, leaf = int(match[1]), sum(leaves.values())
        if cell in leaves and cell != last:
            raise UserError("map: leaves of a cell stand apart", value=line, where=where)
        for node in _numbers(match[3], MOST_NODES - len(leaf_of), where):
            if node in leaf_of:
                raise UserError(f"map: node {node} is listed twice", value=line, where=where)
            leaf_of[node] = leaf
        leaves[cell] = leaves.get(cell, 0) + 1
        last = cell
    return NodeMap(tuple(leaves.values()), _in_order(leaf_of, path))


def _numbers(text: str, most: int, where: str) -> list[int]:
    """Return the numbers that ranges stand for, at most `most`."""
    numbers: list[int] = []
    for part in text.split(","):
        match = _RANGE.fullmatch(part)
        first = int(match[1]) if match else 1
        behind = 1 + int(match[2] or match[1]) if match else 0
        if behind <= first:
            raise UserError("map: no range of nodes", value=part, allowed="as in 1-8", where=where)
        if behind - first > most - len(numbers):
            raise UserError("map: too many nodes", value=part, allowed=f"{MOST_NODES}", where=where)
        numbers += range(first, behind)
    return numbers


def _in_order(leaf_of: dict[int, int], path: Path) -> tuple[int, ...]:
    """Return the leaf of each node by its number."""
    if not leaf_of:
        raise UserError("map: no nodes in the file", where=str(path))
    first = min(leaf_of)
    for number in range(first, first + len(leaf_of)):
        if number not in leaf_of:
            raise UserError(
                f"map: nodes are numbered from {first} without gaps; missing",
                value=number,
                where=str(path),
            )
    return tuple(leaf_of[number] for number in range(first, first + len(leaf_of)))
