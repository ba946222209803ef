"""Communication matrices: who sends how many bytes to whom."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from odonata.decide.grids import grid_of
from odonata.errors import UserError
from odonata.profile import Views, read
from odonata.result import Result
from odonata.result.run import Scalar
from odonata.trace import matrices

__all__ = ["Communication"]

MOST_RANKS = 1_000_000
MOST_ENTRY = 2.0**60
"""Most bytes of an entry [B]; sums and costs of such entries stay finite."""


class Communication:
    """Bytes from rank to rank; immutable.

    Entries of one pair are added up; messages of a rank to itself are left out.

    Parameters
    ----------
    ranks
        Number of ranks.
    source, target
        Shape (n,): ranks.
    bytes
        Shape (n,): bytes from the source to the target [B].

    Raises
    ------
    UserError
        A rank is not there, or the bytes of an entry are negative or more than 2^60.

    Examples
    --------
    >>> Communication(3, [0, 0, 1], [1, 1, 2], [8, 8, 4]).bytes.tolist()
    [16.0, 4.0]
    """

    def __init__(self, ranks: int, source: ArrayLike, target: ArrayLike, bytes: ArrayLike) -> None:
        if not 1 <= ranks <= MOST_RANKS:
            raise UserError("matrix: ranks", value=ranks, allowed=f"1 to {MOST_RANKS}")
        self._ranks = ranks
        ends = [np.asarray(end, dtype=np.int64) for end in (source, target)]
        values = np.asarray(bytes, dtype=np.float64)
        if not ends[0].shape == ends[1].shape == values.shape or values.ndim != 1:
            raise UserError("matrix: source, target and bytes differ in length")
        _check(ranks, ends, values)
        kept = (ends[0] != ends[1]) & (values > 0)
        pairs, where = np.unique(ends[0][kept] * ranks + ends[1][kept], return_inverse=True)
        sums = np.bincount(where, values[kept], minlength=len(pairs))
        self._bytes = sums.astype(np.float64)
        self._source = (pairs // ranks).astype(np.int32)
        self._target = (pairs % ranks).astype(np.int32)
        self._grid: tuple[int, ...] | None = None

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return self._ranks

    @property
    def source(self) -> NDArray[np.int32]:
        """Sending rank of each pair that has bytes, shape (pairs,), in order."""
        return self._source

    @property
    def target(self) -> NDArray[np.int32]:
        """Receiving rank of each pair, shape (pairs,)."""
        return self._target

    @property
    def bytes(self) -> NDArray[np.float64]:
        """Bytes of each pair [B], shape (pairs,)."""
        return self._bytes

    @cached_property
    def grid(self) -> tuple[int, ...] | None:
        """Processes in each dimension, the last one fastest; None: not known.

        It is the grid in the file of a run, or else a grid whose neighbours send all the messages.
        """
        return self._grid or grid_of(self._ranks, self._source, self._target)

    @classmethod
    def of_trace(cls, path: str | Path) -> Communication:
        """Return the messages of a trace, of all phases; collective operations are left out.

        Parameters
        ----------
        path
            The trace.

        Raises
        ------
        UserError
            It isn't there, is no trace or damaged, or has no messages between ranks.
        """
        found = matrices(path)
        parts = [np.stack([m.source, m.target, m.bytes]) for m in found]
        source, target, values = np.concatenate(parts, axis=1)
        return cls(found[0].ranks, source, target, values)._required(str(path))

    @classmethod
    def of_profile(cls, path: str | Path) -> Communication:
        """Return the messages of a profile, of all phases; collective operations are left out.

        Parameters
        ----------
        path
            Folder that ``odonata profile`` or ``odonata mpirun --profile`` wrote.

        Raises
        ------
        UserError
            It holds no profile, is damaged, or has no messages between ranks.
        """
        found = Views(read(path)).matrix
        return cls(found.ranks, found.source, found.target, found.bytes)._required(str(path))

    @classmethod
    def of_result(cls, path: str | Path) -> Communication:
        """Return the messages of a saved run, also of its collective operations.

        Parameters
        ----------
        path
            The file.

        Raises
        ------
        UserError
            It is no such file, or its messages were not recorded.
        """
        job = Result.load(path).main_job
        if job is None or job.messages is None:
            what = f"matrix: {path}: the messages of the run were not recorded"
            raise UserError(what, allowed="a run with --record-messages")
        columns = (np.asarray(job.messages[key]) for key in ("source", "target", "bytes"))
        source, target, values = columns
        made = cls(len(job.nodes), source, target, values)._required(str(path))
        made._grid = _sides(job.workload)
        return made

    def _required(self, where: str) -> Communication:
        if not len(self._bytes):
            raise UserError(f"matrix: {where}: no messages between ranks")
        return self

    def __repr__(self) -> str:
        total = float(self._bytes.sum())
        return f"{self._ranks} ranks, {len(self._bytes)} pairs, {total:.6g} B"


def _sides(workload: Mapping[str, Scalar]) -> tuple[int, ...] | None:
    """Return the grid of a workload whose ranks are numbered along it, else None."""
    places = workload.get("distribution", workload.get("algorithm"))
    if "sides" not in workload or places == "custom":
        return None
    return tuple(int(side) for side in str(workload["sides"]).split("x"))


def _check(ranks: int, ends: list[NDArray[np.int64]], values: NDArray[np.float64]) -> None:
    for end in ends:
        wrong = np.flatnonzero((end < 0) | (end >= ranks))
        if len(wrong):
            where = f"matrix: entry {wrong[0] + 1}: no such rank"
            raise UserError(where, value=int(end[wrong[0]]), allowed=f"0 to {ranks - 1}")
    wrong = np.flatnonzero(~((values >= 0) & (values <= MOST_ENTRY)))
    if len(wrong):
        where = f"matrix: entry {wrong[0] + 1}: bytes"
        raise UserError(where, value=float(values[wrong[0]]), allowed=f"0 to {MOST_ENTRY:.0f}")
