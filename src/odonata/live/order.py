"""Files that list who becomes which rank of a topology that may reorder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from odonata.errors import ReadError, UserError
from odonata.files import read_bytes

__all__ = ["check_order"]

MOST_ORDER_BYTES = 2**24
"""Largest file that lists ranks."""


def check_order(path: Path, ranks: Sequence[int]) -> None:
    """Raise UserError unless a file lists the ranks 0 to n - 1 of the run or of one program."""
    try:
        words = read_bytes(path, MOST_ORDER_BYTES, what="reorder").decode().split()
    except UnicodeDecodeError as error:
        raise ReadError.of(error, path) from error
    sizes = list(dict.fromkeys([sum(ranks), *ranks]))
    if len(words) not in sizes:
        raise UserError(
            f"reorder: {path}: has another number of entries than the run has ranks",
            value=len(words),
            allowed=" or ".join(map(str, sizes)),
        )
    known = {str(rank) for rank in range(len(words))}
    allowed = f"0 to {len(words) - 1}, each once"
    for number, word in enumerate(words):
        if word not in known:
            what = "reorder: not a rank, or listed twice"
            raise UserError(what, value=word, allowed=allowed, where=f"{path}:entry {number}")
        known.remove(word)
