"""Printed tables: as wide as the terminal, as wide as they are, as Markdown, as CSV."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Literal, TextIO

from odonata.quiet import is_quiet
from odonata.report.layout import Layout, fit, fold
from odonata.report.spreadsheets import csv_of
from odonata.report.table import Table
from odonata.text import for_terminal, width_of

__all__ = [
    "Form",
    "form_of_tables",
    "print_line",
    "print_list",
    "print_table",
    "print_tables",
    "printed",
]

USUAL_WIDTH = 80
"""Characters of a line of a terminal that does not tell."""


Form = Literal["usual", "wide", "csv"]


@dataclass
class _Printed:
    """The form of tables, and whether one was printed in it."""

    form: Form
    has_table: bool = False


_printed: ContextVar[_Printed] = ContextVar("printed")


@contextmanager
def printed(form: Form) -> Iterator[None]:
    """Print tables in another form meanwhile.

    Parameters
    ----------
    form
        ``wide``: all columns, however long the lines become; ``csv``: on standard output, with an
        empty line between two tables, while lines beside them go to standard error.
    """
    before = _printed.set(_Printed(form))
    try:
        yield
    finally:
        _printed.reset(before)


def form_of_tables() -> Form:
    """Return the form in which tables are printed."""
    printed = _printed.get(None)
    return "usual" if printed is None else printed.form


def print_table(table: Table, file: TextIO | None = None) -> None:
    """Print a table: in lines of the terminal's width, as Markdown into files and pipes.

    A terminal that is too narrow has fewer columns, and a line that names the others. Its width is
    the environment variable ``COLUMNS``, if set.

    Parameters
    ----------
    table
        What to print.
    file
        Where; None: standard output.
    """
    if form_of_tables() == "csv":
        _print_csv(table)
        return
    stream = file or sys.stdout
    width = _line_width(stream)
    if table.title:
        print_line(table.title, stream)
    if width is None and not stream.isatty():
        stream.write(f"\n{table}\n" if table.title else f"{table}\n")
        return
    layout = fit(table, width)
    stream.write(_encodable(f"{layout}\n", stream))
    _print_left_out(layout, stream)


def print_list(table: Table, *, indent: int = 0, head: bool = True) -> None:
    """Print a table to standard output without a rule or Markdown, as lists of names are.

    Parameters
    ----------
    table
        What to print.
    indent
        Spaces before each line.
    head
        Whether the names of the columns stand above.
    """
    if form_of_tables() == "csv":
        _print_csv(table)
        return
    width = _line_width(sys.stdout)
    layout = fit(
        table if head else replace(table, columns=[""] * len(table.columns)),
        width and width - indent,
    )
    for line in (*(layout.head() if head else ()), *layout.body()):
        sys.stdout.write(" " * indent + line + "\n")
    _print_left_out(layout, sys.stdout)


def _print_csv(table: Table) -> None:
    """Print a table as CSV to standard output, and its title as a line beside it."""
    printed = _printed.get()
    print_line(table.title)
    sys.stdout.write(("\n" if printed.has_table else "") + csv_of(table))
    printed.has_table = True


def _print_left_out(layout: Layout, stream: TextIO) -> None:
    if left := layout.left_out:
        columns = f"{len(left)} column{'' if len(left) == 1 else 's'} left out"
        print_line(f"{columns}: {', '.join(left)} (--wide or --csv has them)", stream)


def print_tables(tables: Iterable[Table], file: TextIO | None = None) -> None:
    """Print tables that have rows, with an empty line behind each.

    Parameters
    ----------
    tables
        The tables; those without rows are left out.
    file
        Where; None: standard output.
    """
    for table in tables:
        if table.rows:
            print_table(table, file)
            print_line(file=file)


def print_line(text: str = "", file: TextIO | None = None, *, folded: bool = True) -> None:
    """Print a text that stands beside tables, folded at spaces as wide as these.

    Parameters
    ----------
    text
        One line or several.
    file
        Where; None: standard output.
    folded
        Whether it may be folded, unlike a line that is to be copied.
    """
    stream = file or sys.stdout
    if form_of_tables() == "csv":
        if is_quiet() or not text.strip():
            return
        stream = sys.stderr
    width = _line_width(stream) if folded else None
    lines = for_terminal(text).split("\n")
    if width is not None:
        lines = [part for line in lines for part in _folded(line, width)]
    stream.write("\n".join(lines) + "\n")


def _folded(line: str, width: int) -> list[str]:
    """Return a line in lines with the same indent."""
    if width_of(line) <= width:
        return [line]
    words = line.lstrip(" ")
    indent = " " * (len(line) - len(words))
    return [indent + part for part in fold(words, width - len(indent), whole=True)]


def _line_width(stream: TextIO) -> int | None:
    """Return how many characters a line may have; None: any number.

    ``COLUMNS`` does not count in files and pipes: readline sets it for all that Python starts.
    """
    if form_of_tables() == "wide" or not stream.isatty():
        return None
    asked = os.environ.get("COLUMNS", "")
    if asked.isdecimal() and int(asked):
        return int(asked)
    try:
        return os.get_terminal_size(stream.fileno()).columns or USUAL_WIDTH
    except (OSError, ValueError):
        return USUAL_WIDTH


def _encodable(text: str, stream: TextIO) -> str:
    """Return a drawing whose rule the stream can encode."""
    try:
        "─".encode(stream.encoding or "utf-8")
    except UnicodeEncodeError:
        return text.replace("─", "-")
    return text
