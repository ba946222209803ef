"""The files that a run writes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from odonata.errors import UserError

__all__ = ["check_result_name", "open_output"]


@contextmanager
def open_output(path: str | Path | None, otherwise: int = 1) -> Iterator[int]:
    """Open the file that standard output of ranks goes to, and give its descriptor.

    Parameters
    ----------
    path
        The file; one that exists is replaced.
    otherwise
        Descriptor when there is no file.
    """
    if path is None:
        yield otherwise
        return
    with Path(path).open("wb") as file:
        yield file.fileno()


def check_result_name(option: str, path: Path, other: str) -> None:
    """Refuse a result file that looks like the text of a program.

    Parameters
    ----------
    option
        How the caller names the result file.
    path
        The result file.
    other
        How the caller names the file of the program's standard output.

    Raises
    ------
    UserError
        The name is not in ``.nc``.
    """
    if path.suffix != ".nc":
        raise UserError(
            f"{option}: is the result file; the program's standard output goes to {other}",
            value=str(path),
            allowed="a name in .nc",
        )
