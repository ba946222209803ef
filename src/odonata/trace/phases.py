"""Parts of a run that ``MPI_Pcontrol`` has marked.

A mark holds for its rank until the next one. Its number may be any; these have names:

========================  ==================================================
13,664,000 + level        setup of a level of a hierarchy
13,665,000 + level        its solve
13,664,999, 13,665,999    setup and solve outside of any level
13,666,000 + 10 level     a cycle by operation: + 0 to 7 as in `CYCLE_STEPS`
13,663,999                neither, as before the first mark
========================  ==================================================
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from odonata.trace.calls import OPERATIONS, Block

__all__ = ["CYCLE_STEPS", "NEITHER", "Marks", "RunPhase"]

BASES = {"setup": 13_664_000, "solve": 13_665_000}
CYCLE = 13_666_000
CYCLE_STEPS = (
    *("smoothing down", "residual", "restriction"),
    *("coarsest solve", "interpolation", "smoothing up"),
    *("gather", "scatter"),
)
"""Operations of a level of a cycle, in the order of their numbers; the last are of a switch."""

NO_LEVEL = 999
NEITHER = 13_663_999
"""Mark of the time outside of phases."""

_PHASE = OPERATIONS.index("phase")


@dataclass(frozen=True, order=True)
class RunPhase:
    """A part of a run.

    Parameters
    ----------
    name
        Its name, or the number of its mark; empty: outside of all phases.
    level
        Level of the hierarchy; None: of none.
    """

    name: str
    level: int | None = None

    @classmethod
    def of(cls, number: int) -> RunPhase:
        """Return the phase that a mark begins.

        Parameters
        ----------
        number
            Level of ``MPI_Pcontrol``.

        Examples
        --------
        >>> RunPhase.of(13_664_004), RunPhase.of(2)
        (RunPhase(name='setup', level=4), RunPhase(name='2', level=None))
        >>> RunPhase.of(13_666_012)  # of a cycle
        RunPhase(name='restriction', level=1)
        """
        if number == NEITHER:
            return cls("")
        for name, base in BASES.items():
            if base <= number <= base + NO_LEVEL:
                level = number - base
                return cls(name, None if level == NO_LEVEL else level)
        level, step = divmod(number - CYCLE, 10)
        if 0 <= level < 100 and step < len(CYCLE_STEPS):
            return cls(CYCLE_STEPS[step], level)
        return cls(str(number))

    def __str__(self) -> str:
        level = "" if self.level is None else f", level {self.level}"
        return f"{self.name or 'outside of phases'}{level}"


class Marks:
    """The marks of all ranks, from block to block.

    Parameters
    ----------
    ranks
        Ranks of the trace.
    """

    def __init__(self, ranks: int) -> None:
        self._now = np.full(ranks, NEITHER, dtype=np.int64)

    def of(self, block: Block) -> NDArray[np.int64]:
        """Return the mark that holds at each call of a block; blocks come in their order.

        Parameters
        ----------
        block
            Calls, rank by rank.
        """
        at = np.arange(len(block))
        is_mark = block.calls["operation"] == _PHASE
        last = np.maximum.accumulate(np.where(is_mark, at, -1))
        own = last >= np.searchsorted(block.ranks, block.ranks)
        numbers = block.calls["phase"]["level"].astype(np.int64)
        found = np.where(own, numbers[last], self._now[block.ranks])
        self._now[block.ranks] = found  # the last call of a rank wins
        return found
