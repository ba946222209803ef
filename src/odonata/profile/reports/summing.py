"""Sums of a report's numbers, and the profile that they make."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from odonata.errors import UserError
from odonata.profile.tables import CALLS, NO_CLASS, PAIRS, RANKS, SIZES, Profile, is_send
from odonata.trace.views import COLLECTIVES

__all__ = ["MOST_RANKS", "Sums"]

MOST_RANKS = 2**20
MOST_ROWS = 2**24
MOST_NAMES = 2**12

_NAME = re.compile(r"MPI_\w{1,60}|all of MPI")
_OPERATION = re.compile(r"MPI_I?(\w+)")


def sends_data(name: str) -> bool:
    """Whether a function sends a message or contributes to a collective.

    Parameters
    ----------
    name
        Its name.

    Examples
    --------
    >>> [sends_data(name) for name in ("MPI_Isend", "MPI_Iallreduce", "MPI_Irecv", "MPI_Wait")]
    [True, True, False, False]
    """
    return is_send(name) or is_collective(name)


def is_collective(name: str) -> bool:
    """Whether a function is a collective operation."""
    match = _OPERATION.fullmatch(name)
    return match is not None and {match[1].lower(), name[4:].lower()} & set(COLLECTIVES) != set()


@dataclass
class Sums:
    """Numbers of a report, added up by rank and function as they are read.

    Parameters
    ----------
    where
        Name of the report, for messages.
    names
        Number of each function.
    calls, sizes, pairs
        Count and time by rank and function; messages and bytes by rank, function and class of
        sizes; messages and bytes by rank and its peer.
    walls
        Time of each rank [s].
    notes, unknown
        See `Profile`.
    """

    where: str
    names: dict[str, int] = field(default_factory=dict)
    calls: dict[tuple[int, int], list[float]] = field(default_factory=dict)
    sizes: dict[tuple[int, int, int], list[int]] = field(default_factory=dict)
    pairs: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    walls: dict[int, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)

    def add_calls(self, rank: int, name: str, count: int, seconds: float) -> None:
        """Add calls of a function by a rank."""
        row = self.calls.setdefault((rank, self._number(name)), [0, 0.0])
        row[0] += count
        row[1] += seconds
        self._check(self.calls)

    def add_sizes(
        self, rank: int, name: str, count: int, size: int, size_class: int = NO_CLASS
    ) -> None:
        """Add messages that a function sends: how many, and their sum [B]."""
        row = self.sizes.setdefault((rank, self._number(name), size_class), [0, 0])
        row[0] += count
        row[1] += size
        self._check(self.sizes)

    def add_pair(self, rank: int, peer: int, messages: int, size: int) -> None:
        """Add messages from a rank to another one."""
        row = self.pairs.setdefault((rank, peer), [0, 0])
        row[0] += messages
        row[1] += size
        self._check(self.pairs)

    def profile(
        self, *, ranks: int, source: str, program: str, by_rank: bool, ended: bool = True
    ) -> Profile:
        """Return the profile of all added calls.

        Parameters
        ----------
        ranks, source, program, by_rank
            See `Profile`.
        ended
            Whether the ranks came to their end.
        """
        walls = [(rank, wall, ended) for rank, wall in self.walls.items()]
        return Profile(
            ranks=ranks,
            source=source,
            program=program,
            by_rank=by_rank,
            has_pairs=bool(self.pairs),
            has_collectives=False,
            functions=tuple(self.names) or ("MPI_Init",),
            notes=tuple(self.notes),
            unknown=dict(self.unknown),
            calls=_table(CALLS, ("rank", "function"), self.calls, ("count", "seconds")),
            sizes=_table(SIZES, ("rank", "function", "size"), self.sizes, ("count", "bytes")),
            pairs=_table(PAIRS, ("rank", "peer"), self.pairs, ("messages", "bytes")),
            rank_times=np.array(walls, dtype=RANKS),
        )

    def _number(self, name: str) -> int:
        if name not in self.names:
            if not _NAME.fullmatch(name) or len(self.names) >= MOST_NAMES:
                raise UserError(f"{self.where}: name of a function", value=name[:80])
            self.names[name] = len(self.names)
        return self.names[name]

    def _check(self, rows: Sized) -> None:
        if len(rows) > MOST_ROWS:
            raise UserError(f"{self.where}: rows", value=len(rows), allowed=f"up to {MOST_ROWS}")


def _table(
    kind: np.dtype[np.void],
    keys: tuple[str, ...],
    rows: Mapping[Any, Sequence[float]],
    values: tuple[str, ...],
) -> NDArray[np.void]:
    """Return sums by key as a table."""
    made = np.zeros(len(rows), dtype=kind)
    for at, name in enumerate(keys):
        made[name] = [key[at] for key in rows]
    for at, name in enumerate(values):
        made[name] = [row[at] for row in rows.values()]
    return made
