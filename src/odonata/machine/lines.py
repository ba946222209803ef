"""Lines of the files that a machine file names."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

from odonata.errors import ReadError, UserError
from odonata.files import open_stream

__all__ = ["read_lines"]

MOST_LINES = 4_000_000
"""Most lines of a file, which has one for each port, or for each direction of a link."""

MOST_IN_LINE = 1_000
"""Bytes of a line."""


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield number and text of the lines that are not empty, without comments.

    Parameters
    ----------
    path
        The file; one that ends in ``.gz`` is compressed.

    Raises
    ------
    UserError
        The file cannot be read, is not plain text, or is too long.
    """
    try:
        with open_stream(path) as stored:
            file = gzip.GzipFile(fileobj=stored) if path.suffix == ".gz" else stored
            for number, line in enumerate(iter(lambda: file.readline(MOST_IN_LINE + 1), b""), 1):
                if number > MOST_LINES or len(line) > MOST_IN_LINE:
                    allowed = f"{MOST_LINES} lines of {MOST_IN_LINE} bytes"
                    where = f"{path}:{number}"
                    raise UserError(f"{path.name}: too long", allowed=allowed, where=where)
                content = line.decode("ascii").partition("#")[0].strip()
                if content:
                    yield number, content
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise UserError(f"{path.name}: truncated or damaged: {error}", where=str(path)) from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path.name}: not plain text", where=str(path)) from error
    except OSError as error:
        raise ReadError.of(error, path) from error
