"""Programs run on a simulated machine, from their start to their end."""

from __future__ import annotations

import json
import os
import resource
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from odonata import _core
from odonata.errors import DeadlockError, UserError, WriteError
from odonata.live.abi import Abi
from odonata.live.calibration import Calibration
from odonata.live.launchers import parse_styles
from odonata.live.output import open_output
from odonata.live.reordering import Reordering, TopologyMapper, parse_mapper
from odonata.live.request import COMPUTE, Launch
from odonata.live.running import Ranks, Running
from odonata.machine import Machine, Names
from odonata.machine.machine import has_names
from odonata.placement import Placement
from odonata.profile.profiling import Profiling
from odonata.result import Run
from odonata.simulate import Job, Options, Progress, run
from odonata.simulate.meter import Meter
from odonata.simulate.recipe_text import recipe_text
from odonata.trace import Header
from odonata.trace.write import Recording
from odonata.units import parse_bytes
from odonata.workload import Replay
from odonata.workload.played import compute_scale, poll_time, wait_time, with_recorded_compute

__all__ = ["Launched", "launch"]

THREADS = (
    "ranks have several threads: if these call MPI at once, they need MPI_THREAD_MULTIPLE, and "
    "MPI_THREAD_SERIALIZED is provided"
)
"""Another possible cause of a deadlock."""

PICOSECONDS = 1e12
"""Picoseconds of a second."""

LOOKAHEAD = ("ODONATA_LOOKAHEAD", "ODONATA_PROMISES")
"""Environment variable, and its old name; ``off``: the simulator answers every test and probe."""


@dataclass(frozen=True)
class Launched:
    """Programs that have ended, and the simulation of their run.

    Parameters
    ----------
    run
        The simulation.
    abi
        Name of the ABI of the library that they have found.
    mpi_calls
        How often each function was called.
    exit_code
        Exit code of the first rank that did not end with 0.
    ranks_cpu_seconds
        Processor time of the processes of the ranks [s].
    questions
        Calls for whose outcome a rank waited until simulated time had come there.
    waits
        How often the simulator slept until a rank had gone on, or let fibers run.
    compute_seconds
        Simulated time between the calls of the mean rank [s].
    reordered
        Topologies that the mapper was asked about.
    calibration
        How compute times were corrected, if they were.
    """

    run: Run
    abi: str
    mpi_calls: Mapping[str, int]
    exit_code: int
    ranks_cpu_seconds: float
    questions: int
    waits: int
    compute_seconds: float
    reordered: Sequence[Reordering] = ()
    calibration: Calibration | None = None


def launch(
    what: Launch,
    machine: Machine,
    placement: Placement,
    options: Options | None = None,
    *,
    behind: Sequence[Job] = (),
    record_messages: bool = False,
    progress: Callable[[Progress], None] | None = None,
    meter: Meter | None = None,
) -> Launched:
    """Run programs on a machine; `mpirun` labels the outcome.

    Parameters
    ----------
    what
        The programs.
    machine, placement
        Where their ranks are.
    options
        Options of the simulation.
    behind
        Jobs of the background.
    record_messages, progress, meter
        The same as for `odonata.simulate.run`.

    Raises
    ------
    RankError
        A rank ended as it should not.
    UserError
        Something is wrong, or no rank can continue.
    """
    options = (options or Options()).on(machine)
    abi = what.find_abi()
    calibration = None
    if what.compute == "calibrated":
        calibration = _calibrate(what, machine, placement, options, behind)
    # The processor time of the runs for a calibration is not the time of this run.
    began = _children_seconds()
    mapper = parse_mapper(what.mapper)
    orders = None if mapper is None else TopologyMapper(mapper, placement, options)
    with _ranks(what, abi, machine, placement, calibration, orders) as ranks:
        source = _with_compute(what, ranks.source)
        profiling = None if what.profile is None else Profiling(what.profile, what.ranks)
        try:
            recording = _recording(what, machine, placement, options, source)
        except BaseException:
            # The folder of a profile is made early, so that a run does not fail at its end.
            if profiling is not None:
                profiling.discard()
            raise
        workload = Running(
            commands=what.commands,
            source=source if recording is None else recording.source,
            collectives=what.collectives,
            lookahead=ranks.lookahead,
            watcher=None if profiling is None else profiling.core,
        )
        try:
            ranks.start()
            done = run(
                machine,
                [Job(workload, placement), *behind],
                options,
                record_messages=record_messages,
                progress=progress,
                meter=meter,
            )
            code = ranks.finish()
            found = ranks.found_abi
            questions, waits = ranks.core.num_answers, ranks.core.num_sleeps
        except BaseException as error:
            # Calls up to the failure are worth keeping: they show where the program stopped.
            if recording is not None:
                error.add_note(_left(recording))
            if profiling is not None:
                error.add_note(profiling.leave(_program(what), machine.name))
            if isinstance(error, DeadlockError) and ranks.have_threads():
                error.add_note(THREADS)
            raise
        if recording is not None:
            recording.finish(end=done.end)
        if profiling is not None:
            profiling.finish(_program(what), machine.name)
    calls = workload.mpi_calls()
    labelled = replace(
        done,
        summary={**done.summary, "abi": found},
        provenance={
            **done.provenance,
            "mpi_calls": json.dumps(calls),
            **(orders.provenance() if orders else {}),
        },
        recipe=_recipe(what, machine, placement, behind, options),
    )
    computed = fmean(workload.statistics.compute()) / PICOSECONDS
    used = _children_seconds() - began
    made = orders.reorderings if orders else ()
    return Launched(
        labelled, found, calls, code, used, questions, waits, computed, made, calibration
    )


