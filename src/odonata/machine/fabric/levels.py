"""Levels of the switches of a fabric, and the cables that are missing between two levels."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from odonata.machine.fabric.fabric import Fabric

__all__ = ["Bundle", "bundles_of", "levels_of"]


@dataclass(frozen=True)
class Bundle:
    """Cables between a pair of switches.

    Parameters
    ----------
    a, b
        Numbers of the switches; the lower level comes first.
    cables
        Number of cables; 0 where a pair has no cable and most pairs of the two levels have some.
    usual
        Number of cables of most joined pairs of the two levels.
    kinds
        Kinds of the cables, each once.
    """

    a: int
    b: int
    cables: int
    usual: int
    kinds: tuple[str, ...]

    @property
    def missing(self) -> int:
        """Cables that most pairs have more."""
        return max(0, self.usual - self.cables)


def levels_of(fabric: Fabric) -> list[list[int]]:
    """Return the switches of each level, in the order of their names.

    Parameters
    ----------
    fabric
        The fabric.

    Returns
    -------
    list of list of int
        First those with adapters, then those one cable away from them, and so on; switches that no
        cable joins to any of these stand at the end.
    """
    joined: list[set[int]] = [set() for _ in fabric.switches]
    for cable in fabric.cables:
        joined[cable.a].add(cable.b)
        joined[cable.b].add(cable.a)
    level = {adapter.switch for adapter in fabric.adapters}
    left = set(range(len(fabric.switches))) - level
    levels = []
    while level:
        levels.append(level)
        level = {other for switch in level for other in joined[switch]} & left
        left -= level
    if left:
        levels.append(left)
    return [sorted(each, key=lambda at: _by_numbers(fabric.switches[at].name)) for each in levels]


def _by_numbers(name: str) -> list[tuple[int, str]]:
    """Return a key by which leaf-2 comes before leaf-10."""
    return [
        (int(part), "") if part.isascii() and part.isdigit() else (0, part)
        for part in re.split("([0-9]+)", name)
    ]


def bundles_of(fabric: Fabric, levels: list[list[int]]) -> list[Bundle]:
    """Return the cables of each pair of switches, and pairs that have none where most have some.

    Parameters
    ----------
    fabric
        The fabric.
    levels
        Its levels (`levels_of`).

    Notes
    -----
    Usual is the number of cables that most joined pairs of two levels have. Pairs without a cable
    are missing where more than half of all pairs of two different levels are joined, as leaves and
    spines of a tree of two levels are.
    """
    level_of = {switch: at for at, level in enumerate(levels) for switch in level}
    counts: dict[tuple[int, int], int] = Counter()
    kinds: dict[tuple[int, int], set[str]] = {}
    for cable in fabric.cables:
        a, b = sorted((cable.a, cable.b), key=lambda switch: (level_of[switch], switch))
        counts[a, b] += 1
        kinds.setdefault((a, b), set()).add(cable.kind)
    between: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for a, b in counts:
        between.setdefault((level_of[a], level_of[b]), []).append((a, b))
    found = []
    for (low, high), pairs in sorted(between.items()):
        numbers = Counter(counts[pair] for pair in pairs)
        usual = max(numbers, key=lambda number: (numbers[number], number))
        if low != high and 2 * len(pairs) > len(levels[low]) * len(levels[high]):
            pairs = [(a, b) for a in levels[low] for b in levels[high]]
        found += [
            Bundle(a, b, counts[a, b], usual, tuple(sorted(kinds.get((a, b), ()))))
            for a, b in sorted(pairs)
        ]
    return found
