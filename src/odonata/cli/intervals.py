"""``--interval``: in which a measured time is expected, and what it is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TextIO

from odonata import report, simulate
from odonata.errors import UserError
from odonata.result import Run
from odonata.units import format_time

if TYPE_CHECKING:
    from odonata.trust.intervals import Interval  # imports NumPy

__all__ = ["coverage", "print_interval", "with_interval"]

LEAST, MOST = 0.5, 0.99


def coverage(text: str | None) -> float | None:
    """Return the share that ``--interval`` asks for.

    Parameters
    ----------
    text
        Such as ``90%`` or ``0.9``; None: no interval.

    Raises
    ------
    UserError
        It is not a share, or out of range.

    Examples
    --------
    >>> coverage("90%")
    0.9
    """
    if text is None:
        return None
    allowed = f"{LEAST:.0%} to {MOST:.0%}, such as 90%"
    number = text.strip()
    try:
        share = float(number[:-1]) / 100 if number.endswith("%") else float(number)
    except ValueError:
        raise UserError("--interval: not a share", value=text, allowed=allowed) from None
    if not LEAST <= share <= MOST:
        raise UserError("--interval: out of range", value=text, allowed=allowed)
    return share


def with_interval(
    run: Run, share: float, again: Callable[[int], int] | None = None
) -> tuple[Run, Interval]:
    """Return a run whose summary has its interval, and the interval.

    Parameters
    ----------
    run
        A run that can be made again.
    share
        Share of measured times that are meant to be inside.
    again
        Makes the run with another seed, and returns its end [ps]; None: on the same nodes.
    """
    from odonata.trust.intervals import interval  # imports NumPy

    found = interval(run, simulate.Recipe.of_run(run).load_machine(), share, again)
    low, high = (format_time(round(end * 1e12)) for end in found.seconds)
    text = f"{low} to {high} ({share:.0%})".replace("%", " %")
    return replace(run, summary={**run.summary, "interval": text}), found


def print_interval(found: Interval, file: TextIO) -> None:
    """Print what an interval is made of.

    Parameters
    ----------
    found
        The interval.
    file
        Where to.
    """
    rows = [[name, f"{low:.2f} to {high:.2f}"] for name, (low, high) in found.parts.items()]
    title = f"Interval: {found.cases} cases, {found.basis}"
    report.print_line(file=file)
    report.print_tables([report.Table(["part", "of the simulated time"], rows, title=title)], file)
    for words in found.outside:
        report.print_line(f"outside of the measurements: {words}", file=file)
