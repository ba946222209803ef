"""Measured levels of a cycle, as ``odonata-amg`` writes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np

from odonata.errors import UserError
from odonata.files import checked
from odonata.model.cycle import Floats, LevelTimes
from odonata.model.hierarchy import PROBLEMS, Hierarchy, load_document, parse_run
from odonata.model.parameters import Mix

__all__ = ["WHICH", "MeasuredCycle", "falling", "read_measured"]

WHICH: Mapping[str, str] = {"largest": "seconds", "mean": "mean_seconds"}
"""Key of a level that has the times, by name."""

LONGEST = 1e6  # seconds of anything

Seconds = Annotated[float, msgspec.Meta(ge=0, le=LONGEST)]
"""A time in a file [s]."""


class _Parts(msgspec.Struct):
    smooth: Seconds
    restrict: Seconds
    interp: Seconds
    direct: Seconds


class _TimedLevel(msgspec.Struct):
    seconds: _Parts | None = None
    mean_seconds: _Parts | None = None
    flop_seconds: Seconds = 0


class _TimedRun(msgspec.Struct):
    levels: list[_TimedLevel]
    problem: str | None = None
    cycle_seconds: Seconds | None = None
    mpi: str = ""


@dataclass(frozen=True, eq=False)
class MeasuredCycle:
    """Times of the levels of a cycle on a real or a simulated machine.

    Parameters
    ----------
    hierarchy
        The hierarchy of the run.
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
    """Return the times of a flop as the paper continues them once they rise.

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
    given = checked(document, _TimedRun, what="measured", where=where)
    wanted = problem or next((name for name in PROBLEMS if name == given.problem), "laplace")
    hierarchy = parse_run(document, problem=wanted, where=where)
    seconds = [_seconds_of(level, which, f"{where}:levels[{i}]")
               for i, level in enumerate(given.levels)]  # fmt: skip
    columns = {
        name: np.array([getattr(each, name) for each in seconds])
        for name in ("smooth", "restrict", "interp")
    }
    direct = sum(each.direct for each in seconds)
    flop = np.array([level.flop_seconds for level in given.levels])
    simulated = given.mpi.startswith("Odonata")
    return MeasuredCycle(
        hierarchy, mix, LevelTimes(**columns), direct, given.cycle_seconds, flop, where, simulated
    )


def _seconds_of(level: _TimedLevel, which: str, where: str) -> _Parts:
    """Return the times of a level, the largest or the mean."""
    seconds = level.seconds if which == "largest" else level.mean_seconds
    if seconds is None:
        hint = "odonata-amg writes it with --cycles 10"
        raise UserError(f"{WHICH[which]}: missing; {hint}", where=f"{where}.{WHICH[which]}")
    return seconds
