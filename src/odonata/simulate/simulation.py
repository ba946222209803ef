"""The only entry: a machine, jobs and an engine give a result."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Unpack

from odonata import __version__, _core
from odonata import machine as machines
from odonata.errors import DeadlockError, UserError
from odonata.machine import Machine
from odonata.result import Result, Run
from odonata.result.columns import Columns
from odonata.result.run import Scalar
from odonata.simulate.collect import (
    collect_explanation,
    collect_job,
    collect_links,
    plain_numbers,
    summarize,
)
from odonata.simulate.job import Job, check_jobs
from odonata.simulate.meter import Meter
from odonata.simulate.options import Keywords, Options
from odonata.simulate.recipe_text import recipe_text
from odonata.workload import Replay
from odonata.workload.build import Built, build

__all__ = ["Progress", "run", "simulate"]

MOST_PACKETS = 10**11
"""Packets of a run that could end: at a million hops a second this is already days."""


RECORDED_UNASKED = 200_000
"""Messages up to which `auto` records them one by one."""


@dataclass(frozen=True)
class Progress:
    """Progress of a run.

    Parameters
    ----------
    events
        Events so far.
    messages
        Messages delivered so far, except in the background.
    expected
        Messages at the end; None if that is not known.
    time_seconds
        Simulated time [s].
    """

    events: int
    messages: int
    expected: int | None
    time_seconds: float


def simulate(
    machine: Machine | str,
    jobs: Job | Sequence[Job],
    options: Options | None = None,
    *,
    progress: Callable[[Progress], None] | None = None,
    **keywords: Unpack[Keywords],
) -> Result:
    """Run jobs on a machine.

    Parameters
    ----------
    machine
        The machine, or its name; all other options stand in its ``[nic]`` and ``[mpi]``
        (`Machine.with_values` changes them).
    jobs
        One job, or several that run on it side by side.
    options
        Options of the run.
    progress
        Called now and then.
    **keywords
        Fields of `Options` by name, as in ``seed=7``; they count before `options`.

    Returns
    -------
    Result
        The measurements, with units and provenance.

    Raises
    ------
    UserError
        The jobs don't fit the machine or each other, or an option is wrong.

    Examples
    --------
    >>> from odonata import machine, placement, workload
    >>> eos = machine.load("eos")
    >>> job = Job(workload.Collective("allgather", "ring"), placement.place(eos, 8))
    >>> simulate(eos, [job]).summary["messages"]
    56
    >>> simulate("eos", job).time == simulate(eos, [job], seed=0).time
    True
    """
    jobs = [jobs] if isinstance(jobs, Job) else jobs
    known = _machine(machine, jobs) if isinstance(machine, str) else machine
    return Result(run(known, jobs, options, progress=progress, **keywords))


def _machine(name: str, jobs: Sequence[Job]) -> Machine:
    """Return the machine of a name: the jobs' machine, if it has the name."""
    theirs = {job.placement.machine.name: job.placement.machine for job in jobs}
    return theirs[name] if name in theirs else machines.load(name)


def run(
    machine: Machine,
    jobs: Sequence[Job],
    options: Options | None = None,
    *,
    progress: Callable[[Progress], None] | None = None,
    meter: Meter | None = None,
    **keywords: Unpack[Keywords],
) -> Run:
    """Run jobs on a machine and return plain data; `simulate` labels them.

    Parameters
    ----------
    machine, jobs, options, progress, **keywords
        The same as for `simulate`.
    meter
        Started by a caller whose own preparations count as part of the run, such as building
        the machine; None: begins here.
    """
    meter = meter or Meter()
    options = replace(options or Options(), **keywords).on(machine)
    machine = options.machine(machine)
    check_jobs(machine, jobs)
    built = [build(job.workload, job.placement, seed=options.seed) for job in jobs]
    expected = _expected(jobs, built)
    _check_size(machine, built, options)
    if machine.core.family == "graph" and not options.allow_cycles:
        from odonata.machine.cycles import require_no_cycles  # other families have none by rule

        require_no_cycles(machine, options.routing)
    record = options.record_messages
    if record == "auto":  # a program has an unknown number; its explanation wants them
        record = options.explain is True if expected is None else _few(expected)
    core = _core.Simulation(machine.core, options.for_engine(machine))
    for job, work in zip(jobs, built, strict=True):
        kept = record and not job.background
        core.add(job.placement.node_of, work.program, job.background, kept)
    try:
        core.run(_reporter(progress, expected))
    except DeadlockError as error:
        _explain_deadlock(error, jobs)
        if options.allow_cycles:
            _explain_cycle(error, machine, options)
        raise
    return _collect(core, machine, jobs, built, options, record=record, meter=meter)