def _calibrate(
    what: Launch,
    machine: Machine,
    placement: Placement,
    options: Options,
    behind: Sequence[Job],
) -> Calibration:
    """Run the program as one rank, then as all, without output; return their compute times."""
    if len(what.commands) != 1:
        raise UserError("compute: calibrated needs one program", value=len(what.commands))
    quiet = replace(what, compute="measured", record=None, profile=None, tag_output=False)
    command = replace(what.commands[0], ranks=1)
    with open_output(os.devnull) as nowhere:
        alone = replace(quiet, commands=[command], output=nowhere, reorder=None)
        first = Placement(machine, placement.node_of[:1])
        single = launch(alone, machine, first, options)
        shared = launch(replace(quiet, output=nowhere), machine, placement, options, behind=behind)
    return Calibration(single.compute_seconds, shared.compute_seconds)


def _ranks(
    what: Launch,
    abi: Abi,
    machine: Machine,
    placement: Placement,
    calibration: Calibration | None,
    orders: TopologyMapper | None,
) -> Ranks:
    wanted = all(os.environ.get(name, "on") != "off" for name in LOOKAHEAD)
    return Ranks(
        what.commands,
        abi,
        _numbers_in_names(machine, placement),
        what.compute in ("measured", "calibrated"),
        what.output,
        what.tag_output,
        what.fibers,
        parse_bytes(what.stack, bare=True, what="stack"),
        what.reorder,
        orders,
        parse_styles(what.env_style),
        lookahead=wanted and what.compute in COMPUTE[:3],
        recorded=what.compute not in COMPUTE[:3],
        calibration=1.0 if calibration is None else calibration.factor,
        compute_scale=compute_scale(machine),
        poll=poll_time(machine),
        wait_per_request=wait_time(machine),
        simulated_clocks=what.clocks == "simulated",
        shared_globals=what.shared_globals,
        host_form=Names(machine).host_form if has_names(machine) else ("nid", 5),
    )


def _numbers_in_names(machine: Machine, placement: Placement) -> list[int]:
    """Return the number in the name of each rank's node: its NID where the machine has names."""
    if not has_names(machine):
        return list(placement.node_of)
    names = Names(machine)
    return [names.nid(node) for node in placement.node_of]


def _with_compute(what: Launch, source: _core.TraceSource) -> _core.TraceSource:
    """Return the calls with the compute times of a trace, if they shall have these."""
    how, _, path = what.compute.partition(":")
    return source if how != "recorded" else with_recorded_compute(source, path, ranks=what.ranks)


def _recording(
    what: Launch,
    machine: Machine,
    placement: Placement,
    options: Options,
    source: _core.TraceSource,
) -> Recording | None:
    if what.record is None:
        return None
    header = Header(
        ranks=what.ranks,
        program=_program(what),
        machine=machine.name,
        nodes=tuple(placement.nodes.tolist()),
        compute=what.compute.partition(":")[0],
        options=options.record(),
    )
    return Recording(what.record, header, source)


def _program(what: Launch) -> str:
    """Return the command lines of all programs."""
    return " : ".join(shlex.join(command.words) for command in what.commands)


def _recipe(
    what: Launch,
    machine: Machine,
    placement: Placement,
    behind: Sequence[Job],
    options: Options,
) -> str | None:
    """Return the recipe of a run whose calls were recorded: the trace is played again."""
    if what.record is None:
        return None
    played = Replay(path=what.record, collectives=what.collectives)
    return recipe_text(machine, [Job(played, placement), *behind], options)


def _left(recording: Recording) -> str:
    """Keep the record of a run that has failed, and say where."""
    try:
        part = recording.leave()
    except WriteError as error:
        return str(error)
    return "" if part is None else f"the record until then: {part}"


def _children_seconds() -> float:
    """Return the processor time of all children that have ended [s]."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
