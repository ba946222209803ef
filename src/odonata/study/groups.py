"""Groups of runs: median and range of a result over runs that share values of some options."""

from __future__ import annotations

import statistics
from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from odonata.errors import UserError, near_miss
from odonata.study.results import Conditions, Study
from odonata.study.values import Value

__all__ = ["Best", "Group", "best_of", "grouped"]


@dataclass(frozen=True)
class Group:
    """Runs with the same values of some options.

    Parameters
    ----------
    values
        These values.
    runs, failed
        Runs that have ended, and failed ones among them.
    median, least, most
        Of the result; None: no run has it.
    """

    values: tuple[Value, ...]
    runs: int
    failed: int
    median: float | None
    least: float | None
    most: float | None


@dataclass(frozen=True)
class Best:
    """The value of an option with the least median, among groups that differ in it alone.

    Parameters
    ----------
    values
        Values of the other options.
    value, median
        The best value and its median.
    second, factor
        The next one, and the ratio of its median to the best; None: there is no other.
    apart
        Whether all runs of the best are below all runs of the next.
    """

    values: tuple[Value, ...]
    value: Value
    median: float
    second: Value | None
    factor: float | None
    apart: bool


def grouped(study: Study, where: Conditions, by: Sequence[str], of: str) -> list[Group]:
    """Return groups of runs, in the order of the study.

    Parameters
    ----------
    study
        The study.
    where
        Conditions by axis that the runs meet.
    by
        Options whose values the runs of a group share.
    of
        Name of the result.

    Raises
    ------
    UserError
        The study has no such axis, or no run has such a result.
    """
    positions = [study.position(name) for name in by]
    found: dict[tuple[Value, ...], tuple[array[float], list[int]]] = {}
    for row in study.rows(where, of):
        values = tuple(row.point.values[at] for at in positions)
        numbers, counts = found.setdefault(values, (array("d"), [0, 0]))
        counts[0] += 1
        counts[1] += row.record.error is not None
        value = row.record.number(of)
        if value is not None:
            numbers.append(value)
    if found and not any(numbers for numbers, _ in found.values()):
        _check_result(study, of)
    return [
        Group(
            values,
            runs,
            failed,
            *((statistics.median(numbers), min(numbers), max(numbers)) if numbers else [None] * 3),
        )
        for values, (numbers, (runs, failed)) in found.items()
    ]


def best_of(groups: Sequence[Group], by: Sequence[str], option: str) -> list[Best]:
    """Return the best value of an option for each combination of the other options.

    Parameters
    ----------
    groups
        Groups, see `grouped`.
    by
        Their options.
    option
        One of these.
    """
    at = by.index(option)
    alike: dict[tuple[Value, ...], list[Group]] = {}
    for group in groups:
        if group.median is not None:
            rest = group.values[:at] + group.values[at + 1 :]
            alike.setdefault(rest, []).append(group)
    return [_best(values, each, at) for values, each in alike.items()]


def _best(values: tuple[Value, ...], groups: list[Group], at: int) -> Best:
    first, *others = sorted(groups, key=lambda group: group.median or 0.0)
    assert first.median is not None
    if not others:
        return Best(values, first.values[at], first.median, None, None, apart=False)
    second = others[0]
    assert second.median is not None
    assert first.most is not None
    return Best(
        values,
        first.values[at],
        first.median,
        second.values[at],
        second.median / first.median if first.median else None,
        apart=second.least is not None and first.most < second.least,
    )


def _check_result(study: Study, of: str) -> None:
    """Raise UserError if runs have results, but none of this name."""
    names = next((set(row.record.result) for row in study.rows() if row.record.result), set())
    if names and of not in names:
        what = "study: its runs have no such number"
        raise UserError(what, value=of, near=near_miss(of, names))
