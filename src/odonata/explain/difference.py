"""The difference of two runs, by category, function and link."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property

from odonata.explain.explained import Explained
from odonata.explain.path import Stretch
from odonata.explain.sentence import CAUSES, DOMINATES, Cause
from odonata.units import format_time

__all__ = ["Change", "Difference"]

MENTIONED = 0.15
"""Share of a difference above which a cause is mentioned beside the dominant one."""


MOST_MENTIONED = 3
"""Causes that are mentioned beside the dominant one."""


@dataclass(frozen=True)
class Change:
    """Time of a part of two critical paths, or of two mean ranks.

    Parameters
    ----------
    name
        Category, function, class of links, or link; None: none.
    a_ps, b_ps
        Time on the critical path, or of the mean rank, of each run [ps].
    difference_ps
        The second without the first [ps].
    a_mean_ps, b_mean_ps
        The same of the mean rank [ps], where it is known: of categories.
    """

    name: str | None
    a_ps: float
    b_ps: float
    difference_ps: float
    a_mean_ps: float | None = None
    b_mean_ps: float | None = None


class Difference:
    """Difference of two explained runs, by the parts of their critical paths.

    Parts of a path add up to the run's time, so that the changes of all categories, and also of all
    functions, add up to the difference to the picosecond. Waits for links are a part of it.

    Where a run has no path, the mean rank's parts are taken, which add up to its end; no links are
    known.

    Parameters
    ----------
    a, b
        The runs.
    names
        Their names.

    Examples
    --------
    >>> from odonata import explain, machine, placement, simulate, workload
    >>> theta = machine.load("theta")
    >>> told = []
    >>> for name in ("ring", "recursive_doubling"):
    ...     work = workload.Collective("allgather", name)
    ...     job = simulate.Job(work, placement.place(theta, 16))
    ...     told.append(explain.explain(simulate.simulate(theta, [job], explain=True)))
    >>> found = Difference(*told, ("ring", "recursive doubling"))
    >>> sum(change.difference_ps for change in found.categories) == found.difference_ps
    True
    """

    def __init__(self, a: Explained, b: Explained, names: tuple[str, str] = ("a", "b")) -> None:
        self.a, self.b, self.names = a, b, names

    @property
    def has_path(self) -> bool:
        """Whether both critical paths were kept, and not a breakdown alone."""
        return self.a.has_path and self.b.has_path

    @property
    def without_path(self) -> str | None:
        """Why not the critical paths are compared, and how to get them; None if they are."""
        lacking = {run.where: run for run in (self.a, self.b) if not run.has_path}
        if len(lacking) < 2:
            return next((f"{where}: {run.without_path}" for where, run in lacking.items()), None)
        both = " and ".join(lacking)
        commands = "; ".join(dict.fromkeys(run.again for run in lacking.values()))
        return (
            f"{both}: saved with --breakdown, so without their critical paths; "
            f"run them again: {commands}"
        )

    @cached_property
    def difference_ps(self) -> int:
        """Time by which the second run is longer [ps]."""
        return self.b.length_ps - self.a.length_ps

    @cached_property
    def whole(self) -> Change:
        """Sum of the changes of all categories: the two runs, or their mean ranks."""
        if self.has_path:
            return Change(None, self.a.length_ps, self.b.length_ps, self.difference_ps)
        a, b = self.a.mean_end_ps, self.b.mean_end_ps
        return Change(None, a, b, b - a)

    @cached_property
    def categories(self) -> list[Change]:
        """Change of each category, the largest first."""
        means = self.a.means_ps(), self.b.means_ps()
        if not self.has_path:
            return _changes(*means)
        changes = _changes(self.a.path_ps, self.b.path_ps, every=means[0].keys() | means[1].keys())
        return [
            replace(
                each,
                a_mean_ps=means[0].get(each.name or "", 0.0),
                b_mean_ps=means[1].get(each.name or "", 0.0),
            )
            for each in changes
        ]

    @cached_property
    def functions(self) -> list[Change]:
        """Change of each MPI function, or operation, the largest first."""
        if not self.has_path:
            return _changes(_function_means(self.a), _function_means(self.b))
        return self._of(lambda stretch: stretch.function or "none")

    @cached_property
    def link_classes(self) -> list[Change]:
        """Change of the waits of messages for links, by class; empty without paths."""
        return self._of(_link_class)

    @cached_property
    def links(self) -> list[Change]:
        """Change of the waits of messages for each link; empty without paths."""
        return self._of(lambda stretch: None if stretch.link is None else stretch.link_name)

    @cached_property
    def causes(self) -> list[tuple[Cause, float]]:
        """Causes of long runs with their part of the difference [ps], the largest first."""
        changes = [
            (
                cause,
                sum(each.difference_ps for each in self.categories if cause.has(each.name or "")),
            )
            for cause in CAUSES
        ]
        return sorted(changes, key=lambda pair: -abs(pair[1]))

    @property
    def sentence(self) -> str:
        """Sentence on how much longer or shorter the second run is, and why, as its columns say.

        No reason is given if none dominates.
        """
        if self.difference_ps == 0:
            return f"{self.names[0]} and {self.names[1]} both take {format_time(self.a.length_ps)}."
        sign = 1 if self.difference_ps > 0 else -1
        how = "longer" if sign > 0 else "less"
        told = (
            f"{self.names[1]} takes {format_time(sign * self.difference_ps)} {how} than "
            f"{self.names[0]} ({format_time(self.b.length_ps)} against "
            f"{format_time(self.a.length_ps)})"
        )
        longer = sign * self.whole.difference_ps
        if not self.has_path:
            if longer <= 0:
                return f"{told}, but its mean rank does not."
            told += f", and its mean rank {format_time(longer)}"
        return told + self._reason(self.b if sign > 0 else self.a, sign)

    def _reason(self, slow: Explained, sign: int) -> str:
        """Return the causes that make a run longer; that none does if none dominates.

        The second run has more of them if the sign is 1, and less if it is -1.
        """
        more, less = ("more", "less")[::sign]
        longer = sign * self.whole.difference_ps
        shares = [(cause.name, sign * time / longer) for cause, time in self.causes]
        cause, most = max(self.causes, key=lambda pair: sign * pair[1])
        if sign * most < DOMINATES * longer:
            return f"; no single cause has {100 * DOMINATES:.0f} % of the difference."
        told = f": {format_time(sign * most)} {more} {cause.name}"
        if where := cause.place(slow, by_path=self.has_path):
            told += f" ({self._total(slow, cause)}, {where})"
        others = [pair for pair in shares if pair[0] != cause.name and abs(pair[1]) >= MENTIONED]
        others = others[:MOST_MENTIONED]
        rest = 1 - sign * most / longer - sum(part for _, part in others)
        if abs(rest) >= MENTIONED:
            others.append(("of all else", rest))
        for name, part in others:
            told += f", {format_time(abs(part) * longer)} {more if part > 0 else less} {name}"
        return told + "."

    def _total(self, run: Explained, cause: Cause) -> str:
        """Return a run's name, and its time of a cause."""
        times = run.path_ps if self.has_path else run.means_ps()
        total = sum(time for name, time in times.items() if cause.has(name))
        return f"{self.names[run is self.b]}: {format_time(total)}"

    def document(self) -> dict[str, object]:
        """Return everything as plain data, for JSON."""
        return {
            "a": {"name": self.names[0], "time_ps": self.a.length_ps},
            "b": {"name": self.names[1], "time_ps": self.b.length_ps},
            "difference_ps": self.difference_ps,
            "parts_of": "critical path" if self.has_path else "mean rank",
            "categories": [asdict(change) for change in self.categories],
            **{
                what: [_plain(change) for change in getattr(self, what)]
                for what in ("functions", "link_classes", "links")
            },
            "sentence": self.sentence,
        }

    def _of(self, name: Callable[[Stretch], str | None]) -> list[Change]:
        if not self.has_path:
            return []
        return _changes(_times(self.a, name), _times(self.b, name))


def _plain(change: Change) -> dict[str, object]:
    told = asdict(change)
    del told["a_mean_ps"], told["b_mean_ps"]
    return told


def _link_class(stretch: Stretch) -> str | None:
    return None if stretch.link is None else stretch.link_ends.partition(",")[0]


def _function_means(explained: Explained) -> dict[str, float]:
    count = max(1, len(explained.ranks))
    return {str(part.name or "none"): part.total_ps / count for part in explained.functions}


def _times(explained: Explained, name: Callable[[Stretch], str | None]) -> Counter[str]:
    times: Counter[str] = Counter()
    for stretch in explained.stretches:
        if (called := name(stretch)) is not None:
            times[called] += stretch.length_ps
    return times


def _changes(
    a: Mapping[str, float], b: Mapping[str, float], every: frozenset[str] | set[str] = frozenset()
) -> list[Change]:
    changes = [
        Change(name, a.get(name, 0), b.get(name, 0), b.get(name, 0) - a.get(name, 0))
        for name in a.keys() | b.keys() | every
    ]
    return sorted(changes, key=lambda each: (-abs(each.difference_ps), -each.b_ps, str(each.name)))
