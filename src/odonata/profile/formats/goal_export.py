"""Traces of ours as schedules: collectives become the messages of their algorithms."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from odonata.errors import UserError
from odonata.profile.formats.goal_schedule import CALC, RECV, SEND, Operation
from odonata.profile.formats.held_ranks import HeldRanks
from odonata.profile.formats.report import Conversion
from odonata.trace import (
    ANY,
    Call,
    Collective,
    Communicator,
    Exchange,
    Header,
    Reader,
    Receive,
    Send,
    Writer,
    function_names,
)
from odonata.trace.calls import ANSWERED, OPERATIONS, VIEW_OF, Block

__all__ = ["Exporter"]

WORLD = -1
"""Identity of the communicator of all ranks."""

WAITS = ("wait", "wait_any", "wait_some", "test", "test_any", "test_some")
MESSAGES = ("send", "receive", "exchange", "collective", "communicator")
"""Operations that wait for requests, and views of calls that are messages or say whose they are."""

LATENCY_PS = 10**12
"""Time of a message on the machine by which collectives are taken apart [ps]."""


@dataclass(frozen=True)
class _Step:
    """A message of a collective, at one of its ends."""

    kind: int
    peer: int  # rank of the communicator
    size: int
    time: int  # of the send, or of the arrival [LATENCY_PS]


@dataclass
class _Comm:
    identity: int
    members: tuple[int, ...]
    place: int
    collectives: int = 0


_Made = dict[int, list[int]]
"""Operations of a rank, by number, with those that each comes after."""

_Calls = tuple[tuple[Collective, tuple[int, ...]], ...]
"""Calls of a collective with their words, by place in the communicator."""


class _Kind:
    """Collectives with the same calls, which have the same messages."""

    def __init__(self, calls: _Calls) -> None:
        self._calls = calls

    @cached_property
    def schedule(self) -> list[list[_Step]]:
        """Messages of each rank."""
        return _taken_apart(self._calls)


@dataclass
class _RankState:
    """The schedule of a rank so far."""

    rank: int
    comms: dict[int, _Comm]
    made: int = 0
    front: _Made = field(default_factory=dict)  # what the next operation comes after
    after: list[int] = field(default_factory=list)  # numbers of the front, which operations share
    posted: list[int] = field(default_factory=list)  # the last one that was started
    requests: dict[int, _Made] = field(default_factory=dict)

    def go_on_after(self, front: _Made) -> None:
        """Let what follows come after some operations."""
        self.front, self.after = front, list(front)


class Exporter:
    """Makes a schedule of a trace.

    Compute times become calculations. A collective becomes the messages of the algorithm that a
    replay would take by the thresholds of MPICH, found by playing it alone on a machine where every
    message takes the same time: a rank's send comes after all messages that it had got by then.
    Communicators become tags. Polls and probes are omitted.

    Parameters
    ----------
    path
        The trace.
    account
        Takes the numbers of ranks and calls.
    """

    def __init__(self, path: Path, account: Conversion) -> None:
        self._path, self._account = path, account
        self._tags: dict[tuple[int, int], int] = {}
        self._parts: dict[tuple[int, int], dict[int, tuple[Collective, tuple[int, ...]]]]
        self._parts = defaultdict(dict)  # of collectives that not all members have called yet
        self._collectives: dict[tuple[int, int], _Kind] = {}
        self._kinds: dict[_Calls, _Kind] = {}
        self._sources: dict[tuple[int, int], int] = {}

    def ranks(self) -> HeldRanks:
        """Return the operations of each rank.

        Raises
        ------
        UserError
            The trace is damaged, or its end is missing; or it has communicators between two groups.
        WriteError
            Operations that don't fit in memory could not be written to a temporary file.
        """
        self._read(self._gather, _that_make_collectives)
        with Reader(self._path) as reader:
            self._held = HeldRanks(reader.header.ranks)
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

    # ---- collectives

    def _gather(self, state: _RankState, call: Call, _: int) -> None:
        if isinstance(call.view, Collective):
            comm = state.comms[call.comm]
            key = comm.identity, comm.collectives
            comm.collectives += 1
            parts = self._parts[key]
            parts[comm.place] = (call.view, call.words)
            if len(parts) == len(comm.members):
                calls = tuple(parts[place] for place in range(len(parts)))
                self._collectives[key] = self._kinds.setdefault(calls, _Kind(calls))
                del self._parts[key]

    def _schedule(self, comm: _Comm, number: int) -> list[_Step]:
        kind = self._collectives.get((comm.identity, number))
        if kind is None:
            raise UserError(f"{self._path}: a collective that not all members call")
        return kind.schedule[comm.place]

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
            self._exchange(state, call, view)
        elif isinstance(view, Collective):
            self._collective(state, call)
        elif call.operation in WAITS:
            self._wait(state, call)

    def _append(self, state: _RankState, made: Operation, *, ends: bool) -> _Made:
        """Append an operation after the front; `ends`: what follows comes after its end."""
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
        comm = state.comms[call.comm]
        own = tag if tag == ANY else self._tags.setdefault((comm.identity, tag), len(self._tags))
        return Operation(kind, max(1, size), comm.members[peer] if peer >= 0 else ANY, own)

    def _send(self, state: _RankState, call: Call, view: Send) -> None:
        if view.to < 0:
            return
        made = self._message(state, call, SEND, view.to, view.tag, view.bytes)
        own = self._append(state, made, ends=call.operation == "send")
        if call.operation == "isend":
            state.requests[call.request] = own

    def _receive(self, state: _RankState, call: Call, view: Receive, number: int) -> None:
        made = self._message(state, call, RECV, view.source, view.tag, view.bytes)
        source = self._sources.get((state.rank, number), view.source)
        if call.outcomes and view.source == ANY:
            source = call.outcomes[0].source
        if source == -2:  # nobody, or cancelled
            return
        if view.source == ANY and source >= 0:
            made.peer = source
        own = self._append(state, made, ends=call.operation in ("recv", "mrecv"))
        if call.operation in ("irecv", "imrecv"):
            state.requests[call.request] = own

    def _exchange(self, state: _RankState, call: Call, view: Exchange) -> None:
        ends: _Made = {}
        source = call.outcomes[0].source if call.outcomes and view.source == ANY else None
        if view.source >= ANY and source != -2:
            made = self._message(state, call, RECV, view.source, view.receive_tag, view.bytes)
            if source is not None:
                made.peer = source
            ends |= self._append(state, made, ends=False)
        if view.to >= 0:
            made = self._message(state, call, SEND, view.to, view.send_tag, view.bytes)
            ends |= self._append(state, made, ends=False)
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
            front = state.front | ends
            # Operations before the front are implied: it stays short.
            implied = {other for after in front.values() for other in after}
            state.go_on_after({at: after for at, after in front.items() if at not in implied})

    def _collective(self, state: _RankState, call: Call) -> None:
        comm = state.comms[call.comm]
        number, comm.collectives = comm.collectives, comm.collectives + 1
        tag = self._tags.setdefault((comm.identity, -2 - number), len(self._tags))
        arrivals: list[tuple[int, int]] = []
        ends: _Made = {}
        for step in self._schedule(comm, number):
            made = Operation(step.kind, max(1, step.size), comm.members[step.peer], tag)
            made.after = state.after
            if step.kind == SEND:
                got = [at for time, at in arrivals if time <= step.time]
                made.after = got or made.after
            made.after_start = [at for at in state.posted if at not in made.after]
            own = self._put(state, made)
            ends |= own
            if step.kind == RECV:
                arrivals += [(step.time, at) for at in own]
        if call.operation == "icollective":
            state.requests[call.request] = ends
        elif ends:
            state.go_on_after(ends)
            state.posted = []


def _numbers(ranks: NDArray[np.int32], before: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of each call of a block at its rank, and count the calls."""
    order = np.argsort(ranks, kind="stable")
    own = ranks[order]
    numbers = np.empty(len(ranks), dtype=np.int64)
    numbers[order] = before[own] + np.arange(len(own)) - np.searchsorted(own, own)
    before += np.bincount(ranks, minlength=len(before))
    return numbers


