"""A recorded run with later messages: how much latency it tolerates.

The record has the acts of every program (work, sends, receives, and what it waited for), and how
long each message crossed the network. The acts are done again in their order, with the messages
later by some time, and without a network: each message takes what it took. So a rank takes messages
in the order in which they come now, and a NIC serves its ranks in the order in which they send now.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from odonata import _core
from odonata.errors import UserError
from odonata.machine.mpi_numbers import MPI_NUMBERS

if TYPE_CHECKING:
    from odonata.explain.explained import Explained
    from odonata.result import Run

__all__ = ["LONGER", "MOST_ACTS", "Moved", "Tolerance", "moved_unasked"]

LONGER = (0.01, 0.02, 0.05)
"""Shares by which a run may take longer, for which LLAMP states the tolerance."""

MOST_ACTS = 400_000
"""Acts up to which tolerances are found unasked: some seconds."""

_MOST_LATENCY = 2**50
_MOST_TRIES = 60


@dataclass(frozen=True)
class Tolerance:
    """Latency that a run tolerates.

    Parameters
    ----------
    longer
        Share by which the run takes longer.
    latency_ps
        Time by which each message between nodes may take longer until then [ps].
    """

    longer: float
    latency_ps: int


class Moved:
    """An explained run with later messages.

    Parameters
    ----------
    explained
        The run.

    Raises
    ------
    UserError
        The run kept no record of its acts.

    Examples
    --------
    >>> from odonata import explain, machine, placement, simulate, workload
    >>> theta = machine.load("theta")
    >>> ring = workload.Collective("allgather", "ring", bytes=8)
    >>> job = simulate.Job(ring, placement.place(theta, 8))
    >>> told = explain.explain(simulate.simulate(theta, [job], explain=True))
    >>> explain.Moved(told).end_ps(1000) - told.length_ps  # seven messages behind each other
    7000
    """

    def __init__(self, explained: Explained) -> None:
        causes = explained.account.causes
        if causes is None or causes.acts is None or causes.flights is None:
            raise UserError(
                "result: what its programs did was not kept, because it is much or of an older "
                "Odonata; run it again with --explain -o"
            )
        run = explained.run
        self._background = [job.background for job in run.jobs for _ in job.nodes]
        self._has_messages = len(causes.flights["act"]) > 0
        self._ends: dict[int, int] = {}
        nodes = [int(node) for job in run.jobs for node in job.nodes]
        places = {node: at for at, node in enumerate(sorted(set(nodes)))}
        self._core = _core.MovedRun(
            _node_of(run, len(places)),
            _mpi_options(run),
            _engine_options(run),
            [places[node] for node in nodes],
            dict(causes.acts),
            dict(causes.flights),
        )

    def end_ps(self, latency_ps: int) -> int:
        """Return when the run ends if each message between nodes takes longer by a latency [ps].

        Parameters
        ----------
        latency_ps
            The additional latency [ps].
        """
        if latency_ps not in self._ends:
            ends = self._core.ends(latency_ps).tolist()
            chosen = zip(ends, self._background, strict=True)
            self._ends[latency_ps] = max((end for end, background in chosen if not background))
        return self._ends[latency_ps]

    @cached_property
    def tolerances(self) -> list[Tolerance]:
        """Latency that the run tolerates before it takes 1, 2 and 5 % longer."""
        found = (self.tolerance(longer) for longer in LONGER)
        return [each for each in found if each is not None]

    def tolerance(self, longer: float) -> Tolerance | None:
        """Return how much latency may grow before the run takes longer by a share.

        Parameters
        ----------
        longer
            The share, such as 0.01.

        Returns
        -------
        Tolerance or None
            None if no latency makes it so long.

        Notes
        -----
        With less latency it takes less than that, and with more it takes more, but not always: a
        rank that takes messages in another order may end earlier. Where the end crosses the time
        several times, one of these latencies is returned.
        """
        target = int(self.end_ps(0) * (1 + longer))
        high = max(1, int(self.end_ps(0) * longer))
        while self._has_messages and self.end_ps(high) < target and high < _MOST_LATENCY:
            high *= 4
        if not self._has_messages or self.end_ps(high) < target:
            return None
        low = max((at for at, end in self._ends.items() if end < target and at < high), default=0)
        high = min(at for at, end in self._ends.items() if end >= target and at > low)
        for number in range(_MOST_TRIES):
            if high - low <= 1 or self.end_ps(high) == target:
                break
            middle = self._between(low, high, target) if number % 3 < 2 else (low + high) // 2
            low, high = (middle, high) if self.end_ps(middle) < target else (low, middle)
        return Tolerance(longer, high)

    def _between(self, low: int, high: int, target: int) -> int:
        """Return where a straight line between two latencies crosses the time."""
        below, above = self.end_ps(low), self.end_ps(high)
        crossing = low + -(-(high - low) * (target - below) // (above - below))
        return min(max(crossing, low + 1), high - 1)


def _node_of(run: Run, nodes: int) -> _core.Machine:
    """Return a machine with as many nodes as the run used; their network is not looked at."""
    latency, bandwidth = _whole(run, "node.latency"), _whole(run, "node.bandwidth")
    basics = _core.Basics("record", 1, 0, latency, bandwidth)
    rate = _whole(run, "links.injection.bandwidth")
    kinds = [_core.LinkClass(name, rate, 0, 65536, 0) for name in ("injection", "ejection")]
    return _core.make_machine("star", basics, {"nodes": max(2, nodes)}, kinds)


def _mpi_options(run: Run) -> _core.MpiOptions:
    options = _core.MpiOptions()
    for field, key in MPI_NUMBERS.items():
        if f"mpi.{key}" in run.machine:
            setattr(options, field, run.machine[f"mpi.{key}"])
    return options


def _engine_options(run: Run) -> _core.EngineOptions:
    options = _core.EngineOptions()
    options.packet_bytes = _whole(run, "nic.packet_bytes")
    options.header_bytes = _whole(run, "nic.header_bytes")
    if "nic.message_gap" in run.machine:
        options.message_gap = _whole(run, "nic.message_gap")
    return options


def _whole(run: Run, key: str) -> int:
    value = run.machine[key]
    assert isinstance(value, int), key
    return value


def moved_unasked(explained: Explained) -> Moved | None:
    """Return a run with later messages if its acts were kept and are few enough.

    Parameters
    ----------
    explained
        The run.
    """
    causes = explained.account.causes
    if causes is None or causes.acts is None or not 0 < len(causes.acts["kind"]) <= MOST_ACTS:
        return None
    if explained.ends_with_delivery:
        return None
    return Moved(explained)
