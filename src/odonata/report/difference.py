"""Tables of the difference of two explained runs."""

from __future__ import annotations

from collections.abc import Sequence

from odonata.explain import Change, Difference, Explained, words_of
from odonata.report.table import Table
from odonata.result.overview import seconds, share

__all__ = ["change_table", "difference_table", "difference_tables", "paths_table"]

MOST_ROWS = 10
"""Functions or links that a table shows."""


def difference_table(difference: Difference) -> Table:
    """Return the difference of two critical paths by category.

    Parameters
    ----------
    difference
        Two explained runs.

    Returns
    -------
    Table
        One row a category, the largest change first, and a last one with the sums.
    """
    rows = [
        [
            words_of(str(each.name)),
            *_times(each, difference),
            *(seconds((mean or 0) / 1e12) for mean in (each.a_mean_ps, each.b_mean_ps)),
        ]
        for each in difference.categories
        if each.a_ps or each.b_ps or each.a_mean_ps or each.b_mean_ps
    ]
    whole = Change(None, difference.a.length_ps, difference.b.length_ps, difference.difference_ps)
    means = [_mean_end(each) for each in (difference.a, difference.b)]
    rows.append(["all", *_times(whole, difference), *(seconds(mean / 1e12) for mean in means)])
    a, b = difference.names
    columns = ["critical path", a, b, "difference", "of it", f"mean rank of {a}", f"of {b}"]
    return Table(columns, rows, title="Where the difference comes from")


def difference_tables(difference: Difference) -> list[Table]:
    """Return the difference by category, function, class of links and link.

    Parameters
    ----------
    difference
        Two explained runs.

    Returns
    -------
    list of Table
        Those that have rows.
    """
    parts = [
        change_table(difference, what)
        for what in ("functions", "link_classes", "links")
        if getattr(difference, what)
    ]
    return [difference_table(difference), *parts]


def paths_table(runs: Sequence[Explained], names: Sequence[str]) -> Table:
    """Return the critical paths of several runs by category, a column each.

    Parameters
    ----------
    runs
        Explained runs.
    names
        What they are called.
    """
    every = {name for run in runs for name in run.path_ps}
    most = {name: max(run.path_ps.get(name, 0) for run in runs) for name in every}
    rows = [
        [words_of(name), *(seconds(run.path_ps.get(name, 0) / 1e12) for run in runs)]
        for name in sorted(every, key=lambda name: (-most[name], name))
        if most[name]
    ]
    return Table(["critical path", *names], rows, title="Where the time goes")


def change_table(difference: Difference, what: str) -> Table:
    """Return the difference of two critical paths by function, class of links, or link.

    Parameters
    ----------
    difference
        Two explained runs.
    what
        ``functions``, ``link_classes`` or ``links``.

    Returns
    -------
    Table
        One row each, the largest change first.
    """
    heads = {"functions": "function", "link_classes": "waits for links", "links": "waits for link"}
    changes: list[Change] = getattr(difference, what)
    rows = [[str(each.name), *_times(each, difference)] for each in changes[:MOST_ROWS]]
    return Table([heads[what], *difference.names, "difference", "of it"], rows)


def _times(change: Change, difference: Difference) -> list[str]:
    whole = difference.difference_ps
    sign = "+" if change.difference_ps > 0 else "-" if change.difference_ps < 0 else ""
    return [
        seconds(change.a_ps / 1e12),
        seconds(change.b_ps / 1e12),
        sign + seconds(abs(change.difference_ps) / 1e12),
        share(change.difference_ps / whole) if whole and change.difference_ps else "",
    ]


def _mean_end(explained: Explained) -> float:
    ranks = explained.ranks
    return sum(rank.end_ps for rank in ranks) / max(1, len(ranks))
