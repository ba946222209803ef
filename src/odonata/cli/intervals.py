"""``--interval``: in which a measured time is expected, and the parts of the interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TextIO

from odonata import report, simulate
from odonata.errors import UserError
from odonata.machine import Machine
from odonata.result import Result, Run
from odonata.units import format_time

if TYPE_CHECKING:
    from odonata.trust.decisions import Decision  # imports NumPy
    from odonata.trust.intervals import Interval  # imports NumPy

__all__ = ["coverage", "decisions", "print_interval", "with_interval"]

LEAST, MOST = 0.5, 0.99


def coverage(text: str) -> float:
    """Return the share that ``--interval`` asks for.

    Parameters
    ----------
    text
        Such as ``90%`` or ``0.9``.

    Raises
    ------
    UserError
        It is not a share, or out of range.

    Examples
    --------
    >>> coverage("90%")
    0.9
    """
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


def decisions(runs: Sequence[Run], machines: Sequence[Machine]) -> list[Decision]:
    """Return how often the fastest algorithm is faster than the next, in each circumstances.

    Parameters
    ----------
    runs
        Runs of a comparison.
    machines
        Machine of each.
    """
    from odonata.trust.decisions import decision  # imports NumPy

    groups: dict[str, list[Run]] = {}
    built: dict[str, Machine] = {}
    for run, machine in zip(runs, machines, strict=True):
        got = run.summary
        if got["operation"] is not None and got["algorithm"] is not None:
            key = str([got["machine"], got["changes"], report.circumstances(Result(run))])
            groups.setdefault(key, []).append(run)
            built[key] = machine
    made = (decision(alike, built[key]) for key, alike in groups.items())
    return [each for each in made if each is not None]


def print_interval(found: Interval, file: TextIO) -> None:
    """Print the parts of an interval.

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
