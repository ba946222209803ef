"""Intervals of simulated times, from cases that were measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from odonata.machine import Machine
from odonata.result import Run
from odonata.simulate import Recipe
from odonata.trust.checked import Checked, checked_rows, shipped_rows, total_bytes

__all__ = ["Interval", "Question", "Shares", "interval", "like", "pool", "split_conformal"]

Shares = tuple[float, float]
"""Least and most of a time, by the simulated time."""

CASES = 40
"""Cases from which an interval is made, at least, where there are so many."""

SIZES = (2**15, 2**22)
"""Sizes of a result at which small ones and middle ones end [B]."""

SEEDS = 5
"""Seeds with which a run that depends on its seed is made: its own and the numbers after it."""


@dataclass(frozen=True)
class Interval:
    """Interval in which a measured time is expected, and its parts.

    Parameters
    ----------
    seconds
        Least and most [s].
    coverage
        Share of measured times that such intervals are meant to contain.
    cases
        Measured cases from which it was made.
    basis
        Which ones, in words.
    outside
        Everything that was not checked, in words; empty if such cases were.
    parts
        Shares by cause: ``draws`` (seeds), ``numbers`` (intervals of the machine's numbers),
        ``model`` (cases), ``iterations`` (of a run, which is not in the interval: cases are
        medians over iterations).
    """

    seconds: tuple[float, float]
    coverage: float
    cases: int
    basis: str
    outside: tuple[str, ...]
    parts: Mapping[str, Shares]

    def document(self) -> dict[str, object]:
        """Return the entries of a JSON document."""
        return {
            "interval_seconds": list(self.seconds),
            "coverage": self.coverage,
            "cases": self.cases,
            "basis": self.basis,
            "outside": list(self.outside),
            "interval_parts": {name: list(shares) for name, shares in self.parts.items()},
        }


def interval(
    run: Run, machine: Machine, coverage: float = 0.9, again: Callable[[int], int] | None = None
) -> Interval:
    """Return the interval of a run's time.

    Parameters
    ----------
    run
        A run that can be made again.
    machine
        Its machine.
    coverage
        Share of measured times that are meant to be inside, 0.5 to 0.99.
    again
        Makes the run with another seed, and returns its end [ps]; None: on the same nodes.

    Raises
    ------
    UserError
        The run cannot be made again.

    Notes
    -----
    The parts are independent, so that their logarithms add up as squares. The part of the model is
    a split-conformal interval of ln(measured/simulated) over cases of the same machine, each
    predicted by numbers from other runs; it contains the uncertainty of these numbers. For a
    machine without cases they are cases of other machines before their numbers were fitted, and
    the intervals of its own numbers stand beside.
    """
    question = Question.of(run)
    own = checked_rows(machine)
    basis, rows, errors = pool(question, machine)
    parts = {
        "draws": _draws(run, again or _on_the_same_nodes(run)),
        "model": split_conformal(errors, coverage),
    }
    if not own:
        parts["numbers"] = _numbers(run, machine)
    low = math.exp(-math.hypot(*(math.log(share[0]) for share in parts.values())))
    high = math.exp(math.hypot(*(math.log(share[1]) for share in parts.values())))
    if own:
        parts["iterations"] = _iterations(rows)
    seconds = float(str(run.summary["time_seconds"]))
    outside = tuple(_outside(question, machine, own))
    return Interval((seconds * low, seconds * high), coverage, len(rows), basis, outside, parts)


def split_conformal(ratios: Sequence[float], coverage: float) -> Shares:
    """Return the limits between which the ratio of another case is, with this probability.

    Parameters
    ----------
    ratios
        Ratios of cases that are exchangeable with it.
    coverage
        The probability.

    Examples
    --------
    >>> split_conformal([0.5, 0.8, 0.9, 1, 1, 1.1, 1.2, 1.3, 2], 0.8)
    (0.5, 2)
    """
    ordered = sorted([*ratios])
    tail = (1 - coverage) / 2 * (len(ordered) + 1)
    below = max(0, math.floor(tail + 1e-9) - 1)
    above = min(len(ordered) - 1, math.ceil(len(ordered) + 1 - tail - 1e-9) - 1)
    return min(1, ordered[below]), max(1, ordered[above])


@dataclass(frozen=True)
class Question:
    """A run, as tables of measurements call one.

    Parameters
    ----------
    operation, algorithm
        Our names; None for other work.
    bytes
        Size of the whole result [B]; None: it has none.
    ranks
        Number of ranks.
    """

    operation: str | None
    algorithm: str | None
    bytes: int | None
    ranks: int

    @classmethod
    def of(cls, run: Run) -> Question:
        """Return the question of a run.

        Parameters
        ----------
        run
            The run.
        """
        got = run.summary
        operation, block = got["operation"], got["block_bytes"]
        ranks = int(str(got["ranks"]))
        size = None
        if operation is not None and block is not None:
            size = total_bytes(str(operation), int(str(block)), ranks)
        algorithm = got["algorithm"]
        return cls(
            None if operation is None else str(operation),
            None if algorithm is None else str(algorithm),
            size,
            ranks,
        )


def pool(question: Question, machine: Machine) -> tuple[str, Sequence[Checked], list[float]]:
    """Return in words which cases are like a question, the cases, and their ratios.

    Parameters
    ----------
    question
        The question.
    machine
        Its machine.
    """
    own = checked_rows(machine)
    if own:
        basis, rows = like(question, own)
        return f"{basis} on {machine.name}", rows, [row.ratio for row in rows]
    named = shipped_rows()
    basis, rows = like(question, [row for rows in named.values() for row in rows])
    where = ", ".join(named)
    return f"{basis} on {where} with assumed numbers", rows, [row.before for row in rows]


class _Sized(Protocol):
    """A collective of a size: a run or a row."""

    @property
    def operation(self) -> str | None: ...
    @property
    def bytes(self) -> int | None: ...


def like(question: _Sized, rows: Sequence[Checked]) -> tuple[str, Sequence[Checked]]:
    """Return the closest cases of which there are 40 of two runs: in words, and the cases.

    Parameters
    ----------
    question
        The cases shall have its operation and size, or else its size.
    rows
        The cases.
    """

    def same(row: Checked) -> bool:
        return row.operation == question.operation

    def size(row: Checked) -> bool:
        return question.bytes is not None and _size(row.bytes) == _size(question.bytes)

    closest: list[tuple[str, Callable[[Checked], bool]]] = [
        (f"{question.operation} of such sizes", lambda row: same(row) and size(row)),
        ("collectives of such sizes", size),
    ]
    for words, wanted in closest:
        chosen = [row for row in rows if wanted(row)]
        if len(chosen) >= CASES and len({row.run for row in chosen}) > 1:
            return words, chosen
    return "collectives", rows


def _size(size: int) -> int:
    return sum(size >= end for end in SIZES)


def _on_the_same_nodes(run: Run) -> Callable[[int], int]:
    recipe = Recipe.of_run(run)
    return lambda seed: recipe.with_options(seed=seed).run().end


def _draws(run: Run, again: Callable[[int], int]) -> Shares:
    """Return the shares of the times with the next seeds, where they depend on the seed."""
    first = int(str(run.summary["seed"]))
    times = [run.end]
    for step in range(1, SEEDS):
        times.append(again((first + step) % 2**64))
        if step == 1 and times[0] == times[1]:
            break
    return min(times) / run.end, max(times) / run.end


def _numbers(run: Run, machine: Machine) -> Shares:
    """Return the shares of the times with numbers at the ends of their intervals."""
    recipe = Recipe.of_run(run).with_options(engine="analytic")
    usual = recipe.run().end
    low = high = 0.0
    for key, number in machine.numbers.items():
        if number.interval is None:
            continue
        ends = (f"{end} {number.unit}" for end in number.interval)
        moved = [math.log(recipe.run({key: end}).end / usual) for end in ends]
        low, high = math.hypot(low, min(0.0, *moved)), math.hypot(high, max(0.0, *moved))
    return math.exp(-low), math.exp(high)


def _iterations(rows: Sequence[Checked]) -> Shares:
    return (
        float(np.median([row.low for row in rows])),
        float(np.median([row.high for row in rows])),
    )


def _outside(question: Question, machine: Machine, own: Sequence[Checked]) -> list[str]:
    """Return what about a question was not checked, in words."""
    if not own:
        return [f"no measurement of {machine.name} is known"]
    told = [f"{machine.name} with other numbers was not checked"] if machine.changes else []
    alike = [row for row in own if row.operation == question.operation]
    if not alike:
        return [*told, f"{question.operation or 'a program'} was not checked"]
    if question.algorithm not in {row.algorithm for row in alike}:
        told.append(f"{question.operation}/{question.algorithm} was not checked")
    told += _beyond("ranks", question.ranks, [row.ranks for row in own])
    if question.bytes is not None:
        told += _beyond("bytes in all", question.bytes, [row.bytes for row in own])
    return told


def _beyond(what: str, value: int, checked: Sequence[int]) -> list[str]:
    least, most = min(checked), max(checked)
    if least <= value <= most:
        return []
    return [f"{value:,} {what}: checked were {least:,} to {most:,}"]
