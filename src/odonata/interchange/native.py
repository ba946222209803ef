"""Our own traces, as one format among others."""

from __future__ import annotations

from pathlib import Path

from odonata.errors import ReadError, UserError
from odonata.files import NewFile, read_beginning
from odonata.interchange.report import Conversion
from odonata.trace import Reader
from odonata.trace.logs import find_trace, has_trace

__all__ = ["is_native", "read_native", "write_native"]

PIECE = 2**20
"""Bytes that are copied at a time."""

SIGNATURE = b"\x89ODT\r\n\x1a\n"


def is_native(path: Path) -> bool:
    """Whether a file begins as our traces do, or a folder holds one."""
    if path.is_dir():
        return has_trace(path)
    return read_beginning(path, len(SIGNATURE)) == SIGNATURE


def read_native(path: Path, target: Path) -> Conversion:
    """Write a trace once more, checked.

    Raises
    ------
    UserError
        The trace is damaged, or its end is missing.
    WriteError
        The target could not be written.
    """
    if path.is_dir():
        path = find_trace(path)
    with Reader(path) as reader:
        account = Conversion("odonata", ranks=reader.header.ranks)
        account.calls = sum(block.num_calls for block in reader.blocks())
        if reader.totals is None:
            raise UserError(f"{path}: the end of the trace is missing")
    copy = NewFile(target)
    try:
        with path.open("rb") as file:
            while piece := file.read(PIECE):
                copy.write(piece)
    except OSError as error:
        copy.discard()
        raise ReadError.of(error, path) from error
    copy.finish()
    return account


def write_native(path: Path, target: Path) -> Conversion:
    """Write a trace once more, checked; see `read_native`."""
    return read_native(path, target)
