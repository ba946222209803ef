"""Communication matrices in files: Matrix Market, CSV, traces, profiles, saved runs."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from odonata.decide.communication import MOST_ENTRY, MOST_RANKS, Communication
from odonata.errors import ReadError, UserError, near_miss
from odonata.files import read_bytes

__all__ = ["read_communication"]

MOST_BYTES = 2**28
"""Largest file of text that is read [B]; its lines take ten times as much memory."""

SUFFIXES = (".mtx", ".csv", ".trace", ".nc")
HEAD = "source,target,bytes"


def read_communication(path: str | Path) -> Communication:
    """Read a communication matrix; the suffix of the file tells its format, a folder is a profile.

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
        It is not there, of another kind, damaged, or not square; or an entry is negative or more
        than 2^60.
    """
    path = Path(path)
    if path.is_dir():
        return Communication.of_profile(path)
    if path.suffix == ".trace":
        return Communication.of_trace(path)
    if path.suffix == ".nc":
        return Communication.of_result(path)
    if path.suffix not in SUFFIXES:
        near = near_miss(path.suffix, SUFFIXES)
        allowed = f"{', '.join(SUFFIXES)}, or the folder of a profile"
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
        table = _Table.read(path, lines[1:], 2, columns=3, separator=",")
        source, target = table.ranks(0, 0, MOST_RANKS - 1), table.ranks(1, 0, MOST_RANKS - 1)
        ranks = 1 + max(source.max(initial=-1), target.max(initial=-1))
        return Communication(_known(path, ranks), source, target, table.bytes(2))
    if not lines:
        raise UserError(f"matrix: {path}: the file is empty")
    columns = len(lines[0].split(","))
    table = _Table.read(path, lines, 1, columns=columns, separator=",")
    if len(table.values) != columns:
        what, allowed = f"{len(table.values)} lines of {columns} values", "a square table"
        allowed += f", or the first line {HEAD}"
        raise UserError(f"matrix: {what}", allowed=allowed, where=f"{path}:{len(lines)}")
    values = np.stack([table.bytes(column) for column in range(columns)], axis=1)
    ends = np.indices(values.shape)
    return Communication(_known(path, columns), ends[0].ravel(), ends[1].ravel(), values.ravel())


def _read_matrix_market(path: Path, lines: Sequence[str]) -> Communication:
    banner = lines[0].lower().split() if lines else []
    if banner[:1] != ["%%matrixmarket"] or len(banner) != 5:
        raise UserError(
            "matrix: no first line of a Matrix Market file",
            value=lines[0][:80] if lines else "",
            allowed="'%%MatrixMarket matrix coordinate real general', or the like",
            where=f"{path}:1",
        )
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
    sizes = _Table.read(path, lines[first : first + 1], first + 1, columns=3)
    rows, columns, entries = (int(sizes.ranks(at, 0, 2**53)[0]) for at in range(3))
    if rows != columns:
        what = f"matrix: {rows} rows and {columns} columns"
        raise UserError(what, allowed="a square matrix", where=f"{path}:{first + 1}")
    weighted = banner[3] != "pattern"
    found = _Table.read(path, lines[first + 1 :], first + 2, columns=2 + weighted)
    if len(found.values) != entries:
        where, allowed = f"{path}:{first + 1}", f"{entries}, as this line says"
        raise UserError(f"matrix: {len(found.values)} entries", allowed=allowed, where=where)
    most = _known(path, rows)
    source, target = found.ranks(0, 1, most) - 1, found.ranks(1, 1, most) - 1
    values = found.bytes(2) if weighted else np.ones(entries)
    if banner[4] == "symmetric":
        other = source != target
        source, target = np.r_[source, target[other]], np.r_[target, source[other]]
        values = np.r_[values, values[other]]
    return Communication(rows, source, target, values)


def _known(path: Path, ranks: int) -> int:
    if not 1 <= ranks <= MOST_RANKS:
        raise UserError(f"matrix: {path}: ranks", value=ranks, allowed=f"1 to {MOST_RANKS}")
    return ranks


@dataclass(frozen=True)
class _Table:
    """Numbers of a file, and the line of each row."""

    path: Path
    values: NDArray[np.float64]
    lines: NDArray[np.int64]

    @classmethod
    def read(
        cls,
        path: Path,
        lines: Sequence[str],
        first: int,
        *,
        columns: int,
        separator: str | None = None,
    ) -> _Table:
        """Read lines, of which the first one has a number; empty ones are skipped."""
        values, numbers = array("d"), array("q")
        for number, line in enumerate(lines, start=first):
            if not line.strip():
                continue
            try:
                row = [float(word) for word in line.split(separator)]
            except ValueError:
                row = []
            if len(row) != columns:
                shown = line if len(line) <= 40 else f"{line[:40]}..."
                where, allowed = f"{path}:{number}", f"{columns} numbers"
                raise UserError("matrix: line", value=shown, allowed=allowed, where=where)
            values.extend(row)
            numbers.append(number)
        table = np.frombuffer(values, dtype=np.float64).reshape(-1, columns)
        return cls(path, table, np.frombuffer(numbers, dtype=np.int64))

    def ranks(self, column: int, least: int, most: int) -> NDArray[np.int64]:
        """Return a column of ranks."""
        values = self.values[:, column]
        allowed = f"whole numbers, {least} to {most}"
        inside = (values >= least) & (values <= most)
        self._check(values, inside & (values == np.floor(values)), "no such rank", allowed)
        return values.astype(np.int64)

    def bytes(self, column: int) -> NDArray[np.float64]:
        """Return a column of bytes [B]."""
        values = self.values[:, column]
        inside = (values >= 0) & (values <= MOST_ENTRY)
        self._check(values, inside, "bytes", f"0 to {MOST_ENTRY:.0f}")
        return values

    def _check(
        self, values: NDArray[np.float64], right: NDArray[np.bool_], what: str, allowed: str
    ) -> None:
        wrong = np.flatnonzero(~right)
        if len(wrong):
            value, line = float(values[wrong[0]]), int(self.lines[wrong[0]])
            where = f"{self.path}:{line}"
            raise UserError(f"matrix: {what}", value=f"{value:g}", allowed=allowed, where=where)
