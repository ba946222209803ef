"""The profile of a trace: the same counts as a recorder's, with times if the trace has them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from odonata import _core
from odonata.interchange.report import Coverage
from odonata.profile.counters import Cells, tables
from odonata.profile.files import head_levels, head_ticks
from odonata.profile.tables import Profile
from odonata.profile.waiting import WaitReader
from odonata.trace import Header, Reader

__all__ = ["coverage_of", "of_profiler", "read_trace"]


def read_trace(path: str | Path) -> Profile:
    """Return the profile of a trace, which may be cut off; its blocks are read one by one.

    Parameters
    ----------
    path
        The trace.

    Raises
    ------
    UserError
        The trace isn't there, is no trace, or damaged.
    """
    with Reader(path) as reader:
        reader.require_calls()
        header = reader.header
        profiler = _core.Profiler(header.ranks)
        waits = WaitReader(reader)
        timed = False
        for block in reader.blocks():
            timed = timed or len(block.times) > 0
            ranks, calls, words, found, *_ = block.as_bytes()
            profiler.add(ranks, calls, words, found, *block.times_as_bytes())
            waits.add(block)
        ended = reader.totals is not None
    whole = of_profiler(
        profiler,
        header.ranks,
        source="trace",
        timed=timed,
        ended=ended,
        program=header.program,
        machine=header.machine,
    )
    return replace(whole, coverage=coverage_of(header), waiting=waits.found())


def coverage_of(header: Header) -> Coverage | None:
    """Return how many calls of the program a converted trace has; None: unknown, or all.

    Parameters
    ----------
    header
        Description of the trace.
    """
    made, recorded = (header.options.get(name) for name in ("calls_made", "calls_recorded"))
    if not isinstance(made, int) or not isinstance(recorded, int) or made < 1:
        return None
    return Coverage({"all": made}, {"all": recorded})


def of_profiler(
    profiler: _core.Profiler,
    ranks: int,
    *,
    source: str,
    timed: bool,
    ended: bool,
    program: str,
    machine: str,
) -> Profile:
    """Return the counts.

    Parameters
    ----------
    profiler
        Counts of all ranks.
    ranks
        How many there are.
    source, timed, program
        See `Profile`.
    ended
        Whether the run came to its end.
    machine
        Where it ran.
    """
    profiler.finish()
    heads = [profiler.head(rank) for rank in range(ranks)]
    levels = [head_levels(head) for head in heads]
    known = list(dict.fromkeys(level for own in levels for level in own))
    number = {level: at for at, level in enumerate(known)}
    cells = [
        Cells(
            rank=rank,
            phases=np.array([number[level] for level in levels[rank]]),
            cells=np.asarray(profiler.cells(rank)),
            seconds_per_tick=1e-12,
            wall_ticks=head_ticks(heads[rank]),
            phase=0,
            phase_ticks=0,
            ended=ended,
        )
        for rank in range(ranks)
    ]
    return tables(
        cells,
        Profile(
            ranks=ranks,
            source=source,
            timed=timed,
            program=program,
            library=machine,
            phases=tuple(known),
        ),
        "trace",
    )
