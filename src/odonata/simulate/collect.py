"""Conversion of an engine's raw numbers to plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, cast

from odonata import _core
from odonata.machine import Machine
from odonata.placement import Placement
from odonata.result import JobRun
from odonata.result.columns import Columns
from odonata.result.explanation import Causes, Explanation, Scope
from odonata.result.overview import listed
from odonata.result.run import Scalar
from odonata.simulate.job import Job
from odonata.simulate.window import window_totals
from odonata.workload import Traffic
from odonata.workload.build import Built

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["collect_explanation", "collect_job", "collect_links", "summarize"]

_TOTALS = (
    "messages",
    "control_messages",
    "bytes",
    "packets",
    "packet_hops",
    "latency_sum",
    "latency_max",
    "first_sent",
    "last_delivered",
)
MOST_RANGES = 6
"""Ranges of nodes that the name of an allocation lists."""

_SUMMED = ("messages", "control_messages", "bytes", "packets", "packet_hops", "latency_sum")


def collect_job(
    core: _core.Simulation, number: int, job: Job, built: Built, *, recorded: bool
) -> JobRun:
    """Return the measurements of a job of a run."""
    raw = core.job(number)
    totals = {key: int(raw[key]) for key in _TOTALS} | window_totals(raw, job.workload)
    totals["last_finished"] = max(raw["finished"])
    placed: dict[str, Scalar] = {
        "allocation": _allocation(job.placement),
        "mapping": job.placement.mapping,
        "ranks_per_node": job.placement.ranks_per_node,
        "mean_node_distance": job.placement.mean_node_distance(),
    }
    return JobRun(
        name=built.name,
        background=job.background,
        workload={**built.fields, **placed},
        nodes=job.placement.node_of,
        totals=totals,
        finished=raw["finished"],
        phases=tuple(raw["phases"]),
        marks=Columns({key: raw[f"mark_{key}"] for key in ("rank", "phase", "begin")}),
        latencies=Columns(core.latencies(number)),
        messages=Columns(core.messages(number)) if recorded else None,
    )


def collect_links(core: _core.Simulation, machine: Machine) -> Columns:
    """Return where every link of a machine leads, and its load."""
    ports = machine.num_node_ports
    return Columns(
        {
            "from": lambda: machine.link_from,
            "to": lambda: machine.link_to,
            "class": lambda: machine.link_class,
            "group_from": lambda: _groups(machine, machine.link_from, slice(ports)),
            "group_to": lambda: _groups(machine, machine.link_to, slice(ports, 2 * ports)),
            **core.links(),
        }
    )


_PROPORTIONAL_WORK = {
    "mpi.send_overhead": (1,),
    "mpi.send_overhead_per_byte": (2,),
    "mpi.recv_overhead": (3,),
    "mpi.recv_overhead_per_byte": (4,),
    "mpi.copy_per_byte": (5,),
    "mpi.reduce_per_byte": (6,),
    "mpi.search_per_entry": (7,),
    "mpi.wait_per_request": (8,),
    "mpi.eager_overhead": (10, 12),
    "mpi.eager_overhead_per_byte": (11, 13),
    "mpi.rendezvous_overhead": (14, 16),
    "mpi.long_overhead_per_byte": (15, 17),
    "node.send_overhead": (18,),
    "node.recv_overhead": (19,),
}
"""Numbers of the machine, and the kinds of work in the engine that are proportional to them."""


MOST_STEPS = 2_000_000
"""Steps, crossings and pieces of ways up to which a run keeps them unasked: 30 MB."""


INTERVALS = 240
"""Intervals of a run whose main activities are kept where steps are too many."""


def collect_explanation(
    core: _core.Simulation, machine: Machine, record: bool | Literal["auto"]
) -> Explanation:
    """Return where the time of the ranks went, and with `record` every step of theirs."""
    raw = cast("dict[str, Any]", core.explanation())
    account = {
        "categories": tuple(raw["categories"]),
        "by_rank": raw["by_rank"],
        "scopes": tuple(Scope(*scope) for scope in raw["scopes"]),
        "by_scope": raw["by_scope"],
    }
    if raw["path"] is None:
        return Explanation(**account, path=None, proportions={})
    path = dict(raw["path"])
    works, gaps = path.pop("works"), path.pop("gaps")
    proportions = {
        key: sum(works[kind] for kind in kinds) for key, kinds in _PROPORTIONAL_WORK.items()
    }
    proportions["nic.message_gap"] = gaps
    causes = _collect_causes(core, MOST_STEPS if record == "auto" else 2**40) if record else None
    return Explanation(
        **account,
        path=Columns(path),
        proportions={key: int(time) for key, time in proportions.items() if time},
        causes=causes,
        kinds=_collect_kinds(core, path["end"]) if record and causes is None else None,
        acts=cast("dict[str, Any] | None", core.acts()),
    )


def _collect_kinds(core: _core.Simulation, ends: Any) -> NDArray[np.uint8] | None:
    """Return the main activity of each rank in each interval of the run."""
    import numpy as np

    if not len(ends):
        return None
    kinds: NDArray[np.uint8] = np.asarray(core.kinds_by_interval(int(ends[-1]), INTERVALS))
    return kinds


def _collect_causes(core: _core.Simulation, most: int) -> Causes | None:
    raw = cast("dict[str, dict[str, Any]] | None", core.causes(most))
    if raw is None:
        return None
    steps = raw["step"]
    counts = steps.pop("count")
    return Causes(
        counts=counts,
        steps=Columns(steps),
        crossings=Columns(raw["crossing"]),
        pieces=Columns(raw["piece"]),
    )


def _groups(machine: Machine, ends: NDArray[np.int32], nodes: slice) -> NDArray[np.int32]:
    """Return the groups of the ends of links; the ends in `nodes` are nodes, not routers."""
    routers = ends.copy()
    routers[nodes] = machine.node_router[ends[nodes]]
    return machine.router_group[routers]


def summarize(
    jobs: Sequence[JobRun], sources: Sequence[Job], machine: Machine
) -> dict[str, Scalar]:
    """Return the scalars of a run that its jobs give: see `odonata.result.Run`."""
    front = [job for job in jobs if not job.background]
    total = {key: sum(job.totals[key] for job in front) for key in _SUMMED}
    traffic: dict[bool, list[tuple[JobRun, float, int]]] = {False: [], True: []}
    for job, source in zip(jobs, sources, strict=True):
        if isinstance(work := source.workload, Traffic):
            senders = work.senders(source.placement.ranks)
            traffic[job.background].append((job, work.load, senders))
    offered, accepted = _loads(traffic[False], machine)
    offered_behind, accepted_behind = _loads(traffic[True], machine)
    return {
        "workload": listed(job.name for job in front),
        "operation": _common(front, "operation"),
        "algorithm": _common(front, "algorithm"),
        "requested_algorithm": _common(front, "requested_algorithm"),
        "pattern": _common(front, "pattern"),
        "block_bytes": _common(front, "bytes"),
        "root": _common(front, "root"),
        "repetitions": _common(front, "repetitions"),
        "allocation": _common(front, "allocation"),
        "mapping": _common(front, "mapping"),
        "ranks_per_node": _common(front, "ranks_per_node"),
        "mean_node_distance": _common(front, "mean_node_distance"),
        "ranks": sum(source.placement.ranks for source in sources if not source.background),
        "background": listed(job.name for job in jobs if job.background) or None,
        "background_jobs": len(jobs) - len(front),
        "busy": _busy(sources, machine),
        "time_seconds": max(_end(job) for job in front) / 1e12,
        "messages": total["messages"],
        "bytes": total["bytes"],
        "packets": total["packets"],
        "packet_hops": total["packet_hops"],
        "mean_routers": _ratio(total["packet_hops"], total["packets"]),
        "mean_latency_seconds": _ratio(total["latency_sum"], total["messages"] * 10**12),
        "offered_load": offered,
        "accepted_load": accepted,
        "background_offered_load": offered_behind,
        "background_accepted_load": accepted_behind,
        "all_packets": sum(job.totals["packets"] for job in jobs),
        "all_packet_hops": sum(job.totals["packet_hops"] for job in jobs),
    }


def _allocation(placement: Placement) -> str:
    """Return the allocation as the command line writes it; long lists are ``explicit``."""
    used = sorted(set(placement.node_of))
    if placement.allocation == "contiguous" and used[0] > 0:
        return f"contiguous:{used[0]}"
    if placement.allocation != "explicit":
        return placement.allocation
    gaps = [(last, first) for last, first in pairwise(used) if first > last + 1]
    if len(gaps) >= MOST_RANGES:
        return "explicit"
    firsts = [used[0], *(first for _, first in gaps)]
    lasts = [*(last for last, _ in gaps), used[-1]]
    ranges = zip(firsts, lasts, strict=True)
    return ",".join(f"{first}-{last}" if last > first else str(first) for first, last in ranges)


def _busy(sources: Sequence[Job], machine: Machine) -> float:
    """Return the share of the nodes beside the jobs that have jobs of the background."""
    used = {False: 0, True: 0}
    for source in sources:
        used[source.background] += len(set(source.placement.node_of))
    # Nodes of the jobs in the foreground cannot be busy with others.
    return _ratio(used[True], machine.num_nodes - used[False])


def _end(job: JobRun) -> int:
    """Return when a job ended [ps]: traffic with its last delivery, others with their last rank."""
    return max(job.totals["last_finished"], job.totals["last_delivered"])


def _common(jobs: Sequence[JobRun], field: str) -> Scalar:
    """Return a field that all jobs have in common, None if they don't."""
    values = {job.workload.get(field) for job in jobs}
    return values.pop() if len(values) == 1 else None


