"""Traces of ours as schedules: collectives become the messages of their algorithms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from odonata.errors import UserError
from odonata.interchange.goal_collectives import (
    NEED,
    USUAL_COSTS,
    Calls,
    Step,
    costs_of,
    taken_apart,
)
from odonata.interchange.goal_pairs import Channel, Pairs
from odonata.interchange.goal_schedule import CALC, RECV, SEND, Operation
from odonata.interchange.held_ranks import HeldRanks
from odonata.interchange.report import NO_MARKS, SOURCES, Conversion
from odonata.trace import Call, Collective, Reader, Receive, Send, function_names
from odonata.trace.calls import ANSWERED, OPERATIONS, VIEW_OF, Block
from odonata.trace.views import ANY, MODES, NOBODY, Communicator, Exchange

__all__ = ["Exporter"]

WORLD = -1
"""Identity of the communicator of all ranks."""

WAITS = ("wait", "wait_any", "wait_some", "test", "test_any", "test_some")
POLLS = ("test", "test_any", "test_some", "iprobe", "improbe")
MESSAGES = ("send", "receive", "exchange", "collective", "communicator")
"""Operations that wait for requests, and views of calls that are messages or say whose they are."""

NO_POLLS = "tests and probes that found nothing"

COLLECTIVES = (
    "collectives were written as the messages of their algorithms, and their reducing and copying "
    "as calculations"
)
NO_COSTS = (
    "collectives were written as the messages of their algorithms, without the time of reducing "
    "and copying: the trace names no machine that is known here"
)
ACKNOWLEDGED = "synchronous sends were written with an acknowledgement of 1 B"
SYNCHRONOUS = "synchronous sends were written as plain ones, which do not wait for their receives"
MODES_CHANGED = "buffered and ready sends were written as plain ones"
EMPTY = "messages without bytes were written with 1 B"


@dataclass
class _Comm:
    identity: int
    members: tuple[int, ...]
    place: int
    collectives: int = 0


_Made = dict[int, list[int]]
"""Operations of a rank, by number, each with the operations that it comes after."""


class _Kind:
    """Collectives with the same calls, which have the same messages."""

    def __init__(self, calls: Calls, costs: Mapping[str, object]) -> None:
        self._calls, self._costs = calls, costs

    @cached_property
    def schedule(self) -> list[list[Step]]:
        """Steps of each rank."""
        return taken_apart(self._calls, self._costs) if len(self._calls) > 1 else [[]]


@dataclass
class _RankState:
    """The schedule of a rank so far."""

    rank: int
    comms: dict[int, _Comm]
    made: int = 0
    front: _Made = field(default_factory=dict)  # the operations before the next one
    after: list[int] = field(default_factory=list)  # numbers of the front, which operations share
    posted: list[int] = field(default_factory=list)  # the last one that was started
    requests: dict[int, _Made] = field(default_factory=dict)
    rest: int = 0  # of the work in collectives that is no whole nanosecond [ps]

    def go_on_after(self, front: _Made) -> None:
        """Let the following operations come after some operations."""
        self.front, self.after = front, list(front)


class Exporter:
    """Makes a schedule of a trace.

    Compute times become calculations. A collective becomes the messages of the algorithm that a
    replay would take by the choices of MPICH, or of the machine's MPI if it is known, with
    calculations for its reducing and copying. Synchronous sends whose receive blocks are
    acknowledged. Communicators become tags. Polls and probes are omitted. The account counts
    everything that the schedule says in another way than the trace.

    Parameters
    ----------
    path
        The trace.
    account
        Takes the numbers of ranks and calls, and changes of the target format.
    machine
        Name or file of the machine that reduces and copies; None: as the trace names it.
    """

    def __init__(self, path: Path, account: Conversion, machine: str | None = None) -> None:
        self._path, self._account, self._machine = path, account, machine
        self._tags: dict[tuple[object, ...], int] = {}
        self._parts: dict[tuple[int, int], dict[int, tuple[Collective, tuple[int, ...]]]]
        self._parts = defaultdict(dict)  # of collectives that not all members have called yet
        self._collectives: dict[tuple[int, int], _Kind] = {}
        self._kinds: dict[Calls, _Kind] = {}
        self._sources: dict[tuple[int, int], int] = {}
        self._pairs: Pairs | None = None  # where there are synchronous sends
        self._costs: Mapping[str, object] | None = None

    def ranks(self) -> HeldRanks:
        """Return the operations of each rank.

        Raises
        ------
        UserError
            The trace is damaged, or its end is missing; or it has communicators between two groups.
        WriteError
            Operations that don't fit in memory could not be written to a temporary file.
        """
        with Reader(self._path) as reader:
            reader.require_calls()
            self._costs = _costs(self._machine, reader.header.machine)
            num_ranks = reader.header.ranks
        self._read(self._gather, self._survey)
        if self._pairs is not None:
            self._read(self._pair, _messages)
            self._pairs.begin()
        self._held = HeldRanks(num_ranks)
        try:
            calls = self._read(self._add, _that_matter)
        except BaseException:
            self._held.close()
            raise
        self._account.ranks, self._account.calls = len(self._held), calls
        return self._held

    def _read(
        self,
        take: Callable[[_RankState, Call, int], None],
        wanted: Callable[[Block], NDArray[np.bool_]],
    ) -> int:
        """Take the records that are wanted, with their numbers; return the number of calls."""
        with Reader(self._path) as reader:
            world = tuple(range(reader.header.ranks))
            states = [
                _RankState(
                    rank,
                    {0: _Comm(WORLD, world, rank), 1: _Comm(WORLD - 1 - rank, (rank,), 0)},
                )
                for rank in world
            ]
            self._sources = {
                (int(match["rank"]), int(match["call"])): int(match["source"])
                for match in reader.matches()
            }
            calls, made = np.zeros(len(world), dtype=np.int64), 0
            for block in reader.blocks():
                made += block.num_calls
                numbers = _numbers(block.ranks, calls)
                places = np.flatnonzero(wanted(block))
                for call, number in zip(
                    block.each(function_names(), places), numbers[places].tolist(), strict=True
                ):
                    state = states[call.rank]
                    if isinstance(call.view, Communicator):
                        self._note(state, call, call.view)
                    take(state, call, number)
            if reader.totals is None:
                raise UserError(f"{self._path}: the end of the trace is missing")
        return made

    def _note(self, state: _RankState, call: Call, view: Communicator) -> None:
        if view.num_local:
            raise UserError(f"{self._path}: communicators between two groups have no schedule")
        state.comms[call.comm] = _Comm(view.identity, call.words, view.position)

    # ---- before the schedule is made

    def _survey(self, block: Block) -> NDArray[np.bool_]:
        """Count calls that a schedule lacks; return calls that matter for collectives."""
        operations = block.calls["operation"]
        polls = _IS_POLL[operations] & (block.found == ANSWERED)
        self._account.leave_out(NO_POLLS, int(polls.sum()))
        self._account.leave_out(NO_MARKS, int(_IS_MARK[operations].sum()))
        sends = block.calls["send"][_IS_SEND[operations]]
        modes = np.bincount(sends["mode"][sends["to"] >= 0], minlength=len(MODES))
        counted = dict(zip(MODES, modes.tolist(), strict=True))
        self._account.change(MODES_CHANGED, counted["buffered"] + counted["ready"])
        if counted["synchronous"] and self._pairs is None:
            self._pairs = Pairs()
        wanted: NDArray[np.bool_] = _MAKES_COLLECTIVES[operations]
        return wanted

    def _gather(self, state: _RankState, call: Call, _: int) -> None:
        if isinstance(call.view, Collective):
            comm = state.comms[call.comm]
            key = comm.identity, comm.collectives
            comm.collectives += 1
            parts = self._parts[key]
            parts[comm.place] = (call.view, call.words)
            if len(parts) == len(comm.members):
                calls = tuple(parts[place] for place in range(len(parts)))
                kind = _Kind(calls, USUAL_COSTS if self._costs is None else self._costs)
                self._collectives[key] = self._kinds.setdefault(calls, kind)
                del self._parts[key]

    def _pair(self, state: _RankState, call: Call, number: int) -> None:
        """Count the messages of each channel."""
        view, pairs = call.view, self._pairs
        assert pairs is not None
        if isinstance(view, Send | Exchange) and view.to >= 0:
            tag = view.tag if isinstance(view, Send) else view.send_tag
            synchronous = isinstance(view, Send) and view.mode == "synchronous"
            to = self._member(state, call, view.to)
            pairs.note_send(
                self._channel(state, call, state.rank, to, tag), synchronous=synchronous
            )
        if isinstance(view, Receive | Exchange):
            tag = view.tag if isinstance(view, Receive) else view.receive_tag
            source = self._source(state, call, view.source, number)
            if source >= 0 and tag != ANY and "mrecv" not in call.operation:
                channel = self._channel(state, call, source, state.rank, tag)
                pairs.note_receive(channel, blocking=call.operation == "recv")
            elif source != NOBODY:
                pairs.note_unclear(state.comms[call.comm].identity, state.rank)

    def _channel(self, state: _RankState, call: Call, one: int, other: int, tag: int) -> Channel:
        return state.comms[call.comm].identity, one, other, tag

    def _member(self, state: _RankState, call: Call, rank: int) -> int:
        """Return the rank of the world of a rank of the call's communicator."""
        return state.comms[call.comm].members[rank]

    def _source(self, state: _RankState, call: Call, source: int, number: int) -> int:
        """Return whom a receive gets its message from: a rank of the world, `ANY` or `NOBODY`."""
        found = self._sources.get((state.rank, number))
        if call.outcomes and source == ANY:
            found = call.outcomes[0].source
        if found is not None and (source == ANY or found == NOBODY):
            return found
        return self._member(state, call, source) if source >= 0 else source

    # ---- calls

    def _add(self, state: _RankState, call: Call, number: int) -> None:
        if call.compute:
            self._append(state, Operation(CALC, call.compute), ends=True)
        view = call.view
        if isinstance(view, Send):
            self._send(state, call, view)
        elif isinstance(view, Receive):
            self._receive(state, call, view, number)
        elif isinstance(view, Exchange):
            self._exchange(state, call, view, number)
        elif isinstance(view, Collective):
            self._collective(state, call)
        elif call.operation in WAITS:
            self._wait(state, call)

    def _append(self, state: _RankState, made: Operation, *, ends: bool) -> _Made:
        """Append an operation after the front; `ends`: following operations come after its end."""
        made.after = state.after
        made.after_start = [at for at in state.posted if at not in state.front]
        own = self._put(state, made)
        if ends:
            state.go_on_after(own)
            state.posted = []
        else:
            state.posted = list(own)
        return own

    def _put(self, state: _RankState, made: Operation) -> _Made:
        self._held.append(state.rank, made)
        state.made += 1
        return {state.made - 1: made.after}

    def _message(
        self, state: _RankState, call: Call, kind: int, peer: int, tag: int, size: int
    ) -> Operation:
        """Return a message from or to a rank of the world."""
        own = tag if tag == ANY else self._tag(state.comms[call.comm].identity, tag)
        self._account.change(EMPTY, int(kind == SEND and size == 0))
        return Operation(kind, max(1, size), peer, own)

    def _tag(self, *key: object) -> int:
        return self._tags.setdefault(key, len(self._tags))

    def _send(self, state: _RankState, call: Call, view: Send) -> None:
        if view.to < 0:
            return
        to = self._member(state, call, view.to)
        made = self._message(state, call, SEND, to, view.tag, view.bytes)
        channel = self._channel(state, call, state.rank, to, view.tag)
        told = self._pairs is not None and self._pairs.next_send(channel)
        own = self._append(state, made, ends=call.operation == "send")
        if told:
            answer = Operation(RECV, 1, to, self._tag(channel[0], view.tag, "answer"))
            answer.after = made.after
            answer.after_start = list(own)
            own = own | self._put(state, answer)
            if call.operation == "send":
                state.go_on_after(own)
        if view.mode == "synchronous":
            self._account.change(ACKNOWLEDGED if told else SYNCHRONOUS, 1)
        if call.operation == "isend":
            state.requests[call.request] = own

    def _receive(self, state: _RankState, call: Call, view: Receive, number: int) -> None:
        source = self._source(state, call, view.source, number)
        if source == NOBODY:  # or cancelled
            return
        self._account.change(SOURCES, int(view.source == ANY and source != ANY))
        made = self._message(state, call, RECV, source, view.tag, view.bytes)
        own = self._append(state, made, ends=call.operation in ("recv", "mrecv"))
        if call.operation in ("irecv", "imrecv"):
            state.requests[call.request] = own
        channel = self._channel(state, call, source, state.rank, view.tag)
        if self._pairs is not None and source >= 0 and self._pairs.next_receive(channel):
            answer = Operation(SEND, 1, source, self._tag(channel[0], view.tag, "answer"))
            self._append(state, answer, ends=False)

    def _exchange(self, state: _RankState, call: Call, view: Exchange, number: int) -> None:
        ends: _Made = {}
        source = self._source(state, call, view.source, number)
        if source != NOBODY:
            self._account.change(SOURCES, int(view.source == ANY and source != ANY))
            made = self._message(state, call, RECV, source, view.receive_tag, view.bytes)
            ends |= self._append(state, made, ends=False)
            if self._pairs is not None:
                self._pairs.next_receive(
                    self._channel(state, call, source, state.rank, view.receive_tag)
                )
        if view.to >= 0:
            to = self._member(state, call, view.to)
            made = self._message(state, call, SEND, to, view.send_tag, view.bytes)
            ends |= self._append(state, made, ends=False)
            if self._pairs is not None:
                self._pairs.next_send(self._channel(state, call, state.rank, to, view.send_tag))
        if ends:
            state.go_on_after(ends)
            state.posted = []

    def _wait(self, state: _RankState, call: Call) -> None:
        if call.flag is False:
            return
        words = call.words or ((call.request,) if call.request else ())
        if call.operation != "wait" and call.flag is not None:
            words = tuple(words[o.index] for o in call.outcomes if o.index < len(words))
        ends: _Made = {}
        for word in words:
            ends |= state.requests.pop(word, {})
        if ends:
            state.go_on_after(_pruned(state.front | ends))

    # ---- collectives

    def _collective(self, state: _RankState, call: Call) -> None:
        comm = state.comms[call.comm]
        number, comm.collectives = comm.collectives, comm.collectives + 1
        kind = self._collectives.get((comm.identity, number))
        if kind is None:
            raise UserError(f"{self._path}: a collective that not all members call")
        steps = kind.schedule[comm.place]
        self._count_collective(steps)
        channel = (comm.identity, -2 - number)
        beside = _RankState(state.rank, {}, state.made, state.front, state.after)
        done: dict[int, _Made] = {}
        for at, step in enumerate(steps):
            if step.kind == NEED:
                beside.go_on_after(_pruned(beside.front | done.pop(step.value, {})))
            elif step.kind == CALC:
                if self._costs is not None:
                    self._work(state, beside, step.value)
            else:
                peer, tag = comm.members[step.peer], self._tag(*channel, *step.channel)
                made = Operation(step.kind, max(1, step.value), peer, tag)
                self._account.change(EMPTY, int(step.kind == SEND and step.value == 0))
                beside.posted = []  # both ends of an exchange may begin
                done[at] = self._append(beside, made, ends=False)
        ends = beside.front
        for own in done.values():
            ends = ends | own
        ends = _pruned(ends)
        state.made = beside.made
        if call.operation == "icollective":
            state.requests[call.request] = ends
        elif ends:
            state.go_on_after(ends)
            state.posted = []

    def _count_collective(self, steps: list[Step]) -> None:
        """Count a collective."""
        lacks = self._costs is None and any(step.kind == CALC for step in steps)
        self._account.change(NO_COSTS if lacks else COLLECTIVES, int(bool(steps)))

    def _work(self, state: _RankState, beside: _RankState, work: int) -> None:
        """Append work of so many picoseconds; a schedule has whole nanoseconds."""
        state.rest += work
        whole, state.rest = divmod(state.rest, 1000)
        if whole:
            self._append(beside, Operation(CALC, whole), ends=True)


