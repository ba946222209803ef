"""Traces, played on a machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Unpack

from odonata.errors import UserError
from odonata.machine import Machine, load
from odonata.placement import Placement, place, read_order
from odonata.result import Result
from odonata.simulate.job import Job
from odonata.simulate.options import Keywords, Options
from odonata.simulate.simulation import Progress, simulate
from odonata.trace import Header
from odonata.workload import Replay

__all__ = ["recorded_machine", "recorded_placement", "replay"]


def replay(
    path: str | Path,
    machine: Machine | str | None = None,
    *,
    placement: Placement | None = None,
    reorder: str | Path | None = None,
    collectives: Mapping[str, str] | None = None,
    compute: str = "recorded",
    compute_scale: float = 1.0,
    options: Options | None = None,
    progress: Callable[[Progress], None] | None = None,
    **keywords: Unpack[Keywords],
) -> Result:
    """Play a trace on a machine.

    Parameters
    ----------
    path
        The trace.
    machine
        The machine, or its name; None: the machine of the recorded run.
    placement
        Where its ranks are; None: as they were recorded, or one rank a node from the first node on
        if the machine is another.
    reorder
        File that lists which rank takes the part of rank 0, 1, ...: rank i goes where the rank is
        that the file has at i.
    collectives
        Algorithm of each operation that shall not have ``auto``: ``{"allgather": "ring"}``.
    compute
        Compute times: ``recorded``, or ``none``.
    compute_scale
        Factor of the compute times, beside the machine's; 0 drops them.
    options, progress, **keywords
        The same as for `simulate`.

    Returns
    -------
    Result
        The measurements, with units and provenance. On the machine, the nodes and with the options
        of the recorded run, its times are the same.

    Raises
    ------
    UserError
        The trace isn't there, is no trace, incomplete or damaged; it doesn't fit the machine; or
        an option is wrong.

    Examples
    --------
    >>> from odonata import replay
    >>> replay("run.trace", "edison").summary["time_seconds"]  # doctest: +SKIP
    """
    workload = Replay(
        path=Path(path),
        collectives=collectives or {},
        compute=compute,
        compute_scale=compute_scale,
    )
    if machine is None:
        machine = recorded_machine(workload.header)
    if isinstance(machine, str):
        machine = load(machine)
    if placement is None:
        placement = recorded_placement(machine, workload.header)
    if placement is None:
        placement = place(machine, workload.ranks)
    if reorder is not None:
        placement = placement.reordered(read_order(reorder, [workload.ranks]))
    return simulate(machine, Job(workload, placement), options, progress=progress, **keywords)


def recorded_machine(header: Header) -> str:
    """Return the name of the machine that a trace was recorded on.

    Parameters
    ----------
    header
        Header of the trace.

    Raises
    ------
    UserError
        It is not known.
    """
    if not header.machine:
        raise UserError("machine: the trace names none, so one must be given")
    return header.machine


def recorded_placement(machine: Machine, header: Header) -> Placement | None:
    """Return where the ranks of a trace were, None if they were on another machine.

    Parameters
    ----------
    machine
        The machine.
    header
        Header of the trace.
    """
    if machine.name != header.machine or not header.nodes:
        return None
    return Placement(machine, header.nodes, allocation="recorded", mapping="recorded")
