"""Tables: for a page of Markdown, for a notebook, for rich."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from odonata.report.layout import fit
from odonata.text import MOST_OF_A_CELL, for_table, width_of
from odonata.units import Written

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

__all__ = ["Table"]


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
        How many columns from the left hold words, or which ones do; the others hold numbers.
    title
        Title of the table.
    least
        Names of columns that a narrow terminal leaves out before others.

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
    left: int | Collection[int] = 1
    title: str = ""
    least: Sequence[str] = ()

    def __post_init__(self) -> None:
        rows = [self.columns, *self.rows]
        if not all(_is_shown(cell) for row in rows for cell in row):
            columns, *shown = [[_shown(cell) for cell in row] for row in rows]
            object.__setattr__(self, "columns", columns)
            object.__setattr__(self, "rows", shown)
        if not _is_shown(self.title):
            object.__setattr__(self, "title", _shown(self.title))

    def is_left(self, at: int) -> bool:
        """Return whether a column holds words.

        Parameters
        ----------
        at
            Number of the column.
        """
        return at < self.left if isinstance(self.left, int) else at in self.left

    def __str__(self) -> str:
        cells = [[_cell(text) for text in row] for row in [self.columns, *self.rows]]
        widths = [max(3, *(width_of(row[at]) for row in cells)) for at in range(len(self.columns))]
        rule = [
            ":" + "-" * (width + 1) if self.is_left(at) else "-" * (width + 1) + ":"
            for at, width in enumerate(widths)
        ]
        head, *body = [self._line(row, widths) for row in cells]
        return "\n".join([head, "|" + "|".join(rule) + "|", *body])

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.text import Text

        if self.title:
            yield Text(self.title)
        yield Text(str(fit(self, options.max_width)), no_wrap=True, overflow="ignore")

    def _repr_html_(self) -> str:
        def line(tag: str, row: Sequence[str]) -> str:
            sides = ["left" if self.is_left(at) else "right" for at in range(len(row))]
            cells = zip(sides, row, strict=True)
            made = (f"<{tag} style='text-align:{side}'>{escape(x)}</{tag}>" for side, x in cells)
            return f"<tr>{''.join(made)}</tr>"

        body = "".join(line("td", row) for row in self.rows)
        caption = f"<caption>{escape(self.title)}</caption>" if self.title else ""
        return f"<table>{caption}{line('th', self.columns)}{body}</table>"

    def _line(self, row: Sequence[str], widths: Sequence[int]) -> str:
        padded = []
        for at, (text, width) in enumerate(zip(row, widths, strict=True)):
            space = " " * (width - width_of(text))
            padded.append(text + space if self.is_left(at) else space + text)
        return "| " + " | ".join(padded) + " |"


def _cell(text: str) -> str:
    """Return a text that stays inside its cell of Markdown."""
    return " ".join(text.split()).replace("|", r"\|")


def _is_shown(cell: str) -> bool:
    return cell.isprintable() and len(cell) <= MOST_OF_A_CELL


def _shown(cell: str) -> str:
    """Return a cell for a terminal; numbers stay."""
    return cell if isinstance(cell, Written) else for_table(cell)
