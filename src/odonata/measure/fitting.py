"""Numbers of a machine with which simulated collectives agree with measured ones."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, count
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from odonata.errors import UserError
from odonata.machine import Machine
from odonata.machine.writing import NewNumber, write_text
from odonata.trust.cases import Case
from odonata.trust.comparison import Comparison, Spread, compare

__all__ = ["Fit", "FittedNumber", "LeftOut", "fit_machine"]

Step = Callable[[], None]
"""Called after each try."""

MOST_MESSAGES = 20_000
"""Messages of a case that is simulated again and again, at most; if there are such cases."""

MOST_COMPARED = 1_000_000
"""Messages of a case that is compared, at most: a ring of thousands of ranks takes minutes."""

MOST_TRIES = 12
"""Sets of numbers around which the search looks, at most."""

COVERAGE_90 = 1.645
"""Standard deviations of a normal distribution that have 90 % of it between them."""

ALIKE = 0.95
"""Correlation of two numbers beyond which the measurements do not tell them apart."""

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
    spread
        Its measured by predicted times.
    """

    run: str
    spread: Spread


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
    """

    base: Machine
    machine: Machine
    numbers: tuple[FittedNumber, ...]
    before: Comparison
    after: Comparison
    alike: tuple[tuple[str, str], ...]
    left_out: tuple[LeftOut, ...]

    def to_toml(self, name: str, source: str) -> str:
        """Return a machine file with the numbers.

        Parameters
        ----------
        name
            Name of the machine.
        source
            Source of the measurements.
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
        described = self.base.description
        return write_text(self.base.file, changes, name=name, description=described)


def fit_machine(
    machine: Machine,
    cases: Sequence[Case],
    *,
    most_cases: int = 150,
    leave_out: bool = False,
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
    progress
        Called with the share of the work that is done, by a guess of how many tries it takes.

    Returns
    -------
    Fit
        The numbers.

    Raises
    ------
    UserError
        There are fewer cases than numbers.

    Notes
    -----
    The sum of a function of ln(simulated/measured) is least, which grows linearly beyond 0.1
    (``soft_l1`` of `scipy.optimize.least_squares`), over the logarithms of the numbers. Simulated
    are the cases by the analytic engine, in which messages do not hold each other up. Intervals
    follow from a linear model at the result with independent errors. Rows of a run are not
    independent, so that an interval is too narrow rather than too wide.
    """
    searched = _searched(machine)
    messages = {case: case.messages(machine) for case in cases}
    cases = [case for case in cases if messages[case] <= MOST_COMPARED]
    short = {case for case in cases if messages[case] <= MOST_MESSAGES}
    chosen = _thinned(cases, short, most_cases)
    if len(chosen) <= len(searched):
        raise UserError(
            "measured: too few rows", value=len(chosen), allowed=f"more than {len(searched)}"
        )
    start = np.array([_start(machine, number) for number in searched])
    runs = len({case.measured.run for case in cases}) if leave_out else 0
    step = _counting(progress, (1 + runs) * MOST_TRIES * (len(searched) + 1) // 2)
    found = _search(machine, searched, chosen, start, step)
    fitted = _with(machine, searched, found.x)
    low, high, alike = _intervals(searched, found)
    numbers = tuple(
        FittedNumber(number, exp(x), exp(a), exp(b))
        for number, x, a, b in zip(searched, found.x, low, high, strict=True)
    )
    before, after = compare(machine, cases), compare(fitted, cases)
    left_out: Sequence[LeftOut] = ()
    if leave_out:
        choose = partial(_thinned, short=short, most=most_cases)
        left_out = _left_out(machine, searched, cases, choose, found.x, step)
    return Fit(machine, fitted, numbers, before, after, alike, tuple(left_out))


def _counting(progress: Callable[[float], None], expected: int) -> Step:
    tries = count(1)
    return lambda: progress(min(next(tries) / expected, 0.99))


def _searched(machine: Machine) -> tuple[Searched, ...]:
    return tuple(
        number for number in SEARCHED if number.needs is None or number.needs in machine.numbers
    )


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


class _Found:
    """Result of a search: logarithms of the numbers, and how the errors depend on them."""

    def __init__(self, x: NDArray[np.float64], jac: NDArray[np.float64], errors: object) -> None:
        self.x = x
        self.jac = jac
        self.errors = np.asarray(errors)


def _search(
    machine: Machine,
    searched: Sequence[Searched],
    cases: Sequence[Case],
    start: NDArray[np.float64],
    step: Step,
) -> _Found:
    from scipy.optimize import least_squares

    measured = np.array([case.measured.seconds for case in cases])

    def errors(x: NDArray[np.float64]) -> NDArray[np.float64]:
        step()
        simulated = compare(_with(machine, searched, x), cases).seconds
        return np.asarray(np.log(simulated / measured))

    limits = (
        [log(number.least) - 1e-9 for number in searched],
        [log(number.most) + 1e-9 for number in searched],
    )
    result = least_squares(
        errors, start, bounds=limits, loss="soft_l1", f_scale=MILD, diff_step=0.01, xtol=1e-3,
        ftol=1e-3, max_nfev=MOST_TRIES,
    )  # fmt: skip
    return _Found(result.x, result.jac, result.fun)


def _intervals(
    searched: Sequence[Searched], found: _Found
) -> tuple[NDArray[np.float64], NDArray[np.float64], tuple[tuple[str, str], ...]]:
    """Return the limits of the numbers, as logarithms, and pairs that are not told apart."""
    freedom = len(found.errors) - len(searched)
    variance = float(np.median(np.abs(found.errors)) / 0.6745) ** 2 * len(found.errors) / freedom
    covariance = np.linalg.pinv(found.jac.T @ found.jac) * variance
    deviation = np.sqrt(np.maximum(np.diag(covariance), 1e-12))
    correlation = covariance / np.outer(deviation, deviation)
    alike = tuple(
        (searched[a].keys[0], searched[b].keys[0])
        for a, b in combinations(range(len(searched)), 2)
        if abs(correlation[a, b]) > ALIKE
    )
    least = np.log([number.least for number in searched])
    most = np.log([number.most for number in searched])
    low = np.clip(found.x - COVERAGE_90 * deviation, least, most)
    high = np.clip(found.x + COVERAGE_90 * deviation, least, most)
    return np.minimum(low, found.x), np.maximum(high, found.x), alike


def _left_out(
    machine: Machine,
    searched: Sequence[Searched],
    cases: Sequence[Case],
    choose: Callable[[Sequence[Case]], Sequence[Case]],
    start: NDArray[np.float64],
    step: Step,
) -> Sequence[LeftOut]:
    """Return predictions of each run with numbers from the others; the search begins at `start`."""
    runs: Mapping[str, None] = dict.fromkeys(case.measured.run for case in cases)
    out = []
    for run in runs:
        others = [case for case in cases if case.measured.run != run]
        if len(others) <= len(searched):
            continue
        found = _search(machine, searched, choose(others), start, step)
        mine = [case for case in cases if case.measured.run == run]
        predicted = compare(_with(machine, searched, found.x), mine)
        out.append(LeftOut(run, predicted.spread))
    return out
