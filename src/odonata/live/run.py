"""The one entry: programs, a machine and an engine give a result."""

from __future__ import annotations

import json
import os
import resource
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean

from odonata import _core
from odonata.errors import DeadlockError, ReadError, UserError, WriteError, near_miss
from odonata.files import read_bytes, require_writable
from odonata.live.abi import Abi, abi_of, detect
from odonata.live.calibration import Calibration
from odonata.live.command import Command, parse_commands
from odonata.live.elf import read_dynamic
from odonata.live.launchers import DEFAULT_STYLES, parse_styles
from odonata.live.running import Ranks, Running
from odonata.machine import Machine, load
from odonata.placement import Placement, place
from odonata.result import Result, Run
from odonata.simulate import Job, Meter, Options, Progress, parse_background, run
from odonata.simulate import background as background_of
from odonata.trace import Header, Recording
from odonata.units import parse_bytes
from odonata.workload import compute_scale, poll_time, with_recorded_compute

__all__ = ["Launch", "Launched", "check_result_name", "launch", "mpirun", "open_output"]

MOST_ORDER_BYTES = 2**24
"""Of a file that lists ranks."""

COMPUTE = ("measured", "calibrated", "none", "recorded:FILE")
"""Where compute times come from."""

THREADS = (
    "ranks have several threads: if these call MPI at once, they need MPI_THREAD_MULTIPLE, and "
    "MPI_THREAD_SERIALIZED is provided"
)
"""What else a deadlock may come from."""

PICOSECONDS = 1e12
"""Of a second."""

CLOCKS = ("simulated", "real")
"""What the clocks of the C library show."""

PROMISES = "ODONATA_PROMISES"
"""Environment variable; ``off``: every test and probe is answered by the simulator."""


@dataclass(frozen=True, kw_only=True)
class Launch:
    """How programs are run.

    Parameters
    ----------
    commands
        The programs; together they are MPI_COMM_WORLD.
    abi
        Name of their ABI; None: what the first of them needs.
    compute
        ``measured``: processor time of each rank between its calls, times the machine's
        ``node.compute_scale``; ``calibrated``: the same, times what a rank alone on a core takes
        of it; ``none``; or ``recorded:FILE``, that of a trace.
    clocks
        What the C library's clocks show to ranks in MPI: ``simulated`` time, or ``real`` time.
    collectives
        Algorithm of each operation that shall not have ``auto``.
    fibers
        Whether ranks are fibers of this process: programs are shared objects then.
    stack
        Of a fiber [B], or text such as ``"256 KiB"``.
    reorder
        File that lists which rank becomes 0, 1, ... in topologies that may reorder ranks.
    env_style
        Launchers whose variables tell processes their ranks: `openmpi`, `mpich` and `slurm` with
        commas between them, or `none`.
    record
        Trace that is written.
    output
        Descriptor that standard output goes to.
    tag_output
        Whether each line begins with the rank that wrote it.

    Raises
    ------
    UserError
        Something of it is wrong.
    """

    commands: Sequence[Command]
    abi: str | None = None
    compute: str = "measured"
    clocks: str = "simulated"
    collectives: Mapping[str, str] = field(default_factory=dict)
    fibers: bool = False
    stack: int | str = "256 KiB"
    reorder: Path | None = None
    env_style: str = DEFAULT_STYLES
    record: Path | None = None
    output: int = 1
    tag_output: bool = False

    def __post_init__(self) -> None:
        how, colon, path = self.compute.partition(":")
        if self.compute not in COMPUTE[:3] and not (how == "recorded" and colon and path):
            allowed = ", ".join(COMPUTE)
            raise UserError("compute: unknown", value=self.compute, allowed=allowed)
        parse_styles(self.env_style)
        if self.clocks not in CLOCKS:
            near = near_miss(self.clocks, CLOCKS)
            raise UserError(
                "clocks: unknown", value=self.clocks, allowed=", ".join(CLOCKS), near=near
            )
        if self.reorder is not None:
            _check_order(self.reorder, [command.ranks for command in self.commands])
        if not self.fibers:
            for command in self.commands:
                _check_start(command.path)

    @property
    def ranks(self) -> int:
        """How many ranks there are."""
        return sum(command.ranks for command in self.commands)

    def find_abi(self) -> Abi:
        """Return the ABI of all programs; raises UserError if they have different ones."""
        if self.abi is not None:
            return abi_of(self.abi)
        found = {command.words[0]: detect(command.path) for command in self.commands}
        if len({abi.name for abi in found.values()}) > 1:
            which = ", ".join(f"{name} {abi.title}" for name, abi in found.items())
            raise UserError(f"abi: programs of one run need different ones: {which}")
        return next(iter(found.values()))


