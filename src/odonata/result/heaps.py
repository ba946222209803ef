"""Heaps of HDF5 files, in which texts of attributes lie.

The HDF5 library (1.14) reads a heap object by object and never ends where one takes no room.
"""

from __future__ import annotations

import mmap
import struct
from typing import BinaryIO

__all__ = ["check_heaps"]

SIGNATURE = b"GCOL\x01\x00\x00\x00"  # version 1, the only one
HEAD = struct.Struct("<8sQ")  # signature, bytes of the heap
OBJECT = struct.Struct("<HHIQ")  # index, references, nothing, bytes of the object


def check_heaps(file: BinaryIO) -> None:
    """Check that the objects of each heap of an HDF5 file follow one another.

    Parameters
    ----------
    file
        The file, open, and not empty.

    Raises
    ------
    ValueError
        An object takes no room, or ends behind its heap.

    References
    ----------
    HDF5 File Format Specification 3.0, III.E: *Global Heap*.
    """
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        at = content.find(SIGNATURE)
        while at >= 0:
            if at + HEAD.size <= len(content):
                _check_heap(content, at)
            at = content.find(SIGNATURE, at + 1)


def _check_heap(content: mmap.mmap, start: int) -> None:
    _, size = HEAD.unpack_from(content, start)
    if size > len(content) - start:
        raise ValueError(f"a heap of {size} bytes at {start} ends behind the file")
    end = start + size
    at = start + HEAD.size
    while at + OBJECT.size <= end:
        index, _, _, taken = OBJECT.unpack_from(content, at)
        # Index 0 is free room, whose size counts this head; it is the last.
        if index == 0:
            if taken != end - at:
                raise ValueError(f"free room of {taken} bytes at {at} of a heap that ends at {end}")
            return
        if taken > end - at - OBJECT.size:
            raise ValueError(f"an object of {taken} bytes at {at} of a heap that ends at {end}")
        at += OBJECT.size + -(-taken // 8) * 8
