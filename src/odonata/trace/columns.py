"""Columns of whole numbers as bytes: little more than they need, before compression.

A column of n values is 18 bytes of header and ``n * width`` bytes of contents::

    0   u1  coding   0: the values; 1: differences from the value before
    1   u1  width    bytes of each: 0, 1, 2, 4 or 8
    2   u8  base     was subtracted from each
    10  u8  first    coding 1: the first value, whose difference counts for nothing

All is modulo 2^64. The contents are byte planes: the lowest byte of every value, then the next one
of every value, and so on.
"""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import NDArray

__all__ = ["HEADER_BYTES", "DamagedError", "decode", "encode"]

_HEADER = struct.Struct("<BBQQ")
HEADER_BYTES = _HEADER.size
WIDTHS = (0, 1, 2, 4, 8)
VALUES, DIFFERENCES = 0, 1

Words = NDArray[np.uint64]


class DamagedError(Exception):
    """The bytes that were read are damaged."""


def encode(values: NDArray[np.generic]) -> bytes:
    """Return the bytes of a column.

    Parameters
    ----------
    values
        Whole numbers of at most 64 bits, shape (n,).

    Examples
    --------
    >>> len(encode(np.arange(100, 1100)))  # all differences are alike
    18
    """
    if len(values) == 0:
        return _HEADER.pack(VALUES, 0, 0, 0)
    plain = values.astype(np.int64).view(np.uint64)
    steps = np.diff(plain, prepend=plain[:1])
    if len(steps) > 1:
        steps[0] = steps[1]
    base, width = _span(plain)
    step_base, step_width = _span(steps)
    if step_width < width:
        head = _HEADER.pack(DIFFERENCES, step_width, step_base, int(plain[0]))
        return head + _planes(steps - np.uint64(step_base), step_width)
    return _HEADER.pack(VALUES, width, base, 0) + _planes(plain - np.uint64(base), width)


def decode(content: memoryview, count: int) -> tuple[Words, memoryview]:
    """Read a column and return it with the rest.

    Parameters
    ----------
    content
        Bytes that begin with the column.
    count
        Number of values.

    Raises
    ------
    DamagedError
        It is no column, or shorter than it must be.
    """
    if len(content) < HEADER_BYTES:
        raise DamagedError("a column is missing")
    coding, width, base, first = _HEADER.unpack_from(content)
    end = HEADER_BYTES + count * width
    if coding not in (VALUES, DIFFERENCES) or width not in WIDTHS or len(content) < end:
        raise DamagedError("a column is damaged")
    values = np.zeros((count, 8), dtype=np.uint8)
    planes = np.frombuffer(content[HEADER_BYTES:end], dtype=np.uint8).reshape(width, count)
    values[:, :width] = planes.T
    words = values.view("<u8").reshape(count).astype(np.uint64, copy=False) + np.uint64(base)
    if coding == DIFFERENCES and count:
        words[0] = first
        words = np.cumsum(words, dtype=np.uint64)
    return words, content[end:]


def _span(values: Words) -> tuple[int, int]:
    """Return the least of some values, as they are when signed, and the width of the others."""
    least = values.view(np.int64).min().view(np.uint64)
    widest = int((values - least).max())
    width = next(width for width in WIDTHS if widest < 1 << 8 * width)
    return int(least), width


def _planes(values: Words, width: int) -> bytes:
    by_value = values.astype("<u8", copy=False).view(np.uint8).reshape(-1, 8)
    return by_value[:, :width].T.tobytes()
