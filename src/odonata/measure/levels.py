"""Time of flops on the levels of a hierarchy, or the operators to measure it with."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from odonata.errors import UserError
from odonata.files import read_bytes
from odonata.measure.compute import LocalOperator, falling
from odonata.measure.estimate import exactly
from odonata.measure.findings import Findings

__all__ = ["LevelFlops", "read_levels"]

MOST_BYTES = 16 * 2**20
MOST_LEVELS = 100
MOST_NONZEROS = 2e7
"""Most nonzeros in the part of an operator that a rank has."""


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
    document = _load(Path(path))
    levels = document.get("levels") if isinstance(document, dict) else None
    if not isinstance(levels, list) or not 1 <= len(levels) <= MOST_LEVELS:
        allowed = f"a document of one run, with 1 to {MOST_LEVELS}"
        raise UserError("levels: not a list of levels", allowed=allowed, where=f"{path}:levels")
    times, operators = [], []
    for i, level in enumerate(levels):
        where = f"{path}:levels[{i}]"
        if not isinstance(level, dict):
            raise UserError("level: not an object of JSON", where=where)
        rows, ranks = (
            _number(level, "rows", where, 1e15),
            _number(level, "active_ranks", where, 1e8),
        )
        if rows >= 1:
            nonzeros = max(1.0, _number(level, "nnz_per_row", where, 1e4))
            operators.append(_operator(math.ceil(rows / max(1, ranks)), nonzeros, where))
        if "flop_seconds" in level:
            times.append(_number(level, "flop_seconds", where, 1.0))
    timed = len(times) == len(levels) and times[0] > 0
    return LevelFlops(
        str(path), tuple(t for t in times if t > 0) if timed else (), tuple(operators)
    )


def _operator(rows: int, row_nonzeros: float, where: str) -> LocalOperator:
    if rows * row_nonzeros > MOST_NONZEROS:
        allowed = f"{MOST_NONZEROS:g} nonzeros"
        raise UserError("rows: too many for a rank", value=rows, allowed=allowed, where=where)
    return LocalOperator(rows, row_nonzeros)


def _load(path: Path) -> object:
    import msgspec

    data = read_bytes(path, MOST_BYTES, what="hierarchy")
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"hierarchy: not JSON: {error}", where=str(path)) from error


def _number(level: Mapping[str, object], key: str, where: str, most: float) -> float:
    given = level.get(key)
    if not isinstance(given, (int, float)) or isinstance(given, bool):
        raise UserError(f"{key}: missing, or not a number", value=given, where=f"{where}.{key}")
    if not 0 <= given <= most:
        allowed = f"0 to {most:g}"
        raise UserError(
            f"{key}: out of range", value=given, allowed=allowed, where=f"{where}.{key}"
        )
    return float(given)
