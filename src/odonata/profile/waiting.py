"""Waiting apart from transfer: wait states of a trace that has times, as Scalasca defines them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from odonata import _core, trace
from odonata.trace import Reader, function_names
from odonata.trace.views import COLLECTIVES

__all__ = ["CLOCKS", "REASONS", "WAITS", "WaitReader", "Waiting", "communicates", "read_waiting"]

REASONS = tuple(_core.wait_state_names)
"""Reasons to wait, by number; ``docs/concepts/profile.md`` explains each."""

WAITS = np.dtype(
    [("rank", "<i4"), ("function", "<i4"), ("reason", "<i4"), ("calls", "<i8"), ("seconds", "<f8")]
)
"""Time that calls of a function wait for one reason: `calls` of them do, for `seconds` in all."""

CLOCKS = (
    "ranks of one computer share its clock; clocks of different computers are taken as they are"
)

NANOSECOND = 1e-9

_POINT_TO_POINT = re.compile(
    r"i?[bsr]?sendrecv(_replace)?|i?[bsr]?send|i?m?recv|m?probe|wait(all|any|some)?|start(all)?"
)
_OPERATIONS = {*COLLECTIVES, "neighbor_allgatherv", "neighbor_alltoallv", "neighbor_alltoallw"}


@dataclass(frozen=True)
class Waiting:
    """Wait states of a run.

    Parameters
    ----------
    waits
        Table; see `WAITS`.
    messages
        Messages whose send and receive the trace has.
    reversed_messages
        Messages that were received before they were sent: clocks differ, and so do the waits.
    """

    waits: NDArray[np.void] = field(default_factory=lambda: np.empty(0, dtype=WAITS))
    messages: int = 0
    reversed_messages: int = 0

    def plain(
        self, call_seconds: Mapping[str, float], mpi_seconds: NDArray[np.float64]
    ) -> Mapping[str, Any]:
        """Return it as plain data.

        Parameters
        ----------
        call_seconds
            Time of all ranks in each function [s].
        mpi_seconds
            Shape (ranks,): time of each rank in MPI [s].
        """
        reasons = {
            name: {
                "seconds": float(self.waits["seconds"][self.waits["reason"] == at].sum()),
                "calls": int(self.waits["calls"][self.waits["reason"] == at].sum()),
            }
            for at, name in enumerate(REASONS)
        }
        numbers = {name: at for at, name in enumerate(function_names())}
        calls = {
            name: self._call(numbers.get(name, -1), seconds)
            for name, seconds in call_seconds.items()
            if communicates(name)
        }
        waited = np.zeros(len(mpi_seconds))
        np.add.at(waited, self.waits["rank"], self.waits["seconds"])
        total, in_mpi = float(waited.sum()), float(mpi_seconds.sum())
        return {
            "seconds": total,
            "transfer_seconds": sum(call["transfer"] for call in calls.values()),
            "mpi_share": total / in_mpi if in_mpi else None,
            "reasons": reasons,
            "calls": calls,
            "ranks": waited.tolist(),
            "messages": self.messages,
            "reversed_messages": self.reversed_messages,
            "clocks": CLOCKS,
        }

    def _call(self, function: int, seconds: float) -> dict[str, float]:
        own = self.waits[self.waits["function"] == function]
        waited = float(own["seconds"].sum())
        found = {"seconds": seconds, "waiting": waited, "transfer": max(0.0, seconds - waited)}
        for at in np.unique(own["reason"]).tolist():
            found[REASONS[at]] = float(own["seconds"][own["reason"] == at].sum())
        return found


def communicates(function: str) -> bool:
    """Return whether a function moves data or waits for them.

    Parameters
    ----------
    function
        Its name.

    Examples
    --------
    >>> communicates("MPI_Iallreduce"), communicates("MPI_Waitall"), communicates("MPI_Comm_rank")
    (True, True, False)
    """
    name = function.removeprefix("MPI_").lower().removesuffix("_c")
    return (
        _POINT_TO_POINT.fullmatch(name) is not None
        or name in _OPERATIONS
        or name.removeprefix("i") in _OPERATIONS
    )


class WaitReader:
    """Finds the waits of a trace while its blocks are read.

    Parameters
    ----------
    reader
        The trace.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._core: _core.WaitStates | None = None
        self._timed = True

    def add(self, block: trace.Block) -> None:
        """Look at a block; one without times ends the search.

        Parameters
        ----------
        block
            The next block of the trace.
        """
        if len(block.times) != len(block):
            self._timed = False
        if not self._timed:
            return
        if self._core is None:
            matches = np.ascontiguousarray(self._reader.matches()).view(np.uint8)
            self._core = _core.WaitStates(self._reader.header.ranks, matches)
        ranks, calls, words, found, num_outcomes, outcomes = block.as_bytes()
        begins, ends = block.times_as_bytes()
        self._core.add(ranks, calls, words, found, num_outcomes, outcomes, begins, ends)

    def found(self) -> Waiting | None:
        """Return the waits; None: the trace has no times."""
        if self._core is None or not self._timed:
            return None
        rows = np.asarray(self._core.sums()).reshape(-1, 5)
        waits = np.zeros(len(rows), dtype=WAITS)
        for at, name in enumerate(("rank", "function", "reason", "calls")):
            waits[name] = rows[:, at]
        waits["seconds"] = rows[:, 4] * NANOSECOND
        return Waiting(waits, self._core.num_messages, self._core.num_reversed)


def read_waiting(path: Path) -> Waiting | None:
    """Return the waits of a trace; None: it has no times.

    Parameters
    ----------
    path
        The trace.

    Raises
    ------
    UserError
        The trace is damaged.
    """
    with Reader(path) as reader:
        reader.require_calls()
        waits = WaitReader(reader)
        for block in reader.blocks():
            waits.add(block)
            if not len(block.times):
                break
        return waits.found()
