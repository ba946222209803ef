r"""Texts of users and of files where they are printed or written: no text commands a terminal.

Titles, names of functions, machines, files and hosts, and command lines may hold any bytes.
Characters that a terminal would obey (escapes, carriage returns) and bytes that are not UTF-8 are
written as Python writes them: ``\x1b``. Long texts are cut, with their length.
"""

from __future__ import annotations

import json
import re
import unicodedata

__all__ = [
    "MOST_OF_A_CELL",
    "MOST_OF_A_LINE",
    "for_file",
    "for_table",
    "for_terminal",
    "json_document",
    "width_of",
]

MOST_OF_A_LINE = 8_000
"""Characters of a line that a terminal gets: paths and messages are shorter."""

MOST_OF_A_CELL = 1_000
"""Characters of a cell of a table."""

_NOT_IN_JSON = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff]")


def for_terminal(text: str) -> str:
    r"""Return lines for a terminal, without anything that commands it.

    Parameters
    ----------
    text
        One line or several; the ends of lines and tabs stay.

    Examples
    --------
    >>> print(for_terminal("a \x1b[31mname\r"))
    a \x1b[31mname\r
    """
    return "\n".join(_cut(_escaped(line, "\t"), MOST_OF_A_LINE) for line in text.split("\n"))


def for_table(text: str) -> str:
    r"""Return the text of a cell: one line, without anything that commands a terminal.

    Parameters
    ----------
    text
        Any text.

    Examples
    --------
    >>> print(for_table("two\nlines"))
    two lines
    """
    return _cut(_escaped(re.sub(r"[\t-\r]+", " ", text)), MOST_OF_A_CELL)


def for_file(text: str) -> str:
    r"""Return a text as files hold it: escapes for bytes beyond UTF-8 and control characters.

    Parameters
    ----------
    text
        A name or a command line, which may be of any bytes; lines and tabs stay.

    Examples
    --------
    >>> print(for_file(f"./p {chr(0xDCFF)}{chr(13)} ä"))
    ./p \udcff\r ä
    """
    return _escaped(text, "\n\t")


def json_document(document: object, *, indent: int | None = None) -> str:
    r"""Return a document as JSON, with letters of all languages and escapes for the rest.

    Parameters
    ----------
    document
        Plain data.
    indent
        Spaces before each level of nesting; None: one line.

    Examples
    --------
    >>> print(json_document({"name": "Zoë\x1b\x9b"}))
    {"name": "Zoë\u001b\u009b"}
    """
    text = json.dumps(document, indent=indent, ensure_ascii=False)
    return _NOT_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _escaped(text: str, kept: str = "") -> str:
    if text.isprintable():
        return text
    return "".join(
        each
        if each.isprintable() or each in kept
        else each.encode("unicode_escape").decode("ascii")
        for each in text
    )


def _cut(text: str, most: int) -> str:
    """Return a text of a length at most, which ends with the number of characters if it is cut."""
    if len(text) <= most:
        return text
    end = f"… ({len(text):,} characters)"
    return text[: most - len(end)] + end


def width_of(text: str) -> int:
    """Return how many columns of a terminal a text takes.

    Parameters
    ----------
    text
        A line.
    """
    return sum(
        0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )
