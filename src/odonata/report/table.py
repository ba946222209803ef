"""Tables: for a terminal, for a page of Markdown, for a program."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.table import Table as RichTable

__all__ = ["Table", "print_table", "print_tables"]


@dataclass(frozen=True)
class Table:
    """Rows of text under named columns.

    ``str(table)`` is Markdown whose columns line up, so that it can be pasted into a page; rich
    and notebooks draw it in their own way.

    Parameters
    ----------
    columns
        Names of the columns, units included.
    rows
        Rows of as many texts as there are columns.
    left
        How many columns from the left hold words; the others hold numbers.
    title
        What the table shows.

    Examples
    --------
    >>> print(Table(["algorithm", "time"], [["ring", "1.3 ms"], ["bruck", "900 us"]]))
    | algorithm |   time |
    |:----------|-------:|
    | ring      | 1.3 ms |
    | bruck     | 900 us |
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int = 1
    title: str = ""

    def __str__(self) -> str:
        cells = [[_cell(text) for text in row] for row in [self.columns, *self.rows]]
        widths = [max(3, *(_width(row[at]) for row in cells)) for at in range(len(self.columns))]
        rule = [
            ":" + "-" * (width + 1) if at < self.left else "-" * (width + 1) + ":"
            for at, width in enumerate(widths)
        ]
        head, *body = [self._line(row, widths) for row in cells]
        return "\n".join([head, "|" + "|".join(rule) + "|", *body])

    def __rich__(self) -> RichTable:
        from rich import box
        from rich.table import Table as RichTable
        from rich.text import Text

        made = RichTable(title=self.title or None, box=box.SIMPLE_HEAD, title_justify="left")
        for at, column in enumerate(self.columns):
            made.add_column(Text(column), justify="left" if at < self.left else "right")
        for row in self.rows:
            made.add_row(*(Text(text) for text in row))
        return made

    def _repr_html_(self) -> str:
        from html import escape

        def line(tag: str, row: Sequence[str]) -> str:
            sides = ["left" if at < self.left else "right" for at in range(len(row))]
            cells = zip(sides, row, strict=True)
            made = (f"<{tag} style='text-align:{side}'>{escape(x)}</{tag}>" for side, x in cells)
            return f"<tr>{''.join(made)}</tr>"

        body = "".join(line("td", row) for row in self.rows)
        caption = f"<caption>{escape(self.title)}</caption>" if self.title else ""
        return f"<table>{caption}{line('th', self.columns)}{body}</table>"

    def _line(self, row: Sequence[str], widths: Sequence[int]) -> str:
        padded = []
        for at, (text, width) in enumerate(zip(row, widths, strict=True)):
            space = " " * (width - _width(text))
            padded.append(text + space if at < self.left else space + text)
        return "| " + " | ".join(padded) + " |"


def print_table(table: Table, file: TextIO | None = None) -> None:
    """Print a table: drawn by rich on a terminal, as Markdown into files and pipes.

    Parameters
    ----------
    table
        What to print.
    file
        Where; None: standard output.
    """
    stream = file or sys.stdout
    if not stream.isatty():
        title = f"{table.title}\n\n" if table.title else ""
        stream.write(f"{title}{table}\n")
        return
    from rich.console import Console

    Console(file=stream).print(table)


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
            print(file=file)


def _cell(text: str) -> str:
    """Keep a text inside its cell."""
    return " ".join(text.split()).replace("|", r"\|")


def _width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return sum(
        0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )
