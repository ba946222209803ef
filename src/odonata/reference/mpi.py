"""Ranks, messages and matching: eager and rendezvous, with overheads of the processor."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from .clock import Clock, Kind
from .explain import Diary, Scope, Story, Wake, Way, Work
from .machine import Machine, transmission_time

ANY = -1


@dataclass
class MpiOptions:
    """Costs of the software."""

    send_overhead: int = 0  # [ps] a message
    recv_overhead: int = 0  # [ps] a message
    node_send_overhead: int | None = None  # [ps] inside a node; None: as elsewhere
    node_recv_overhead: int | None = None  # [ps]
    send_per_byte: float = 0.0  # [ps/B]
    recv_per_byte: float = 0.0  # [ps/B]
    copy_per_byte: float = 0.0  # [ps/B]
    reduce_per_byte: float = 0.0  # [ps/B]
    search_per_entry: int = 0  # [ps] an entry passed in a queue
    wait_per_request: int = 0  # [ps] a request that a wait looks at
    short_threshold: int | None = None  # [B] longer eager messages are not short; None: all are
    eager_overhead: int = 0  # [ps] an eager message that is not short, on both sides
    eager_per_byte: float = 0.0  # [ps/B]
    fetch_latency: int = 0  # [ps] data that are not short, until the NIC has the first byte
    eager_threshold: int = 8192  # [B] longer messages go by rendezvous
    rendezvous_overhead: int = 0  # [ps] a rendezvous, on both sides
    long_threshold: int | None = None  # [B] further bytes of such a message cost; None: none do
    long_per_byte: float = 0.0  # [ps/B] this
    control_bytes: int = 0  # [B] of a request to send and of its answer
    outstanding: int = 256  # messages of a source of traffic under way, at most


@dataclass
class Status:
    """Result of a receive."""

    source: int = ANY
    tag: int = ANY
    bytes: int = 0


@dataclass
class Request:
    """A send or receive that may not be complete."""

    rank: RankState
    done: bool = False
    status: Status = field(default_factory=Status)


@dataclass
class Sleep:
    """Request of a rank program to continue at a time [ps]."""

    until: int


Yielded = list[Request] | Sleep
RankProgram = Generator[Yielded, Any, None]
"""Program of a rank: yields requests to wait for (and gets the first one's status), or a sleep."""


@dataclass
class Receive:
    """A receive that has been posted."""

    source: int  # rank in the world, or ANY
    tag: int  # or ANY
    request: Request

    def takes(self, message: Message) -> bool:
        """Return whether it matches a message."""
        source, tag = message.source.number, message.tag
        return self.source in (ANY, source) and self.tag in (ANY, tag)


@dataclass
class Message:
    """A message from isend to the end of its receive."""

    number: int  # of all messages of the world
    source: RankState
    target: RankState
    size: int  # [B]
    tag: int
    sending: Request
    then: Callable[[Message], None]  # its next step
    arrived: bool = False
    receive: Receive | None = None
    leaving: bool = False  # some of it has not left its node
    finished: bool = False
    story: Story = field(init=False)

    def __post_init__(self) -> None:
        self.story = Story(self.source.number, self.target.number)


@dataclass
class RankState:
    """A rank, as the world sees it."""

    number: int  # in the world
    index: int  # in its job
    node: int
    port: int  # of the node, whose messages it takes
    program: RankProgram = field(init=False)
    cpu_free: int = 0  # [ps]
    local_sends: int = 0  # messages and answers to ranks of its own node
    copied: int = 0  # [ps] end of the last copy of a message from its own node
    datagrams: int = 0  # messages without a receive, under way
    room: Request | None = None  # done when one of them is delivered
    turn: int = 0  # of the last message it works for, of those ready at one time
    waits_for: list[Request] = field(default_factory=list)
    finished: int | None = None  # [ps]
    posted: list[Receive] = field(default_factory=list)
    unexpected: list[Message] = field(default_factory=list)
    scope: Scope = field(default_factory=Scope)
    diary: Diary = field(default_factory=Diary)


@dataclass
class Parts:
    """A message that is cut into parts, one for each port."""

    message: int  # number
    to_leave: int
    to_arrive: int


Send = Callable[[int, int, int, int, bool, int], None]
"""Arguments of a send: number, source and target port, size [B], whether to report injection, time
of fetching the first byte [ps]."""


class World:
    """All ranks of all jobs."""

    def __init__(self, machine: Machine, options: MpiOptions, clock: Clock, seed: int) -> None:
        self.machine = machine
        self.options = options
        self.clock = clock
        self.seed = seed
        self.ranks: list[RankState] = []
        self.messages: dict[int, Message] = {}
        self.num_messages = 0
        self.in_order: dict[tuple[int, int], list[Message]] = defaultdict(list)
        self.send: Send  # the network's, set when there is one
        self.ways: dict[int, Way] = {}  # the network's
        self.memory_taken: dict[int, int] = defaultdict(int)  # [ps] by node: its last message
        self.parts: dict[int, Parts] = {}  # by number of each part
        self.story: Story | None = None  # of the message to which something happens now
        clock.handlers |= {
            Kind.LOCAL: lambda _rank, _number, message: self.delivered(message),
            Kind.STEP: lambda _rank, _turn, message: self.delivered(message),
            Kind.RESUME: self.resume,
        }

    def go_on(self, rank: RankState, value: Status | None) -> None:
        """Run a rank's program up to something that is not complete."""
        rank.waits_for = []
        rank.diary.wakes.append(Wake(self.clock.now, self.story, rank.scope))
        try:
            yielded = rank.program.send(value)
            while isinstance(yielded, list) and all(request.done for request in yielded):
                yielded = rank.program.send(first_status(yielded))
        except StopIteration:
            rank.finished = max(self.clock.now, rank.cpu_free)
            return
        if isinstance(yielded, Sleep):
            self.clock.at(yielded.until, Kind.RESUME, rank.number)
        else:
            rank.waits_for = yielded

    def resume(self, number: int) -> None:
        """Let a rank begin, or continue after a sleep."""
        self.story = None
        self.go_on(self.ranks[number], None)

    def complete(self, request: Request) -> None:
        """Note that a request is done; if its rank waited for just that, it continues."""
        if request.done:
            return
        request.done = True
        rank = request.rank
        if rank.waits_for and all(other.done for other in rank.waits_for):
            self.go_on(rank, first_status(rank.waits_for))

    def work(self, rank: RankState, time: int, what: str) -> None:
        """Keep a rank's processor busy for a time [ps]; its program continues meanwhile."""
        begin = max(rank.cpu_free, self.clock.now)
        rank.cpu_free = begin + time
        if time > 0 and rank.finished is None:
            rank.diary.work.append(Work(begin, rank.cpu_free, what, rank.scope))

    def pay(
        self,
        rank: RankState,
        costs: dict[str, int],
        message: Message,
        then: Callable[[Message], None],
    ) -> None:
        """Let a rank's processor work for a message, in turn, and then call `then` with it.

        Messages that cost nothing are ready together, when the processor is: the event's entity
        puts them in turn.
        """
        waits = sum(costs.values()) == 0 and rank.cpu_free > self.clock.now
        rank.turn = rank.turn + 1 if waits else 0
        rank.cpu_free = max(rank.cpu_free, self.clock.now)
        for what, cost in costs.items():
            self.work(rank, cost, what)
        message.then = then
        if rank.cpu_free <= self.clock.now:
            then(message)
        else:
            self.clock.at(rank.cpu_free, Kind.STEP, rank.number, rank.turn, message.number)

    def launch(self, message: Message, back: bool, size: int) -> None:
        """Send `size` bytes of a message, or of its answer, on their way."""
        source, target = message.source, message.target
        if back:
            source, target = target, source
        if source.node != target.node:
            if size >= self.machine.ports.stripe_from:
                self.launch_parts(message, source.node, target.node, size)
            else:
                fetch = self.fetch_time(size)
                self.send(message.number, source.port, target.port, size, message.leaving, fetch)
            return
        arrival = self.pass_memory(target, size) + self.machine.node_latency
        entity = source.number, source.local_sends, message.number
        self.clock.at(arrival, Kind.LOCAL, *entity)
        self.ways[message.number] = [("inside_node", arrival - self.clock.now)]
        source.local_sends += 1

    def launch_parts(self, message: Message, source: int, target: int, size: int) -> None:
        """Send equal parts of a message from each port of a node to the same port of another."""
        ports = self.machine.ports.per_node
        parts = Parts(message.number, ports, ports)
        for at in range(ports):
            number = self.num_messages
            self.num_messages += 1
            self.parts[number] = parts
            part = size // ports + (at < size % ports)
            between = self.machine.port(source, at), self.machine.port(target, at)
            self.send(number, *between, part, message.leaving, self.fetch_time(size))

    def fetch_time(self, size: int) -> int:
        """Return the time until a NIC has the first of so many bytes from memory [ps]."""
        threshold = self.options.short_threshold
        return 0 if threshold is None or size <= threshold else self.options.fetch_latency

    def part_arrived(self, number: int) -> None:
        """Take the next step of a message, or of one of which this is the last part to arrive."""
        parts = self.parts.get(number)
        if parts is None:
            return self.delivered(number)
        parts.to_arrive -= 1
        if parts.to_arrive == 0:
            self.ways[parts.message] = self.ways[number]
            self.delivered(parts.message)

    def part_left(self, number: int) -> None:
        """All data of a message have left their node, or of one of which this is the last part."""
        parts = self.parts.get(number)
        if parts is None:
            return self.injected(number)
        parts.to_leave -= 1
        if parts.to_leave == 0:
            self.ways[parts.message] = self.ways[number]
            self.injected(parts.message)

    def pass_memory(self, target: RankState, size: int) -> int:
        """Return when a message to a rank of the same node is copied [ps].

        Copies to a rank follow one another; the node's memory takes messages in order of sends.
        """
        copying = transmission_time(size, self.machine.node_bandwidth)
        if not self.machine.memory_bandwidth:
            return self.clock.now + copying
        turn = max(self.clock.now, self.memory_taken[target.node])
        taking = transmission_time(size, self.machine.memory_bandwidth)
        self.memory_taken[target.node] = turn + taking
        target.copied = max(turn, target.copied) + copying
        return target.copied

    def delivered(self, number: int) -> None:
        """Take the next step of a message that has arrived, or for which a rank has worked."""
        message = self.messages[number]
        self.story = message.story
        message.then(message)

    def new_message(
        self, source: RankState, to: int, size: int, tag: int, then: Callable[[Message], None]
    ) -> Message:
        """Return a message with a number of its own."""
        number = self.num_messages
        self.num_messages += 1
        message = Message(number, source, self.ranks[to], size, tag, Request(source), then)
        self.messages[number] = message
        return message

    def release(self, message: Message) -> None:
        """Forget a message."""
        del self.messages[message.number]

    # ---- a message, step by step

    def send_datagram(self, source: RankState, to: int, size: int) -> None:
        """Send bytes without a receive."""
        source.datagrams += 1
        self.launch(self.new_message(source, to, size, 0, self.end_post), False, size)

    def end_post(self, message: Message) -> None:
        """Forget a message without a receive; its source may have waited for that."""
        self.release(message)
        source = message.source
        source.datagrams -= 1
        if source.room is not None:
            room, source.room = source.room, None
            self.story = None
            self.complete(room)

    def room(self, source: RankState) -> list[Request]:
        """Return the requests that a source of traffic waits for before it sends."""
        if source.datagrams < self.options.outstanding:
            return []
        source.room = Request(source)
        return [source.room]

    def isend(self, source: RankState, to: int, size: int, tag: int) -> Request:
        """Begin with the overhead of the sender."""
        message = self.new_message(source, to, size, tag, self.hand_over)
        self.in_order[source.number, to].append(message)
        o = self.options
        cost = self.overhead(message, o.send_overhead, o.node_send_overhead)
        if self.is_eager(message):
            cost += per_byte(self.options.send_per_byte, size) + self.protocol_cost(message)
        self.pay(source, {"send_overhead": cost}, message, self.hand_over)
        return message.sending

    def overhead(self, message: Message, elsewhere: int, inside: int | None) -> int:
        """Return the cost of every send, or receive: its own inside a node, if there is one."""
        if message.source.node != message.target.node or inside is None:
            return elsewhere
        return inside

    def is_eager(self, message: Message) -> bool:
        """Return whether the data go at once, without a request to send."""
        return message.size <= self.options.eager_threshold

    def protocol_cost(self, message: Message) -> int:
        """Return the cost of the protocol of a message between two nodes on either side [ps]."""
        o = self.options
        if message.source.node == message.target.node:
            return 0
        if not self.is_eager(message):
            further = 0 if o.long_threshold is None else max(0, message.size - o.long_threshold)
            return o.rendezvous_overhead + per_byte(o.long_per_byte, further)
        if o.short_threshold is None or message.size <= o.short_threshold:
            return 0
        return o.eager_overhead + per_byte(o.eager_per_byte, message.size)

    def hand_over(self, message: Message) -> None:
        """Let the data leave, or the request to send them."""
        message.then = self.arrive
        message.story.sent = message.story.handed = self.clock.now
        message.story.asks = not self.is_eager(message)
        if self.is_eager(message):
            self.launch(message, False, message.size)
            self.complete(message.sending)
        else:
            self.launch(message, False, self.options.control_bytes)

    def arrive(self, message: Message) -> None:
        """Match the messages of a pair of ranks in the order in which they were sent."""
        message.arrived = True
        message.story.asked = self.clock.now
        message.story.way = self.ways[message.number]
        queue = self.in_order[message.source.number, message.target.number]
        while queue and queue[0].arrived:
            first = queue.pop(0)
            posted = first.target.posted
            passed = num_passed(receive.takes(first) for receive in posted)
            search = passed * self.options.search_per_entry
            if passed == len(posted):
                self.work(first.target, search, "matching")
                first.target.unexpected.append(first)
            else:
                self.match(first, posted.pop(passed), search, expected=True)

    def irecv(self, rank: RankState, source: int, tag: int) -> Request:
        """Take the first unexpected message that fits, or wait for one."""
        receive = Receive(source, tag, Request(rank))
        there = rank.unexpected
        passed = num_passed(receive.takes(message) for message in there)
        search = passed * self.options.search_per_entry
        if passed == len(there):
            self.work(rank, search, "matching")
            rank.posted.append(receive)
        else:
            self.match(there.pop(passed), receive, search, expected=False)
        return receive.request

    def match(self, message: Message, receive: Receive, search: int, *, expected: bool) -> None:
        """Let the receiver work for the data, or for the request to send them, after a search."""
        message.receive = receive
        receive.request.status = Status(message.source.index, message.tag, message.size)
        o = self.options
        receiving = self.overhead(message, o.recv_overhead, o.node_recv_overhead)
        receiving += self.protocol_cost(message)
        costs = {"matching": search, "receive_overhead": receiving}
        if not self.is_eager(message):
            free = max(message.target.cpu_free, self.clock.now)
            message.story.matched = free + search
            self.pay(message.target, costs, message, self.answer)
            return
        costs["receive_overhead"] += per_byte(self.options.recv_per_byte, message.size)
        if not expected:
            costs["copying"] = per_byte(self.options.copy_per_byte, message.size)
        self.pay(message.target, costs, message, self.finish)

    def answer(self, message: Message) -> None:
        """Send the answer to a request to send."""
        message.then = self.prepare
        self.launch(message, True, self.options.control_bytes)

    def prepare(self, message: Message) -> None:
        """Let the sender work for the data."""
        message.story.answered = self.clock.now
        message.story.prepared = max(message.source.cpu_free, self.clock.now)
        cost = per_byte(self.options.send_per_byte, message.size) + self.protocol_cost(message)
        self.pay(message.source, {"send_overhead": cost}, message, self.send_data)

    def send_data(self, message: Message) -> None:
        """Let the data leave; the send is complete when all have left their node."""
        message.then = self.receive_data
        message.story.handed = self.clock.now
        message.leaving = message.source.node != message.target.node
        self.launch(message, False, message.size)

    def injected(self, number: int) -> None:
        """All data have left their node."""
        message = self.messages[number]
        self.story = message.story
        message.leaving = False
        message.story.leaving = self.ways[number]
        if message.finished:
            self.release(message)
        self.complete(message.sending)

    def receive_data(self, message: Message) -> None:
        """Let the receiver work for the data."""
        message.story.way = self.ways[message.number]
        if not message.leaving:
            self.complete(message.sending)
        cost = per_byte(self.options.recv_per_byte, message.size)
        self.pay(message.target, {"receive_overhead": cost}, message, self.finish)

    def finish(self, message: Message) -> None:
        """Complete the receive."""
        assert message.receive is not None
        message.finished = True
        if not message.leaving:
            self.release(message)
        self.complete(message.receive.request)


def num_passed(fits: Iterable[bool]) -> int:
    """Return how many entries a search passes before the first that fits, if any."""
    return sum(1 for _ in takewhile(lambda fit: not fit, fits))


def first_status(requests: list[Request]) -> Status:
    """Return the status of the first of some requests."""
    return requests[0].status if requests else Status()


def per_byte(cost: float, size: int) -> int:
    """Return the cost [ps] of some bytes at [ps/B], rounded to the nearest."""
    return math.floor(cost * size + 0.5)
