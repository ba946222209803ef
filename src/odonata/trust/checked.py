"""Rows of a machine that were held against measurements: the ratio of each."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from functools import cache
from pathlib import Path

from odonata.errors import UserError
from odonata.machine import Machine
from odonata.machine.files import SHIPPED
from odonata.trust.cases import WHOLE, Case
from odonata.trust.measured import rows_of

__all__ = ["SUFFIX", "Checked", "checked_rows", "shipped_rows", "text_of", "total_bytes"]

SUFFIX = ".checked.csv"
"""End of the name of a file of rows, beside a machine file."""


@dataclass(frozen=True)
class Checked:
    """A measured row, and how far the simulation was from it.

    Parameters
    ----------
    run
        Name of its run.
    operation, algorithm
        Our names.
    bytes
        Size of the whole result [B].
    ranks, nodes
        Of its run.
    ratio
        Measured by simulated time, with numbers that were fitted to the other runs.
    before
        The same with the machine file as it was before.
    low, high
        5th and 95th percentile of the iterations by their median; 1 if the table had none.
    """

    run: str
    operation: str
    algorithm: str
    bytes: int
    ranks: int
    nodes: int
    ratio: float
    before: float
    low: float
    high: float

    @classmethod
    def of(cls, case: Case, ratio: float, before: float) -> Checked:
        """Return the row of a case.

        Parameters
        ----------
        case
            The case.
        ratio, before
            See the class.
        """
        row, work = case.measured, case.workload
        low, high = ((end or row.seconds) / row.seconds for end in (row.low, row.high))
        size = row.run, work.operation, work.algorithm, row.bytes, len(case.nodes)
        shares = (float(f"{number:.4g}") for number in (ratio, before, low, high))
        return cls(*size, len(set(case.nodes)), *shares)


def total_bytes(operation: str, block: int, ranks: int) -> int:
    """Return the size of a collective's whole result [B], which tables call it by.

    Parameters
    ----------
    operation
        Our name.
    block
        Size of a block [B].
    ranks
        Number of ranks.
    """
    return block if operation in WHOLE else block * ranks


def text_of(rows: Sequence[Checked]) -> str:
    """Return a CSV file of such rows.

    Parameters
    ----------
    rows
        The rows.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows(astuple(row) for row in rows)
    return out.getvalue()


def checked_rows(machine: Machine) -> tuple[Checked, ...]:
    """Return the rows of a machine; none if its file names no ``checked.rows``.

    Parameters
    ----------
    machine
        The machine.

    Raises
    ------
    UserError
        The file is not there, or wrong; says where.
    """
    named = machine.numbers.get("checked.rows")
    return () if named is None else _read(machine.file.path(str(named.value)))


def shipped_rows() -> Mapping[str, tuple[Checked, ...]]:
    """Return the rows of all machines that come with Odonata, by the name of the machine."""
    files = sorted(SHIPPED.glob(f"*{SUFFIX}"))
    return {file.name.removesuffix(SUFFIX): _read(file) for file in files}


_COLUMNS = [field.name for field in fields(Checked)]
_KINDS = {
    field.name: {"str": str, "int": int, "float": float}[str(field.type)]
    for field in fields(Checked)
}


@cache
def _read(path: Path) -> tuple[Checked, ...]:
    rows = []
    for where, row in rows_of(path, _COLUMNS, ()):
        try:
            made = Checked(**{name: kind(row[name]) for name, kind in _KINDS.items()})
        except ValueError as error:
            raise UserError(f"not a row: {error}", where=where) from None
        if not all(0 < share < 1e9 for share in (made.ratio, made.before, made.low, made.high)):
            raise UserError(
                "ratio: out of range", value=row["ratio"], allowed="above 0", where=where
            )
        rows.append(made)
    return tuple(rows)
