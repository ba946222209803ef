"""Dependencies of a run: how much slack its parts have.

The record of a run has the steps of every rank and the crossings of the network that ended waits;
the table of messages has the messages for which no rank waited. Together they give the order in
which events had to happen. Waits in the network, and the order in which ranks receive, are taken as
they were.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from odonata.explain.account import Account
from odonata.explain.timeline import Timeline
from odonata.result.kinds import STEP_KINDS

__all__ = ["MOST_NODES", "Dependencies", "has_few_steps"]

MOST_NODES = 400_000
"""Steps and crossings up to which slack is found unasked: some seconds."""

_WAITING = STEP_KINDS.index("waiting")
_RECEIVES = tuple(at for at, name in enumerate(STEP_KINDS) if name == "receive_overhead")
_NEVER = 2**62


class Dependencies:
    """Order in which the parts of an explained run depend on each other.

    Parameters
    ----------
    timeline
        Timeline of the run.

    Notes
    -----
    A step is work, which begins when the previous step has ended, or a wait, which ends when its
    message has come. Messages that had come before a rank waited for them hold its next receive
    back: in the order in which they came, one for each receive overhead. Rendezvous messages among
    them are left out.
    """

    def __init__(self, timeline: Timeline) -> None:
        self.timeline = timeline
        self.explained = timeline.explained
        self._read_steps()
        self._read_crossings()
        self._add_early_messages()
        self._order_nodes()

    # ---- the graph

    def _read_steps(self) -> None:
        timeline = self.timeline
        counts = timeline.causes.counts
        self._rank = timeline.step_rank
        self._begin, self._end = timeline.step_begin, timeline.step_end
        self._waits = (timeline.causes.steps["kind"] == _WAITING) & (
            timeline.causes.steps["cause"] >= 0
        )
        self._first = np.cumsum(counts) - counts
        self._last = np.cumsum(counts) - 1
        background = [job.background for job in self.explained.run.jobs for _ in job.nodes]
        self._counts_rank = ~np.array(background, dtype=bool)
        lasts = self._last[self._counts_rank & (counts > 0)]
        self._length = int(self._end[lasts].max(initial=0))

    def _read_crossings(self) -> None:
        crossings = self.timeline.causes.crossings
        self._handed = crossings["handed"].astype(np.int64)
        self._arrived = crossings["end"].astype(np.int64)
        self._parent = crossings["parent"].astype(np.int64)
        self._source = self._steps_at(crossings["launcher"].astype(np.int64), self._handed)
        self._source[self._parent >= 0] = -1

    def _steps_at(self, ranks: NDArray[np.int64], times: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the step of each rank that has begun before a time and ends at it or later.

        It is -1 at time 0, where no step has begun.
        """
        span = int(self._end.max(initial=0)) + 2
        at = np.searchsorted(self._rank * span + self._begin, ranks * span + times) - 1
        found: NDArray[np.int64] = np.where(
            (at >= 0) & (self._rank[np.maximum(at, 0)] == ranks), at, -1
        )
        return found

    def _add_early_messages(self) -> None:
        """Add the messages that had come before their rank waited: crossings that hold a step."""
        found = self.timeline.messages
        crossings = self.timeline.causes.crossings
        known = set(zip(*(crossings[key].tolist() for key in ("from", "to", "end")), strict=True))
        threshold = self.explained.run.machine.get("mpi.eager_threshold")
        early = [
            at
            for at, key in enumerate(
                zip(
                    found.source.tolist(),
                    found.target.tolist(),
                    found.delivered.tolist(),
                    strict=True,
                )
            )
            if key not in known
            and (not isinstance(threshold, int) or int(found.size[at]) <= threshold)
        ]
        # The earlier a message comes, the earlier is the receive that it holds back.
        early.sort(key=lambda at: int(found.delivered[at]))
        self._held: dict[int, list[tuple[int, int]]] = {}  # by step: crossing, time into the step
        rows: list[tuple[int, int, int]] = []  # handed, arrived, source
        for at in early:
            target = int(found.target[at])
            place = self._place_of_receive(target, int(found.delivered[at]))
            if place is None:
                continue
            step, offset = place
            self._held.setdefault(step, []).append((len(self._handed) + len(rows), offset))
            rows.append((int(found.sent[at]), int(found.delivered[at]), int(found.source[at])))
        handed, arrived, sources = np.array(rows, dtype=np.int64).reshape(-1, 3).T
        self._source = np.concatenate([self._source, self._steps_at(sources, handed)])
        self._parent = np.concatenate([self._parent, np.full(len(rows), -1)])
        self._handed = np.concatenate([self._handed, handed])
        self._arrived = np.concatenate([self._arrived, arrived])

    def _place_of_receive(self, rank: int, arrived: int) -> tuple[int, int] | None:
        """Return the step that a message which came early holds back, and how far into it."""
        overhead = self.explained.run.machine.get("mpi.recv_overhead")
        first, end = int(self._first[rank]), int(self._last[rank]) + 1
        at = max(first, int(self._begin[first:end].searchsorted(arrived, "right")) - 1 + first)
        if not isinstance(overhead, int) or overhead <= 0:
            return (at + 1, 0) if at + 1 < end else None
        for step in range(at, end):
            if int(self._kind_of(step)) not in _RECEIVES:
                continue
            begin, length = int(self._begin[step]), int(self._end[step] - self._begin[step])
            before = -(-max(0, arrived - begin) // overhead)  # receives that had begun by then
            place = max(before, len(self._held.get(step, ()))) * overhead
            if place < length:
                return step, place
        return None

    def _kind_of(self, step: int) -> int:
        return int(self.timeline.causes.steps["kind"][step])

    def _order_nodes(self) -> None:
        """Put steps and crossings in an order in which each comes after its dependencies."""
        steps, crossings = len(self._begin), len(self._handed)
        times = np.concatenate([np.where(self._waits, self._end, self._begin), self._handed])
        kinds = np.concatenate([np.zeros(steps), np.ones(crossings)])
        numbers = np.arange(steps + crossings)
        self._order = np.lexsort((numbers, kinds, times)).tolist()
        self._causes = self.timeline.causes.steps["cause"].tolist()
        self._lists = {
            name: getattr(self, "_" + name).tolist()
            for name in ("begin", "end", "waits", "handed", "arrived", "parent", "source")
        }
        is_first = np.zeros(steps, dtype=bool)
        is_first[self._first[self.timeline.causes.counts > 0]] = True
        self._is_first = is_first.tolist()

    # ---- slack

    @cached_property
    def slack_ps(self) -> NDArray[np.int64]:
        """Slack of each step: how much later it may end and the run take as long [ps]."""
        get = self._lists
        begin, end, waits = get["begin"], get["end"], get["waits"]
        handed, arrived, parent = get["handed"], get["arrived"], get["parent"]
        source = get["source"]
        steps = len(begin)
        latest = [max(self._length, time) for time in end]  # end of each step
        needed = [_NEVER] * len(handed)  # arrival of each crossing
        # Backwards in time: whatever needs a node has told the latest time before its turn.
        for node in reversed(self._order):
            if node >= steps:
                at = node - steps
                leaves = needed[at] - (arrived[at] - handed[at])
                above, by = parent[at], source[at]
                if above >= 0:
                    needed[above] = min(needed[above], leaves - (handed[at] - arrived[above]))
                elif by >= 0:
                    latest[by] = min(latest[by], leaves + end[by] - handed[at])
                continue
            if waits[node]:
                cause = self._causes[node]
                needed[cause] = min(needed[cause], latest[node])
                start = latest[node]
            else:
                start = latest[node] - (end[node] - begin[node])
                for number, offset in self._held.get(node, ()):
                    needed[number] = min(needed[number], start + offset)
            if not self._is_first[node]:
                latest[node - 1] = min(latest[node - 1], start)
        slack: NDArray[np.int64] = np.array(latest, dtype=np.int64) - self._end
        return slack

    @cached_property
    def rank_slack_ps(self) -> list[int]:
        """Slack of each rank of `Explained.ranks`: the least of its steps [ps]."""
        counts = self.timeline.causes.counts
        made = np.full(len(counts), self._length, dtype=np.int64)
        np.minimum.at(made, self._rank, self.slack_ps)
        return [int(slack) for slack in made[self._counts_rank]]


def has_few_steps(account: Account) -> bool:
    """Return whether the steps of a run were kept and are few enough to find slack unasked.

    Parameters
    ----------
    account
        Account of the run.
    """
    causes = account.account.causes
    if causes is None:
        return False
    if len(causes.steps["time"]) + len(causes.crossings["end"]) > MOST_NODES:
        return False
    if any(job.messages is None and not job.background for job in account.run.jobs):
        return False  # messages that came before a rank waited for them are not known
    return not account.ends_with_delivery
