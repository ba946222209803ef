"""The profile of a DUMPI trace, counted from the calls as they were recorded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from odonata import _core
from odonata.interchange import dumpi
from odonata.profile.of_trace import of_profiler
from odonata.profile.tables import Profile

__all__ = ["read_dumpi"]


def read_dumpi(path: Path) -> Profile:
    """Return the profile of the recorded calls of a DUMPI trace, whatever else was not recorded.

    Parameters
    ----------
    path
        See `odonata.interchange.dumpi.read_dumpi`.

    Raises
    ------
    UserError
        There is no trace, a rank's file is missing, or one is damaged.
    """
    with dumpi.opened(path) as (trace, account):
        profiler = _core.Profiler(account.ranks)
        profiler.add_source(trace.source())
        found = of_profiler(
            profiler,
            account.ranks,
            source="DUMPI",
            timed=False,
            ended=True,
            program=trace.program(),
            machine="",
        )
    notes = [f"{count} {reason}" for reason, count in account.left_out.items()]
    return replace(
        found,
        coverage=account.coverage,
        notes=[*notes, *account.notes],
        unknown=account.unknown,
    )
