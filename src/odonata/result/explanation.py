"""Account of where the time of a run's ranks went, as it is kept in a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from odonata.result.columns import Column

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "EXPLANATION_VERSION",
    "OVER",
    "Causes",
    "Explanation",
    "Scope",
]

EXPLANATION_VERSION = 2
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


OVER = 255
"""Number in place of a kind where a rank has ended."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Causes:
    """Everything that ranks did and waited for, in the order of time.

    Parameters
    ----------
    counts
        Shape (ranks,): steps of each rank; they stand one behind the other from time 0 on.
    steps
        Columns of the steps of ranks: ``kind`` (position in `STEP_KINDS`), ``time`` [ps] (how
        long), ``scope``, ``cause`` (crossing that ended the wait; -1: none).
    crossings
        Columns of the crossings that ended waits: ``handed, end`` [ps], ``launcher`` (rank that
        handed it over), ``from, to`` (ranks of the whole message), ``parent`` (crossing whose end
        handed it over; -1: a processor), ``leg`` (position in `LEGS`), ``bytes`` [B], ``pieces``
        (of its way). Ranks are numbered through all jobs.
    pieces
        Columns of the pieces of all ways in the order of the crossings: ``part`` (position in
        `WAY_PARTS`), ``link``, ``time`` [ps].
    """

    counts: Column = Column()
    steps: Mapping[str, NDArray[np.int64]]
    crossings: Mapping[str, NDArray[np.int64]]
    pieces: Mapping[str, NDArray[np.int64]]


@dataclass(frozen=True, eq=False, kw_only=True)
class Explanation:
    """Time of the ranks by category, and the critical path.

    Parameters
    ----------
    categories
        Names of the categories.
    by_rank
        Shape (ranks, categories): time of each rank [ps], one job behind the other; 0 of jobs in
        the background. A row's sum is when the rank ended.
    scopes
        Parts of the programs.
    by_scope
        Shape (scopes, categories): time of all ranks in each part [ps].
    path
        Columns of the stretches of the critical path, in the order of time: ``begin, end`` [ps],
        ``rank`` (that works, or sends), ``to`` (rank that waits for the message; -1: work),
        ``category``, ``link`` (that the message waits for; -1: none), ``full`` (link that a lack
        of credit comes from; -1: not known, or none), ``scope``. Ranks are numbered through all
        jobs. None if it was not kept.
    proportions
        Time on the path that is proportional to a cost of the processor, or to the gap between
        messages [ps], by the key of that number.
    causes
        Steps and waits of ranks, one by one; None if they were not kept.
    kinds
        Shape (ranks, intervals): main activity of each rank in each interval of equal length of the
        run, if `causes` would be too large: position in `KINDS`, `OVER` behind its end; None if it
        was not kept.
    acts
        Columns of the acts of all ranks' programs, rank by rank and in the order of time: ``kind``
        (position in `ACT_KINDS`), ``rank``, ``value`` (of work how long and of a pause until when
        [ps], of a message its size [B], of a need the number of the act among the rank's),
        ``peer``, ``tag``, ``context``. None if they were not kept, or are more than 2^25.
    """

    categories: tuple[str, ...]
    by_rank: Column = Column()
    scopes: tuple[Scope, ...]
    by_scope: Column = Column()
    path: Mapping[str, NDArray[np.int64]] | None
    proportions: Mapping[str, int]
    causes: Causes | None = None
    kinds: NDArray[np.uint8] | None = None
    acts: Mapping[str, NDArray[np.int64]] | None = None
