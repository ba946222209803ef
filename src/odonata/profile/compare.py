"""Two profiles side by side."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from odonata.profile.views import Views

__all__ = ["compare_views"]

Numbers = NDArray[np.int64]


def compare_views(first: Views, second: Views) -> dict[str, Any]:
    """Return where two profiles are alike and where they differ, as plain data.

    Parameters
    ----------
    first, second
        Views of both.

    Returns
    -------
    dict
        ``same``: counts, sizes and matrices are equal (times never are); ``calls``: by function,
        counts, bytes and seconds of both; ``totals``; ``sizes``: messages of each size class;
        ``matrix``: pairs in which they differ.
    """
    calls = {name: _calls(name, first, second) for name in _names(first.calls, second.calls)}
    sizes = _sizes(first, second)
    pairs = _pairs(first, second)
    totals: dict[str, list[Any]] = {
        "ranks": [one.profile.ranks for one in (first, second)],
        "calls": [sum(call.count for call in one.calls.values()) for one in (first, second)],
        "message_bytes": [one.message_bytes for one in (first, second)],
        "collective_bytes": [one.collective_bytes for one in (first, second)],
        "total_bytes": [one.total_bytes for one in (first, second)],
        "mpi_seconds": [_mean(one, one.mpi_seconds) for one in (first, second)],
        "wall_seconds": [_mean(one, one.wall_seconds) for one in (first, second)],
    }
    counted = [
        *(both["count"] for both in calls.values()),
        *(both["bytes"] for both in calls.values()),
        *(totals[name] for name in ("ranks", "total_bytes")),
    ]
    same = all(a == b for a, b in counted) and not pairs
    same = same and all(one["messages"][0] == one["messages"][1] for one in sizes)
    return {"same": same, "totals": totals, "calls": calls, "sizes": sizes, "matrix": pairs}


def _names(*views: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(name for one in views for name in one))


def _calls(name: str, *views: Views) -> dict[str, list[Any]]:
    found = [one.calls.get(name) for one in views]
    return {
        "count": [0 if call is None else call.count for call in found],
        "bytes": [0 if call is None else call.bytes for call in found],
        "seconds": [None if call is None else call.seconds for call in found],
    }


def _sizes(*views: Views) -> list[dict[str, Any]]:
    found = [{(bin.least, bin.most): bin.messages for bin in one.sizes()} for one in views]
    keys = sorted({key for one in found for key in one}, key=lambda key: key[1] or -1)
    return [
        {"from": key[0], "to": key[1], "messages": [one.get(key, 0) for one in found]}
        for key in keys
    ]


def _pairs(first: Views, second: Views) -> list[dict[str, Any]]:
    """Return the pairs of ranks in which the matrices differ."""
    ranks = max(first.profile.ranks, second.profile.ranks)
    parts = [one.matrix for one in (first, second)]
    keys = [one.source * ranks + one.target for one in parts]
    known = np.unique(np.concatenate(keys))
    columns = np.zeros((2, 2, len(known)), dtype=np.int64)
    for at, (one, key) in enumerate(zip(parts, keys, strict=True)):
        places = np.searchsorted(known, key)
        columns[0, at, places], columns[1, at, places] = one.messages, one.bytes
    differ = np.flatnonzero((columns[:, 0] != columns[:, 1]).any(axis=0))
    return [
        {
            "source": int(known[at] // ranks),
            "target": int(known[at] % ranks),
            "messages": columns[0, :, at].tolist(),
            "bytes": columns[1, :, at].tolist(),
        }
        for at in differ.tolist()
    ]


def _mean(one: Views, seconds: NDArray[np.float64]) -> float | None:
    return float(seconds.mean()) if one.profile.timed else None
