"""A run in a few lines, its numbers written for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from math import isfinite

from odonata.result.run import Run, Scalar
from odonata.units import Written, format_bytes, format_time

__all__ = [
    "count",
    "fixed",
    "heading",
    "listed",
    "num_ranks",
    "overview",
    "part",
    "quantity",
    "seconds",
    "share",
    "size",
    "title",
]


def title(run: Run) -> str:
    """Return workload and machine, such as ``allgather/ring 1 KiB on eos``.

    Parameters
    ----------
    run
        The run.
    """
    names = [job.name + (" (background)" if job.background else "") for job in run.jobs]
    return f"{listed(names) or 'nothing'} on {run.summary.get('machine') or 'a machine'}"


def heading(run: Run) -> str:
    """Return workload, machine, number of ranks and size of blocks.

    Parameters
    ----------
    run
        The run.

    Returns
    -------
    str
        Such as ``allgather/ring on eos, 64 ranks, 1 KiB``; unknown parts are left out.
    """
    front = [job for job in run.jobs if not job.background]
    ranks = sum(len(job.nodes) for job in front)
    sizes = {job.workload.get("bytes") for job in front}
    written = size(sizes.pop()) if len(sizes) == 1 else ""
    parts = [title(run), num_ranks(ranks) if ranks else "", written]
    return ", ".join(part for part in parts if part)


def listed(names: Iterable[str]) -> str:
    """Return names of jobs with ``+`` between them; equal neighbours are counted.

    Examples
    --------
    >>> listed(["alltoall/pairwise"] * 49 + ["traffic/uniform"])
    '49 × alltoall/pairwise + traffic/uniform'
    """
    counted = [(name, len(list(same))) for name, same in groupby(names)]
    return " + ".join(f"{count} × {name}" if count > 1 else name for name, count in counted)


def overview(run: Run) -> dict[str, str]:
    """Return the scalars of a run that fit into a small table.

    Parameters
    ----------
    run
        The run.

    Returns
    -------
    dict of str to str
        Label to value, written for people; unknown values are left out.
    """
    got = run.summary.get
    rows = {
        "engine": ", ".join(str(word) for word in (got("engine"), got("routing")) if word),
        "ranks": count(got("ranks")),
        "time": seconds(got("time_seconds")),
        "interval": str(got("interval") or ""),
        "messages": count(got("messages")),
        "bytes": size(got("bytes")),
        "routers per packet": fixed(got("mean_routers")),
        "mean latency": seconds(got("mean_latency_seconds")),
        "offered load": fixed(got("offered_load")),
        "accepted load": fixed(got("accepted_load")),
        "offered load, background": fixed(got("background_offered_load")),
        "accepted load, background": fixed(got("background_accepted_load")),
    }
    return {label: value for label, value in rows.items() if value}


def quantity(name: str) -> str:
    """Return the quantity that a number's name tells: ``time``, ``bytes`` or nothing.

    Parameters
    ----------
    name
        Such as ``time_seconds``, ``bytes`` or ``cycle_seconds.baseline``.

    Examples
    --------
    >>> quantity("cycle_seconds.baseline"), quantity("block_bytes"), quantity("packets")
    ('time', 'bytes', '')
    """
    parts = name.split(".")
    if any(part.endswith("seconds") for part in parts):
        return "time"
    return "bytes" if any(part == "bytes" or part.endswith("_bytes") for part in parts) else ""


def count(value: Scalar) -> str:
    """Write a count with its thousands apart; None is empty.

    Examples
    --------
    >>> count(1047552)
    '1,047,552'
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return _number(value, "{:,.0f}".format)


def num_ranks(value: Scalar) -> str:
    """Write a number of ranks; None is empty.

    Examples
    --------
    >>> num_ranks(1), num_ranks(1024)
    ('1 rank', '1,024 ranks')
    """
    written = count(value)
    return f"{written} rank{'' if value == 1 else 's'}" if written else ""


def fixed(value: Scalar) -> str:
    """Write a ratio with three significant digits; None is empty.

    Examples
    --------
    >>> fixed(3.80512), fixed(None)
    ('3.81', '')
    """
    return _number(value, "{:.3g}".format)


def seconds(value: Scalar) -> str:
    """Write a time given in seconds; None is empty.

    Examples
    --------
    >>> seconds(1.3045e-6)
    '1.3 us'
    """
    return _number(value, lambda number: format_time(number * 1e12), "s")


def share(value: Scalar) -> str:
    """Write a share of one in per cent; None is empty.

    Examples
    --------
    >>> share(0.3751), share(0.0123), share(0.0001), share(0.0)
    ('38 %', '1.2 %', '<0.1 %', '0 %')
    >>> share(-0.3751), share(-0.0123), share(-0.0001)
    ('-38 %', '-1.2 %', '<0.1 %')
    """

    def written(number: float) -> str:
        percent, sign = abs(100 * number), "-" if number < 0 else ""
        if 0 < percent < 0.05:
            return "<0.1 %"
        return f"{sign}{percent:.1f} %" if 0 < percent < 9.95 else f"{sign}{percent:.0f} %"

    return _number(value, written, "%")


def part(number: float, whole: float) -> str:
    """Write a part of a whole in per cent with three significant digits; nothing of nothing.

    Examples
    --------
    >>> part(999, 1000), part(1, 0)
    ('99.9 %', '')
    """
    percent = 100 * number / whole if whole else None
    return "" if percent is None else Written(f"{percent:.3g} %", percent, "%")


def size(value: Scalar) -> str:
    """Write a number of bytes; None is empty.

    Examples
    --------
    >>> size(1024)
    '1 KiB'
    """
    return _number(value, format_bytes, "B")


def _number(value: Scalar, written: Callable[[float], str], unit: str = "") -> str:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
        return ""
    return Written(written(value), 100 * value if unit == "%" else value, unit)
