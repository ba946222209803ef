"""Tables in lines of a given width, in which no number is cut."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Protocol

from odonata.text import width_of

__all__ = ["Layout", "fit", "fold"]

GAP = 2
"""Spaces between two columns."""

STAY = 2
"""Columns that stay even if they do not fit: the first one, and the first one of numbers."""

MOST_WHOLE = 18
"""Width of words and cells of words that are not folded."""

MOST_OF_A_NAME = 28
"""The same of words in the first column, which are names of the rows."""

_UNIT = re.compile(r"%|([kKMGT]i?)?B(/s)?|[mµunp]?s")
_NUMBER = r"[+-]?(?:\d{1,3}(?:,\d{3}){1,6}|\d+)(?:\.\d+)?(?:[eE][+-]?\d+)?"
_WHOLE = re.compile(rf"{_NUMBER}(?:-\d+|(?: (?:{_UNIT.pattern})))?,?|.", re.DOTALL)


class Tabular(Protocol):
    """Table that can be laid out: see `odonata.report.Table`."""

    @property
    def columns(self) -> Sequence[str]:
        """Names of the columns."""

    @property
    def rows(self) -> Sequence[Sequence[str]]:
        """Cells."""

    @property
    def least(self) -> Sequence[str]:
        """Names of columns that are left out first."""

    def is_left(self, at: int) -> bool:
        """Return whether a column holds words."""


@dataclass(frozen=True)
class Layout:
    """Columns of a table that are shown.

    Parameters
    ----------
    table
        The table.
    shown
        Numbers of the columns.
    widths
        Width of each of these.
    """

    table: Tabular
    shown: Sequence[int]
    widths: Sequence[int]

    @property
    def left_out(self) -> list[str]:
        """Names of the other columns."""
        there = {*self.shown}
        return [name for at, name in enumerate(self.table.columns) if at not in there]

    @property
    def width(self) -> int:
        """Width of the lines."""
        return sum(self.widths) + GAP * (len(self.widths) - 1)

    def __str__(self) -> str:
        return "\n".join([*self.head(), "─" * self.width, *self.body()])

    def head(self) -> list[str]:
        """Return the lines of the header."""
        cells = self._cells(self.table.columns)
        most = max(map(len, cells))
        return self._lines([[""] * (most - len(lines)) + lines for lines in cells])

    def body(self) -> list[str]:
        """Return the lines of the rows."""
        return [line for row in self.table.rows for line in self._lines(self._cells(row))]

    def _cells(self, row: Sequence[str]) -> list[list[str]]:
        return [fold(row[at], width) for at, width in zip(self.shown, self.widths, strict=True)]

    def _lines(self, cells: Iterable[Sequence[str]]) -> list[str]:
        """Return the lines of cells side by side; there is at least one."""
        return [self._line(line) for line in zip_longest(*cells, fillvalue="")] or [""]

    def _line(self, texts: Iterable[str]) -> str:
        padded = []
        for at, width, text in zip(self.shown, self.widths, texts, strict=True):
            space = " " * (width - width_of(text))
            padded.append(text + space if self.table.is_left(at) else space + text)
        return (" " * GAP).join(padded).rstrip()


@dataclass(frozen=True)
class _Width:
    """Width that a column needs when its texts are folded, and when they are not."""

    least: int
    most: int

    @classmethod
    def of(cls, name: str, cells: Sequence[str], whole_word: int) -> _Width:
        """Return the widths of a column whose words are not folded up to some width."""
        least = max((width_of(word) for word in _pieces(name, MOST_WHOLE)), default=0)
        most = width_of(" ".join(name.split()))
        for cell in cells:
            whole = width_of(" ".join(cell.split()))
            pieces = (width_of(piece) for piece in _pieces(cell, whole_word))
            least = max(least, min(whole, MOST_WHOLE), *pieces)
            most = max(most, whole)
        return cls(least, most)


def fit(table: Tabular, width: int | None) -> Layout:
    """Return the columns of a table that fit into lines.

    Headers and words are folded at spaces, and words of more than 18 characters between any two
    characters; numbers stay in one piece, with their unit. Where this is not enough, columns are
    left out: first `Table.least`, then numbers from the right, then words. A column that still fits
    stays, and so do the first one and the first one of numbers.

    Parameters
    ----------
    table
        A table.
    width
        Characters of a line; None: any number.
    """
    columns = [
        _Width.of(name, [row[at] for row in table.rows], MOST_WHOLE if at else MOST_OF_A_NAME)
        for at, name in enumerate(table.columns)
    ]
    if width is None:
        return Layout(table, range(len(columns)), [column.most for column in columns])
    shown: list[int] = []
    for at in _most_important(table):
        more = sorted([*shown, at])
        if len(shown) < STAY or _spare([columns[each] for each in more], width) >= 0:
            shown = more
    return Layout(table, shown, _widths([columns[at] for at in shown], width))


def fold(text: str, width: int, *, whole: bool = False) -> list[str]:
    """Return a text in lines; a number with its unit that is longer has a longer line.

    Parameters
    ----------
    text
        The text. Spaces and ends of lines count as one space.
    width
        Characters of a line.
    whole
        Whether words that are longer have a longer line, too, as names of files should.

    Examples
    --------
    >>> fold("mean latency of 1.25 us", 8)
    ['mean', 'latency', 'of', '1.25 us']
    >>> fold("run-of-2026.nc", 8)
    ['run-of', '-2026.nc']
    """
    lines: list[str] = []
    for word in _words(text):
        if lines and width_of(lines[-1]) + 1 + width_of(word) <= width:
            lines[-1] += " " + word
        else:
            lines += [word] if whole or width_of(word) <= width else _broken(word, width)
    return lines


def _words(text: str) -> list[str]:
    """Return the words of a text; a unit is part of the number before it."""
    words: list[str] = []
    for word in text.split():
        if words and words[-1][-1].isdigit() and _UNIT.fullmatch(word.rstrip(".,;:)")):
            words[-1] += " " + word
        else:
            words.append(word)
    return words


def _pieces(text: str, whole_word: int) -> list[str]:
    """Return the parts of a text that stay whole."""
    return [
        piece
        for word in _words(text)
        for piece in ([word] if width_of(word) <= whole_word else _parts(word))
    ]


def _parts(word: str) -> list[str]:
    """Return the numbers and the other characters of a word."""
    return [found.group() for found in _WHOLE.finditer(word)]


def _broken(word: str, width: int) -> list[str]:
    """Return a word in pieces that fit into a line."""
    pieces: list[str] = []
    for part in _parts(word):
        if pieces and width_of(pieces[-1]) + width_of(part) <= width:
            pieces[-1] += part
        else:
            pieces.append(part)
    return pieces


def _most_important(table: Tabular) -> list[int]:
    """Return the columns in the order in which they are given room."""
    all_columns = range(len(table.columns))
    words = [at for at in all_columns if table.is_left(at)]
    numbers = [at for at in all_columns if not table.is_left(at)]
    last = [table.columns.index(name) for name in reversed(table.least) if name in table.columns]
    order = dict.fromkeys([0, *numbers[:1], *words, *numbers])
    return [*(at for at in order if at not in last), *last]


def _spare(columns: Sequence[_Width], width: int) -> int:
    """Return how many characters of a line are left when all columns are folded."""
    return width - sum(column.least for column in columns) - GAP * (len(columns) - 1)


def _widths(columns: Sequence[_Width], width: int) -> list[int]:
    """Return the widths of columns; the columns that lack least are widened first."""
    spare = max(0, _spare(columns, width))
    widths = [column.least for column in columns]
    order = sorted(range(len(columns)), key=lambda at: columns[at].most - columns[at].least)
    for done, at in enumerate(order):
        more = min(columns[at].most - columns[at].least, spare // (len(order) - done))
        widths[at] += more
        spare -= more
    return widths
