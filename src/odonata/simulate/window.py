"""The window in which traffic is measured: after the network has filled, before anybody stops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from odonata.workload import Traffic

__all__ = ["window_totals"]


def window_totals(raw: Mapping[str, Any], workload: object) -> dict[str, int]:
    """Return where the window of a job begins and ends, and what was delivered in it.

    Parameters
    ----------
    raw
        What the engine says of the job.
    workload
        The job's workload; traffic may say itself where its window is.

    Returns
    -------
    dict of str to int
        ``window_begin`` [ps], ``window_end`` [ps], ``window_bytes`` [B], and ``window_first_bytes``
        [B], those of the first half.

    Notes
    -----
    Deliveries are counted in at most 1,024 bins of time, and taken to be even within a bin.
    """
    begin, end = int(raw["window_begin"]), int(raw["window_end"])
    size = int(raw["window_bytes"])
    asked = workload.span_ps if isinstance(workload, Traffic) else None
    if asked is not None:
        last = min(int(raw["first_done"]), int(raw["last_delivered"]))
        wanted_end = last if asked[1] is None else min(asked[1], last)
        if asked[0] < wanted_end:
            begin, end = asked[0], wanted_end
            size = _delivered(raw, begin, end)
    return {
        "window_begin": begin,
        "window_end": end,
        "window_bytes": size,
        "window_first_bytes": _delivered(raw, begin, (begin + end) // 2),
    }


def _delivered(raw: Mapping[str, Any], begin: int, end: int) -> int:
    """Return the bytes that were delivered between two times."""
    counts = raw["curve_bytes"]
    edges = np.arange(len(counts) + 1) * int(raw["curve_width"])
    so_far = np.concatenate([[0], np.cumsum(counts)])
    first, last = np.interp([begin, end], edges, so_far)
    return round(float(last - first))
