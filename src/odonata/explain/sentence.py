"""One sentence about a run: what dominates, and where.

What helps is known when it was tried: see `odonata.decide.what_if`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import groupby

from odonata.explain.account import Account
from odonata.result.kinds import CATEGORIES, LINK_CATEGORIES
from odonata.units import format_time

__all__ = ["CAUSES", "DOMINATES", "Cause", "sentence"]

DOMINATES = 0.4
"""Share of the critical path above which something dominates."""


@dataclass(frozen=True)
class Cause:
    """A cause of long runs: its name and its details."""

    name: str
    where: Callable[[Account, Cause], str]

    def has(self, category: str) -> bool:
        """Return whether a category of time belongs to it."""
        return _CAUSE_OF.get(category.partition(".")[0]) == self.name

    def part_of(self, times: Mapping[str, float]) -> float:
        """Return its share of times by category; 0 of no time."""
        whole = sum(times.values())
        return sum(time for name, time in times.items() if self.has(name)) / whole if whole else 0.0

    def place(self, explained: Account, *, by_path: bool = True) -> str:
        """Return where most of it is, on the path if there is one; empty if nowhere."""
        if by_path and explained.has_path:
            return self.where(explained, self)
        return _most_in_function(explained, self)


def sentence(explained: Account) -> str:
    """Return what dominates the critical path, and where.

    Without a path, the dominant cost of all ranks is taken, and the function with most of it.

    Parameters
    ----------
    explained
        An explanation.

    Returns
    -------
    str
        Empty if nothing dominates.
    """
    if explained.length_ps == 0:
        return "The run takes no time."
    times = explained.path_ps if explained.has_path else explained.totals_ps()
    shares = {cause.name: cause.part_of(times) for cause in CAUSES}
    cause = max(CAUSES, key=lambda each: shares[each.name])
    if shares[cause.name] < DOMINATES:
        return ""
    whole = format_time(explained.length_ps) if explained.has_path else "time of all ranks"
    told = f"{_percent(shares[cause.name])} of the {whole} is {cause.name}"
    if where := cause.place(explained):
        told += f" ({where})"
    return f"{told}."


def _time(explained: Account, cause: Cause) -> int:
    return sum(time for name, time in explained.path_ps.items() if cause.has(name))


def _percent(part: float) -> str:
    return f"{100 * part:.0f} %"


def _in_function(explained: Account, cause: Cause) -> str:
    """Return " in FUNCTION" if most of the cause's time is in one."""
    times: Counter[str] = Counter()
    for stretch in explained.stretches:
        if cause.has(stretch.category):
            times[stretch.function or ""] += stretch.length_ps
    return f" in {name}" if (name := _majority(times)) else ""


def _most_in_function(explained: Account, cause: Cause) -> str:
    """Return "most of it in FUNCTION", by the time of all ranks, if there is such a function."""
    times: Counter[str] = Counter()
    for part in explained.functions:
        own = sum(time for name, time in part.categories_ps.items() if cause.has(name))
        times[str(part.name or "")] += own
    return f"most of it in {name}" if (name := _majority(times)) else ""


def _majority(times: Counter[str]) -> str:
    """Return the name that has more than half of all times; empty if none has."""
    name = max(times, key=lambda each: times[each], default="")
    return name if 2 * times[name] > times.total() else ""


def _num_messages(explained: Account) -> int:
    """Return how many messages follow each other on the path, handshakes included."""
    hops = groupby(explained.stretches, key=lambda each: (each.job, each.rank, each.to))
    return sum(1 for (_, _, to), _ in hops if to is not None)


def _messages(explained: Account, cause: Cause) -> str:
    number = _num_messages(explained)
    mean = format_time(_time(explained, cause) / max(1, number))
    told = "1 message" if number == 1 else f"{number:,} messages one after the other"
    return f"{told}{_in_function(explained, cause)}, {mean} each"


def _payments(explained: Account, cause: Cause) -> str:
    told = []
    for key, name in (("send_overhead", "send"), ("recv_overhead", "receive")):
        times = sum(_times(explained, f"{word}.{key}") for word in ("mpi", "node"))
        if times:
            told.append(f"{times:,} {name}{'' if times == 1 else 's'}")
    return (" and ".join(told) or "costs by the byte") + _in_function(explained, cause)


def _times(explained: Account, number: str) -> int:
    """Return how often the path pays a number of the machine."""
    paid, value = explained.account.proportions.get(number), explained.run.machine.get(number)
    return round(paid / value) if paid and isinstance(value, int | float) else 0


def _ranks(explained: Account, cause: Cause) -> str:
    times: Counter[int] = Counter()
    for stretch in explained.stretches:
        if cause.has(stretch.category):
            times[stretch.rank] += stretch.length_ps
    (rank, most), *_ = times.most_common(1)
    if 2 * most > times.total():
        return f"most of it on rank {rank}{_in_function(explained, cause)}"
    return f"on {len(times):,} ranks in turn{_in_function(explained, cause)}"


def _links(explained: Account, cause: Cause) -> str:
    """Return the link with most of the waits: the full one behind the buffers, if it is known."""
    times: Counter[str] = Counter()
    for stretch in explained.stretches:
        if cause.has(stretch.category) and stretch.link is not None:
            full = stretch.full_name
            times[f"because {full} is full" if full else f"for {stretch.link_name}"] += (
                stretch.length_ps
            )
    if not times:
        return _messages(explained, cause)
    (link, most), *_ = times.most_common(1)
    return f"{_percent(most / times.total())} of that {link}"


CAUSES = (
    Cause("computing", _ranks),
    Cause(
        "overhead of sends and receives",
        _payments,
    ),
    Cause("copying and reducing", _ranks),
    Cause("latency of wires and routers", _messages),
    Cause("serialization of bytes", _messages),
    Cause("waiting for the NICs", _links),
    Cause("queueing behind other messages", _links),
    Cause("waiting for credit", _links),
    Cause("congestion control", _messages),
    Cause("rendezvous handshakes", _messages),
    Cause("messages inside a node", _messages),
    Cause("pausing", _ranks),
    Cause("waiting for ranks that are late", _ranks),
)
"""Causes of long runs; no critical path waits for late ranks."""

_CAUSE_OF = {each.name: each.cause for each in CATEGORIES} | {
    each.name: each.cause for each in LINK_CATEGORIES
}
