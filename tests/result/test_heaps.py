"""Damaged heaps of HDF5 files, which the HDF5 library would read for ever."""

from __future__ import annotations

import contextlib
import struct

import pytest

from odonata.errors import UserError
from odonata.result import Result
from odonata.result.heaps import HEAD, OBJECT, SIGNATURE, check_heaps


def objects(content):
    """Return where each heap of a file begins and where the heads of its objects are."""
    found = []
    start = content.find(SIGNATURE)
    while start >= 0:
        size = HEAD.unpack_from(content, start)[1]
        places, at = [], start + HEAD.size
        while at + OBJECT.size <= start + size:
            index, _, _, taken = OBJECT.unpack_from(content, at)
            places.append(at)
            if index == 0:
                break
            at += OBJECT.size + -(-taken // 8) * 8
        found.append((start, places))
        start = content.find(SIGNATURE, start + 1)
    return found


def test_what_was_written_has_whole_heaps(saved):
    with saved.open("rb") as file:
        check_heaps(file)
    assert sum(len(places) for _, places in objects(saved.read_bytes())) > 10


@pytest.mark.parametrize("number", [1, 2, 4, 7])
def test_zeros_over_an_object_are_refused(saved, number):
    content = bytearray(saved.read_bytes())
    _, places = objects(bytes(content))[0]
    content[places[number] : places[number] + OBJECT.size] = bytes(OBJECT.size)
    saved.write_bytes(content)
    with pytest.raises(UserError, match="damaged: free room of 0 bytes"):
        Result.load(saved)


@pytest.mark.parametrize("size", [2**40, 2**64 - 1, 10_000])
def test_an_object_beyond_its_heap_is_refused(saved, size):
    content = bytearray(saved.read_bytes())
    _, places = objects(bytes(content))[0]
    struct.pack_into("<Q", content, places[0] + 8, size)
    saved.write_bytes(content)
    with pytest.raises(UserError, match=f"damaged: an object of {size} bytes"):
        Result.load(saved)


def test_an_object_may_fill_its_heap_and_no_byte_more(saved):
    whole = saved.read_bytes()
    start, places = objects(whole)[0]
    room = start + HEAD.unpack_from(whole, start)[1] - places[0] - OBJECT.size
    for size, fits in ((room, True), (room + 1, False)):
        content = bytearray(whole)
        struct.pack_into("<Q", content, places[0] + 8, size)
        saved.write_bytes(content)
        problem = contextlib.nullcontext() if fits else pytest.raises(ValueError, match="object of")
        with saved.open("rb") as file, problem:
            check_heaps(file)


def test_a_heap_beyond_its_file_is_refused(saved):
    content = bytearray(saved.read_bytes())
    start, _ = objects(bytes(content))[0]
    struct.pack_into("<Q", content, start + 8, len(content))
    saved.write_bytes(content)
    with pytest.raises(UserError, match="damaged: a heap of"):
        Result.load(saved)
