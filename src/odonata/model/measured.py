"""Measured levels of a cycle, as ``odonata-amg`` writes them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from odonata.errors import UserError
from odonata.model.cycle import Floats, LevelTimes
from odonata.model.hierarchy import PROBLEMS, Hierarchy, load_document, parse_run
from odonata.model.parameters import Mix

__all__ = ["WHICH", "MeasuredCycle", "falling", "read_measured"]

WHICH: Mapping[str, str] = {"largest": "seconds", "mean": "mean_seconds"}
"""By name: the key of a level that has its times."""

LONGEST = 1e6  # seconds of anything


@dataclass(frozen=True, eq=False)
class MeasuredCycle:
    """Times of the levels of a cycle on a real or a simulated machine.

    Parameters
    ----------
    hierarchy
        What was run.
    mix
        Ranks a node and threads a rank of the run.
    times
        Seconds of each level and operation.
    direct
        Seconds of the direct solve on the coarsest level, which the model leaves out [s].
    cycle_seconds
        Time of the whole cycle without timers of its parts; None if it was not measured [s].
    flop_seconds
        Time of a floating-point operation on each level, shape (levels,); 0 where not measured [s].
    source
        The file.
    simulated
        Whether the machine was a simulated one.
    """

    hierarchy: Hierarchy
    mix: Mix
    times: LevelTimes
    direct: float = 0.0
    cycle_seconds: float | None = None
    flop_seconds: Floats | None = None
    source: str = ""
    simulated: bool = False

    def __post_init__(self) -> None:
        levels = len(self.times.smooth)
        if levels != self.hierarchy.num_levels:
            raise UserError("measured: not as many levels as the hierarchy has", value=levels,
                            allowed=str(self.hierarchy.num_levels), where=self.source)  # fmt: skip
        if levels < 2 or not self.times.total[:-1].sum() > 0:
            raise UserError("measured: no time on any level but the coarsest", where=self.source)


def falling(seconds: Floats) -> Floats:
    """Return the times of a flop with which the paper goes on once they rise.

    Parameters
    ----------
    seconds
        Times of levels 0, 1, ..., shape (levels,) [s].

    Returns
    -------
    ndarray
        t_i until t_i > t_{i-1}; from there on t_{i-1}. Shape (levels,).

    References
    ----------
    Model-guided AMG on a dragonfly, section 6: below, little but the loop is measured.

    Examples
    --------
    >>> falling(np.array([1.6, 0.8, 0.5, 0.7, 0.4])).tolist()
    [1.6, 0.8, 0.5, 0.5, 0.5]
    """
    rises = np.flatnonzero(np.diff(seconds) > 0)
    if not len(rises):
        return seconds
    return np.where(np.arange(len(seconds)) > rises[0], seconds[rises[0]], seconds)


def read_measured(
    path: str | Path, mix: Mix, *, problem: str | None = None, which: str = "largest"
) -> MeasuredCycle:
    """Read the measured levels of a document of ``odonata-amg``.

    Parameters
    ----------
    path
        The document.
    mix
        Ranks a node and threads a rank of the run, which the document doesn't say.
    problem
        Name of the problem that is wanted; None: any that is known.
    which
        ``largest``: of each level and operation the largest time of any rank; ``mean``: the mean.

    Raises
    ------
    UserError
        The file is damaged, is of another problem, or has no times.
    """
    if which not in WHICH:
        raise UserError("times: unknown", value=which, allowed=", ".join(WHICH))
    document, where = load_document(path), str(path)
    if not isinstance(document, dict):
        raise UserError("measured: not an object of JSON", where=where)
    named = document.get("problem")
    wanted = problem or (named if isinstance(named, str) and named in PROBLEMS else "laplace")
    hierarchy = parse_run(document, problem=wanted, where=where)
    levels = document["levels"]
    columns = {
        name: np.array([
            _seconds(level, (WHICH[which], name), f"{where}:levels[{i}]")
            for i, level in enumerate(levels)
        ])
        for name in ("smooth", "restrict", "interp", "direct")
    }  # fmt: skip
    direct = float(columns.pop("direct").sum())
    whole = _seconds(document, ("cycle_seconds",), where) if "cycle_seconds" in document else None
    flops = [
        _seconds(level, ("flop_seconds",), f"{where}:levels[{i}]") if "flop_seconds" in level else 0
        for i, level in enumerate(levels)
    ]
    simulated = str(document.get("mpi", "")).startswith("Odonata")
    times, flop = LevelTimes(**columns), np.array(flops, dtype=float)
    return MeasuredCycle(hierarchy, mix, times, direct, whole, flop, where, simulated)


def _seconds(table: object, keys: tuple[str, ...], where: str) -> float:
    """Return a time that stands under some keys, checked."""
    found, place = table, where
    for key in keys:
        place = f"{place}.{key}" if ":" in place else f"{place}:{key}"
        if not isinstance(found, dict) or key not in found:
            hint = "; odonata-amg writes it with --cycles 10" if key in WHICH.values() else ""
            raise UserError(f"{key}: missing{hint}", where=place)
        found = found[key]
    if not isinstance(found, (int, float)) or isinstance(found, bool) or not math.isfinite(found):
        raise UserError(f"{keys[-1]}: not a number", value=found, where=place)
    if not 0 <= found <= LONGEST:
        allowed = f"0 to {LONGEST:g}"
        raise UserError(f"{keys[-1]}: out of range", value=found, allowed=allowed, where=place)
    return float(found)
