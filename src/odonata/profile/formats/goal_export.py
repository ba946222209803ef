"""Traces of ours as schedules: collectives become the messages of their algorithms."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from odonata.errors import UserError
from odonata.profile.formats.goal_schedule import CALC, RECV, SEND, Operation, Rank
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
from odonata.trace.calls import Block

__all__ = ["Exporter"]

WORLD = -1
"""Identity of the communicator of all ranks."""

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


@dataclass
class _RankState:
    """The schedule of a rank so far."""

    rank: int
    comms: dict[int, _Comm]
    made: Rank = field(default_factory=list)
    front: list[int] = field(default_factory=list)  # what the next operation comes after
    posted: list[int] = field(default_factory=list)  # the last one that was started
    requests: dict[int, list[int]] = field(default_factory=dict)
    calls: int = 0


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
        self._instances: dict[tuple[int, int], dict[int, tuple[Collective, tuple[int, ...]]]]
        self._instances = defaultdict(dict)
        self._schedules: dict[object, list[list[_Step]]] = {}
        self._sources: dict[tuple[int, int], int] = {}

    def ranks(self) -> list[Rank]:
        """Return the operations of each rank.

        Raises
        ------
        UserError
            The trace is damaged, or its end is missing; or it has communicators between two groups.
        """
        self._read(self._gather)
        states = self._read(self._add)
        self._account.ranks = len(states)
        self._account.calls = sum(state.calls for state in states)
        return [state.made for state in states]

    def _read(self, take: object) -> list[_RankState]:
        assert callable(take)
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
            for block in reader.blocks():
                for call in block.each(function_names()):
                    state = states[call.rank]
                    if isinstance(call.view, Communicator):
                        self._note(state, call, call.view)
                    take(state, call)
                    state.calls += 1
            if reader.totals is None:
                raise UserError(f"{self._path}: the end of the trace is missing")
        return states

    def _note(self, state: _RankState, call: Call, view: Communicator) -> None:
        if view.num_local:
            raise UserError(f"{self._path}: communicators between two groups have no schedule")
        state.comms[call.comm] = _Comm(view.identity, call.words, view.position)

    # ---- collectives

    def _gather(self, state: _RankState, call: Call) -> None:
        if isinstance(call.view, Collective):
            comm = state.comms[call.comm]
            instance = self._instances[comm.identity, comm.collectives]
            instance[comm.place] = (call.view, call.words)
            comm.collectives += 1

    def _schedule(self, comm: _Comm, number: int) -> list[_Step]:
        instance = self._instances[comm.identity, number]
        if len(instance) != len(comm.members):
            raise UserError(f"{self._path}: a collective that not all members call")
        calls = tuple(instance[place] for place in range(len(comm.members)))
        if calls not in self._schedules:
            self._schedules[calls] = _taken_apart(calls)
        return self._schedules[calls][comm.place]

    # ---- calls

    def _add(self, state: _RankState, call: Call) -> None:
        if call.compute:
            self._append(state, Operation(CALC, call.compute), ends=True)
        view = call.view
        if isinstance(view, Send):
            self._send(state, call, view.to, view.tag, view.bytes)
        elif isinstance(view, Receive):
            self._receive(state, call, view)
        elif isinstance(view, Exchange):
            self._exchange(state, call, view)
        elif isinstance(view, Collective):
            self._collective(state, call)
        elif call.operation in ("wait", "wait_any", "wait_some", "test", "test_any", "test_some"):
            self._wait(state, call)

    def _append(self, state: _RankState, made: Operation, *, ends: bool) -> int:
        """Append an operation after the front; `ends`: what follows comes after its end."""
        made.after = list(state.front)
        made.after_start = [at for at in state.posted if at not in state.front]
        state.made.append(made)
        number = len(state.made) - 1
        if ends:
            state.front, state.posted = [number], []
        else:
            state.posted = [number]
        return number

    def _message(
        self, state: _RankState, call: Call, kind: int, peer: int, tag: int, size: int
    ) -> Operation:
        comm = state.comms[call.comm]
        own = tag if tag == ANY else self._tags.setdefault((comm.identity, tag), len(self._tags))
        return Operation(kind, max(1, size), comm.members[peer] if peer >= 0 else ANY, own)

    def _send(self, state: _RankState, call: Call, to: int, tag: int, size: int) -> None:
        if to < 0:
            return
        made = self._message(state, call, SEND, to, tag, size)
        at = self._append(state, made, ends=call.operation == "send")
        if call.operation == "isend":
            state.requests[call.request] = [at]

    def _receive(self, state: _RankState, call: Call, view: Receive) -> None:
        made = self._message(state, call, RECV, view.source, view.tag, view.bytes)
        source = self._sources.get((state.rank, state.calls), view.source)
        if call.outcomes and view.source == ANY:
            source = call.outcomes[0].source
        if source == -2:  # nobody, or cancelled
            return
        if view.source == ANY and source >= 0:
            made.peer = source
        at = self._append(state, made, ends=call.operation in ("recv", "mrecv"))
        if call.operation in ("irecv", "imrecv"):
            state.requests[call.request] = [at]

    def _exchange(self, state: _RankState, call: Call, view: Exchange) -> None:
        ends = []
        source = call.outcomes[0].source if call.outcomes and view.source == ANY else None
        if view.source >= ANY and source != -2:
            made = self._message(state, call, RECV, view.source, view.receive_tag, view.bytes)
            if source is not None:
                made.peer = source
            ends.append(self._append(state, made, ends=False))
        if view.to >= 0:
            made = self._message(state, call, SEND, view.to, view.send_tag, view.bytes)
            ends.append(self._append(state, made, ends=False))
        if ends:
            state.front, state.posted = ends, []

    def _wait(self, state: _RankState, call: Call) -> None:
        if call.flag is False:
            return
        words = call.words or ((call.request,) if call.request else ())
        if call.operation != "wait" and call.flag is not None:
            words = tuple(words[o.index] for o in call.outcomes if o.index < len(words))
        ends = [at for word in words for at in state.requests.pop(word, [])]
        if ends:
            state.front = [*state.front, *(at for at in ends if at not in state.front)]
            # Operations before the front are implied: it stays short.
            implied = {other for at in state.front for other in state.made[at].after}
            state.front = [at for at in state.front if at not in implied]

    def _collective(self, state: _RankState, call: Call) -> None:
        comm = state.comms[call.comm]
        number, comm.collectives = comm.collectives, comm.collectives + 1
        tag = self._tags.setdefault((comm.identity, -2 - number), len(self._tags))
        before, posted = list(state.front), list(state.posted)
        arrivals: list[tuple[int, int]] = []
        ends = []
        for step in self._schedule(comm, number):
            made = Operation(step.kind, max(1, step.size), comm.members[step.peer], tag)
            made.after = list(before)
            if step.kind == SEND:
                got = [at for time, at in arrivals if time <= step.time]
                made.after = got or made.after
            made.after_start = [at for at in posted if at not in made.after]
            state.made.append(made)
            ends.append(len(state.made) - 1)
            if step.kind == RECV:
                arrivals.append((step.time, ends[-1]))
        if call.operation == "icollective":
            state.requests[call.request] = ends
        elif ends:
            state.front, state.posted = ends, []


def _taken_apart(
    calls: tuple[tuple[Collective, tuple[int, ...]], ...],
) -> list[list[_Step]]:
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
