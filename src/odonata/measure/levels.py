"""Time of flops on the levels of a hierarchy, or the operators to measure it with."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec

from odonata.errors import UserError
from odonata.files import checked, read_json
from odonata.measure.compute import LocalOperator, falling
from odonata.measure.estimate import exactly
from odonata.measure.findings import Findings

__all__ = ["LevelFlops", "read_levels"]

MOST_BYTES = 16 * 2**20
MOST_LEVELS = 100
MOST_NONZEROS = 2e7
"""Most nonzeros in the part of an operator that a rank has."""


class _Level(msgspec.Struct):
    rows: Annotated[float, msgspec.Meta(ge=0, le=1e15)]
    active_ranks: Annotated[float, msgspec.Meta(ge=0, le=1e8)]
    nnz_per_row: Annotated[float, msgspec.Meta(ge=0, le=1e4)] | None = None
    flop_seconds: Annotated[float, msgspec.Meta(ge=0, le=1.0)] | None = None


class _Document(msgspec.Struct):
    levels: Annotated[list[_Level], msgspec.Meta(min_length=1, max_length=MOST_LEVELS)]


@dataclass(frozen=True)
class LevelFlops:
    """The levels of a document, the finest first.

    Parameters
    ----------
    source
        The file.
    flop_seconds
        Time of a floating-point operation on each level [s]; empty if the document has none.
    operators
        Operator of each level that has rows.
    """

    source: str
    flop_seconds: tuple[float, ...]
    operators: tuple[LocalOperator, ...]

    def findings(self) -> Findings:
        """Return the times as findings, as far as they fall."""
        findings = Findings()
        times = falling([exactly(seconds) for seconds in self.flop_seconds])
        findings.add_list("model.t", times, f"levels[].flop_seconds, {self.source}")
        return findings


def read_levels(path: str | Path) -> LevelFlops:
    """Read the levels of a document of ``odonata-amg``, or of one that has the same keys.

    Parameters
    ----------
    path
        A JSON file with ``ranks`` and ``levels``, each with ``rows``, ``nnz_per_row``,
        ``active_ranks`` and, if it was timed, ``flop_seconds``.

    Raises
    ------
    UserError
        The file is damaged, a key is missing, or a number is out of range.
    """
    document = read_json(path, MOST_BYTES, what="hierarchy")
    levels = checked(document, _Document, what="hierarchy", where=str(path)).levels
    operators = [
        _operator(level, f"{path}:levels[{i}]") for i, level in enumerate(levels) if level.rows >= 1
    ]
    times = [level.flop_seconds for level in levels if level.flop_seconds is not None]
    timed = len(times) == len(levels) and times[0] > 0
    return LevelFlops(
        str(path), tuple(t for t in times if t > 0) if timed else (), tuple(operators)
    )


def _operator(level: _Level, where: str) -> LocalOperator:
    if level.nnz_per_row is None:
        raise UserError("nnz_per_row: missing", where=f"{where}.nnz_per_row")
    rows = math.ceil(level.rows / max(1, level.active_ranks))
    row_nonzeros = max(1.0, level.nnz_per_row)
    if rows * row_nonzeros > MOST_NONZEROS:
        allowed = f"{MOST_NONZEROS:g} nonzeros"
        raise UserError("rows: too many for a rank", value=rows, allowed=allowed, where=where)
    return LocalOperator(rows, row_nonzeros)
