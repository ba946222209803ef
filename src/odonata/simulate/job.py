"""Jobs: a workload on a placement, in the foreground or behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from odonata.errors import UserError
from odonata.machine import Machine
from odonata.placement import Placement, place_on_rest
from odonata.workload import Traffic
from odonata.workload.build import KINDS, Workload

__all__ = ["Job", "background", "check_jobs", "parse_background"]


@dataclass(frozen=True, repr=False)
class Job:
    """Work of some ranks, and the nodes where they are.

    Parameters
    ----------
    workload
        A `Collective`, `PointToPoint`, `Halo`, `Sedov`, `Fft`, `Traffic`, `Program` or `Played`.
    placement
        Node of each rank.
    background
        Whether the job ends when no other is left, and is left out of the summary. Traffic in the
        background continues until then.

    Examples
    --------
    >>> from odonata import machine, placement, workload
    >>> eos = machine.load("eos")
    >>> print(Job(workload.Collective("barrier"), placement.place(eos, 16)))
    barrier/auto 1 KiB on 16 ranks
    """

    workload: Workload
    placement: Placement
    background: bool = False

    def __post_init__(self) -> None:
        _require("workload", self.workload, Workload, KINDS)
        _require("placement", self.placement, Placement, "Placement")
        if self.background and isinstance(self.workload, Traffic):
            object.__setattr__(self, "workload", replace(self.workload, messages_per_rank=0))

    def __repr__(self) -> str:
        return f"<Job: {self} of {self.placement.machine.name}>"

    def __str__(self) -> str:
        behind = ", in the background" if self.background else ""
        return f"{self.workload} on {self.placement.ranks} ranks{behind}"


def background(machine: Machine, traffic: Traffic, *, beside: Sequence[Placement]) -> Job:
    """Return a job of traffic among all nodes that no other job has, until the others end.

    Parameters
    ----------
    machine
        The machine.
    traffic
        Their traffic.
    beside
        Placements of the other jobs.

    Raises
    ------
    UserError
        Fewer than two nodes are left.
    """
    taken = {node for other in beside for node in other.node_of}
    left = machine.num_nodes - len(taken.union(machine.cut_nodes))
    if left < 2:
        raise UserError(
            "background: too few nodes are left for traffic among them",
            value=left,
            allowed="2 or more",
        )
    return Job(traffic, place_on_rest(machine, beside=beside), background=True)


def parse_background(text: str, *, bytes: int | str = 1024, what: str = "background") -> Traffic:
    """Return the traffic that a text such as ``"uniform:0.3"`` stands for.

    Parameters
    ----------
    text
        Pattern and load, with a colon between them.
    bytes
        Size of a message [B].
    what
        Name of the traffic in errors.

    Raises
    ------
    UserError
        The pattern is unknown, or the load not above 0 to 1.

    Examples
    --------
    >>> print(parse_background("adversarial+1:0.25"))
    adversarial+1 at 0.25 of 1 KiB
    """
    pattern, colon, load = text.partition(":")
    try:
        share = float(load)
    except ValueError:
        share = float("nan")
    if not colon or not 0 < share <= 1:
        allowed = "PATTERN:LOAD with a load above 0 to 1, as in uniform:0.3"
        raise UserError(f"{what}: not understood", value=text, allowed=allowed)
    return Traffic(pattern, load=share, bytes=bytes, messages_per_rank=0)


def _check_fits(machine: Machine, placement: Placement, number: int) -> None:
    """Refuse a placement that was made for a machine with other nodes, or with more cores."""
    made_for = placement.machine
    if made_for is machine:
        return
    if made_for.core.node_router != machine.core.node_router:
        raise UserError(
            f"job {number}: its placement was made for another machine",
            value=f"{made_for.name}, {made_for.num_nodes} nodes",
            allowed=f"a placement on {machine.name}, {machine.num_nodes} nodes",
        )
    most = placement.ranks_per_node
    if most > machine.cores_per_node:
        raise UserError(
            f"job {number}: its placement has more ranks on a node than {machine.name} has cores",
            value=most,
            allowed=f"1 to {machine.cores_per_node}",
        )


def _require(what: str, value: object, kind: type, allowed: str) -> None:
    if not isinstance(value, kind):
        raise UserError(f"job: not a {what}", value=value, allowed=allowed)


def check_jobs(machine: Machine, jobs: Sequence[Job]) -> None:
    """Raise UserError unless the jobs fit the machine and each other."""
    if not jobs or all(job.background for job in jobs):
        raise UserError("jobs: none is in the foreground", value=len(jobs), allowed="1 or more")
    taken: set[int] = set()
    for number, job in enumerate(jobs):
        _check_fits(machine, job.placement, number)
        nodes = set(job.placement.node_of)
        if not taken.isdisjoint(nodes):
            node = min(taken & nodes)
            raise UserError(f"job {number}: an earlier job has its node", value=node)
        taken |= nodes
        if machine.cut_nodes:
            from odonata.machine.faults import require_joined  # few machines have faults

            require_joined(machine, nodes, f"job {number}")
        endless = isinstance(job.workload, Traffic) and job.workload.messages_per_rank == 0
        if endless and not job.background:
            what = f"job {number}: traffic without an end is for the background"
            raise UserError(what, allowed="messages_per_rank of 1 or more")
