"""Dry runs: a command checks its input, says how long it expects to run, and does not run.

>>> with dry_run() as expected:
...     expect(2.5)
...     expect(0.5)
>>> expected.seconds, is_dry()
(3.0, False)
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

__all__ = ["Expected", "dry_run", "expect", "is_dry"]


@dataclass
class Expected:
    """The expected time of the runs of a command [s]."""

    seconds: float = 0.0


_asked: list[Expected] = []
"""Dry runs under way, the innermost last."""


@contextmanager
def dry_run() -> Iterator[Expected]:
    """Let the commands of the block check their input, and add up how long they would run."""
    expected = Expected()
    _asked.append(expected)
    try:
        yield expected
    finally:
        _asked.pop()


def is_dry() -> bool:
    """Return whether a command shall check its input, and not run."""
    return bool(_asked)


def expect(seconds: float) -> None:
    """Say how long a run of this command is expected to take, if that is asked.

    Parameters
    ----------
    seconds
        The expected time [s].
    """
    if _asked:
        _asked[-1].seconds += seconds
