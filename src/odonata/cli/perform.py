"""Carries out the runs of ``odonata simulate`` or ``replay``, several at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING, Literal

from odonata import cli, result
from odonata.cli.experiment import Experiment
from odonata.cli.outputs import Outputs, names_apart
from odonata.cli.progress import ProgressBar
from odonata.errors import UserError
from odonata.machine import Machine
from odonata.result import Run
from odonata.simulate import Job, Progress, run
from odonata.simulate.meter import Meter
from odonata.workload import Replay

if TYPE_CHECKING:
    Row = Experiment | cli.replay_rows.ReplayRows

__all__ = ["perform"]


def perform(
    experiment: Experiment | cli.replay_rows.ReplayRows, outputs: Outputs, words: Sequence[str]
) -> None:
    """Run everything that was asked for, then print and write it.

    The runs of a comparison use all cores; each is written when it ends. When the runs are
    interrupted, the complete ones are printed, and the interruption is raised again.

    Parameters
    ----------
    experiment
        What to run.
    outputs
        Where the results go. Several runs with a folder are a study, which can be resumed.
    words
        Words of the command, without ``odonata``.
    """
    rows: Sequence[Row] = experiment.rows()
    if len(rows) > 1 and outputs.into_folder and not cli.dry.is_dry():
        cli.study_comparison.compare_in_folder(words, outputs)
        return
    outputs.check()
    if outputs.what_if and len(rows) > 1:
        raise UserError("--what-if: is for one run", value=f"{len(rows)} runs", allowed="one run")
    machines = _machines(rows)
    if cli.dry.is_dry():
        if len(rows) > 1:  # its document would have no numbers of its own
            raise UserError("a list of values", value=f"{len(rows)} runs", allowed="an axis")
        return
    if len(rows) == 1:
        (row,) = rows
        on = machines[row.machine_as_told]
        outputs.deliver(*_run(row, *on), partial(_end_of, row, on[0]))
    else:
        _compare(rows, machines, outputs)


def _machines(rows: Sequence[Row]) -> dict[object, tuple[Machine, float]]:
    """Check all runs before the first one, and return their machines with the time of building."""
    machines: dict[object, tuple[Machine, float]] = {}
    for row in rows:
        if row.machine_as_told not in machines:
            began = time.process_time()
            built = row.load_machine()
            machines[row.machine_as_told] = built, time.process_time() - began
        row.options()
        jobs = row.jobs(machines[row.machine_as_told][0])
        if cli.dry.is_dry():
            _expect(row, jobs, *machines[row.machine_as_told])
    return machines


def _compare(
    rows: Sequence[Row], machines: dict[object, tuple[Machine, float]], outputs: Outputs
) -> None:
    from odonata.simulate.workers import in_threads  # single runs have one thread

    apart = names_apart(rows)
    done: dict[int, tuple[Run, dict[str, object]]] = {}
    works = [partial(_made, row, machines[row.machine_as_told], outputs.coverage) for row in rows]
    try:
        with ProgressBar("comparison") as bar:
            for at, (made, besides) in in_threads(works):
                outputs.save_one(made, *apart[at])
                done[at] = result.comparable(made, loads=outputs.shows_loads), besides
                bar.note_part(len(done), len(rows), f"{len(done)} of {len(rows)} runs")
    except KeyboardInterrupt:
        if done:
            made_rows = sorted(done)
            settled = _settled(rows, made_rows)
            kept = [done[at] for at in made_rows]
            outputs.deliver_all(*zip(*kept, strict=True), planned=len(rows), settled=settled)
        raise
    machine_of = [machines[row.machine_as_told][0] for row in rows]
    in_order = [done[at] for at in range(len(rows))]
    outputs.deliver_all(*zip(*in_order, strict=True), machines=machine_of)


def _made(
    row: Row,
    on: tuple[Machine, float],
    coverage: float | None,
    check: Callable[[Progress], None],
) -> tuple[Run, dict[str, object]]:
    """Return a run of a comparison, and further entries of its document."""
    made, besides = _run(row, *on, check)
    if coverage is not None:
        again = partial(_end_of, row, on[0], check=check)
        made, found = cli.intervals.with_interval(made, coverage, again)
        besides |= found.document()
    return made, besides


def _expect(
    row: Row,
    jobs: Sequence[Job],
    machine: Machine,
    preparation: float,
) -> None:
    from odonata.simulate.expected import expected_seconds  # studies alone ask for it

    cli.dry.expect(preparation + expected_seconds(machine, jobs, row.options()))


CHOSEN = {
    *("machine", "changes", "fail", "slow", "routing", "bias", "allocation", "mapping"),
    *("ranks_per_nodes", "ranks_per_node", "packet_bytes"),
    *("algorithm", "collectives", "chosen", "seed", "seeds"),
}
"""Options that are chosen: runs that differ in these alone are compared."""


def _settled(rows: Sequence[Row], done: Sequence[int]) -> list[int]:
    """Return which of the finished runs no missing run would be compared with."""

    def met(row: Row) -> tuple[object, ...]:
        return tuple(getattr(row, each.name) for each in fields(row) if each.name not in CHOSEN)

    missing = [met(row) for at, row in enumerate(rows) if at not in done]
    return [number for number, at in enumerate(done) if met(rows[at]) not in missing]


def _end_of(
    row: Row, machine: Machine, seed: int, check: Callable[[Progress], None] | None = None
) -> int:
    """Return the end of a run with another seed, which may have other nodes [ps]."""
    return _run(replace(row, seed=seed, explain=False), machine, 0.0, check)[0].end


def _run(
    experiment: Row,
    machine: Machine,
    preparation: float,
    check: Callable[[Progress], None] | None = None,
) -> tuple[Run, dict[str, object]]:
    """Return a run, and further entries of its document.

    A run in a thread of its own has a `check` in the place of a bar.
    """
    if experiment.explain:  # loading this is not counted as the run's time
        import odonata.result.explanation  # noqa: F401
    meter = Meter(preparation, of_thread=check is not None)
    jobs = experiment.jobs(machine)
    unasked: Literal["auto", False] = "auto" if experiment.kept else False
    with ProgressBar(str(jobs[0])) if check is None else nullcontext(check) as progress:
        made = run(
            machine,
            jobs,
            experiment.options(),
            record_messages=experiment.record_messages or unasked,
            progress=progress,
            meter=meter,
        )
    workload = jobs[0].workload
    if not isinstance(workload, Replay):
        return made, {}
    return made, {"mpi_calls": workload.mpi_calls(), **workload.fields}
