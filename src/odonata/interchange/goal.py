"""GOAL schedules as traces, and traces as schedules."""

from __future__ import annotations

import heapq
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from odonata.errors import UserError
from odonata.interchange.goal_export import Exporter
from odonata.interchange.goal_schedule import (
    CALC,
    RECV,
    SEND,
    Rank,
    read_goal,
    write_goal,
)
from odonata.interchange.mending import trace_source, write_mended
from odonata.interchange.report import Conversion
from odonata.trace import Block, Call, Header, Receive, Send, Writer, function_names

__all__ = ["read_goal_trace", "write_goal_binary", "write_goal_text"]

PIECE = 2**14
"""Calls of a rank that are written in turn."""


def read_goal_trace(path: Path, target: str | Path) -> Conversion:
    """Write a schedule as a trace.

    The operations of a rank become one sequence: receives are posted and messages sent as soon as
    their requirements have been waited for. Where the schedule leaves open which of several
    receives a rank waits for first, they keep the order of the file, and the account counts such
    places. Messages without a counterpart are left out, and counted, so that the trace can be
    played.

    Raises
    ------
    UserError
        The schedule is damaged, or its operations require each other in a circle.
    WriteError
        The trace could not be written.
    """
    ranks = read_goal(path)
    account = Conversion("goal", ranks=len(ranks))
    header = Header(ranks=len(ranks), compute="recorded", options={"format": "goal"})
    orders = [_Order(path, number, rank) for number, rank in enumerate(ranks)]
    if _is_matched(ranks):
        account.calls = _write_calls(target, header, orders)
    else:
        with tempfile.TemporaryDirectory() as folder:
            plain = Path(folder) / "plain.trace"
            _write_calls(plain, header, orders)
            write_mended(target, header, lambda: trace_source(plain, len(ranks)), account)
    _tell(orders, ranks, account)
    return account


def _is_matched(ranks: list[Rank]) -> bool:
    """Whether as many messages are sent as received, of each sender, receiver and tag.

    Receives from any source or of any tag must be as many as the other messages to their rank.
    """
    missing: Counter[tuple[int, int, int]] = Counter()
    open_to: Counter[int] = Counter()
    for number, rank in enumerate(ranks):
        for made in rank:
            if made.kind == SEND:
                missing[number, made.peer, made.tag] += 1
            elif made.kind == RECV and min(made.peer, made.tag) < 0:
                open_to[number] -= 1
            elif made.kind == RECV:
                missing[made.peer, number, made.tag] -= 1
    for (_, receiver, _), count in missing.items():
        open_to[receiver] += count
    return min(missing.values(), default=0) >= 0 and not any(open_to.values())


def _write_calls(target: str | Path, header: Header, orders: list[_Order]) -> int:
    """Write the calls of all ranks, a piece of each in turn; return their number."""
    count = 0
    held: list[Call] = []  # of several ranks, in their order

    def write() -> None:
        if held:
            writer.write(Block.of(held, function_names()))
            held.clear()

    with Writer(target, header) as writer:
        streams = [order.calls() for order in orders]
        while streams:
            going = []
            for stream in streams:
                calls = list(islice(stream, PIECE))
                count += len(calls)
                held += calls
                if len(held) >= PIECE:
                    write()
                if len(calls) == PIECE:
                    going.append(stream)
            write()
            streams = going
    return count


def _tell(orders: list[_Order], ranks: list[Rank], account: Conversion) -> None:
    open_orders = sum(order.open_orders for order in orders)
    if open_orders:
        account.notes.append(
            f"{open_orders} times the schedule leaves open what a rank waits for first: the order "
            "of the file was taken"
        )
    processors = Counter(made.cpu for rank in ranks for made in rank)
    if set(processors) - {0}:
        others = sum(count for cpu, count in processors.items() if cpu)
        account.notes.append(f"{others} operations of other processors were put on the first one")


