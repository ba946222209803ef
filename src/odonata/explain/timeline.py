"""Timelines: activities of every rank, messages under way, and users of links."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from odonata.errors import UserError
from odonata.explain.account import Account
from odonata.result.explanation import Causes
from odonata.result.kinds import CATEGORIES, KINDS, LEGS, SHOWN, STEP_KINDS, WAY_PARTS

__all__ = ["KINDS", "Messages", "Timeline", "Uses"]

_PLACES = {kind.name: at for at, kind in enumerate(SHOWN)}
_SHOWN_AS = {each.name: each.shown for each in CATEGORIES} | {"waiting": "late"}
KIND_OF_STEP = tuple(_PLACES[_SHOWN_AS[name]] for name in STEP_KINDS)
"""Position in `KINDS` of each kind of step."""

UNDER_WAY = KINDS.index("message on its way")
"""Kind of a wait after its message was handed over."""

REQUEST, ANSWER = LEGS.index("request"), LEGS.index("answer")
"""Legs without data; an answer goes from the receiver to the sender."""

INSIDE = [WAY_PARTS.index(part) for part in ("node latency", "node bytes")]
"""Parts of a way inside a node."""

_WAITS = [WAY_PARTS.index(part) for part in ("queue", "credit", "held at the source")]
_WIRE = WAY_PARTS.index("wire")

Ints = "NDArray[np.int64]"


@dataclass(frozen=True, eq=False)
class Messages:
    """Messages in the order in which they were sent, ranks numbered through all jobs.

    Parameters
    ----------
    source, target
        Ranks.
    sent, delivered
        When it was handed to the NIC, and when it arrived [ps].
    size
        Its bytes [B].
    """

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    sent: NDArray[np.int64]
    delivered: NDArray[np.int64]
    size: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Uses:
    """Uses of links by messages that a rank waited for, in the order of the crossings.

    Parameters
    ----------
    link
        The link.
    crossing
        Position of the crossing in the record.
    begin, end
        When the message's last packet came to the link, and when its last byte had left it [ps].
    waited
        For how long it waited there for other packets, for credit or for congestion control [ps].
    """

    link: NDArray[np.int64]
    crossing: NDArray[np.int64]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    waited: NDArray[np.int64]


class Timeline:
    """Timeline of an explained run.

    Parameters
    ----------
    explained
        The run.

    Raises
    ------
    UserError
        The run kept no record of its steps.

    Attributes
    ----------
    rank, kind, begin, end, scope
        Shape (intervals,): of each stretch of a rank's time the rank (numbered through all jobs),
        its position in `KINDS`, begin and end [ps], and its part of the program.

    Examples
    --------
    >>> from odonata import explain, machine, placement, simulate, workload
    >>> eos = machine.load("eos")
    >>> job = simulate.Job(workload.Collective("barrier"), placement.place(eos, 4))
    >>> told = explain.explain(simulate.simulate(eos, [job], explain=True))
    >>> timeline = Timeline(told)
    >>> int(timeline.end.max()) == told.length_ps
    True
    """

    def __init__(self, explained: Account) -> None:
        explained.require_path()
        if explained.account.causes is None:
            raise UserError(
                f"{explained.where}: the steps of its ranks were not kept; run it again with "
                "--explain -o (and, if they are many, with odonata simulate --record-messages)"
            )
        self.explained = explained
        self.causes: Causes = explained.account.causes
        self._build()

    def _build(self) -> None:
        """Divide waits where their message was handed over."""
        steps, counts = self.causes.steps, self.causes.counts
        self.step_rank = np.repeat(np.arange(len(counts)), counts)
        time = steps["time"].astype(np.int64)
        total = np.cumsum(time)
        firsts = np.cumsum(counts) - counts
        # One cumulative sum over all ranks, less the sum before each rank: no loop over ranks.
        before = np.concatenate([[0], total])[firsts]
        self.step_end = total - np.repeat(before, counts)
        self.step_begin = self.step_end - time
        kinds = np.array(KIND_OF_STEP)[steps["kind"]]
        cause = steps["cause"]
        handed = (
            np.where(cause >= 0, self.causes.crossings["handed"][cause], -1)
            if len(self.causes.crossings["handed"])
            else np.full(len(cause), -1)
        )
        waits = cause >= 0
        # Up to the hand-over the partner is late; then the message is under way.
        middle = np.clip(handed, self.step_begin, self.step_end)
        first = ~waits | (middle > self.step_begin)
        second = waits & (middle < self.step_end)
        whole = np.where(waits, middle, self.step_end)
        parts = [(first, kinds, self.step_begin, whole), (second, None, middle, self.step_end)]
        at = np.concatenate([np.flatnonzero(part[0]) for part in parts])
        self.kind = np.concatenate([kinds[first], np.full(int(second.sum()), UNDER_WAY)])
        self.begin = np.concatenate([self.step_begin[first], middle[second]])
        self.end = np.concatenate([whole[first], self.step_end[second]])
        order = np.lexsort((self.begin, self.step_rank[at]))
        self.kind, self.begin, self.end = self.kind[order], self.begin[order], self.end[order]
        self.rank = self.step_rank[at][order]
        self.scope = steps["scope"][at][order]

    @property
    def num_ranks(self) -> int:
        """Ranks of all jobs."""
        return len(self.causes.counts)

    @cached_property
    def ends_inside(self) -> NDArray[np.bool_]:
        """Whether each crossing is inside a node."""
        return np.isin(self._last_piece("part"), INSIDE)

    @cached_property
    def leaves(self) -> NDArray[np.bool_]:
        """Whether each crossing ends where its message has left its node, as for senders."""
        run = self.explained.run
        names = run.link_classes
        classes = [at for at, name in enumerate(names) if name.startswith("injection")]
        injects = np.isin(run.links["class"], classes)
        links = self._last_piece("link")
        found: NDArray[np.bool_] = (links >= 0) & ~self.ends_inside & injects[links]
        return found

    def _last_piece(self, key: str) -> NDArray[np.int64]:
        """Return a column of the last piece of each crossing; -1 if it has none."""
        counts = self.causes.crossings["pieces"].astype(np.int64)
        found = np.full(len(counts), -1, dtype=np.int64)
        has = counts > 0
        found[has] = self.causes.pieces[key][np.cumsum(counts)[has] - 1]
        return found

    @cached_property
    def messages(self) -> Messages:
        """Messages: all recorded ones, else the messages for which a rank waited."""
        jobs = self.explained.run.jobs
        if all(job.messages is not None or job.background for job in jobs):
            firsts = np.cumsum([0, *(len(job.nodes) for job in jobs)])
            parts = [
                (job.messages, first)
                for job, first in zip(jobs, firsts, strict=False)
                if job.messages is not None
            ]
            keys = ("source", "target", "sent", "delivered", "bytes")
            columns = [
                np.concatenate(
                    [
                        table[key].astype(np.int64) + (first if key in keys[:2] else 0)
                        for table, first in parts
                    ]
                )
                for key in keys
            ]
        else:
            crossings = self.causes.crossings
            kept = ~np.isin(crossings["leg"], (REQUEST, ANSWER)) & ~self.leaves
            columns = [crossings[key][kept] for key in ("from", "to", "handed", "end", "bytes")]
        order = np.lexsort((columns[1], columns[0], columns[2]))
        return Messages(*(column[order] for column in columns))

    @cached_property
    def uses(self) -> Uses:
        """Uses of links by messages that a rank waited for."""
        crossings, pieces = self.causes.crossings, self.causes.pieces
        counts = crossings["pieces"].astype(np.int64)
        crossing = np.repeat(np.arange(len(counts)), counts)
        time = pieces["time"].astype(np.int64)
        total = np.cumsum(time)
        before = np.concatenate([[0], total])[np.cumsum(counts) - counts]
        end = crossings["handed"][crossing] + total - np.repeat(before, counts)
        # A way is in the order of time, so that the pieces of a link follow each other.
        link = np.where(np.isin(pieces["part"], INSIDE), -1, pieces["link"]).astype(np.int64)
        new = np.ones(len(link), dtype=bool)
        new[1:] = (link[1:] != link[:-1]) | (crossing[1:] != crossing[:-1])
        starts = np.flatnonzero(new)
        waits = np.where(np.isin(pieces["part"], _WAITS), time, 0)
        wires = np.where(pieces["part"] == _WIRE, time, 0)
        if not len(starts):
            return Uses(*(np.empty(0, dtype=np.int64) for _ in range(5)))
        spent = np.add.reduceat(time, starts)
        waited, wire = np.add.reduceat(waits, starts), np.add.reduceat(wires, starts)
        lasts = np.append(starts[1:], len(link)) - 1
        left = end[lasts] - wire
        begin = end[lasts] - spent
        real = link[starts] >= 0
        chosen = (link[starts], crossing[starts], begin, left, waited)
        return Uses(*(column[real] for column in chosen))

    def shares(
        self, bins: int, rows: int, window: tuple[int, int] | None = None
    ) -> NDArray[np.float64]:
        """Return how rows of neighbouring ranks spent their time.

        Parameters
        ----------
        bins
            Intervals of equal length that the window is divided into.
        rows
            Rows; neighbouring ranks share one.
        window
            Begin and end [ps]; None: the whole run.

        Returns
        -------
        numpy.ndarray
            Shape (rows, bins, kinds): the share of the row's ranks in each kind.
        """
        low, high = window or (0, self.explained.length_ps)
        width = max(1.0, (high - low) / bins)
        row = self.rank * rows // self.num_ranks
        begin = np.clip((self.begin - low) / width, 0, bins)
        end = np.clip((self.end - low) / width, 0, bins)
        first, last = begin.astype(np.int64), end.astype(np.int64)
        spent = np.zeros((rows, bins + 2, len(KINDS)))
        same = first == last
        np.add.at(spent, (row[same], first[same], self.kind[same]), (end - begin)[same])
        more = ~same
        at, kind = row[more], self.kind[more]
        np.add.at(spent, (at, first[more], kind), (first + 1 - begin)[more])
        np.add.at(spent, (at, last[more], kind), (end - last)[more])
        steps = np.zeros_like(spent)  # whole intervals between the first and the last
        np.add.at(steps, (at, first[more] + 1, kind), 1.0)
        np.add.at(steps, (at, last[more], kind), -1.0)
        spent += np.cumsum(steps, axis=1)
        sizes = np.bincount(np.arange(self.num_ranks) * rows // self.num_ranks, minlength=rows)
        shares: NDArray[np.float64] = spent[:, :bins] / np.maximum(1, sizes)[:, None, None]
        return shares
