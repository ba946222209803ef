"""The only entry: programs, a machine and an engine give a result."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from odonata.files import require_writable
from odonata.live.command import parse_commands
from odonata.live.launchers import DEFAULT_STYLES
from odonata.live.launching import launch
from odonata.live.output import check_result_name, open_output
from odonata.live.request import Launch
from odonata.machine import Machine, load
from odonata.placement import Placement, place
from odonata.result import Result
from odonata.simulate import Options, Progress, Surroundings
from odonata.simulate.meter import Meter
from odonata.simulate.options import Keywords

__all__ = ["mpirun"]


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
    shared_globals: bool = False,
    reorder: str | Path | None = None,
    mapper: str | None = None,
    env_style: str = DEFAULT_STYLES,
    record: str | Path | None = None,
    profile: str | Path | None = None,
    output: str | Path | None = None,
    program_output: str | Path | None = None,
    tag_output: bool = False,
    placement: Placement | None = None,
    background: str | None = None,
    busy: str | None = None,
    busy_with: str | None = None,
    options: Options | None = None,
    progress: Callable[[Progress], None] | None = None,
    **keywords: Unpack[Keywords],
) -> Result:
    """Run an unmodified MPI program on a simulated machine.

    Parameters
    ----------
    command
        Program and arguments; several programs with ``:`` between them, as in
        ``"ocean : -n 64 -- atmosphere"``.
    ranks
        Ranks of the first program.
    machine
        The machine, or its name.
    compute
        Where the time between calls comes from: ``measured``, ``calibrated``, ``none`` or
        ``recorded:FILE``.
    clocks
        Time that the C library's clocks show to ranks in MPI: ``simulated`` or ``real``.
    collectives
        Algorithm of each operation that shall not have ``auto``: ``{"allgather": "ring"}``.
    abi
        ``mpich``, ``openmpi`` or ``standard``; None: as the program needs it.
    fibers
        Whether ranks are fibers of this process; the program is a shared object then.
    stack
        Stack of a fiber [B], or text such as ``"256 KiB"``.
    shared_globals
        Whether all fibers share the variables of the program.
    reorder
        File that lists which rank becomes 0, 1, ... in topologies that may reorder ranks.
    mapper
        Mapper of topologies that may reorder ranks: ``hop-bytes`` or another objective of
        `odonata.decide`, a method, ``OBJECTIVE:METHOD``, or ``off``.
    env_style
        Launchers whose variables tell processes their ranks: ``openmpi``, ``mpich`` and ``slurm``
        with commas between them, or ``none``.
    record
        Trace to write.
    profile
        Folder of a profile to write, for `odonata.profile.reading`.
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
    busy
        Share of the other nodes that other jobs keep busy, as in ``"80%"``.
    busy_with
        Traffic of each of these jobs, as in ``"uniform:0.3"``.
    options, progress, **keywords
        The same as for `odonata.simulate.simulate`; messages are recorded with
        ``record_messages=True`` alone.

    Returns
    -------
    Result
        The measurements, with units and provenance.

    Raises
    ------
    RankError
        A rank crashed, aborted, or ended without MPI_Finalize.
    UserError
        Something is wrong with the program, the machine or an option, or no rank can continue.

    Examples
    --------
    >>> from odonata import mpirun
    >>> mpirun("./solver -n 64", ranks=64, compute="none").summary["messages"]  # doctest: +SKIP
    """
    meter = Meter()
    around = Surroundings(background, busy, busy_with)
    words = shlex.split(command) if isinstance(command, str) else list(command)
    commands = parse_commands(words, ranks)
    options = replace(options or Options(), **keywords)
    machine = options.machine(load(machine) if isinstance(machine, str) else machine)
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
            shared_globals=shared_globals,
            reorder=None if reorder is None else Path(reorder),
            mapper=mapper,
            env_style=env_style,
            record=None if record is None else Path(record),
            profile=None if profile is None else Path(profile),
            output=descriptor,
            tag_output=tag_output,
        )
        done = launch(
            what,
            machine,
            placement,
            options,
            behind=around.jobs(machine, [placement], seed=options.seed),
            record_messages=options.record_messages is True,
            progress=progress,
            meter=meter,
        )
    result = Result(done.run)
    if output is not None:
        result.save(output)
    return result
