"""Latencies of messages, from histograms whose bins are 1/16 to 1/32 of a latency wide."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from odonata.result.run import JobRun

__all__ = ["bin_ends", "bin_widths", "latency_quantiles"]


def bin_widths(edges: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the widths of the engines' bins: 1 below 32 ps, then 1/16 to 1/32 of the latency.

    Parameters
    ----------
    edges
        Lower edges of bins [ps].

    Returns
    -------
    ndarray of int64
        Their widths [ps].

    Examples
    --------
    >>> bin_widths(np.array([31, 32, 62, 64, 1024]))
    array([ 1,  2,  2,  4, 64])
    """
    exponents = np.frexp(np.maximum(edges, 16).astype(np.float64))[1]
    return np.left_shift(np.int64(1), exponents.astype(np.int64) - 5)


def bin_ends(job: JobRun) -> NDArray[np.int64]:
    """Return where the bins of a job end; its last one, with the longest latency.

    Parameters
    ----------
    job
        A job.

    Returns
    -------
    ndarray of int64
        Upper edges [ps].
    """
    edges = job.latencies["latency"]
    ends: NDArray[np.int64] = edges + bin_widths(edges)
    longest = job.totals.get("latency_max", 0)
    if len(ends) and edges[-1] <= longest < ends[-1]:
        ends[-1] = longest
    return ends


def latency_quantiles(job: JobRun, shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return latencies that given shares of the messages stay below.

    Inside a bin messages are taken as spread evenly, so that a quantile is known to 1/16.

    Parameters
    ----------
    job
        A job.
    shares
        From 0 to 1.

    Returns
    -------
    ndarray of float64
        Latencies [ps], not above the longest; NaN if there was no message.
    """
    edges, counts = job.latencies["latency"], job.latencies["count"]
    total = counts.sum()
    if total == 0:
        return np.full(len(shares), np.nan)
    ends = bin_ends(job)
    below = np.concatenate([[0], np.cumsum(counts)])
    place = np.clip(np.searchsorted(below, shares * total, side="left") - 1, 0, len(edges) - 1)
    inside = (shares * total - below[place]) / counts[place]
    found: NDArray[np.float64] = edges[place] + inside * (ends[place] - edges[place])
    return found
