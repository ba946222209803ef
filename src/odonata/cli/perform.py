"""Carries out the runs of ``odonata simulate`` or ``replay``, one after the other."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Literal

from odonata import cli, result
from odonata.cli.experiment import Experiment
from odonata.cli.outputs import Outputs, names_apart
from odonata.cli.progress import ProgressBar
from odonata.errors import UserError
from odonata.machine import Machine
from odonata.result import Run
from odonata.simulate import run
from odonata.simulate.meter import Meter
from odonata.workload import Replay

__all__ = ["perform"]


def perform(experiment: Experiment | cli.replay_rows.ReplayRows, outputs: Outputs) -> None:
    """Run everything that was asked for, then print and write it.

    Each run of a comparison is written when it ends. When the runs are interrupted, the complete
    ones are printed, and the interruption is raised again.

    Parameters
    ----------
    experiment
        What to run.
    outputs
        Where the results go.
    """
    outputs.check()
    rows: Sequence[Experiment | cli.replay_rows.ReplayRows] = experiment.rows()
    if outputs.what_if and len(rows) > 1:
        raise UserError("--what-if: is for one run", value=f"{len(rows)} runs", allowed="one run")
    machines: dict[object, tuple[Machine, float]] = {}  # and the time of building it [s]
    for row in rows:  # all of them are checked before the first one runs
        if row.machine_as_told not in machines:
            began = time.process_time()
            built = row.load_machine()
            machines[row.machine_as_told] = built, time.process_time() - began
        row.options()
        row.jobs(machines[row.machine_as_told][0])
    if len(rows) == 1:
        (row,) = rows
        on = machines[row.machine_as_told]
        outputs.deliver(*_run(row, *on), partial(_end_of, row, on[0]))
        return

    apart = names_apart(rows)
    done: list[tuple[Run, dict[str, object]]] = []
    try:
        for row, (named, others) in zip(rows, apart, strict=True):
            made, besides = _run(row, *machines[row.machine_as_told])
            if outputs.coverage is not None:
                again = partial(_end_of, row, machines[row.machine_as_told][0])
                made, found = cli.intervals.with_interval(made, outputs.coverage, again)
                besides |= found.document()
            outputs.save_one(made, named, others)
            done.append((result.comparable(made, loads=outputs.shows_loads), besides))
    except KeyboardInterrupt:
        if done:
            settled = _settled(rows, len(done))
            outputs.deliver_all(*zip(*done, strict=True), planned=len(rows), settled=settled)
        raise
    machine_of = [machines[row.machine_as_told][0] for row in rows]
    outputs.deliver_all(*zip(*done, strict=True), machines=machine_of)


CHOSEN = {
    *("machine", "changes", "fail", "slow", "routing", "bias", "allocation", "mapping"),
    *("ranks_per_nodes", "ranks_per_node", "packet_bytes"),
    *("algorithm", "collectives", "chosen", "seed", "seeds"),
}
"""Options that are chosen: runs that differ in these alone are compared."""


def _settled(rows: Sequence[Experiment | cli.replay_rows.ReplayRows], done: int) -> list[int]:
    """Return the runs among the first `done` that no later run is compared with."""

    def met(row: Experiment | cli.replay_rows.ReplayRows) -> tuple[object, ...]:
        return tuple(getattr(row, each.name) for each in fields(row) if each.name not in CHOSEN)

    missing = [met(row) for row in rows[done:]]
    return [at for at, row in enumerate(rows[:done]) if met(row) not in missing]


def _end_of(row: Experiment | cli.replay_rows.ReplayRows, machine: Machine, seed: int) -> int:
    """Return the end of a run with another seed, which may have other nodes [ps]."""
    return _run(replace(row, seed=seed, explain=False), machine, 0.0)[0].end


def _run(
    experiment: Experiment | cli.replay_rows.ReplayRows, machine: Machine, preparation: float
) -> tuple[Run, dict[str, object]]:
    """Return a run, and further entries of its document."""
    if experiment.explain:  # loading this is not counted as the run's time
        import odonata.result.explanation  # noqa: F401
    meter = Meter(preparation)
    jobs = experiment.jobs(machine)
    unasked: Literal["auto", False] = "auto" if experiment.kept else False
    with ProgressBar(str(jobs[0])) as progress:
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
