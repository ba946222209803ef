"""Measurements of a run: plain data with units, apart from the engines that made it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from odonata.result.columns import Column
from odonata.result.explanation import Explanation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ClassLoad", "JobRun", "Run", "Scalar"]

Scalar = int | float | str | bool | None


@dataclass(frozen=True)
class ClassLoad:
    """Load of the links of one class.

    Parameters
    ----------
    name
        Name of the class.
    num_links
        Links of the class.
    num_used
        Links that sent anything.
    num_bytes
        Bytes that they sent, headers included [B].
    mean_utilisation, max_utilisation
        Over the links that sent anything, from 0 to 1; 0 if none did.
    stalled_ps
        Time without credit, summed over links [ps].
    max_stalled
        Largest share of the run that a link was without credit, from 0 to 1.
    num_buffers, num_filled
        Buffers at their far ends, and how many of them were full when a packet asked for room.
    max_filling
        Largest share of a buffer that was ever reserved, from 0 to 1.
    """

    name: str
    num_links: int
    num_used: int
    num_bytes: int
    mean_utilisation: float
    max_utilisation: float
    stalled_ps: int
    max_stalled: float
    num_buffers: int
    num_filled: int
    max_filling: float


@dataclass(frozen=True, eq=False, kw_only=True)
class JobRun:
    """Measurements of one job of a run.

    Parameters
    ----------
    name
        Name of the job, such as ``"allgather/ring 1 KiB"``.
    background
        Whether it ended when no other job was left.
    workload
        Fields of the workload: ``operation``, ``algorithm``, ``bytes`` [B], ``root``,
        ``repetitions``, or ``pattern``, ``load``, ...
    nodes
        Shape (ranks,): node of each rank.
    totals
        ``messages, control_messages, bytes`` [B], ``packets, packet_hops, latency_sum`` [ps],
        ``latency_max`` [ps], ``first_sent`` [ps], ``last_delivered`` [ps], ``last_finished`` [ps]
        (of its ranks), and the steady window of traffic: ``window_begin`` [ps], ``window_end``
        [ps], ``window_bytes`` [B], and ``window_first_bytes`` [B] of its first half; where the
        window was asked to be: ``asked_begin`` [ps] and ``asked_end`` [ps].
    finished
        Shape (ranks,): when each rank ended [ps].
    phases
        Names of the phases.
    marks
        Columns ``rank``, ``phase`` (position in `phases`) and ``begin`` [ps]; a phase lasts until
        the next mark of its rank, or the rank's end.
    latencies
        Columns ``latency`` (lower edge of a bin [ps]) and ``count``, of bins that are not empty.
    messages
        Columns ``source, target`` (ranks), ``bytes`` [B], ``sent`` [ps], ``delivered`` [ps],
        ``routers`` (mean over its packets); None if messages were not recorded one by one.
    """

    name: str
    background: bool
    workload: Mapping[str, Scalar]
    nodes: Column = Column()
    totals: Mapping[str, int]
    finished: Column = Column()
    phases: tuple[str, ...]
    marks: Mapping[str, NDArray[np.int64]]
    latencies: Mapping[str, NDArray[np.int64]]
    messages: Mapping[str, NDArray[np.generic]] | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Run:
    """Everything that `odonata.simulate` knows after a run, as plain data.

    Parameters
    ----------
    summary
        Scalars of the run: ``machine, engine, routing, algorithm, requested_algorithm`` (which
        may be ``auto``), ``pattern, block_bytes, root, repetitions, ranks, allocation, mapping,
        ranks_per_node, mean_node_distance`` (None unless all jobs have the same), ``background,
        background_jobs, busy`` (share of the other nodes that these have),
        ``seed, bias_bytes, packet_bytes, changes`` (the caller's changes of the machine, as text;
        None without changes), ``checked`` (how the machine was held against measurements, in
        words), ``time_seconds, messages, bytes, packets, packet_hops, mean_routers,
        mean_latency_seconds, events, cpu_seconds, peak_memory_bytes, digest`` (None if it wasn't
        asked for), ``offered_load`` and ``accepted_load`` (None unless the job is traffic),
        ``background_offered_load`` and ``background_accepted_load`` (None unless there is traffic
        in the background). Counts are of the jobs that are not background, ``packets`` and
        ``packet_hops`` too.
    jobs
        Measurements of each job, in the order given.
    links
        Columns ``from, to`` (routers; a node, at the node's end of an injection or ejection
        link), ``class`` (position in `link_classes`), ``group_from, group_to``, ``bytes`` [B],
        ``busy`` [ps], ``stalled`` [ps], ``peak_waiting`` [B] (at its router: 0 of injection
        links); a row a link.
    link_classes
        Names of the link classes.
    link_rates
        Shape (num_classes,): bandwidth of each class [B/s].
    buffers
        Columns ``link, vc, capacity`` [B], ``peak`` [B], ``refused`` (times it was full).
    samples
        ``time`` [ps], shape (num_samples,), and ``waiting`` [B], shape (num_samples,
        num_classes): bytes that wait at routers for links of each class; bytes in the queues of
        NICs for injection links are not in it.
    log
        Columns ``time`` [ps], ``link`` (-1: delivered), ``vc``, ``source`` (node) and ``packet``
        (its number there); None if the log was not kept.
    explanation
        Where the time of the ranks went; None if no account was kept.
    end
        When the last event happened [ps].
    machine
        Every number of the machine by its dotted key, in base units (ps, B, B/s, ps/B).
    options
        Every option of the run, resolved.
    provenance
        ``version`` of Odonata, ``command`` line.
    recipe
        All that the run was made of, as JSON text (see `odonata.simulate.Recipe`); None if it
        cannot be made again.
    loads
        Loads of each class of links; None: `links` and `buffers` tell it. See
        `odonata.result.comparing`.
    """

    summary: Mapping[str, Scalar]
    jobs: tuple[JobRun, ...]
    links: Mapping[str, NDArray[np.int64]]
    link_classes: tuple[str, ...]
    link_rates: Column = Column()
    buffers: Mapping[str, NDArray[np.int64]]
    samples: Mapping[str, NDArray[np.int64]]
    log: Mapping[str, NDArray[np.int64]] | None
    explanation: Explanation | None = None
    end: int
    machine: Mapping[str, Scalar]
    options: Mapping[str, Scalar]
    provenance: Mapping[str, str]
    recipe: str | None = None
    loads: tuple[ClassLoad, ...] | None = None

    @property
    def length_ps(self) -> int:
        """Time of the last end of a rank or delivery, without the background [ps]."""
        front = [job.totals for job in self.jobs if not job.background]
        return max(max(each["last_finished"], each["last_delivered"]) for each in front)