def _loads(
    traffic: Sequence[tuple[JobRun, float, int]], machine: Machine
) -> tuple[float | None, float | None]:
    """Return offered and accepted load of a sender, in units of the injection link.

    Parameters
    ----------
    traffic
        Jobs with their load and how many of their ranks send.
    machine
        The machine.

    Notes
    -----
    Accepted are the bytes that were delivered in the steady window, by senders, injection
    bandwidth and length of the window: unless the traffic says another, the second half of the
    time in which every rank still has something to send. In the background that is until the
    other jobs end.
    """
    senders = sum(senders for _, _, senders in traffic)
    if senders == 0:
        return None, None
    rate = machine.value("links.injection.bandwidth")
    assert isinstance(rate, int)
    offered = sum(senders * Fraction(load) for _, load, senders in traffic) / senders
    accepted = 0.0
    for job, _, _ in traffic:
        span = job.totals["window_end"] - job.totals["window_begin"]
        accepted += _ratio(job.totals["window_bytes"] * 1e12, rate * span)
    return float(offered), accepted / senders


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def plain_numbers(machine: Machine) -> Mapping[str, Scalar]:
    """Return every number of a machine in base units; lists as text."""
    return {
        key: number.value if isinstance(number.value, (int, float, str)) else number.text
        for key, number in machine.numbers.items()
    }
