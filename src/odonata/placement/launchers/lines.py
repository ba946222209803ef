"""Lines of a file for a launcher, without comments and empty ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO

__all__ = ["Line", "lines_of"]


@dataclass(frozen=True)
class Line:
    """A line of a file that is not empty, without its comment.

    Parameters
    ----------
    text
        The line.
    where
        ``file:line``.
    """

    text: str
    where: str


def lines_of(text: str, where: str) -> Iterator[Line]:
    """Yield the lines of a text.

    Parameters
    ----------
    text
        The text.
    where
        Name of its file.
    """
    for at, line in enumerate(StringIO(text), start=1):
        stripped = line.partition("#")[0].strip()
        if stripped:
            yield Line(stripped, f"{where}:{at}")
