"""Compute times as a rank alone on a core has them, for runs whose ranks share cores."""

from __future__ import annotations

import os
from dataclasses import dataclass

__all__ = ["Calibration", "note_of_sharing"]


@dataclass(frozen=True)
class Calibration:
    """Ratio of the compute times of all ranks together and of one rank alone on a core.

    Parameters
    ----------
    alone_seconds
        Processor time between the calls of MPI of the program with one rank [s].
    shared_seconds
        The same of the mean rank of the whole program [s].

    Notes
    -----
    The ratio is right if each rank does as much work as the single rank alone: for programs whose
    problem grows with the ranks.

    Examples
    --------
    >>> Calibration(alone_seconds=1.0, shared_seconds=1.6).factor
    0.625
    """

    alone_seconds: float
    shared_seconds: float

    @property
    def factor(self) -> float:
        """Factor of compute times; 1 if nothing was computed."""
        known = self.alone_seconds > 0 and self.shared_seconds > 0
        return self.alone_seconds / self.shared_seconds if known else 1.0

    def __str__(self) -> str:
        return (
            f"compute times calibrated by {self.factor:.3g}: one rank alone computes "
            f"{self.alone_seconds:.3g} s, the mean rank here {self.shared_seconds:.3g} s"
        )


def note_of_sharing(ranks: int, *, fibers: bool) -> str | None:
    """Return a note on measured compute times, or None.

    Parameters
    ----------
    ranks
        Number of ranks that compute at the same time.
    fibers
        Whether they share one core.
    """
    cores = 1 if fibers else len(os.sched_getaffinity(0))
    if ranks <= cores:
        return None
    where = "one core" if cores == 1 else f"{cores} cores"
    return (
        f"compute times were measured while {ranks} ranks shared {where} and their caches: a rank "
        "with a core of its own may compute faster (--compute calibrated)"
    )
