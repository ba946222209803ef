"""Tables as CSV, for spreadsheets and programs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence

from odonata.report.table import Table
from odonata.text import for_table
from odonata.units import Written

__all__ = ["csv_of", "csv_of_records", "escape_formula"]

_FORMULA = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")  # the last four are full-width
_NUMBER = re.compile(r"[+-][\d.,]+(?:[eE][+-]?\d+)?")

Cell = str | int | float


def csv_of(table: Table) -> str:
    """Return a table as CSV: a line of names, and a line a row.

    Numbers have full precision, and their unit stands in the name of the column: ``time [s]``.
    Where units differ in a column, another one has them.

    Parameters
    ----------
    table
        A table; `odonata.units.Written` texts are numbers with their unit, and others stay texts.

    Examples
    --------
    >>> time = Written("1.3 us", 1.3045e-06, "s")
    >>> print(csv_of(Table(["algorithm", "time"], [["ring", time]])), end="")
    algorithm,time [s]
    ring,1.3045e-06
    """
    columns = [
        column
        for at, name in enumerate(table.columns)
        for column in _columns(name, [row[at] for row in table.rows])
    ]
    return _lines(zip(*columns, strict=True))


def csv_of_records(records: Sequence[Mapping[str, object]]) -> str:
    """Return records with the same fields as CSV; an empty text without records.

    Parameters
    ----------
    records
        Texts and numbers by field.
    """
    if not records:
        return ""
    return _lines([[*records[0]], *(record.values() for record in records)])


def escape_formula(text: str) -> str:
    """Return a text that spreadsheets do not take for a formula.

    An apostrophe stands before texts that begin with ``=``, ``+``, ``-``, ``@``, a tab or the end
    of a line; numbers stay as they are.

    Parameters
    ----------
    text
        The text of a cell.

    References
    ----------
    OWASP, CSV Injection, https://owasp.org/www-community/attacks/CSV_Injection

    Examples
    --------
    >>> escape_formula("=1+1"), escape_formula("-1.5e-3"), escape_formula("MPI_Send")
    ("'=1+1", '-1.5e-3', 'MPI_Send')
    """
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text


def _columns(name: str, cells: Sequence[str]) -> list[list[Cell]]:
    """Return a column of a table as CSV has it, with a second one if its units differ."""
    values = [_value(cell) for cell in cells]
    units = {cell.unit for cell in cells if isinstance(cell, Written)}
    if len(units) > 1:
        own = [cell.unit if isinstance(cell, Written) else "" for cell in cells]
        return [[name or "value", *values], [f"unit of {name}" if name else "unit", *own]]
    unit = f" [{units.pop()}]" if any(units) and "[" not in name else ""
    return [[(name or "value") + unit, *values]]


def _value(cell: str) -> Cell:
    if isinstance(cell, Written):
        return cell.value
    return "" if cell == "-" else cell


def _lines(rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([_harmless(cell) for cell in row] for row in rows)
    return text.getvalue()


def _harmless(cell: object) -> object:
    """Return a text in one line that is no formula; numbers as they are."""
    return escape_formula(" ".join(for_table(cell).split())) if isinstance(cell, str) else cell
