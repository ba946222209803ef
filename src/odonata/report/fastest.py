"""Sentences about a comparison: which choice is the fastest, where, and by how much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from statistics import median

from odonata.report.comparison import (
    CHOICES,
    circumstances,
    group_seeds,
    in_words,
    label,
    varying,
)
from odonata.result import Result
from odonata.result.overview import seconds
from odonata.result.run import Scalar

__all__ = ["fastest_sentence"]

MOST_SENTENCES = 4
"""Groups up to which each has a sentence of its own."""


@dataclass(frozen=True)
class _Timed:
    """Runs that differ in their seed alone: the choice they stand for and their median time [s]."""

    name: str
    seconds: float


@dataclass(frozen=True)
class _Group:
    """Choices that have met the same circumstances, by time."""

    met: dict[str, Scalar]
    timed: list[_Timed]

    @property
    def first(self) -> str:
        """The fastest choice; all of them where several take the same time."""
        return " and ".join(
            each.name for each in self.timed if each.seconds == self.timed[0].seconds
        )

    @property
    def is_even(self) -> bool:
        """Whether all choices take the same time."""
        return self.timed[0].seconds == self.timed[-1].seconds


def fastest_sentence(results: Sequence[Result]) -> str:
    """Return which choices of a comparison are the fastest, and how much longer the others take.

    Algorithms, placements, routings and machines are chosen; operations, sizes, ranks, loads and
    other jobs are met. Only runs that have met the same are compared, by the median of their seeds.
    Of traffic nothing is said: its time is given.

    Parameters
    ----------
    results
        Runs.

    Returns
    -------
    str
        A sentence for each group of circumstances, or how often which is the fastest, and whether
        that depends on a circumstance; empty where there is nothing to compare.
    """
    groups = _groups(results)
    if not groups:
        return ""
    differ = _differing(groups)
    told = [] if len(groups) > MOST_SENTENCES else [_one(group, differ) for group in groups]
    if len(groups) > 1 and not all(group.is_even for group in groups):
        told += [_verdict(groups, differ)]
    return "\n".join(told)


def _differing(groups: Sequence[_Group]) -> list[str]:
    """Return the circumstances in which groups differ; other jobs are told of by one of them."""
    names = dict.fromkeys(name for group in groups for name in group.met)
    differ = [name for name in names if len({group.met.get(name) for group in groups}) > 1]
    if "busy" in differ and "background" in differ:
        differ.remove("background")
        pairs = {(group.met["busy"], group.met["background"]) for group in groups}
        if len(pairs) > len({busy for busy, _ in pairs}):
            differ.append("background")
    return differ


def _groups(results: Sequence[Result]) -> list[_Group]:
    """Return the groups in which there is something to compare."""
    names = [name for name in varying(results) if name in CHOICES]
    found: dict[tuple[tuple[str, Scalar], ...], list[_Timed]] = {}
    for runs in group_seeds(results):
        times = [time for run in runs if isinstance(time := run.run.summary["time_seconds"], float)]
        met = circumstances(runs[0])
        if met["offered_load"] is None and times:
            timed = _Timed(label(runs[0], names), median(times))
            found.setdefault(tuple(met.items()), []).append(timed)
    return [
        _Group(dict(met), sorted(timed, key=lambda each: each.seconds))
        for met, timed in found.items()
        if len({each.name for each in timed}) > 1
    ]


def _one(group: _Group, differ: Sequence[str]) -> str:
    first, *_, last = group.timed
    where = ", ".join(in_words(name, group.met.get(name)) for name in differ)
    begin = f"{where}: " if where else ""
    if first.seconds == last.seconds:
        return f"{begin}{'both' if len(group.timed) == 2 else 'all'} take {seconds(first.seconds)}."
    times = f"{seconds(last.seconds)} against {seconds(first.seconds)}"
    longest = "longest, " if len(group.timed) > 2 else ""
    several = sum(each.seconds == first.seconds for each in group.timed) > 1
    return (
        f"{begin}{group.first} {'are' if several else 'is'} the fastest; {last.name} takes "
        f"{longest}{_longer(last.seconds, first.seconds)} ({times})."
    )


def _longer(last: float, first: float) -> str:
    if not first:
        return "longer"
    ratio = last / first
    return f"{ratio:.3g} times as long" if ratio >= 1.995 else f"{100 * (ratio - 1):.2g} % longer"


def _verdict(groups: Sequence[_Group], differ: Sequence[str]) -> str:
    """Return whether the fastest choice is the same in all groups, or the fields it depends on."""
    firsts = Counter(group.first for group in groups)
    if len(firsts) == 1:
        (first,) = firsts
        number = "both" if len(groups) == 2 else f"all {len(groups)}"
        return f"The fastest is {first} in {number} groups."
    for name in differ:
        firsts_at: dict[Scalar, set[str]] = {}
        for group in groups:
            firsts_at.setdefault(group.met.get(name), set()).add(group.first)
        if all(len(each) == 1 for each in firsts_at.values()):
            told = _by_value(name, {value: each.pop() for value, each in firsts_at.items()})
            return f"Which is the fastest depends on {_named(name)}: {told}."
    words = [f"{name} in {number}" for name, number in firsts.most_common()]
    return f"Which is the fastest depends on the group: {', '.join(words)} of {len(groups)}."


def _by_value(name: str, firsts: dict[Scalar, str]) -> str:
    """Return which choice is the fastest at the values of a circumstance, for rows of values."""
    rows = [
        (first, [value for value, _ in row])
        for first, row in groupby(firsts.items(), key=itemgetter(1))
    ]
    words = []
    for first, values in rows:
        ends = values if len(values) < 3 else [values[0], values[-1]]
        between = " to " if len(values) > 2 else " and "
        words.append(f"{first} with {between.join(in_words(name, value) for value in ends)}")
    return ", ".join(words)


def _named(name: str) -> str:
    return {"busy": "the busy nodes", "background": "the background", "bytes": "the size"}.get(
        name, f"the {name.replace('_', ' ')}"
    )
