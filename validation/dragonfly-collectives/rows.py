"""Questions to the rows of results.json: times and ratios over seeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

Row = Mapping[str, float]
Rows = Mapping[str, Row]


@dataclass(frozen=True)
class Spread:
    """Mean, least and most over seeds."""

    mean: float
    low: float
    high: float
    count: int

    def __str__(self) -> str:
        if self.count == 1 or f"{self.low:.2f}" == f"{self.high:.2f}":
            return f"{self.mean:.2f}"
        return f"{self.mean:.2f} ({self.low:.2f}–{self.high:.2f})"


def of_seeds(rows: Rows, study: str, setting: str, workload: str, ranks: int) -> dict[int, Row]:
    """Return the rows of a case by seed."""
    start = f"{study} | {setting} | {workload} | {ranks} | "
    return {int(key[len(start) :]): row for key, row in rows.items() if key.startswith(start)}


def values(
    rows: Rows, study: str, setting: str, workload: str, ranks: int, column: str
) -> Spread | None:
    """Return a column over seeds; None if there was no such run."""
    return _spread(row[column] for row in of_seeds(rows, study, setting, workload, ranks).values())


def ratio(rows: Rows, study: str, setting: str, slow: str, fast: str, ranks: int) -> Spread | None:
    """Return how many times longer one workload takes than another, seed by seed."""
    above = of_seeds(rows, study, setting, slow, ranks)
    below = of_seeds(rows, study, setting, fast, ranks)
    shared = above.keys() & below.keys()
    return _spread(above[seed]["time_ps"] / below[seed]["time_ps"] for seed in sorted(shared))


def _spread(given: Iterable[float]) -> Spread | None:
    numbers = np.array(list(given), dtype=float)
    if not numbers.size:
        return None
    return Spread(float(numbers.mean()), numbers.min(), numbers.max(), numbers.size)
