"""Who sends to whom, how often and how much, in each phase of a run."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from odonata.errors import UserError, near_miss
from odonata.trace.calls import OPERATIONS, Block
from odonata.trace.moved import Moved
from odonata.trace.phases import NEITHER, Marks, RunPhase
from odonata.trace.read import Reader
from odonata.trace.views import COLLECTIVES
from odonata.units import exact_sum

__all__ = ["Collectives", "Matrix", "matrices", "select"]

Numbers = NDArray[np.int64]

_SENDS = {"send": ("send", "to"), "isend": ("send", "to"), "sendrecv": ("exchange", "to")}
_COLLECTIVE = [OPERATIONS.index(name) for name in ("collective", "icollective")]
_COMMUNICATOR = OPERATIONS.index("communicator")
WORLD, SELF = 0, 1


@dataclass(frozen=True)
class Collectives:
    """Calls of one collective operation in a phase.

    Parameters
    ----------
    calls
        How many, of all ranks.
    bytes
        Bytes that move from rank to rank, whatever the algorithm [B].
    """

    calls: int
    bytes: int


@dataclass(frozen=True)
class Matrix:
    """Messages from rank to rank in a phase; ranks are world ranks.

    Parameters
    ----------
    phase
        The phase.
    ranks
        Ranks of the run.
    source, target
        Shape (n,): pairs of ranks that had messages, in their order.
    messages, bytes
        Shape (n,): their number and size [B].
    collectives
        Collective operations, which are not among the messages, by name.
    """

    phase: RunPhase
    ranks: int
    source: Numbers
    target: Numbers
    messages: Numbers
    bytes: Numbers
    collectives: Mapping[str, Collectives]

    @property
    def partners(self) -> Numbers:
        """Number of other ranks that each rank sends to; shape (ranks,)."""
        return np.bincount(self.source[self.source != self.target], minlength=self.ranks)

    def dense(self, what: Literal["messages", "bytes"]) -> Numbers:
        """Return the whole matrix, a row for each source; shape (ranks, ranks).

        Parameters
        ----------
        what
            Values: numbers of messages, or their bytes.
        """
        whole = np.zeros((self.ranks, self.ranks), dtype=np.int64)
        whole[self.source, self.target] = getattr(self, what)
        return whole

    def plain(self) -> dict[str, object]:
        """Return it as plain data."""
        columns = (self.source, self.target, self.messages, self.bytes)
        return {
            "phase": self.phase.name,
            "level": self.phase.level,
            "messages": exact_sum(self.messages),
            "bytes": exact_sum(self.bytes),
            "pairs": np.stack(columns, axis=1).tolist(),
            "collectives": {
                name: {"calls": of.calls, "bytes": of.bytes}
                for name, of in self.collectives.items()
            },
        }


def matrices(path: str | Path) -> list[Matrix]:
    """Return the matrices of a trace, one for each phase that has messages or collectives.

    Parameters
    ----------
    path
        The trace; it may be cut off.

    Returns
    -------
    list of Matrix
        By phase and level; messages outside of phases come first, and levels come before messages
        outside of levels. A trace without phases has one matrix.

    Raises
    ------
    UserError
        The trace isn't there, is no trace, or damaged.
    """
    with Reader(path) as reader:
        sums = _Sums(reader.header.ranks)
        for block in reader.blocks():
            sums.add(block)
    return sums.matrices()


def select(
    found: Sequence[Matrix], *, phases: Sequence[str] = (), levels: Sequence[int] = ()
) -> list[Matrix]:
    """Return the matrices of some phases and levels.

    Parameters
    ----------
    found
        As `matrices` returns them.
    phases
        Names of phases; none: all.
    levels
        Levels; none: all, and messages outside of levels.

    Raises
    ------
    UserError
        There is no such phase or level.
    """
    known = list(dict.fromkeys(m.phase.name for m in found if m.phase.name))
    if (phases or levels) and not known:
        raise UserError("trace: it has no phases (MPI_Pcontrol marks them)")
    for name in phases:
        if name not in known:
            near = near_miss(name, known)
            raise UserError(
                "--phase: no such phase", value=name, allowed=", ".join(known), near=near
            )
    chosen = [m for m in found if not phases or m.phase.name in phases]
    there = sorted({m.phase.level for m in chosen if m.phase.level is not None})
    for level in levels:
        if level not in there:
            allowed = ", ".join(map(str, there)) or "none"
            raise UserError("--level: no such level", value=level, allowed=allowed)
    return [m for m in chosen if not levels or m.phase.level in levels]


class _Sums:
    """Sums over blocks."""

    def __init__(self, ranks: int) -> None:
        self._ranks = ranks
        self._marks = Marks(ranks)
        self._members = _Members(ranks)
        self._pairs: dict[RunPhase, list[Numbers]] = defaultdict(list)
        self._known: dict[tuple[int, int], tuple[int, int]] = {}
        self._moved: dict[tuple[RunPhase, int], Moved] = {}
        self._calls: Counter[tuple[RunPhase, int]] = Counter()

    def add(self, block: Block) -> None:
        marks = self._marks.of(block)
        self._members.learn(block)
        Moved(self._ranks, self._known).learn(block)
        self._add_sends(block, marks)
        self._add_collectives(block, marks)

    def matrices(self) -> list[Matrix]:
        phases = {*self._pairs, *(phase for phase, _ in self._calls)}
        return [self._matrix(phase) for phase in sorted(phases, key=_order)]

    def _matrix(self, phase: RunPhase) -> Matrix:
        empty = np.zeros((3, 0), dtype=np.int64)
        pairs, messages, size = _added(self._pairs.get(phase, [empty]))
        operations = sorted(number for of, number in self._calls if of == phase)
        return Matrix(
            phase=phase,
            ranks=self._ranks,
            source=pairs // self._ranks,
            target=pairs % self._ranks,
            messages=messages,
            bytes=size,
            collectives={
                COLLECTIVES[number]: Collectives(
                    self._calls[phase, number], self._moved[phase, number].bytes
                )
                for number in operations
            },
        )

    def _add_sends(self, block: Block, marks: Numbers) -> None:
        for operation, (view, to) in _SENDS.items():
            places = np.flatnonzero(block.calls["operation"] == OPERATIONS.index(operation))
            own = block.calls[view][places]
            target = self._members.in_world(
                block.ranks[places], block.calls["comm"][places], own[to].astype(np.int64)
            )
            there = target >= 0
            pairs = block.ranks[places].astype(np.int64) * self._ranks + target
            rows = np.stack([pairs, np.ones_like(pairs), own["bytes"].astype(np.int64)])[:, there]
            for phase, mine in _by_phase(marks[places][there]):
                sums = self._pairs[phase]
                sums.append(_added([rows[:, mine]]))
                if len(sums) > 64:
                    sums[:] = [_added(sums)]

    def _add_collectives(self, block: Block, marks: Numbers) -> None:
        places = np.flatnonzero(np.isin(block.calls["operation"], _COLLECTIVE))
        operations = block.calls["collective"]["operation"][places]
        for phase, mine in _by_phase(marks[places]):
            for number in np.unique(operations[mine]).tolist():
                chosen = places[mine & (operations == number)]
                key = phase, number
                self._calls[key] += len(chosen)
                self._moved.setdefault(key, Moved(self._ranks, self._known)).count(block, chosen)


class _Members:
    """World ranks of the communicators of all ranks.

    Parameters
    ----------
    ranks
        Ranks of the world.
    """

    def __init__(self, ranks: int) -> None:
        self._ranks = ranks
        self._known: dict[tuple[int, int], Numbers] = {}

    def learn(self, block: Block) -> None:
        """Take the communicators of a block."""
        calls = block.calls
        ends = np.cumsum(calls["num_words"], dtype=np.int64)
        for at in np.flatnonzero(calls["operation"] == _COMMUNICATOR).tolist():
            members = block.words[ends[at] - calls["num_words"][at] : ends[at]].astype(np.int64)
            remote = int(calls["communicator"]["num_local"][at])  # 0: there is one group
            self._known[int(block.ranks[at]), int(calls["comm"][at])] = members[remote:]

    def in_world(self, ranks: NDArray[np.int32], comms: NDArray[np.uint32], to: Numbers) -> Numbers:
        """Return world ranks of ranks in communicators; negative for no rank."""
        found = np.where(comms == WORLD, to, -1)
        found = np.where((comms == SELF) & (to == 0), ranks, found)
        for rank, comm in np.unique(np.stack([ranks, comms])[:, comms > SELF], axis=1).T.tolist():
            mine = (ranks == rank) & (comms == comm)
            members = self._known.get((rank, comm), np.empty(0, dtype=np.int64))
            inside = mine & (to >= 0) & (to < len(members))
            found[inside] = members[to[inside]]
        there: Numbers = np.where(found < self._ranks, found, -1)
        return there


def _by_phase(marks: Numbers) -> Iterator[tuple[RunPhase, NDArray[np.bool_]]]:
    """Yield each phase with which calls belong to it."""
    for number in np.unique(marks).tolist():
        yield RunPhase.of(number), marks == number


def _added(rows: Sequence[Numbers]) -> Numbers:
    """Return rows of pairs, messages and bytes; rows of the same pair are added up."""
    pairs, messages, size = np.concatenate(rows, axis=1)
    known, places = np.unique(pairs, return_inverse=True)
    sums = np.zeros((3, len(known)), dtype=np.int64)
    sums[0] = known
    np.add.at(sums[1], places, messages)
    np.add.at(sums[2], places, size)
    return sums


def _order(phase: RunPhase) -> tuple[bool, str, bool, int]:
    return phase != RunPhase.of(NEITHER), phase.name, phase.level is None, phase.level or 0
