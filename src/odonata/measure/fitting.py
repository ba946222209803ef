"""Numbers of a machine with which simulated collectives agree with measured ones."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, count
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from odonata.errors import UserError, near_miss
from odonata.machine import Machine
from odonata.machine.writing import NewNumber, write_text
from odonata.simulate import Options
from odonata.trust.cases import Case
from odonata.trust.checked import Checked
from odonata.trust.comparison import Comparison, Spread, compare

__all__ = ["Fit", "FittedNumber", "LeftOut", "fit_machine"]

_Vector = NDArray[np.float64]

Step = Callable[[], None]
"""Called after each try."""

MOST_MESSAGES = 20_000
"""Messages of a case that is simulated again and again, at most; if there are such cases."""

MOST_COMPARED = 1_000_000
"""Messages of a case that is compared, at most: a ring of thousands of ranks takes minutes."""

MOST_PACKETS = 200_000
"""Packets of a case that the packet engine simulates at the end, at most."""

MOST_TRIES = 15
"""Sets of numbers around which the search looks, at most."""

COVERAGE_90 = 1.645
"""Standard deviations of a normal distribution that have 90 % of it between them."""

ALIKE = 0.95
"""Correlation of two numbers beyond which the measurements do not tell them apart."""

STEP = 0.01
"""Change of the logarithm of a number by which slopes are found."""

FARTHEST = 1.0
"""Change of the logarithm of a number by which a run that is left out moves it, at most."""

MILD = 0.1
"""Error of a time, as a logarithm, beyond which a case counts less: some rows are odd."""


@dataclass(frozen=True)
class Searched:
    """A number that is searched for.

    Parameters
    ----------
    keys
        Keys of the machine file that have it: they get one value.
    unit
        Unit of the number in a file.
    start
        Where the search begins if the file has 0 or nothing.
    least, most
        Limits.
    needs
        A key without which no message pays the number.
    """

    keys: tuple[str, ...]
    unit: str
    start: float
    least: float
    most: float
    needs: str | None = None

    def text(self, value: float) -> str:
        """Return a value as a machine file has it.

        Parameters
        ----------
        value
            In the unit.
        """
        return f"{value:.4g} {self.unit}"


SEARCHED = (
    Searched(("mpi.send_overhead", "mpi.recv_overhead"), "ns", 500, 1, 1e5),
    Searched(("links.injection.latency", "links.ejection.latency"), "ns", 250, 1, 1e5),
    Searched(("mpi.eager_overhead",), "ns", 500, 1, 1e5, "mpi.short_threshold"),
    Searched(("mpi.fetch_latency",), "ns", 1000, 1, 1e5, "mpi.short_threshold"),
    Searched(
        ("mpi.eager_overhead_per_byte",), "ps/B", 100, 0.1, 1e5, "mpi.eager_overhead_per_byte"
    ),
    Searched(("mpi.rendezvous_overhead",), "ns", 500, 1, 1e5),
    Searched(("links.injection.bandwidth", "links.ejection.bandwidth"), "MB/s", 1e4, 10, 1e6),
    Searched(("mpi.reduce_per_byte",), "ps/B", 100, 0.1, 1e5),
    Searched(("mpi.copy_per_byte",), "ps/B", 100, 0.1, 1e5),
)
"""Overheads of both ends, which a collective does not tell apart; rates of a port and of a core.
Times of wires and routers are in print, or are not told from the overheads."""

BASE = {"ns": 1e-3, "MB/s": 1e-6, "ps/B": 1.0}
"""Value in its unit of the base unit in which a machine has it: ps, B/s, ps/B."""


@dataclass(frozen=True)
class FittedNumber:
    """A number that was found.

    Parameters
    ----------
    searched
        The number and its limits.
    value
        In the unit of `searched`.
    low, high
        Limits of its interval of 90 %.
    """

    searched: Searched
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class LeftOut:
    """A run that was predicted with numbers that were found without it.

    Parameters
    ----------
    run
        Its name.
    predicted
        Its cases, and their predicted times.
    """

    run: str
    predicted: Comparison


@dataclass(frozen=True)
class Fit:
    """Numbers of a machine that were found by measurements.

    Parameters
    ----------
    base
        The machine as it was.
    machine
        The machine with these numbers.
    numbers
        The numbers.
    before, after
        The cases on both machines.
    alike
        Pairs of first keys of numbers that the measurements do not tell apart.
    left_out
        Predictions of each run with numbers from the other runs; empty if not asked for.
    packets
        The cases of few packets with these numbers by the packet engine, in which messages hold
        each other up; None if there is no such case.
    """

    base: Machine
    machine: Machine
    numbers: tuple[FittedNumber, ...]
    before: Comparison
    after: Comparison
    alike: tuple[tuple[str, str], ...]
    left_out: tuple[LeftOut, ...]
    packets: Comparison | None

    def without_packets(self) -> Spread | None:
        """Return the spread of the cases of `packets` by the analytic engine."""
        if self.packets is None:
            return None
        ratios = dict(zip(self.after.cases, self.after.ratios, strict=True))
        return Spread.of(ratios[case] for case in self.packets.cases)

    def checked(self) -> Sequence[Checked]:
        """Return the ratios of all cases, with numbers from other runs if these are known."""
        ratios = dict(zip(self.after.cases, self.after.ratios, strict=True))
        for one in self.left_out:
            ratios |= zip(one.predicted.cases, one.predicted.ratios, strict=True)
        before = zip(self.before.cases, self.before.ratios, strict=True)
        return [Checked.of(case, float(ratios[case]), float(old)) for case, old in before]

    def to_toml(self, name: str, source: str, rows: str | None = None) -> str:
        """Return a machine file with the numbers.

        Parameters
        ----------
        name
            Name of the machine.
        source
            Source of the measurements.
        rows
            Name of the file of `checked`, beside the machine file; None without one.
        """
        runs = {case.measured.run for case in self.after.cases}
        text = f"fitted to {len(self.after.cases)} rows of {len(runs)} runs: {source}"
        changes = {
            key: NewNumber(
                found.searched.text(found.value),
                text,
                "fitted",
                (found.searched.text(found.low), found.searched.text(found.high)),
            )
            for found in self.numbers
            for key in found.searched.keys
        }
        if rows is not None:
            changes |= self._checked_numbers(rows, source)
        described = self.base.description
        return write_text(self.base.file, changes, name=name, description=described)

    def _checked_numbers(self, rows: str, source: str) -> Mapping[str, NewNumber]:
        spread = Spread.of([row.ratio for row in self.checked()])
        how = (
            "each predicted with numbers from the other runs" if self.left_out else "fitted to them"
        )
        found = {
            "cases": spread.cases,
            "median_error": float(f"{spread.error:.3g}"),
            "factor": float(f"{spread.factor:.3g}"),
            "rows": rows,
        }
        return {
            f"checked.{key}": NewNumber(each, f"{source}; {how}") for key, each in found.items()
        }


def fit_machine(
    machine: Machine,
    cases: Sequence[Case],
    *,
    most_cases: int = 150,
    leave_out: bool = False,
    keep: Sequence[str] = (),
    progress: Callable[[float], None] = lambda done: None,
) -> Fit:
    """Find numbers of a machine with which its measured collectives are simulated best.

    Parameters
    ----------
    machine
        The machine; its thresholds of protocols, wires and routers are kept.
    cases
        Measured cases; those with more than a million messages are left out.
    most_cases
        Cases that are simulated again and again, evenly from all; the result is compared with all.
    leave_out
        Whether each run is also predicted with numbers from the other runs.
    keep
        Keys of numbers that stay as the machine has them.
    progress
        Called with the share of the work that is done, by a guess of how many tries it takes.

    Returns
    -------
    Fit
        The numbers.

    Raises
    ------
    UserError
        There are fewer cases than numbers, or a key to keep is not searched for.

    Notes
    -----
    The sum of a function of ln(simulated/measured) is least, which grows linearly beyond 0.1
    (``soft_l1`` of `scipy.optimize.least_squares`), over the logarithms of the numbers. Simulated
    are the cases by the analytic engine, in which messages do not hold each other up. At the end
    cases of few packets are simulated by the packet engine, too: where it is far from the analytic
    engine, links between routers were full, and the numbers make up for it. Runs are left
    out in a linear model of the errors around the result, and predicted by simulation. Intervals
    follow from a linear model at the result with independent errors. Rows of a run are not
    independent, so that an interval is too narrow rather than too wide.
    """
    searched = _searched(machine, keep)
    messages = {case: case.messages(machine) for case in cases}
    cases = [case for case in cases if messages[case] <= MOST_COMPARED]
    short = {case for case in cases if messages[case] <= MOST_MESSAGES}
    chosen = _thinned(cases, short, most_cases)
    if len(chosen) <= len(searched):
        raise UserError(
            "measured: too few rows", value=len(chosen), allowed=f"more than {len(searched)}"
        )
    start = np.array([_start(machine, number) for number in searched])
    step = _counting(progress, MOST_TRIES * (len(searched) + 1) // 2)
    found = _search(machine, searched, chosen, start, step)
    fitted = _with(machine, searched, found.x)
    low, high, alike = _intervals(searched, found)
    numbers = tuple(
        FittedNumber(number, exp(x), exp(a), exp(b))
        for number, x, a, b in zip(searched, found.x, low, high, strict=True)
    )
    before, after = compare(machine, cases), compare(fitted, cases)
    left_out = _left_out(machine, searched, cases, chosen, found) if leave_out else ()
    packets = _with_packets(fitted, chosen)
    return Fit(machine, fitted, numbers, before, after, alike, tuple(left_out), packets)


def _with_packets(machine: Machine, cases: Sequence[Case]) -> Comparison | None:
    few = [case for case in cases if case.packets(machine) <= MOST_PACKETS]
    options = Options(engine="packet", record_messages=False)
    return compare(machine, few, options) if few else None


def _counting(progress: Callable[[float], None], expected: int) -> Step:
    tries = count(1)
    return lambda: progress(min(next(tries) / expected, 0.99))


def _searched(machine: Machine, keep: Sequence[str]) -> tuple[Searched, ...]:
    there = [
        number for number in SEARCHED if number.needs is None or number.needs in machine.numbers
    ]
    known = [key for number in there for key in number.keys]
    for key in keep:
        if key not in known:
            near = near_miss(key, known)
            raise UserError(
                "keep: not searched for", value=key, allowed=", ".join(known), near=near
            )
    return tuple(number for number in there if not set(number.keys) & set(keep))


def _thinned(cases: Sequence[Case], short: Collection[Case], most: int) -> Sequence[Case]:
    """Return cases evenly from all short ones, in the order of operation, algorithm and size."""
    cases = [case for case in cases if case in short] or cases
    if len(cases) <= most:
        return cases
    row = [case.measured for case in cases]
    ordered = sorted(
        range(len(cases)),
        key=lambda at: (row[at].collective, row[at].algorithm, row[at].bytes, row[at].run),
    )
    return [cases[ordered[at * len(cases) // most]] for at in range(most)]


def _start(machine: Machine, number: Searched) -> float:
    """Return the logarithm of the file's value, or of a usual one."""
    given = machine.numbers.get(number.keys[0])
    value = 0.0 if given is None else float(str(given.value)) * BASE[number.unit]
    return log(min(max(value or number.start, number.least), number.most))


