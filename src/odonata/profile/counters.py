"""Counters of ranks as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from odonata.errors import UserError
from odonata.profile.tables import (
    CALLS,
    COLLECTIVE_CALLS,
    PAIRS,
    PHASES,
    RANKS,
    SIZES,
    Profile,
)
from odonata.trace.views import COLLECTIVES

__all__ = ["Cells", "tables"]

Words = NDArray[np.uint64]
Numbers = NDArray[np.int64]

KINDS = range(1, 6)
"""Calls, sizes, pairs, collectives, phases: kinds in `cpp/odonata/profile/layout.hpp`."""

AT_ROOT = 1 << 35
REST = (1 << 36) - 1


@dataclass(frozen=True, kw_only=True)
class Cells:
    """Counters of a rank.

    Parameters
    ----------
    rank
        The rank.
    phases
        Number in the profile of each of its phases.
    cells
        Shape (n, 4): key, count, bytes [B], time [ticks].
    seconds_per_tick
        Length of a tick [s].
    wall_ticks
        From the beginning to the latest call.
    phase, phase_ticks
        The phase that it was in last, and for how long, which its cells do not have yet.
    ended
        Whether it came to its end.
    """

    rank: int
    phases: Numbers
    cells: Words
    seconds_per_tick: float
    wall_ticks: int
    phase: int
    phase_ticks: int
    ended: bool


class _Rows:
    """The cells of one kind, of all ranks, with their keys taken apart."""

    def __init__(self, ranks: Numbers, phases: Numbers, seconds: NDArray[np.float64], cells: Words):
        self.rank = ranks
        self.phase = phases
        self.tick = seconds
        keys = cells[:, 0]
        self.what = ((keys >> np.uint64(36)) & np.uint64(0xFFFF)).astype(np.int64)
        self.rest = (keys & np.uint64(REST)).astype(np.int64)
        self.count, self.bytes, self.time = (cells[:, at].astype(np.int64) for at in (1, 2, 3))

    def table(self, kind: np.dtype[np.void], **columns: NDArray[np.generic]) -> NDArray[np.void]:
        """Return a table with these columns beside rank and phase."""
        made = np.zeros(len(self.rank), dtype=kind)
        made["rank"], made["phase"] = self.rank, self.phase
        for name, column in columns.items():
            made[name] = column
        return made

    @property
    def seconds(self) -> NDArray[np.float64]:
        """Time of each cell [s]."""
        return self.time * self.tick


def tables(all_cells: Sequence[Cells], whole: Profile, name: str) -> Profile:
    """Return a profile with the tables of these counters.

    Parameters
    ----------
    all_cells
        The cells of each rank that left any.
    whole
        The profile otherwise.
    name
        Name of the profile in messages.

    Raises
    ------
    UserError
        A number is out of range.
    """
    ranks, functions = whole.ranks, len(whole.functions)
    calls, sizes, pairs, collectives, phases = (_rows(all_cells, kind, name) for kind in KINDS)
    _check(calls.what, functions, f"{name}: function")
    _check(sizes.what, functions, f"{name}: function")
    _check(sizes.rest, 66, f"{name}: size class")
    _check(pairs.rest, ranks, f"{name}: rank")
    _check(collectives.what, len(COLLECTIVES), f"{name}: collective")
    root = (collectives.rest & AT_ROOT) != 0
    return replace(
        whole,
        calls=calls.table(
            CALLS, function=calls.what, found=calls.rest, count=calls.count, seconds=calls.seconds
        ),
        sizes=sizes.table(
            SIZES, function=sizes.what, size=sizes.rest, count=sizes.count, bytes=sizes.bytes
        ),
        pairs=pairs.table(PAIRS, peer=pairs.rest, messages=pairs.count, bytes=pairs.bytes),
        collectives=collectives.table(
            COLLECTIVE_CALLS,
            operation=collectives.what,
            ranks=collectives.rest & ~AT_ROOT,
            root=root,
            calls=collectives.count,
            bytes=collectives.bytes,
        ),
        phase_times=_with_last(phases, all_cells),
        rank_times=np.array(
            [(one.rank, one.wall_ticks * one.seconds_per_tick, one.ended) for one in all_cells],
            dtype=RANKS,
        ),
    )


def _rows(all_cells: Sequence[Cells], kind: int, name: str) -> _Rows:
    ranks, phases, ticks, cells = [], [], [], []
    for one in all_cells:
        keys = one.cells[:, 0]
        own = one.cells[(keys >> np.uint64(60)) == kind]
        phase = ((own[:, 0] >> np.uint64(52)) & np.uint64(0xFF)).astype(np.int64)
        _check(phase, len(one.phases), f"{name}: phase")
        ranks.append(np.full(len(own), one.rank))
        phases.append(one.phases[phase])
        ticks.append(np.full(len(own), one.seconds_per_tick))
        cells.append(own)
    return _Rows(*(np.concatenate(column) for column in (ranks, phases, ticks, cells)))


def _with_last(rows: _Rows, all_cells: Sequence[Cells]) -> NDArray[np.void]:
    """Return the times of phases, including phases that still last."""
    lasting = np.array(
        [
            (
                one.rank,
                one.phases[min(one.phase, len(one.phases) - 1)],
                0,
                one.phase_ticks * one.seconds_per_tick,
            )
            for one in all_cells
        ],
        dtype=PHASES,
    )
    return np.concatenate([rows.table(PHASES, count=rows.count, seconds=rows.seconds), lasting])


def _check(numbers: Numbers, end: int, what: str) -> None:
    if len(numbers) and int(numbers.max()) >= end:
        raise UserError(
            f"{what}: out of range", value=int(numbers.max()), allowed=f"0 to {end - 1}"
        )