class _Order:
    """Puts the operations of a rank into a sequence of calls."""

    def __init__(self, path: Path, number: int, rank: Rank) -> None:
        self._path, self._number, self._rank = path, number, rank
        self.open_orders = 0
        self._missing = [len(made.after) + len(made.after_start) for made in rank]
        self._blocking: list[set[int]] = [set() for _ in rank]  # receives to be waited for
        self._followers: list[list[tuple[int, bool]]] = [[] for _ in rank]
        for at, made in enumerate(rank):
            for other in made.after:
                self._followers[other].append((at, True))
            for other in made.after_start:
                self._followers[other].append((at, False))
        self._requests: dict[int, int] = {}  # of operations that were not waited for
        self._free: list[int] = []
        self._ready: list[tuple[int, int]] = []
        self._waiting: list[int] = []
        self._compute = 0

    def calls(self) -> Iterator[Call]:
        """Yield the calls in order."""
        rank = self._number
        yield Call(rank, "MPI_Init", "local")
        for at, missing in enumerate(self._missing):
            if missing == 0:
                self._release(at)
        done = 0
        while self._ready or self._waiting:
            if self._ready:
                at = heapq.heappop(self._ready)[1]
            else:
                at = heapq.heappop(self._waiting)
                if len({frozenset(self._blocking[w]) for w in [at, *self._waiting]}) > 1:
                    self.open_orders += 1
                yield self._wait(sorted(self._blocking[at]))
            yield from self._perform(at)
            done += 1
        if done < len(self._rank):
            raise self._circle(done)
        if self._requests:
            yield self._wait(sorted(self._requests))
        yield Call(rank, "MPI_Finalize", "finalize", compute=self._spend())

    def _release(self, at: int) -> None:
        """Note that all is started that an operation requires, and perhaps not ended."""
        self._blocking[at] = {
            other
            for other in self._rank[at].after
            if other in self._requests and self._rank[other].kind == RECV
        }
        if self._blocking[at]:
            heapq.heappush(self._waiting, at)
        else:
            self._make_ready(at)

    def _make_ready(self, at: int) -> None:
        """Put an operation into the queue of ready ones: receives first, then sends, then work."""
        order = {RECV: 0, SEND: 1, CALC: 2}[self._rank[at].kind]
        heapq.heappush(self._ready, (order, at))

    def _perform(self, at: int) -> Iterator[Call]:
        made = self._rank[at]
        sends = [other for other in made.after if other in self._requests]
        if sends:
            yield self._wait(sends)
        if made.kind == CALC:
            self._compute += made.size
        else:
            number = self._free.pop() if self._free else len(self._requests) + 1
            self._requests[at] = number
            if made.kind == SEND:
                view: Send | Receive = Send(made.peer, made.tag, made.size, "standard")
            else:
                view = Receive(made.peer, made.tag, made.size, 0)
            name, operation = (
                ("MPI_Isend", "isend") if made.kind == SEND else ("MPI_Irecv", "irecv")
            )
            yield Call(self._number, name, operation, view, request=number, compute=self._spend())
        for follower, _ in self._followers[at]:
            self._missing[follower] -= 1
            if self._missing[follower] == 0:
                self._release(follower)

    def _wait(self, operations: list[int]) -> Call:
        words = []
        for other in operations:
            number = self._requests.pop(other)
            self._free.append(number)
            words.append(number)
        done = set(operations)
        still = []
        for at in self._waiting:
            self._blocking[at] -= done
            if self._blocking[at]:
                still.append(at)
            else:
                self._make_ready(at)
        heapq.heapify(still)
        self._waiting = still
        return Call(self._number, "MPI_Waitall", "wait", words=tuple(words), compute=self._spend())

    def _spend(self) -> int:
        spent, self._compute = self._compute, 0
        return spent

    def _circle(self, done: int) -> Exception:
        left = len(self._rank) - done
        return UserError(
            f"{self._path}: rank {self._number}: {left} operations require each other in a circle"
        )


def write_goal_text(path: Path, target: str | Path, machine: str | None = None) -> Conversion:
    """Write a trace as a schedule in text; see `Exporter`.

    Parameters
    ----------
    path, target
        The trace and the schedule.
    machine
        Machine that reduces and copies inside of collectives; None: as the trace names it.

    Raises
    ------
    UserError
        The trace is damaged, or the machine unknown.
    WriteError
        The schedule could not be written.
    """
    return _write(path, target, machine, binary=False)


def write_goal_binary(path: Path, target: str | Path, machine: str | None = None) -> Conversion:
    """Write a trace as a schedule in LogGOPSim's binary form; see `Exporter`."""
    return _write(path, target, machine, binary=True)


def _write(path: Path, target: str | Path, machine: str | None, *, binary: bool) -> Conversion:
    account = Conversion("odonata", "goal-binary" if binary else "goal")
    with Exporter(path, account, machine).ranks() as ranks:
        write_goal(target, ranks, binary=binary)
    return account