@dataclass(frozen=True)
class Launched:
    """What became of programs.

    Parameters
    ----------
    run
        The simulation.
    abi
        Name of the ABI of the library that they have found.
    mpi_calls
        How often each function was called.
    exit_code
        Of the first rank whose was not 0.
    ranks_cpu_seconds
        Processor time of the processes of the ranks [s].
    questions
        Calls for whose outcome a rank waited until simulated time had come there.
    compute_seconds
        Simulated time between the calls of the mean rank [s].
    calibration
        How compute times were corrected, if they were.
    """

    run: Run
    abi: str
    mpi_calls: Mapping[str, int]
    exit_code: int
    ranks_cpu_seconds: float
    questions: int
    compute_seconds: float
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
    """Run programs on a machine; `mpirun` labels what comes of it.

    Parameters
    ----------
    what
        The programs.
    machine, placement
        Where their ranks are.
    options
        Of the simulation.
    behind
        Jobs of the background.
    record_messages, progress, meter
        As for `odonata.simulate.run`.

    Raises
    ------
    RankError
        A rank ended as it should not.
    UserError
        Something is wrong, or no rank can go on.
    """
    options = options or Options()
    abi = what.find_abi()
    calibration = None
    if what.compute == "calibrated":
        calibration = _calibrate(what, machine, placement, options, behind)
    began = _children_seconds()
    with _ranks(what, abi, machine, placement, calibration) as ranks:
        source = _with_compute(what, ranks.source)
        recording = _recording(what, machine, placement, options, source)
        workload = Running(
            commands=what.commands,
            source=source if recording is None else recording.source,
            collectives=what.collectives,
            promises=ranks.promises,
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
            questions = ranks.core.num_answers
        except BaseException as error:
            if recording is not None:
                error.add_note(_left(recording))
            if isinstance(error, DeadlockError) and ranks.have_threads():
                error.add_note(THREADS)
            raise
        if recording is not None:
            recording.finish(end=done.end)
    calls = workload.mpi_calls()
    labelled = replace(
        done,
        summary={**done.summary, "abi": found},
        provenance={**done.provenance, "mpi_calls": json.dumps(calls)},
    )
    computed = fmean(workload.statistics.compute()) / PICOSECONDS
    used = _children_seconds() - began
    return Launched(labelled, found, calls, code, used, questions, computed, calibration)


def mpirun(
    command: str | Sequence[str],
    ranks: int = 1,
    machine: Machine | str = "eos",
    *,
    compute: str = "measured",
    clocks: str = "simulated",
    collectives: Mapping[str, str] | None = None,
    abi: str | None = None,
    fibers: bool = False,
    stack: int | str = "256 KiB",
    reorder: str | Path | None = None,
    env_style: str = DEFAULT_STYLES,
    record: str | Path | None = None,
    output: str | Path | None = None,
    program_output: str | Path | None = None,
    tag_output: bool = False,
    placement: Placement | None = None,
    background: str | None = None,
    engine: str = "packet",
    routing: str = "minimal",
    seed: int = 0,
    packet_bytes: int | str | None = None,
    bias_bytes: int = 0,
    samples: int = 0,
    record_messages: bool = False,
    digest: bool = False,
    log: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> Result:
    """Run a real MPI program, as it is, on a simulated machine.

    Parameters
    ----------
    command
        Program and arguments; several programs with ``:`` between them, as in
        ``"ocean : -n 64 -- atmosphere"``.
    ranks
        Of the first program.
    machine
        The machine, or its name.
    compute
        Where the time between calls comes from: ``measured``, ``calibrated``, ``none`` or
        ``recorded:FILE``.
    clocks
        What the C library's clocks show to ranks in MPI: ``simulated`` time, or ``real`` time.
    collectives
        Algorithm of each operation that shall not have ``auto``: ``{"allgather": "ring"}``.
    abi
        ``mpich``, ``openmpi`` or ``standard``; None: what the program needs.
    fibers
        Whether ranks are fibers of this process; the program is a shared object then.
    stack
        Of a fiber [B], or text such as ``"256 KiB"``.
    reorder
        File that lists which rank becomes 0, 1, ... in topologies that may reorder ranks.
    env_style
        Launchers whose variables tell processes their ranks: ``openmpi``, ``mpich`` and ``slurm``
        with commas between them, or ``none``.
    record
        Trace to write.
    output
        Result file to write, a name in ``.nc``.
    program_output
        File that standard output of the program goes to; None: ours.
    tag_output
        Whether each line of it begins with the rank that wrote it.
    placement
        Where ranks are; None: one a node, from the first node on.
    background
        Traffic on all other nodes, as in ``"uniform:0.3"``.
    record_messages
        Whether each message is recorded.
    engine, routing, seed, packet_bytes, bias_bytes, samples, digest, log, progress
        The same as for `odonata.simulate.simulate`.

    Returns
    -------
    Result
        What happened, with units and provenance.

    Raises
    ------
    RankError
        A rank crashed, aborted, or ended without MPI_Finalize.
    UserError
        Something is wrong with the program, the machine or an option, or no rank can go on.

    Examples
    --------
    >>> from odonata import mpirun
    >>> mpirun("./solver -n 64", ranks=64, compute="none").summary["messages"]  # doctest: +SKIP
    """
    meter = Meter()
    words = shlex.split(command) if isinstance(command, str) else list(command)
    commands = parse_commands(words, ranks)
    machine = load(machine) if isinstance(machine, str) else machine
    if packet_bytes is not None:
        size = f"{packet_bytes} B" if isinstance(packet_bytes, int) else packet_bytes
        machine = machine.with_values({"nic.packet_bytes": size})
    placement = placement or place(machine, sum(one.ranks for one in commands))
    if output is not None:
        check_result_name("output", Path(output), "program_output")
        require_writable(Path(output))
    with open_output(program_output) as descriptor:
        what = Launch(
            commands=commands,
            abi=abi,
            compute=compute,
            clocks=clocks,
            collectives=collectives or {},
            fibers=fibers,
            stack=stack,
            reorder=None if reorder is None else Path(reorder),
            env_style=env_style,
            record=None if record is None else Path(record),
            output=descriptor,
            tag_output=tag_output,
        )
        done = launch(
            what,
            machine,
            placement,
            Options(engine, routing, seed, bias_bytes, samples, digest, log),
            behind=_behind(machine, placement, background),
            record_messages=record_messages,
            progress=progress,
            meter=meter,
        )
    result = Result(done.run)
    if output is not None:
        result.save(output)
    return result


def check_result_name(option: str, path: Path, other: str) -> None:
    """Refuse a result file that looks like the text of a program.

    Parameters
    ----------
    option
        How the caller names the result file.
    path
        The result file.
    other
        How the caller names the file of the program's standard output.

    Raises
    ------
    UserError
        The name is not in ``.nc``.
    """
    if path.suffix != ".nc":
        raise UserError(
            f"{option}: is the result file; the program's standard output goes to {other}",
            value=str(path),
            allowed="a name in .nc",
        )


def _check_start(program: Path) -> None:
    """Refuse a shared object, which would crash if it were started."""
    dynamic = read_dynamic(program)
    if dynamic is not None and dynamic.needed and not dynamic.starts:
        raise UserError(
            f"{program.name}: is a shared object, not a program", allowed="a program, or --fibers"
        )


def _check_order(path: Path, ranks: Sequence[int]) -> None:
    """Raise UserError unless a file lists the ranks 0 to n - 1 of the run or of one program."""
    try:
        words = read_bytes(path, MOST_ORDER_BYTES, what="reorder").decode().split()
    except UnicodeDecodeError as error:
        raise ReadError.of(error, path) from error
    sizes = list(dict.fromkeys([sum(ranks), *ranks]))
    if len(words) not in sizes:
        raise UserError(
            f"reorder: {path}: has another number of entries than the run has ranks",
            value=len(words),
            allowed=" or ".join(map(str, sizes)),
        )
    known = {str(rank) for rank in range(len(words))}
    allowed = f"0 to {len(words) - 1}, each once"
    for number, word in enumerate(words):
        if word not in known:
            what = "reorder: no rank, or there twice"
            raise UserError(what, value=word, allowed=allowed, where=f"{path}:entry {number}")
        known.remove(word)


@contextmanager
def open_output(path: str | Path | None, otherwise: int = 1) -> Iterator[int]:
    """Open the file that standard output of ranks goes to, and give its descriptor.

    Parameters
    ----------
    path
        The file; one that exists is replaced.
    otherwise
        Descriptor when there is no file.
    """
    if path is None:
        yield otherwise
        return
    with Path(path).open("wb") as file:
        yield file.fileno()


def _calibrate(
    what: Launch,
    machine: Machine,
    placement: Placement,
    options: Options,
    behind: Sequence[Job],
) -> Calibration:
    """Run the program as one rank, then as all, without a word; return what they computed."""
    if len(what.commands) != 1:
        raise UserError("compute: calibrated needs one program", value=len(what.commands))
    quiet = replace(what, compute="measured", record=None, tag_output=False)
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
) -> Ranks:
    wanted = os.environ.get(PROMISES, "on") != "off"
    return Ranks(
        what.commands,
        abi,
        placement.nodes.tolist(),
        what.compute in ("measured", "calibrated"),
        what.output,
        what.tag_output,
        what.fibers,
        parse_bytes(what.stack, bare=True, what="stack"),
        what.reorder,
        parse_styles(what.env_style),
        # A rank does not know the compute times of a trace.
        promises=wanted and what.compute in COMPUTE[:3],
        calibration=1.0 if calibration is None else calibration.factor,
        compute_scale=compute_scale(machine),
        poll=poll_time(machine),
        simulated_clocks=what.clocks == "simulated",
    )


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
        program=" : ".join(shlex.join(command.words) for command in what.commands),
        machine=machine.name,
        nodes=tuple(placement.nodes.tolist()),
        compute=what.compute.partition(":")[0],
        options=options.record(),
    )
    return Recording(what.record, header, source)


def _left(recording: Recording) -> str:
    """Keep what was recorded of a run that has failed, and say where."""
    try:
        part = recording.leave()
    except WriteError as error:
        return str(error)
    return "" if part is None else f"what was recorded until then: {part}"


def _behind(machine: Machine, placement: Placement, text: str | None) -> list[Job]:
    if text is None:
        return []
    size = int(str(machine.value("nic.packet_bytes")))
    return [background_of(machine, parse_background(text, bytes=size), beside=[placement])]


def _children_seconds() -> float:
    """Return the processor time of all children that have ended [s]."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
