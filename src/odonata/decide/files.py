"""Communication matrices in files: Matrix Market, CSV, traces, saved runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from odonata.decide.communication import MOST_RANKS, Communication
from odonata.errors import ReadError, UserError, near_miss
from odonata.files import read_bytes

__all__ = ["read_communication"]

MOST_BYTES = 2**30
"""Largest file of text that is read."""

SUFFIXES = (".mtx", ".csv", ".trace", ".nc")
HEAD = "source,target,bytes"


def read_communication(path: str | Path) -> Communication:
    """Read a communication matrix; the suffix of the file says what it is.

    ``.mtx`` is a Matrix Market file, square, whose entry (i, j) has the bytes that rank i - 1 sends
    to rank j - 1. ``.csv`` has either the line ``source,target,bytes`` and then such triples of
    ranks from 0, or a square table of bytes. ``.trace`` is a trace, ``.nc`` a saved run.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    UserError
        It is not there, of another kind, damaged, or not square; or it has negative or non-finite
        entries.
    """
    path = Path(path)
    if path.suffix == ".trace":
        return Communication.of_trace(path)
    if path.suffix == ".nc":
        return Communication.of_result(path)
    if path.suffix not in SUFFIXES:
        near = near_miss(path.suffix, SUFFIXES)
        allowed = ", ".join(SUFFIXES)
        raise UserError("matrix: unknown kind of file", value=path.name, allowed=allowed, near=near)
    try:
        lines = read_bytes(path, MOST_BYTES, what="matrix").decode("ascii").splitlines()
    except UnicodeDecodeError as error:
        raise ReadError.of(error, path) from error
    if path.suffix == ".csv":
        return _read_csv(path, lines)
    return _read_matrix_market(path, lines)


def _read_csv(path: Path, lines: Sequence[str]) -> Communication:
    if lines and lines[0].replace(" ", "").lower() == HEAD:
        rows = _numbers(path, lines[1:], 2, columns=3, separator=",")
        ranks = int(rows[:, :2].max(initial=-1)) + 1
        _check_whole(path, rows[:, :2], 2)
        return Communication(_known(path, ranks), rows[:, 0], rows[:, 1], rows[:, 2])
    if not lines:
        raise UserError(f"matrix: {path}: the file is empty")
    columns = len(lines[0].split(","))
    table = _numbers(path, lines, 1, columns=columns, separator=",")
    if len(table) != columns:
        what = f"matrix: {path}: {len(table)} lines of {columns} values"
        raise UserError(what, allowed=f"a square table, or the first line {HEAD}")
    source, target = np.indices(table.shape)
    return Communication(_known(path, columns), source.ravel(), target.ravel(), table.ravel())


def _read_matrix_market(path: Path, lines: Sequence[str]) -> Communication:
    banner = lines[0].lower().split() if lines else []
    if banner[:1] != ["%%matrixmarket"] or len(banner) != 5:
        raise UserError("matrix: no Matrix Market file", where=f"{path}:1")
    for word, allowed, what in (
        (banner[1], ("matrix",), "object"),
        (banner[2], ("coordinate",), "format"),
        (banner[3], ("real", "integer", "pattern"), "field"),
        (banner[4], ("general", "symmetric"), "symmetry"),
    ):
        if word not in allowed:
            what = f"matrix: {what}: unknown"
            raise UserError(what, value=word, allowed=", ".join(allowed), where=f"{path}:1")
    first = next(
        (at for at, line in enumerate(lines) if line.strip() and not line.startswith("%")), None
    )
    if first is None:
        raise UserError("matrix: no line of sizes", where=f"{path}:{len(lines)}")
    return _read_entries(path, lines, first, banner)


def _read_entries(
    path: Path, lines: Sequence[str], first: int, banner: Sequence[str]
) -> Communication:
    sizes = _numbers(path, lines[first : first + 1], first + 1, columns=3)
    _check_whole(path, sizes, first + 1)
    rows, columns, entries = (int(size) for size in sizes[0])
    if rows != columns:
        what = f"matrix: {rows} rows and {columns} columns"
        raise UserError(what, allowed="a square matrix", where=f"{path}:{first + 1}")
    weighted = banner[3] != "pattern"
    found = _numbers(path, lines[first + 1 :], first + 2, columns=2 + weighted)
    if len(found) != entries:
        what = f"matrix: {path}: {len(found)} entries"
        raise UserError(what, allowed=f"{entries}, as line {first + 1} says")
    _check_whole(path, found[:, :2], first + 2)
    source, target = found[:, 0] - 1, found[:, 1] - 1
    values = found[:, 2] if weighted else np.ones(entries)
    if banner[4] == "symmetric":
        other = source != target
        source, target = np.r_[source, target[other]], np.r_[target, source[other]]
        values = np.r_[values, values[other]]
    return Communication(_known(path, rows), source, target, values)


def _known(path: Path, ranks: int) -> int:
    if not 1 <= ranks <= MOST_RANKS:
        raise UserError(f"matrix: {path}: ranks", value=ranks, allowed=f"1 to {MOST_RANKS}")
    return ranks


def _numbers(
    path: Path, lines: Sequence[str], first: int, *, columns: int, separator: str | None = None
) -> NDArray[np.float64]:
    """Return the numbers of lines; empty ones are skipped."""
    rows = []
    for number, line in enumerate(lines, start=first):
        words = line.split(separator)
        if not line.strip():
            continue
        try:
            row = [float(word) for word in words]
        except ValueError:
            row = []
        if len(row) != columns:
            shown = line if len(line) <= 40 else f"{line[:40]}..."
            allowed = f"{columns} numbers"
            raise UserError("matrix: line", value=shown, allowed=allowed, where=f"{path}:{number}")
        rows.append(row)
    return np.array(rows, dtype=np.float64).reshape(-1, columns)


def _check_whole(path: Path, values: NDArray[np.float64], first: int) -> None:
    wrong = np.flatnonzero((values != np.floor(values)).any(axis=1) | (abs(values) > 2**53).any(1))
    if len(wrong):
        row = values[wrong[0]].tolist()
        where = f"{path}:{first + int(wrong[0])}"
        raise UserError("matrix: ranks", value=row, allowed="whole numbers", where=where)
