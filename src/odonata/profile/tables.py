"""The form of a profile: counts by rank and phase, in tables that any source can fill.

A table has a row for each combination that occurs, in any order; rows of the same combination add
up. A source leaves unknown tables empty: a report without pairs of ranks has no rows in
`Profile.pairs`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from odonata.interchange.report import Coverage
from odonata.profile.waiting import Waiting
from odonata.trace import function_names
from odonata.trace.phases import NEITHER

__all__ = [
    "CALLS",
    "COLLECTIVE_CALLS",
    "NO_CLASS",
    "PAIRS",
    "PHASES",
    "RANKS",
    "SIZES",
    "Profile",
    "class_of",
    "is_send",
    "upper_bound",
]

Table = NDArray[np.void]

CALLS = np.dtype(
    [
        ("rank", "<i4"),
        ("phase", "<i4"),
        ("function", "<i4"),
        ("found", "<i4"),
        ("count", "<i8"),
        ("seconds", "<f8"),
    ]
)
"""Calls of a function: `phase` is an index into the profile's phases, `function` into its
functions, `found` is 1 for tests and probes that found nothing, 2 if they found something, else
0."""

SIZES = np.dtype(
    [
        ("rank", "<i4"),
        ("phase", "<i4"),
        ("function", "<i4"),
        ("size", "<i4"),
        ("count", "<i8"),
        ("bytes", "<i8"),
    ]
)
"""Messages that a function sends, or blocks of its collectives: `size` is the class of each (see
`class_of`), `bytes` their sum."""

PAIRS = np.dtype(
    [("rank", "<i4"), ("phase", "<i4"), ("peer", "<i4"), ("messages", "<i8"), ("bytes", "<i8")]
)
"""Messages from a rank to another one, both in the world; collectives are left out."""

COLLECTIVE_CALLS = np.dtype(
    [
        ("rank", "<i4"),
        ("phase", "<i4"),
        ("operation", "<i4"),
        ("ranks", "<i8"),
        ("root", "?"),
        ("calls", "<i8"),
        ("bytes", "<i8"),
    ]
)
"""Calls of collectives on communicators of `ranks` members, by a rank that is the root or not.
`bytes` is the sum of the blocks that `odonata.trace.moved` multiplies by the operation's factor."""

PHASES = np.dtype([("rank", "<i4"), ("phase", "<i4"), ("count", "<i8"), ("seconds", "<f8")])
"""Times between marks of phases."""

RANKS = np.dtype([("rank", "<i4"), ("wall_seconds", "<f8"), ("ended", "?")])
"""Time from the begin of MPI_Init to the end of MPI_Finalize, or of the last call before a crash;
`ended`: the rank called MPI_Finalize."""

SENDS = frozenset(
    f"MPI_{name}"
    for name in (
        *("Send", "Bsend", "Rsend", "Ssend", "Isend", "Ibsend", "Irsend", "Issend", "Psend_init"),
        *("Send_init", "Bsend_init", "Rsend_init", "Ssend_init", "Start", "Startall"),
        *("Sendrecv", "Sendrecv_replace", "Isendrecv", "Isendrecv_replace"),
    )
)
"""Functions that send messages."""

NO_CLASS = -1
"""Class of sizes that a source does not know."""


def is_send(function: str) -> bool:
    """Whether a function sends messages, or sends them when it is started.

    Parameters
    ----------
    function
        Its name.
    """
    return function.removesuffix("_c") in SENDS


def class_of(size: int) -> int:
    """Return the class of a size in bytes: 0 for none, else k with 2^(k-2) < size <= 2^(k-1).

    Parameters
    ----------
    size
        A number of bytes.

    Examples
    --------
    >>> [class_of(size) for size in (0, 1, 2, 3, 4, 64, 65)]
    [0, 1, 2, 3, 3, 7, 8]
    """
    return size if size <= 1 else 1 + (size - 1).bit_length()


def upper_bound(size_class: int) -> int:
    """Return the largest size of a class [B].

    Parameters
    ----------
    size_class
        See `class_of`.

    Examples
    --------
    >>> [upper_bound(k) for k in (0, 1, 2, 3, 7)]
    [0, 1, 2, 4, 64]
    """
    return 1 << (size_class - 1) if size_class else 0


def _empty(kind: np.dtype[np.void]) -> Callable[[], Table]:
    """Return a maker of tables without rows."""
    return lambda: np.empty(0, dtype=kind)


@dataclass(frozen=True, kw_only=True)
class Profile:
    """Counts and times of the calls of a run.

    Parameters
    ----------
    ranks
        Ranks of the run; a rank without rows left no record.
    source
        How it came to be: ``recorded`` from a real run, ``simulated``, ``trace``, or the name of
        the tool whose report it is.
    timed
        Whether there are times.
    program
        Command line; empty: unknown.
    library
        MPI, or machine, that it ran on; empty: unknown.
    functions
        Names of functions, by number.
    phases
        Levels of `MPI_Pcontrol`, by number; the first one stands for no phase.
    lost
        Counts that a recorder had no memory for.
    by_rank
        Whether rows belong to ranks; otherwise rows of rank 0 have the sums of all ranks.
    has_pairs, has_collectives
        Whether there are `pairs` and `collectives`; otherwise `sizes` alone has their bytes.
    coverage
        Calls of the program, and recorded ones; None: unknown.
    notes, unknown
        Remarks of the reader, and records that it does not know, by name.
    calls, sizes, pairs, collectives, phase_times, rank_times
        Tables; see `CALLS`, `SIZES`, `PAIRS`, `COLLECTIVE_CALLS`, `PHASES`, `RANKS`.
    waiting
        Waits of the whole run; None: unknown.
    """

    ranks: int
    source: str
    timed: bool = True
    program: str = ""
    library: str = ""
    functions: Sequence[str] = field(default_factory=function_names)
    phases: Sequence[int] = (NEITHER,)
    lost: int = 0
    by_rank: bool = True
    has_pairs: bool = True
    has_collectives: bool = True
    coverage: Coverage | None = None
    notes: Sequence[str] = ()
    unknown: Mapping[str, int] = field(default_factory=dict)
    calls: Table = field(default_factory=_empty(CALLS))
    sizes: Table = field(default_factory=_empty(SIZES))
    pairs: Table = field(default_factory=_empty(PAIRS))
    collectives: Table = field(default_factory=_empty(COLLECTIVE_CALLS))
    phase_times: Table = field(default_factory=_empty(PHASES))
    rank_times: Table = field(default_factory=_empty(RANKS))
    waiting: Waiting | None = None

    @property
    def complete(self) -> bool:
        """Whether every rank left a record that goes to its MPI_Finalize."""
        expected = self.ranks if self.by_rank else 1
        return len(self.rank_times) == expected and bool(self.rank_times["ended"].all())
