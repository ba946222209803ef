"""Tables of an explanation: the breakdown, the longest stretches, the slopes."""

from __future__ import annotations

from collections.abc import Mapping

from odonata.explain import Explained, Part, Slope, words_of
from odonata.report.table import Table
from odonata.result import Result, Scalar, class_loads
from odonata.result.overview import seconds, share, title

__all__ = [
    "breakdown_table",
    "part_table",
    "slope_table",
    "stretch_table",
    "tolerance_table",
]

MOST_PARTS = 10
"""Functions, phases or communicators that a table shows."""


def breakdown_table(explained: Explained) -> Table:
    """Return the time by category: mean and most of the ranks, and the critical path.

    Parameters
    ----------
    explained
        An explanation.

    Returns
    -------
    Table
        One row a category, those that take most on the critical path first.
    """
    path = explained.path_ps if explained.has_path else {}
    totals = explained.totals_ps()
    whole = sum(totals.values())
    rows = []
    for name in sorted(totals, key=lambda each: (-path.get(each, 0), -totals[each])):
        most = max(explained.ranks, key=lambda rank: rank.categories_ps[name])
        part = path.get(name, 0)
        of_path = [_time(part), share(part / max(1, explained.length_ps))] if path else []
        rows.append(
            [
                words_of(name),
                *of_path,
                _time(totals[name] / len(explained.ranks)),
                share(totals[name] / max(1, whole)),
                _time(most.categories_ps[name]),
                str(most.rank),
            ]
        )
    heads = ["critical path", "of the path"] if path else []
    columns = ["time", *heads, "mean rank", "of all ranks", "longest", "on rank"]
    return Table(columns, rows, title=f"Where the time goes: {title(explained.run)}")


def part_table(explained: Explained, what: str) -> Table:
    """Return the time of all ranks by function, phase or communicator.

    Parameters
    ----------
    explained
        An explanation.
    what
        ``functions``, ``phases`` or ``communicators``.

    Returns
    -------
    Table
        One row each, the longest first; its three longest categories in words.
    """
    parts: list[Part] = getattr(explained, what)
    whole = sum(part.total_ps for part in parts)
    rows = [
        [
            _name(part, what, several=len(explained.run.jobs) > 1),
            _longest(part),
            _time(part.total_ps / max(1, len(explained.ranks))),
            share(part.total_ps / max(1, whole)),
        ]
        for part in parts[:MOST_PARTS]
    ]
    return Table([what[:-1], "most of that", "mean rank", "of all ranks"], rows, left=2)


def stretch_table(explained: Explained, n: int = 10) -> Table:
    """Return the longest stretches of the critical path, in words.

    Parameters
    ----------
    explained
        An explanation.
    n
        How many.
    """
    longest = sorted(explained.stretches, key=lambda each: (-each.length_ps, each.begin_ps))[:n]
    rows = [
        [str(each), _time(each.begin_ps), _time(each.length_ps)]
        for each in sorted(longest, key=lambda each: each.begin_ps)
    ]
    many = len(explained.stretches)
    return Table(
        ["stretch", "begins at", "lasts"],
        rows,
        title=f"The {len(rows)} longest of {many:,} stretches of the critical path",
    )


def slope_table(explained: Explained, n: int = 10) -> Table:
    """Return how much the run's time changes with the numbers of the machine.

    Parameters
    ----------
    explained
        An explanation.
    n
        How many.

    Notes
    -----
    The bytes of a message take as long as on the slowest link of its way. Where classes of links
    that the run used are equally fast, the row of each names the others: all of them must become
    faster for the gain.
    """
    used = [load.name for load in class_loads(Result(explained.run)) if load.num_bytes]
    rates = {name: explained.run.machine.get(f"links.{name}.bandwidth") for name in used}
    rows = [
        [each.number, _time(each.path_ps), share(-each.gain), _better(each, rates)]
        for each in explained.slopes[:n]
    ]
    return Table(
        ["number of the machine", "on the path", "time", "with 10 %"],
        rows,
        title="Numbers of the machine that would help, to first order",
    )


def tolerance_table(explained: Explained) -> Table | None:
    """Return how much latency the run tolerates, and how much slack its ranks have.

    Parameters
    ----------
    explained
        An explanation.

    Returns
    -------
    Table or None
        None if neither is known.
    """
    moved, dependencies = explained.moved, explained.dependencies
    rows = (
        []
        if moved is None
        else [
            [f"{share(each.longer)} longer", f"each message {_time(each.latency_ps)} later"]
            for each in moved.tolerances
        ]
    )
    if dependencies is not None:
        slack = sorted(dependencies.rank_slack_ps)
        tight = sum(each == 0 for each in slack)
        rows.append(["ranks without slack", f"{tight:,} of {len(slack):,}"])
        rows.append(["slack of the median rank", _time(slack[len(slack) // 2])])
    if not rows:
        return None
    told = "Slack" if moved is None else "Tolerance of latency between nodes"
    both = moved is not None and dependencies is not None
    return Table(["the run takes", "if"], rows, left=2, title=told + ", and slack" * both)


def _time(time_ps: float) -> str:
    return seconds(time_ps / 1e12)


def _better(slope: Slope, rates: Mapping[str, Scalar]) -> str:
    """Return the better direction of a number, and the classes of links that must go with it."""
    if slope.relative >= 0:
        return "less"
    alike = [
        name
        for name, rate in rates.items()
        if rate == slope.value and slope.number != f"links.{name}.bandwidth"
    ]
    return f"more, together with {' and '.join(alike)}" if alike else "more"


def _name(part: Part, what: str, *, several: bool) -> str:
    outside = "outside of MPI" if what == "functions" else "none"
    told = outside if part.name is None else str(part.name)
    return f"{told} of job {part.job}" if several and what == "communicators" else told


def _longest(part: Part) -> str:
    longest = sorted(part.categories_ps.items(), key=lambda item: -item[1])[:3]
    told = [f"{words_of(name)} {share(time / part.total_ps)}" for name, time in longest if time]
    return ", ".join(told)