def _pruned(front: _Made) -> _Made:
    """Return the operations that no other of them comes after: a short list."""
    implied = {other for after in front.values() for other in after}
    return {at: after for at, after in front.items() if at not in implied}


def _costs(asked: str | None, named: str) -> Mapping[str, object] | None:
    """Return the numbers of the machine that was asked for, or that the trace names, if known."""
    if asked is not None:
        return costs_of(asked)
    try:
        return costs_of(named) if named else None
    except UserError:
        return None


def _numbers(ranks: NDArray[np.int32], before: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of each call of a block at its rank, and count the calls."""
    order = np.argsort(ranks, kind="stable")
    own = ranks[order]
    numbers = np.empty(len(ranks), dtype=np.int64)
    numbers[order] = before[own] + np.arange(len(own)) - np.searchsorted(own, own)
    before += np.bincount(ranks, minlength=len(before))
    return numbers


def _are(*names: str, of: Mapping[str, object]) -> NDArray[np.bool_]:
    """Return which operations, by number, have one of some views, or names."""
    return np.array([of[name] in names for name in OPERATIONS], dtype=np.bool_)


_IS_MESSAGE = _are(*MESSAGES, of=VIEW_OF)
_MAKES_COLLECTIVES = _are("collective", "communicator", of=VIEW_OF)
_MESSAGES = _are("send", "receive", "exchange", "communicator", of=VIEW_OF)
_IS_SEND = _are("send", of=VIEW_OF)
_IS_MARK = _are("phase", of=VIEW_OF)
_IS_POLL = _are(*POLLS, of={name: name for name in OPERATIONS})
_IS_WAIT = _are(*WAITS, of={name: name for name in OPERATIONS})


def _messages(block: Block) -> NDArray[np.bool_]:
    wanted: NDArray[np.bool_] = _MESSAGES[block.calls["operation"]]
    return wanted


def _that_matter(block: Block) -> NDArray[np.bool_]:
    """Return which calls of a block become operations, or order them."""
    operations = block.calls["operation"]
    waits = _IS_WAIT[operations] & (block.found != ANSWERED)
    wanted: NDArray[np.bool_] = _IS_MESSAGE[operations] | waits | (block.calls["compute"] > 0)
    return wanted
