"""Account of where the time of a run's ranks went, as it is kept in a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from odonata.result.columns import Column

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["EXPLANATION_VERSION", "Explanation", "Scope"]

EXPLANATION_VERSION = 1
"""Version of the account; a file says which it has."""


@dataclass(frozen=True)
class Scope:
    """The part of a program that a rank was in.

    Parameters
    ----------
    job
        Number of the job.
    phase
        Position in the phases of the job; -1: none had begun.
    communicator
        Number of the communicator of the call; -1: not known.
    function
        MPI function or collective operation; empty: outside of MPI.
    """

    job: int
    phase: int
    communicator: int
    function: str


@dataclass(frozen=True, eq=False, kw_only=True)
class Explanation:
    """Time of the ranks by category, and the critical path.

    Parameters
    ----------
    categories
        Names of the categories.
    by_rank
        Shape (ranks, categories): time of each rank [ps], those of all jobs one behind the other;
        0 of jobs in the background. A row's sum is when the rank ended.
    scopes
        Parts of the programs.
    by_scope
        Shape (scopes, categories): time of all ranks in each part [ps].
    path
        Columns of the stretches of the critical path, in the order of time: ``begin, end`` [ps],
        ``rank`` (that works, or sends), ``to`` (rank that waits for the message; -1: work),
        ``category``, ``link`` (that the message waits for; -1: none), ``scope``. Ranks are
        numbered through all jobs.
    proportions
        Time on the path that is proportional to a number of the machine [ps], by its key; to its
        reciprocal, if it is a bandwidth.
    """

    categories: tuple[str, ...]
    by_rank: Column = Column()
    scopes: tuple[Scope, ...]
    by_scope: Column = Column()
    path: Mapping[str, NDArray[np.int64]]
    proportions: Mapping[str, int]
