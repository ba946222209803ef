"""Tables of an explanation: the breakdown, the longest stretches, the slack."""

from __future__ import annotations

from odonata.explain import Explained, words_of
from odonata.explain.account import Part
from odonata.report.table import Table
from odonata.result.overview import seconds, share, title

__all__ = [
    "breakdown_table",
    "part_table",
    "slack_table",
    "stretch_table",
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
        One row a category, by decreasing time on the critical path.
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


def slack_table(explained: Explained) -> Table | None:
    """Return how much slack the ranks have.

    Parameters
    ----------
    explained
        An explanation.

    Returns
    -------
    Table or None
        None if that is not known.
    """
    dependencies = explained.dependencies
    if dependencies is None:
        return None
    slack = sorted(dependencies.rank_slack_ps)
    tight = sum(each == 0 for each in slack)
    rows = [
        ["ranks without slack", f"{tight:,} of {len(slack):,}"],
        ["slack of the median rank", _time(slack[len(slack) // 2])],
    ]
    return Table(["what", "value"], rows, left=1, title="Slack")


def _time(time_ps: float) -> str:
    return seconds(time_ps / 1e12)


def _name(part: Part, what: str, *, several: bool) -> str:
    outside = "outside of MPI" if what == "functions" else "none"
    told = outside if part.name is None else str(part.name)
    return f"{told} of job {part.job}" if several and what == "communicators" else told


def _longest(part: Part) -> str:
    longest = sorted(part.categories_ps.items(), key=lambda item: -item[1])[:3]
    told = [f"{words_of(name)} {share(time / part.total_ps)}" for name, time in longest if time]
    return ", ".join(told)