def _with(machine: Machine, searched: Sequence[Searched], x: NDArray[np.float64]) -> Machine:
    values = {
        key: number.text(exp(at))
        for number, at in zip(searched, x, strict=True)
        for key in number.keys
    }
    return machine.with_values(values)


@dataclass(frozen=True)
class _Found:
    """Result of a search, and a linear model of the errors around it.

    Parameters
    ----------
    x
        Logarithms of the numbers.
    errors
        ln(simulated/measured) of the cases at `x`, shape (cases,).
    slopes
        Their derivatives by the logarithms of the numbers, shape (cases, numbers).
    weights
        Weight of each case in the sum of squares at `x`: less beyond `MILD`, shape (cases,).
    """

    x: _Vector
    errors: _Vector
    slopes: _Vector
    weights: _Vector


class _Limits:
    """Least and largest logarithms of the numbers."""

    def __init__(self, searched: Sequence[Searched]) -> None:
        self.low = np.log([number.least for number in searched])
        self.high = np.log([number.most for number in searched])

    def widened(self) -> tuple[_Vector, _Vector]:
        """Return limits between which numbers that are at theirs lie, too."""
        return self.low - 1e-9, self.high + 1e-9


def _search(
    machine: Machine,
    searched: Sequence[Searched],
    cases: Sequence[Case],
    start: _Vector,
    step: Step,
) -> _Found:
    from scipy.optimize import least_squares

    measured = np.array([case.measured.seconds for case in cases])

    def errors(x: _Vector) -> _Vector:
        step()
        simulated = compare(_with(machine, searched, x), cases).seconds
        return np.asarray(np.log(simulated / measured))

    result = least_squares(
        errors, start, bounds=_Limits(searched).widened(), loss="soft_l1", f_scale=MILD,
        diff_step=STEP, xtol=1e-3, ftol=1e-3, max_nfev=MOST_TRIES,
    )  # fmt: skip
    x, at_x = result.x, result.fun
    moved = [errors(x + STEP * one) for one in np.eye(len(x))]
    slopes = np.stack([(each - at_x) / STEP for each in moved], axis=1)
    return _Found(x, at_x, slopes, 1 / np.sqrt(1 + (at_x / MILD) ** 2))