def _are(*names: str, of: dict[str, str]) -> NDArray[np.bool_]:
    """Return which operations, by number, have one of some views, or names."""
    return np.array([of[name] in names for name in OPERATIONS], dtype=np.bool_)


_IS_MESSAGE = _are(*MESSAGES, of=VIEW_OF)
_MAKES_COLLECTIVES = _are("collective", "communicator", of=VIEW_OF)
_IS_WAIT = _are(*WAITS, of={name: name for name in OPERATIONS})


def _that_make_collectives(block: Block) -> NDArray[np.bool_]:
    wanted: NDArray[np.bool_] = _MAKES_COLLECTIVES[block.calls["operation"]]
    return wanted


def _that_matter(block: Block) -> NDArray[np.bool_]:
    """Return which calls of a block become operations, or say what these come after."""
    operations = block.calls["operation"]
    waits = _IS_WAIT[operations] & (block.found != ANSWERED)
    wanted: NDArray[np.bool_] = _IS_MESSAGE[operations] | waits | (block.calls["compute"] > 0)
    return wanted


def _taken_apart(calls: _Calls) -> list[list[_Step]]:
    """Return the messages of a collective, by rank, in the order in which ranks meet them."""
    if len(calls) == 1:
        return [[]]
    from odonata import machine as machines
    from odonata.placement import place
    from odonata.simulate import Job, Options, run
    from odonata.workload import Replay

    count = len(calls)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.trace"
        with Writer(path, Header(ranks=count)) as writer:
            made = [
                Call(rank, "MPI_Barrier", "collective", view, words=words)
                for rank, (view, words) in enumerate(calls)
            ]
            writer.write(Block.of(made, function_names()))
        machine = machines.load("jupiter-fdr").with_values({"shape.nodes": count, **LOCKSTEP})
        done = run(
            machine,
            [Job(Replay(path=path), place(machine, count))],
            Options(engine="analytic"),
            record_messages=True,
        )
    messages = done.jobs[0].messages
    assert messages is not None
    steps: list[list[tuple[int, int, _Step]]] = [[] for _ in calls]
    columns = (
        messages[name].tolist() for name in ("source", "target", "bytes", "sent", "delivered")
    )
    for one, other, size, sent, delivered in zip(*columns, strict=True):
        begin, end = round(sent / LATENCY_PS), round(delivered / LATENCY_PS)
        steps[one].append((begin, 1, _Step(SEND, other, size, begin)))
        steps[other].append((end, 0, _Step(RECV, one, size, end)))
    # At equal times what has arrived comes before what is sent because of it.
    return [[step for *_, step in sorted(own, key=lambda entry: entry[:2])] for own in steps]


LOCKSTEP = {
    "links.injection.latency": "1 s",
    "links.ejection.latency": "0 us",
    "links.injection.bandwidth": "1 TB/s",
    "links.ejection.bandwidth": "1 TB/s",
    "router.delay": "0 us",
    "nic.header_bytes": "0 B",
    "mpi.send_overhead": "0 us",
    "mpi.recv_overhead": "0 us",
    "mpi.send_overhead_per_byte": "0 ps/B",
    "mpi.recv_overhead_per_byte": "0 ps/B",
    "mpi.copy_per_byte": "0 ps/B",
    "mpi.reduce_per_byte": "0 ps/B",
    "mpi.eager_threshold": "1024 GiB",
}
"""Values of a machine where every message takes 1 s, and hardly more if it is long."""
