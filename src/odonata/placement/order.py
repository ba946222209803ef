"""Orders of ranks: which rank takes the part of rank 0, 1, 2, ...

An order is a permutation: its i-th number is the rank that takes the part of rank i. A file has the
numbers in plain text, with spaces or line ends between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from odonata.errors import ReadError, UserError
from odonata.files import read_bytes

__all__ = ["MOST_ORDER_BYTES", "check_order", "inverse", "read_order"]

MOST_ORDER_BYTES = 2**24
"""Largest file that lists ranks [B]."""


def read_order(path: str | Path, sizes: Sequence[int]) -> tuple[int, ...]:
    """Return the order that a file lists.

    Parameters
    ----------
    path
        The file.
    sizes
        Numbers of ranks that it may have.

    Raises
    ------
    UserError
        The file cannot be read, has another number of entries, or is no permutation; says in which
        line.
    """
    try:
        lines = read_bytes(path, MOST_ORDER_BYTES, what="reorder").decode().splitlines()
    except UnicodeDecodeError as error:
        raise ReadError.of(error, path) from error
    entries = [(word, at) for at, line in enumerate(lines, start=1) for word in line.split()]
    words = [word for word, _ in entries]
    if len(words) not in sizes:
        raise UserError(
            f"reorder: {path}: has another number of entries than the run has ranks",
            value=len(words),
            allowed=" or ".join(map(str, sizes)),
        )
    return check_order(words, where=[f"{path}:{at}" for _, at in entries])


def check_order(
    words: Sequence[str] | Sequence[int],
    *,
    what: str = "reorder",
    where: Sequence[str] | None = None,
) -> tuple[int, ...]:
    """Return an order, which must have every rank once.

    Parameters
    ----------
    words
        Numbers, or texts of numbers without anything else.
    what
        Name of the order in errors.
    where
        Places of the entries in errors, as ``file:line``; None: their numbers.

    Raises
    ------
    UserError
        An entry is no rank, or is listed twice.

    Examples
    --------
    >>> check_order(["2", "0", "1"])
    (2, 0, 1)
    """
    known = {str(rank) for rank in range(len(words))}
    for number, word in enumerate(map(str, words)):
        if word not in known:
            allowed = f"0 to {len(words) - 1}, each once"
            raise UserError(
                f"{what}: not a rank, or listed twice",
                value=word,
                allowed=allowed,
                where=f"entry {number}" if where is None else where[number],
            )
        known.remove(word)
    return tuple(map(int, words))


def inverse(order: Sequence[int]) -> tuple[int, ...]:
    """Return the order that undoes another one.

    Parameters
    ----------
    order
        A permutation.

    Examples
    --------
    >>> inverse([2, 0, 1])
    (1, 2, 0)
    """
    undone = [0] * len(order)
    for at, rank in enumerate(order):
        undone[rank] = at
    return tuple(undone)
