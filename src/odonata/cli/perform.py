"""Carries out what ``odonata simulate`` was asked for, one run after the other."""

from __future__ import annotations

import time

from odonata.cli.outputs import Outputs
from odonata.cli.progress import ProgressBar
from odonata.cli.request import Request, Row
from odonata.machine import Machine
from odonata.result import Run
from odonata.simulate import Meter, Options, run

__all__ = ["perform"]


def perform(request: Request, outputs: Outputs) -> None:
    """Run everything that was asked for, then print and write it.

    When the runs are interrupted, the complete ones of a comparison are printed, and the
    interruption goes on.

    Parameters
    ----------
    request
        What to run.
    outputs
        Where the results go.
    """
    outputs.check()
    began = time.process_time()
    machine = request.load_machine()
    preparation = time.process_time() - began
    options = request.options()
    rows = request.rows(machine)
    if len(rows) == 1:
        outputs.deliver(_run(request, machine, options, rows[0], preparation))
        return
    runs: list[Run] = []
    try:
        for row in rows:
            runs.append(_run(request, machine, options, row, preparation))
    except KeyboardInterrupt:
        if runs:
            outputs.deliver_all(runs, complete=False)
        raise
    outputs.deliver_all(runs)


def _run(request: Request, machine: Machine, options: Options, row: Row, preparation: float) -> Run:
    meter = Meter(preparation)
    jobs = request.jobs(machine, row)
    with ProgressBar(str(jobs[0])) as progress:
        return run(
            machine,
            jobs,
            options,
            record_messages="auto" if request.kept else False,
            progress=progress,
            meter=meter,
        )