def _intervals(
    searched: Sequence[Searched], found: _Found
) -> tuple[_Vector, _Vector, tuple[tuple[str, str], ...]]:
    """Return the limits of the numbers, as logarithms, and pairs that are not told apart."""
    freedom = len(found.errors) - len(searched)
    variance = float(np.median(np.abs(found.errors)) / 0.6745) ** 2 * len(found.errors) / freedom
    weighted = found.slopes * np.sqrt(found.weights)[:, None]
    covariance = np.linalg.pinv(weighted.T @ weighted) * variance
    deviation = np.sqrt(np.maximum(np.diag(covariance), 1e-12))
    correlation = covariance / np.outer(deviation, deviation)
    alike = tuple(
        (searched[a].keys[0], searched[b].keys[0])
        for a, b in combinations(range(len(searched)), 2)
        if abs(correlation[a, b]) > ALIKE
    )
    limits = _Limits(searched)
    low = np.clip(found.x - COVERAGE_90 * deviation, limits.low, limits.high)
    high = np.clip(found.x + COVERAGE_90 * deviation, limits.low, limits.high)
    return np.minimum(low, found.x), np.maximum(high, found.x), alike


def _left_out(
    machine: Machine,
    searched: Sequence[Searched],
    cases: Sequence[Case],
    chosen: Sequence[Case],
    found: _Found,
) -> Sequence[LeftOut]:
    """Return predictions of each run with numbers from the others.

    The linear model around the result of all runs says which numbers those are; with them the
    run is simulated.
    """
    runs: Mapping[str, None] = dict.fromkeys(case.measured.run for case in cases)
    out = []
    for run in runs:
        others = np.array([case.measured.run != run for case in chosen])
        if np.count_nonzero(others) <= len(searched):
            continue
        x = _again(searched, found, others)
        mine = [case for case in cases if case.measured.run == run]
        out.append(LeftOut(run, compare(_with(machine, searched, x), mine)))
    return out


def _again(searched: Sequence[Searched], found: _Found, which: NDArray[np.bool_]) -> _Vector:
    """Return the numbers that some of the cases have alone, by the linear model."""
    from scipy.optimize import least_squares

    errors, slopes = found.errors[which], found.slopes[which]
    low, high = _Limits(searched).widened()
    near = np.maximum(low, found.x - FARTHEST), np.minimum(high, found.x + FARTHEST)
    result = least_squares(
        lambda x: errors + slopes @ (x - found.x), found.x, bounds=near, loss="soft_l1",
        f_scale=MILD,
    )  # fmt: skip
    return np.asarray(result.x)
