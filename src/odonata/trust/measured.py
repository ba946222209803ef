"""Tables of measured collectives, and of the hosts of the ranks of their runs."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from odonata.errors import ReadError, UserError, near_miss
from odonata.files import read_bytes
from odonata.machine import Machine
from odonata.placement import Placement, nodes_named

__all__ = ["Measured", "read_measured", "read_runs", "rows_of"]

MOST_BYTES = 2**26
"""Largest table that is read, uncompressed [B]."""

COLUMNS = ("run", "nodes", "ranks_per_node", "collective", "algorithm", "bytes", "median_us")
FURTHER = ("iterations", "p5_us", "p95_us", "mpi", "version", "notes")
RANK_COLUMNS = ("run", "rank", "host")
FURTHER_RANK_COLUMNS = ("xname",)


@dataclass(frozen=True)
class Measured:
    """A measured collective.

    Parameters
    ----------
    run
        Name of the run: its rows share ranks and nodes.
    nodes
        As the table says: how many, or the shape of a virtual torus as ``4x4x4``.
    ranks_per_node
        Ranks of each node.
    collective, algorithm
        As the table calls them.
    bytes
        Size of the whole result [B].
    seconds
        Median over iterations of the time of the slowest rank [s].
    low, high
        5th and 95th percentile [s]; None if the table has none.
    where
        ``file:line`` of the row.
    """

    run: str
    nodes: str
    ranks_per_node: int
    collective: str
    algorithm: str
    bytes: int
    seconds: float
    low: float | None
    high: float | None
    where: str


def read_measured(path: str | Path) -> tuple[Measured, ...]:
    """Read a table of measured collectives, which may be compressed by gzip.

    Parameters
    ----------
    path
        A CSV file with the columns ``run, nodes, ranks_per_node, collective, algorithm, bytes,
        median_us``, and perhaps ``iterations, p5_us, p95_us, mpi, version, notes``.

    Raises
    ------
    UserError
        The file is not there or too long, a column is missing or unknown, or a value is no number
        or out of range; says where.
    """
    rows = []
    for where, row in rows_of(path, COLUMNS, FURTHER):
        times = [_microseconds(row.get(f"{key}_us", ""), f"{key}_us", where) for key in _TIMES]
        median, low, high = times
        if median is None:
            raise UserError("median_us: missing", where=where)
        size = _whole(row["bytes"], "bytes", where, 0, 2**50)
        per_node = _whole(row["ranks_per_node"], "ranks_per_node", where, 1, 2**20)
        names = row["collective"], row["algorithm"]
        run = row["run"], row["nodes"], per_node
        rows.append(Measured(*run, *names, size, median, low, high, where))
    if not rows:
        raise UserError("measured: no rows", where=str(path))
    return tuple(rows)


_TIMES = ("median", "p5", "p95")


def read_runs(path: str | Path, machine: Machine) -> Mapping[str, Placement]:
    """Read the host of every rank of some runs.

    Parameters
    ----------
    path
        A CSV file with the columns ``run, rank, host``, and perhaps ``xname``; it may be
        compressed by gzip. The ranks of a run may have any order.
    machine
        The machine.

    Returns
    -------
    mapping of str to Placement
        By the name of the run.

    Raises
    ------
    UserError
        The file is not there or too long, a column is missing or unknown, a rank is missing or
        occurs twice, or the machine has no such host; says where.
    """
    ranks: dict[str, dict[int, int]] = defaultdict(dict)
    known: dict[str, int] = {}
    for where, row in rows_of(path, RANK_COLUMNS, FURTHER_RANK_COLUMNS):
        host, run = row["host"], ranks[row["run"]]
        if host not in known:
            (known[host],) = nodes_named(machine, [host], where=where)
        rank = _whole(row["rank"], "rank", where, 0, 2**31)
        if rank in run:
            raise UserError("rank: twice in a run", value=rank, where=where)
        run[rank] = known[host]
    for name, run in ranks.items():
        missing = next((rank for rank in range(len(run)) if rank not in run), None)
        if missing is not None:
            raise UserError(f"rank: missing in run {name}", value=missing, where=str(path))
    return {
        name: Placement(machine, [run[rank] for rank in range(len(run))])
        for name, run in ranks.items()
    }


def rows_of(
    path: str | Path, columns: Sequence[str], further: Sequence[str]
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the place and the fields of each row of a CSV file, perhaps compressed.

    Parameters
    ----------
    path
        The file.
    columns, further
        Columns that it must have, and that it may have.

    Raises
    ------
    UserError
        The file is not there or too long, no CSV, or has other columns; says where.
    """
    reader = csv.reader(io.StringIO(_text(path)), strict=True)
    try:
        head = next(reader, [])
        _check_head(head, columns, further, f"{path}:1")
        for fields in reader:
            where = f"{path}:{reader.line_num}"
            if len(fields) != len(head):
                allowed = f"{len(head)}, as in the head"
                raise UserError("fields of a row", value=len(fields), allowed=allowed, where=where)
            cleaned = (field.strip("\0 \t") for field in fields)  # some tables are padded
            yield where, dict(zip(head, cleaned, strict=True))
    except csv.Error as error:
        raise UserError(f"not CSV: {error}", where=f"{path}:{reader.line_num}") from error


def _check_head(
    head: Sequence[str], columns: Sequence[str], further: Sequence[str], where: str
) -> None:
    known = (*columns, *further)
    for name in head:
        if name not in known:
            near = near_miss(name, known)
            raise UserError(
                "column: unknown", value=name, allowed=", ".join(known), near=near, where=where
            )
    missing = [name for name in columns if name not in head]
    if missing:
        raise UserError(f"column {missing[0]}: missing", allowed=", ".join(columns), where=where)


def _text(path: str | Path) -> str:
    content = read_bytes(path, MOST_BYTES, what="table")
    try:
        if content[:2] == b"\x1f\x8b":
            with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
                content = file.read(MOST_BYTES + 1)
            if len(content) > MOST_BYTES:
                raise UserError("table: too long", allowed=f"{MOST_BYTES} bytes", where=str(path))
        return content.decode()
    except (EOFError, OSError, UnicodeDecodeError, zlib.error) as error:
        raise ReadError.of(
            error if isinstance(error, ValueError) else OSError(error), path
        ) from error


def _whole(text: str, what: str, where: str, low: int, high: int) -> int:
    allowed = f"a whole number, {low} to {high}"
    if not (text.isascii() and text.isdigit() and len(text) < 20) or not low <= int(text) <= high:
        raise UserError(f"{what}: out of range", value=text, allowed=allowed, where=where)
    return int(text)


def _microseconds(text: str, what: str, where: str) -> float | None:
    """Return a time [s], None if it is left out."""
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        raise UserError(f"{what}: not a number", value=text, where=where) from None
    if not 0 < value < 1e12:
        raise UserError(f"{what}: out of range", value=text, allowed="above 0", where=where)
    return value * 1e-6
