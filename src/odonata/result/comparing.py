"""Runs without data that a comparison does not print: arrays of ranks, messages, links, samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from odonata import result
from odonata.result.columns import Columns
from odonata.result.explanation import Explanation
from odonata.result.result import Result
from odonata.result.run import ClassLoad, JobRun, Run

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["comparable"]


def comparable(run: Run, *, loads: bool = True) -> Run:
    """Return the data of a run for tables, figures, sentences and documents of several.

    Parameters
    ----------
    run
        The run, which is not changed.
    loads
        Whether the loads of its link classes are needed, as by tables and figures.

    Returns
    -------
    Run
        Its summary, its jobs without arrays, the loads, and its account of time with the critical
        path, if it has them. It can't be saved.
    """
    explained = run.explanation is not None
    return replace(
        run,
        jobs=tuple(_without_arrays(job, keep_ends=explained) for job in run.jobs),
        links=_links_on_path(run),
        loads=_loads(run) if loads else (),
        link_rates=[],
        buffers=Columns({}),
        samples=Columns({}),
        log=None,
        recipe=None,
        explanation=_without_record(run.explanation),
        machine=run.machine if explained else {},
    )


def _loads(run: Run) -> tuple[ClassLoad, ...]:
    return tuple(result.class_loads(Result(run)))


def _links_on_path(run: Run) -> Mapping[str, NDArray[np.int64]]:
    """Return where the links of the critical path lead, by number; nothing without a path."""
    if run.explanation is None or run.explanation.path is None:
        return Columns({})
    path = run.explanation.path
    numbers = sorted({*path["link"].tolist(), *path["full"].tolist()} - {-1})
    ends = {
        name: {link: int(run.links[name][link]) for link in numbers}
        for name in ("class", "from", "to")
    }
    return cast("Mapping[str, NDArray[np.int64]]", ends)


def _without_arrays(job: JobRun, *, keep_ends: bool) -> JobRun:
    """Return a job; an account of time adds up to the ends of its ranks."""
    return replace(
        job,
        nodes=job.nodes if keep_ends else [],
        finished=job.finished if keep_ends else [],
        marks=Columns({}),
        latencies=Columns({}),
        messages=None,
    )


def _without_record(account: Explanation | None) -> Explanation | None:
    if account is None:
        return None
    return replace(account, causes=None, kinds=None, acts=None)
