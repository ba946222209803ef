"""Lines of files that other tools wrote: any bytes, plain or compressed by gzip."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from odonata.errors import ReadError, UserError
from odonata.files import open_stream

__all__ = ["open_raw", "raw_chunks", "raw_lines"]

MOST_BYTES = 2 * 2**30
"""Bytes of a file, when it is not compressed."""

MOST_IN_LINE = 1_000_000
"""Bytes of a line; Slurm's files list all nodes of a switch in one."""


CHUNK = 2**22
"""Bytes that are read at once."""


def open_raw(stored: BinaryIO) -> BinaryIO:
    """Return the plain content of a file that is open, which may be compressed.

    Parameters
    ----------
    stored
        The file.
    """
    buffered = io.BufferedReader(stored)  # type: ignore[type-var]
    if buffered.peek(2)[:2] == b"\x1f\x8b":
        return gzip.GzipFile(fileobj=buffered)  # type: ignore[return-value]
    return buffered


def raw_lines(path: Path, *, what: str) -> Iterator[tuple[int, str]]:
    """Yield number and text of every line, with replacements for bytes that are not UTF-8.

    Parameters
    ----------
    path
        The file.
    what
        Name of the thing in errors.

    Raises
    ------
    UserError
        The file cannot be read, is damaged, or too long.
    """
    with _opened(path, what) as file:
        rest = MOST_BYTES
        for number, line in enumerate(iter(lambda: file.readline(MOST_IN_LINE + 1), b""), 1):
            rest -= len(line)
            if len(line) > MOST_IN_LINE or rest < 0:
                raise _too_long(what, f"{path}:{number}")
            yield number, line.decode("utf-8", "replace").rstrip("\r\n")


def raw_chunks(path: Path, *, what: str) -> Iterator[tuple[int, bytes]]:
    """Yield whole lines, many at once, with the number of the first one.

    Parameters
    ----------
    path, what
        The same as for `raw_lines`.

    Raises
    ------
    UserError
        The same as `raw_lines`.
    """
    with _opened(path, what) as file:
        number, rest, left = 1, b"", MOST_BYTES
        while chunk := file.read(CHUNK):
            left -= len(chunk)
            whole, newline, rest = (rest + chunk).rpartition(b"\n")
            if len(rest) > MOST_IN_LINE or left < 0:
                raise _too_long(what, f"{path}:{number}")
            yield number, whole + newline
            number += whole.count(b"\n") + len(newline)
        yield number, rest


@contextmanager
def _opened(path: Path, what: str) -> Iterator[BinaryIO]:
    """Open a file, and say what errors of reading mean."""
    try:
        with open_stream(path) as stored:
            yield open_raw(stored)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise UserError(f"{what}: truncated or damaged: {error}", where=str(path)) from error
    except OSError as error:
        raise ReadError.of(error, path) from error


def _too_long(what: str, where: str) -> UserError:
    allowed = f"{MOST_BYTES} bytes, {MOST_IN_LINE} in a line"
    return UserError(f"{what}: too long", allowed=allowed, where=where)
