"""The window in which traffic is measured: after the network has filled, before anybody stops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from odonata.workload import Traffic

__all__ = ["window_totals"]


def window_totals(raw: Mapping[str, Any], workload: object) -> dict[str, int]:
    """Return where the window of a job begins and ends, and the bytes delivered in it.

    Parameters
    ----------
    raw
        The engine's numbers of the job.
    workload
        The job's workload; traffic may say itself where its window is.

    Returns
    -------
    dict of str to int
        ``window_begin`` [ps], ``window_end`` [ps], ``window_bytes`` [B], and ``window_first_bytes``
        [B], the bytes of its first half. If the traffic says where its window is, also
        ``asked_begin`` [ps], and ``asked_end`` [ps] unless that is the end of sending.

    Notes
    -----
    Deliveries are counted in at most 1,024 bins of time, and taken to be even within a bin.
    """
    begin, end = int(raw["window_begin"]), int(raw["window_end"])
    size = int(raw["window_bytes"])
    asked = workload.span_ps if isinstance(workload, Traffic) else None
    wish = {}
    if asked is not None:
        wish["asked_begin"] = asked[0]
        if asked[1] is not None:
            wish["asked_end"] = asked[1]
        last = min(int(raw["first_done"]), int(raw["last_delivered"]))
        wanted_end = last if asked[1] is None else min(asked[1], last)
        if asked[0] < wanted_end:
            begin, end = asked[0], wanted_end
            size = _delivered(raw, begin, end)
    return wish | {
        "window_begin": begin,
        "window_end": end,
        "window_bytes": size,
        "window_first_bytes": _delivered(raw, begin, (begin + end) // 2),
    }


def _delivered(raw: Mapping[str, Any], begin: int, end: int) -> int:
    """Return the bytes that were delivered between two times."""
    counts, width = raw["curve_bytes"], raw["curve_width"]
    return round(_delivered_until(counts, width, end) - _delivered_until(counts, width, begin))


def _delivered_until(counts: Sequence[int], width: int, time: int) -> float:
    """Return the bytes that were delivered until a time, from counts by bins of `width`."""
    full, part = divmod(time, width)
    if full >= len(counts):
        return float(sum(counts))
    return counts[full] / width * part + sum(counts[:full])
