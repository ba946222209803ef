"""A recorded run with later messages: how much latency it tolerates.

The record has the acts of every program (work, sends, receives, and what it waited for), and how
long each message crossed the network. The acts are done again in their order, with the messages
later by some time, and without a network: each message takes what it took. So a rank takes messages
in the order in which they come now, and a NIC serves its ranks in the order in which they send now.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from odonata import _core
from odonata.errors import UserError
from odonata.machine.mpi_numbers import MPI_NUMBERS

if TYPE_CHECKING:
    from odonata.explain.explained import Explained
    from odonata.result import Run

__all__ = ["LONGER", "MOST_ACTS", "Moved", "Tolerance", "found_moved", "without_tolerance"]

LONGER = (0.01, 0.02, 0.05)
"""Shares by which a run may take longer, for which LLAMP states the tolerance."""

MOST_ACTS = 4_000_000
"""Acts up to which tolerances are found unasked: some seconds."""

_MOST_LATENCY = 2**50
_EXACT = 2**13
"""A tolerance is exact to a part in so many, where the end does not grow in a straight line."""

Report = Callable[[float], None]
"""Is told which share of a search is done."""


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
        acts, flights = explained.account.acts, explained.account.flights
        if acts is None or flights is None:
            raise UserError(f"{explained.where}: {_NOT_KEPT}")
        run = explained.run
        self._has_messages = len(flights["act"]) > 0
        self._ends: dict[int, int] = {}
        self._tolerances: list[Tolerance] | None = None
        nodes = [int(node) for job in run.jobs for node in job.nodes]
        places = {node: at for at, node in enumerate(sorted(set(nodes)))}
        self._core = _core.MovedRun(
            _node_of(run, len(places)),
            _mpi_options(run),
            _engine_options(run),
            [places[node] for node in nodes],
            dict(acts),
            dict(flights),
        )

    def end_ps(self, latency_ps: int) -> int:
        """Return when the run ends if each message between nodes takes longer by a latency [ps].

        Parameters
        ----------
        latency_ps
            The additional latency [ps].
        """
        if latency_ps not in self._ends:  # acts in the background are not kept: these end at 0
            self._ends[latency_ps] = max(self._core.ends(latency_ps).tolist())
        return self._ends[latency_ps]

    @property
    def tolerances(self) -> list[Tolerance]:
        """Latency that the run tolerates before it takes 1, 2 and 5 % longer."""
        return self.find()

    def find(self, report: Report | None = None) -> list[Tolerance]:
        """Return `tolerances`, which take a while where a run is large.

        Parameters
        ----------
        report
            Is told after each try which share of the search is done.
        """
        if self._tolerances is None:
            found = []
            for at, longer in enumerate(LONGER):
                part = report and _part_of(report, at / len(LONGER), 1 / len(LONGER))
                found.append(self.tolerance(longer, part))
            self._tolerances = [each for each in found if each is not None]
        return self._tolerances

    def tolerance(self, longer: float, report: Report | None = None) -> Tolerance | None:
        """Return how much latency may grow before the run takes longer by a share.

        Parameters
        ----------
        longer
            The share, such as 0.01.
        report
            Is told after each try which share of the search is done.

        Returns
        -------
        Tolerance or None
            None if no latency makes it so long.

        Notes
        -----
        With less latency it takes less than that, and with more it takes more, but not always: a
        rank that takes messages in another order may end earlier. Where the end crosses the time
        several times, one of these latencies is returned. It is exact where the end grows in a
        straight line around it, and else to 1/8192 of itself.
        """
        now = self.end_ps(0)
        target = max(now + 1, int(now * (1 + longer)))
        if not self._has_messages or not self._reach(target, max(1, target - now)):
            return None
        high = min(at for at, end in self._ends.items() if end >= target)
        low = max(at for at in self._ends if at < high)
        return Tolerance(longer, self._close(low, high, target, report))

    def _reach(self, target: int, latency_ps: int) -> bool:
        """Try larger latencies until the run is as long as `target`; return whether one is."""
        if max(self._ends.values()) >= target:
            return True
        while self.end_ps(latency_ps) < target:
            if latency_ps >= _MOST_LATENCY:
                return False
            latency_ps *= 4
        return True

    def _close(self, low: int, high: int, target: int, report: Report | None) -> int:
        """Return a latency at which the end reaches `target`; it does at `high`, not at `low`."""
        room = (target - self.end_ps(0)) // _EXACT
        below, above = target - self.end_ps(low), self.end_ps(high) - target
        begun, number, side = high - low, 0, 0
        while self.end_ps(high) - target > room and high - low > max(1, high // _EXACT):
            number += 1
            middle = (low + high) // 2
            if number % 4:  # where a straight line between the two crosses the time
                crossing = low - (low - high) * below // (below + above)
                middle = min(max(crossing, low + 1), high - 1)
            end = self.end_ps(middle)
            if end < target:  # the end that stays twice weighs half
                low, below, above = middle, target - end, above // 2 if side < 0 else above
            else:
                high, above, below = middle, end - target, below // 2 if side > 0 else below
            side = -1 if end < target else 1
            if report:
                report(1 - math.log(high - low) / math.log(begun + 1))
        return high


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


def _part_of(report: Report, begin: float, share: float) -> Report:
    return lambda done: report(begin + share * done)


_NOT_KEPT = (
    "no latency tolerance: what its programs did was not kept, because it takes more than 256 MiB "
    "or the file is of an older Odonata; simulate again with a larger links.injection.latency"
)


def without_tolerance(explained: Explained) -> str | None:
    """Return why the tolerance of a run is not told, and how to get it; None if it is told.

    Parameters
    ----------
    explained
        The run.
    """
    if not explained.has_path:
        return explained.without_path
    if explained.ends_with_delivery:
        return "no latency tolerance: the run ends with a message that no rank waits for"
    acts = explained.account.acts
    if acts is None:
        return _NOT_KEPT
    if len(acts["kind"]) > MOST_ACTS and not explained.asked:
        return (
            f"no latency tolerance: to do {len(acts['kind']):,} acts of the programs again takes a "
            "while; ask for it with odonata explain --tolerance"
        )
    return None


def found_moved(explained: Explained) -> Moved | None:
    """Return a run with later messages if its acts were kept, and are few or it was asked for.

    Parameters
    ----------
    explained
        The run.
    """
    return None if without_tolerance(explained) else Moved(explained)
