"""Tables and the sentence of ``odonata place map``: the gain of an order, and its reason."""

from __future__ import annotations

from typing import Any

from odonata import decide, report
from odonata.report.printing import print_line, print_table
from odonata.result.overview import seconds
from odonata.units import Written

__all__ = ["print_mapping", "sentence"]

_COSTS = {
    "hop-bytes": "hop-bytes",
    "max-link": "the busiest link's time",
    "simulated": "the simulated time",
}


def print_mapping(found: decide.RankMapping) -> None:
    """Print tables of costs, links and methods, and a sentence."""
    for table in _tables(found):
        print_table(table)
        print_line()
    if found.grid is not None:
        print_line(f"grid of processes: {'x'.join(map(str, found.grid))}")
    for method, reason in found.skipped.items():
        print_line(f"not tried: {method}, which {reason}")
    print_line(sentence(found))


def _tables(found: decide.RankMapping) -> list[report.Table]:
    def row(name: str, before: float | None, after: float | None, how: Any) -> list[str]:
        if before is None or after is None:
            return [name, "not simulated", "", ""]
        percent = 100 * (after / before - 1) if before > 0 else 0.0
        change = Written(f"{percent:+.1f} %", percent, "%") if before > 0 else ""
        return [name, how(before), how(after), change]

    first, last = found.before, found.after
    part = "" if found.scale == 1 else f", {100 * found.scale:.2g} % of the bytes"
    costs = [
        row("hop-bytes", first.hop_bytes, last.hop_bytes, _bytes),
        row("busiest link", first.max_link_seconds, last.max_link_seconds, seconds),
        row(f"packet engine{part}", first.simulated_seconds, last.simulated_seconds, seconds),
        row(f"analytic engine{part}", first.analytic_seconds, last.analytic_seconds, seconds),
    ]
    classes = [row(c.link_class, c.before, c.after, _bytes) for c in found.classes]
    busy = [
        [when, link.link_class, link.ends, _bytes(link.bytes), seconds(link.seconds)]
        for when, links in (("before", found.busiest_before), ("after", found.busiest_after))
        for link in links
    ]
    how = _bytes if found.objective == "hop-bytes" else seconds
    tried = [[name, how(cost)] for name, cost in found.tried.items()]
    return [
        report.Table(["cost", "before", "after", "change"], costs),
        report.Table(["bytes on links", "before", "after", "change"], classes),
        report.Table(["busiest", "class", "link", "bytes", "time"], busy, left=3),
        report.Table(["method", found.objective], tried),
    ]


def _bytes(number: float) -> str:
    return Written(f"{number:,.0f} B", number, "B")


def sentence(found: decide.RankMapping) -> str:
    """Return in words the gain of the order, and the links that it unloads."""
    if found.method == "start":
        return f"No method finds a better order by {found.objective}: the ranks stay as they are."
    saved = f"saves {100 * found.gain:.1f} % of {_COSTS[found.objective]}"
    parts = [f"The order of method {found.method} {saved}."]
    eased = max(found.classes, key=lambda change: change.before - change.after)
    if eased.before > eased.after:
        share = 100 * (1 - eased.after / eased.before)
        parts.append(f"{eased.link_class.capitalize()} links carry {share:.0f} % fewer bytes.")
    if found.busiest_before and found.busiest_after:
        parts.append(_of_busiest(found.busiest_before[0], found.busiest_after[0]))
    return " ".join(parts)


def _of_busiest(before: decide.BusyLink, after: decide.BusyLink) -> str:
    """Return in words how long the busiest link needs, and where it was."""
    if seconds(before.seconds) == seconds(after.seconds):
        return f"The busiest link needs {seconds(after.seconds)} ({after.link_class}) as before."
    return (
        f"The busiest link needs {seconds(after.seconds)} ({after.link_class}) where it was "
        f"{seconds(before.seconds)} ({before.link_class}, {before.ends})."
    )