def _explain_cycle(error: DeadlockError, machine: Machine, options: Options) -> None:
    """Add the cycle of channels that the routing has."""
    from odonata.machine.cycles import cycle_of  # for errors alone

    cycle = cycle_of(machine, options.routing)
    if cycle:
        error.add_note(f"{options.routing} has {cycle}")


def _explain_deadlock(error: DeadlockError, jobs: Sequence[Job]) -> None:
    """Add reasons from the traces that are played."""
    from odonata.simulate.overlaps import why_ranks_may_be_stuck  # imports NumPy

    for job in jobs:
        if isinstance(job.workload, Replay):
            why = why_ranks_may_be_stuck(job.workload.path)
            if why:
                error.add_note(why)


def _expected(jobs: Sequence[Job], built: Sequence[Built]) -> int | None:
    """Return the messages of all jobs in the foreground."""
    total = 0
    for job, work in zip(jobs, built, strict=True):
        if job.background:
            continue
        if work.messages is None:
            return None
        total += work.messages
    return total


def _few(expected: int) -> bool:
    return expected <= RECORDED_UNASKED


def _check_size(machine: Machine, built: Sequence[Built], options: Options) -> None:
    """Refuse a run that would never end."""
    payload = machine.value("nic.packet_bytes")
    assert isinstance(payload, int)
    for work in built:
        packets = work.packets(payload) if options.engine == "packet" else work.messages or 0
        if packets > MOST_PACKETS:
            raise UserError(
                f"{work.name}: too large to simulate packet by packet",
                value=f"{packets:.1e} packets",
                allowed=f"{MOST_PACKETS:.0e}; fewer ranks or bytes, larger packets, or the "
                "analytic engine",
            )


def _reporter(
    progress: Callable[[Progress], None] | None, expected: int | None
) -> Callable[[int, int, int], bool] | None:
    if progress is None:
        return None

    def report(events: int, messages: int, now: int) -> bool:
        progress(Progress(events, messages, expected, now / 1e12))
        return True

    return report


def _collect(
    core: _core.Simulation,
    machine: Machine,
    jobs: Sequence[Job],
    built: Sequence[Built],
    options: Options,
    *,
    record: bool,
    meter: Meter,
) -> Run:
    done = tuple(
        collect_job(core, number, job, work, recorded=record and not job.background)
        for number, (job, work) in enumerate(zip(jobs, built, strict=True))
    )
    packet_bytes = machine.value("nic.packet_bytes")
    assert isinstance(packet_bytes, int)
    summary: dict[str, Scalar] = {
        "machine": machine.name,
        "engine": options.engine,
        "routing": options.routing,
        "seed": options.seed,
        "bias_bytes": options.bias_bytes,
        "packet_bytes": packet_bytes,
        "changes": machine.changes_text or None,
        "checked": machine.checked,
        **summarize(done, jobs, machine),
        "events": core.num_events,
        "digest": f"{core.digest:016x}" if options.digest else None,
    }
    times, waiting = core.samples()
    links = collect_links(core, machine)
    log = Columns(core.log()) if options.log else None
    explanation = (
        collect_explanation(core, machine, options.record_messages) if options.explain else None
    )
    # Measured last, so that collecting the results counts as well.
    summary["cpu_seconds"] = meter.cpu_seconds()
    summary["peak_memory_bytes"] = meter.peak_memory_bytes()
    return Run(
        summary=summary,
        jobs=done,
        links=links,
        link_classes=machine.link_classes,
        link_rates=[c.bandwidth for c in machine.core.classes],
        buffers=Columns(core.buffers()),
        samples=Columns({"time": times, "waiting": waiting}),
        log=log,
        explanation=explanation,
        end=core.end,
        machine=plain_numbers(machine),
        options={**options.record(), "record_messages": record},
        provenance={"version": __version__, "command": _command()},
        recipe=recipe_text(machine, jobs, options),
    )


def _command() -> str:
    return shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]) if sys.argv else ""
