"""Pages of studies with tables between ``<!-- name -->`` and ``<!-- end -->``.

Scripts in folders below import it after ``sys.path.append(str(Path(__file__).parents[1]))``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

__all__ = ["fill", "filled"]

END = "<!-- end -->"


def fill(page: Path, made: Mapping[str, object]) -> None:
    """Put tables, by name, between the marks of a page.

    Raises
    ------
    ValueError
        The page has no place for a table; it stays as it is.
    """
    page.write_text(filled(page.read_text(encoding="utf-8"), made), encoding="utf-8")


def filled(text: str, made: Mapping[str, object]) -> str:
    """Return the text of a page with tables between its marks, and its blank lines around them.

    Raises
    ------
    ValueError
        The page has no place for a table.
    """
    for name, table in made.items():
        head, mark, rest = text.partition(f"<!-- {name} -->\n")
        _, end, tail = rest.partition(END)
        if not mark or not end:
            raise ValueError(f"the page has no place for the table {name}")
        blank = "\n" if rest.startswith("\n") else ""
        text = f"{head}{mark}{blank}{table}\n{blank}{end}{tail}"
    return text
