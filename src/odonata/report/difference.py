"""Tables of the difference of two explained runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from odonata.explain import Difference, Explained, words_of
from odonata.explain.difference import Change
from odonata.report.table import Table
from odonata.result.overview import seconds, share
from odonata.units import Written

__all__ = ["change_table", "difference_table", "difference_tables", "paths_table"]

MOST_ROWS = 10
"""Functions or links that a table shows."""

MOST_SHARE = 10
"""Share of the difference up to which a part's is shown; beyond it parts cancel each other."""


def difference_table(difference: Difference) -> Table:
    """Return the difference of two critical paths, or mean ranks, by category.

    Parameters
    ----------
    difference
        Two explained runs.

    Returns
    -------
    Table
        One row a category, the largest change first, and a last one with the sums. Beside the
        paths are the times of the mean ranks.
    """
    first, second = difference.a.mean_end_ps, difference.b.mean_end_ps
    whole = replace(difference.whole, a_mean_ps=first, b_mean_ps=second)
    rows = [
        [
            words_of(str(each.name)) if each is not whole else "all",
            *_times(each, difference),
            *(_mean_times(each) if difference.has_path else []),
        ]
        for each in [*difference.categories, whole]
        if each.a_ps or each.b_ps or each.a_mean_ps or each.b_mean_ps
    ]
    a, b = difference.names
    heads = [f"mean rank of {a}", f"of {b}"] if difference.has_path else []
    columns = [_parts(difference), a, b, "difference", "of it", *heads]
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
        The tables that have rows; functions unless all time is outside of MPI.
    """
    parts = [
        change_table(difference, what)
        for what in ("functions", "link_classes", "links")
        if any(each.name != "none" for each in getattr(difference, what))
    ]
    return [difference_table(difference), *parts]


def paths_table(runs: Sequence[Explained], names: Sequence[str]) -> Table:
    """Return the critical paths of several runs by category, a column each.

    Parameters
    ----------
    runs
        Explained runs. Unless all have a path, the mean ranks are shown.
    names
        Their names.
    """
    by_path = all(run.has_path for run in runs)
    times = [run.path_ps if by_path else run.means_ps() for run in runs]
    most = {name: max(each.get(name, 0) for each in times) for each in times for name in each}
    rows = [
        [words_of(name), *(seconds(each.get(name, 0) / 1e12) for each in times)]
        for name in sorted(most, key=lambda name: (-most[name], name))
        if most[name]
    ]
    head = "critical path" if by_path else "mean rank"
    return Table([head, *names], rows, title="Where the time goes")


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
    outside = {"none": "outside of MPI"} if what == "functions" else {}
    rows = [
        [outside.get(str(each.name), str(each.name)), *_times(each, difference)]
        for each in changes[:MOST_ROWS]
    ]
    return Table([heads[what], *difference.names, "difference", "of it"], rows)


def _parts(difference: Difference) -> str:
    return "critical path" if difference.has_path else "mean rank"


def _times(change: Change, difference: Difference) -> list[str]:
    whole = difference.whole.difference_ps
    sign = "+" if change.difference_ps > 0 else "-" if change.difference_ps < 0 else ""
    return [
        seconds(change.a_ps / 1e12),
        seconds(change.b_ps / 1e12),
        Written(sign + seconds(abs(change.difference_ps) / 1e12), change.difference_ps / 1e12, "s"),
        share(change.difference_ps / whole) if _has_share(change, whole) else "",
    ]


def _has_share(change: Change, whole: float) -> bool:
    return 0 < abs(change.difference_ps) <= MOST_SHARE * abs(whole)


def _mean_times(change: Change) -> list[str]:
    return [seconds((mean or 0) / 1e12) for mean in (change.a_mean_ps, change.b_mean_ps)]
