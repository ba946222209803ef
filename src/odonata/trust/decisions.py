"""How often the faster of two simulated algorithms was the faster one."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from statistics import median

from odonata.machine import Machine
from odonata.result import Run
from odonata.trust.checked import Checked
from odonata.trust.intervals import Question, pool

__all__ = ["Decision", "decision"]


@dataclass(frozen=True)
class Decision:
    """Two algorithms, and how often their order holds.

    Parameters
    ----------
    faster, slower
        Names of the algorithms.
    pairs
        Ordered pairs of measured algorithms of one run, operation and size, from which it is known.
    holds
        In how many of them the errors of simulation leave the order as it is.
    """

    faster: str
    slower: str
    pairs: int
    holds: int

    @property
    def sentence(self) -> str:
        """The decision in words."""
        share = 100 * self.holds / self.pairs
        return (
            f"{self.faster} is faster than {self.slower}, the next, with the errors of "
            f"{share:.0f} of 100 pairs of measured algorithms."
        )

    def document(self) -> dict[str, object]:
        """Return the entry of a JSON document."""
        return vars(self) | {"share": self.holds / self.pairs}


def decision(runs: Sequence[Run], machine: Machine) -> Decision | None:
    """Return how often the fastest of some runs is faster than the next.

    Parameters
    ----------
    runs
        Runs of one operation, which differ in their algorithm and perhaps their seed: the median
        counts.
    machine
        Their machine.

    Returns
    -------
    Decision or None
        None without two algorithms, or pairs that were measured.

    Notes
    -----
    With simulated times s < t, and ratios q and r of measured to simulated time of two algorithms
    in one run at one size, the order holds if s q < t r. Errors of algorithms in one run have
    causes in common, which pairs keep.
    """
    ends: dict[str, list[int]] = defaultdict(list)
    for run in runs:
        ends[str(run.summary["algorithm"])].append(run.end)
    if len(ends) < 2:
        return None
    times = {name: median(each) for name, each in ends.items()}
    (faster, least), (slower, next_) = sorted(times.items(), key=lambda pair: pair[1])[:2]
    _, rows, ratios = pool(Question.of(runs[0]), machine)
    groups: dict[tuple[str, str, int], list[tuple[Checked, float]]] = defaultdict(list)
    for row, ratio in zip(rows, ratios, strict=True):
        groups[row.run, row.operation, row.bytes].append((row, ratio))
    held = [
        math.log(next_ / least) + math.log(r / q) > 0
        for group in groups.values()
        for (one, q), (other, r) in permutations(group, 2)
        if one.algorithm != other.algorithm
    ]
    return Decision(faster, slower, len(held), sum(held)) if held else None
