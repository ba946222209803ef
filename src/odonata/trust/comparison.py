"""Ratios of measured to simulated times."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from odonata.machine import Machine
from odonata.simulate import Options, Progress, run
from odonata.simulate.workers import in_threads
from odonata.trust.cases import Case

__all__ = ["Comparison", "Spread", "compare"]

PACKETS = 256
"""Packets of a mean message from which on packets, and buffers and windows, are larger: a message
takes 1/256 of its time longer, at most, for each link of its route."""

CLEAR = 1.2
"""Ratio of two measured times from which their order counts."""


@dataclass(frozen=True)
class Spread:
    """How far simulated times are from measured ones.

    Parameters
    ----------
    cases
        Number of cases.
    median, low, high
        Median, 5th and 95th percentile of measured by simulated time.
    error
        Median of |ln(measured/simulated)|.
    factor
        Factor within which 90 % of the cases are.
    """

    cases: int
    median: float
    low: float
    high: float
    error: float
    factor: float

    @classmethod
    def of(cls, ratios: Iterable[float]) -> Spread:
        """Return the spread of some ratios.

        Parameters
        ----------
        ratios
            Measured by simulated times, at least one.

        Examples
        --------
        >>> Spread.of([0.5, 1, 2]).median
        1.0
        """
        given = np.fromiter(ratios, float)
        median, low, high = np.quantile(given, (0.5, 0.05, 0.95))
        error, most = np.quantile(np.abs(np.log(given)), (0.5, 0.9))
        return cls(
            len(given),
            float(median),
            float(low),
            float(high),
            float(error),
            math.exp(most),
        )


@dataclass(frozen=True)
class Comparison:
    """Measured cases beside the simulation.

    Parameters
    ----------
    cases
        The cases.
    seconds
        Simulated times [s], shape (cases,).
    """

    cases: tuple[Case, ...]
    seconds: NDArray[np.float64]

    @property
    def ratios(self) -> NDArray[np.float64]:
        """Measured by simulated time, shape (cases,)."""
        measured = np.array([case.measured.seconds for case in self.cases])
        return measured / self.seconds

    @property
    def spread(self) -> Spread:
        """Spread of all ratios."""
        return Spread.of(self.ratios)

    def by(self, key: Callable[[Case], str]) -> Mapping[str, Spread]:
        """Return the spread of the ratios of each kind of case.

        Parameters
        ----------
        key
            The kind of a case.
        """
        groups: dict[str, list[float]] = defaultdict(list)
        for case, ratio in zip(self.cases, self.ratios, strict=True):
            groups[key(case)].append(float(ratio))
        return {name: Spread.of(groups[name]) for name in sorted(groups)}

    def ranking(self) -> tuple[int, int]:
        """Return how many pairs of algorithms are in the measured order, and how many there are.

        Pairs are of one run, operation and size, and their measured times differ by more than a
        fifth.
        """
        groups: dict[tuple[str, str, int], list[int]] = defaultdict(list)
        for at, case in enumerate(self.cases):
            row = case.measured
            groups[row.run, row.collective, row.bytes].append(at)
        right = pairs = 0
        for members in groups.values():
            for a, b in combinations(members, 2):
                ratio = self.cases[a].measured.seconds / self.cases[b].measured.seconds
                if max(ratio, 1 / ratio) <= CLEAR:
                    continue
                pairs += 1
                right += (ratio > 1) == bool(self.seconds[a] > self.seconds[b])
        return right, pairs


def compare(
    machine: Machine,
    cases: Sequence[Case],
    options: Options | None = None,
    *,
    progress: Callable[[int], None] = lambda done: None,
) -> Comparison:
    """Simulate measured cases, on all cores.

    Parameters
    ----------
    machine
        The machine.
    cases
        The cases, at least one.
    options
        Options of the runs; None: the analytic engine, and at most 256 packets a message.
    progress
        Called with the number of cases that are simulated.
    """
    chosen = options or Options(engine="analytic", record_messages=False)
    factors = [1 if options else _factor(machine, case) for case in cases]
    coarser = {factor: _coarser(machine, factor) for factor in set(factors)}
    seconds = np.zeros(len(cases))

    def simulated(case: Case, on: Machine, check: Callable[[Progress], None]) -> float:
        """Return when the slowest rank has ended [s]."""
        done = run(on, [case.job(on)], chosen, progress=check)
        return float(done.jobs[0].finished.max()) * 1e-12

    works = [
        partial(simulated, case, coarser[factor])
        for case, factor in zip(cases, factors, strict=True)
    ]
    for done, (at, end) in enumerate(in_threads(works), start=1):
        seconds[at] = end
        progress(done)
    return Comparison(tuple(cases), seconds)


def _factor(machine: Machine, case: Case) -> int:
    """Return how many times larger packets are, a power of two."""
    mean = case.packets(machine) // max(case.messages(machine), 1)
    return 1 << max(0, (mean // PACKETS).bit_length() - 1)


def _coarser(machine: Machine, factor: int) -> Machine:
    """Return the machine with larger packets and buffers."""
    rooms = (".buffer", "nic.window", "nic.congestion_window")
    larger = ["nic.packet_bytes", *(key for key in machine.numbers if key.endswith(rooms))]
    sizes = {key: machine.value(key) for key in larger}
    changes = {key: f"{factor * size} B" for key, size in sizes.items() if isinstance(size, int)}
    return machine.with_values(changes) if factor > 1 else machine
