"""Packets, links, buffers and credits: virtual cut-through, oldest first.

A packet's head reaches a router, is routed at once and joins the queue of its next link and
virtual channel. A link that is free serves the oldest packet, of those at the head of a queue,
whose next buffer has room for it whole. It looks for one whenever it falls free, a credit comes
back or a packet joins; a packet that joins in the instant in which the link falls free waits
for that look, so that age decides between all that are there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from .clock import Clock, Kind
from .explain import Hop, Way, way_of
from .gates import Gate
from .machine import Link, Machine, transmission_time
from .message import Message
from .routing import Route, RoutingOptions, make_routing

DELIVERED = -1

LogEntry = tuple[int, int, int, int, int]
"""Time [ps], link, virtual channel and packet (its source, its number there) of a start; DELIVERED
and the port at the end."""


@dataclass
class NetworkOptions:
    """Division of messages into packets."""

    packet_bytes: int = 1024  # [B] most payload
    header_bytes: int = 0  # [B] added to every packet
    window_bytes: int = 0  # [B] payload a port may have in flight; 0: no limit
    message_gap: int = 0  # [ps] from the start of a port's message to the start of its next
    in_turns: bool = False  # a port sends to its destinations in turns, a packet each
    congestion_bytes: int = 0  # [B] that may be on the way to a port, from all; 0: no limit
    congestion_delay: int = 0  # [ps] from a delivery until the sources know of it
    routing: RoutingOptions = field(default_factory=RoutingOptions)


@dataclass
class Packet:
    """A packet and where it is."""

    number: int  # counted by its source
    message: Message
    payload: int  # [B]
    size: int  # [B] header included
    born: int  # [ps] start on the injection link: its age
    route: Route
    router: int = -1  # where its head is, or will be next
    tail: int = 0  # [ps] when its tail can leave that router
    buffer: Buffer | None = None  # at that router
    room: Room | None = None  # in that buffer
    head: int = 0  # [ps] when its head is there
    own: int = 0  # [ps] transmission of its message's packets up to this one, at the NIC
    hops: list[Hop] = field(default_factory=list)


@dataclass
class Room:
    """Room in a buffer, taken from a packet's start on the link until its credit is back."""

    size: int  # [B]
    credit: int | None = None  # [ps] when it is back; not known before the packet leaves


@dataclass
class Buffer:
    """The buffer of one virtual channel at the far end of a link, as its sender knows it."""

    link: Link
    taken: list[Room] = field(default_factory=list)
    peak: int = 0  # [B]

    def used(self, now: int) -> int:
        """Return the bytes that are taken at a time [ps]."""
        self.taken = [p for p in self.taken if p.credit is None or p.credit > now]
        return sum(room.size for room in self.taken)

    def take(self, size: int, now: int) -> Room:
        """Reserve room for a packet."""
        room = Room(size)
        self.taken.append(room)
        self.peak = max(self.peak, self.used(now))
        return room


@dataclass
class Output:
    """State of a link, and the packets that wait for it."""

    link: Link
    free_at: int = 0  # [ps]
    blocked_since: int | None = None  # [ps] free, and nothing that waits has room
    queues: dict[int, list[Packet]] = field(default_factory=lambda: defaultdict(list))
    buffers: dict[int, Buffer] = field(default_factory=dict)
    sent: int = 0  # [B]
    busy: int = 0  # [ps]
    stalled: int = 0  # [ps]
    stalls: list[tuple[int, int, int]] = field(default_factory=list)  # [ps] from, to, all before

    def stalled_within(self, begin: int, end: int) -> int:
        """Return for how long it was without credit in a time [ps]."""
        return max(0, self.stalled_before(end) - self.stalled_before(begin))

    def stalled_before(self, time: int) -> int:
        """Return for how long it was without credit before a time [ps]."""
        begun = bisect_left(self.stalls, (time,))
        if begun == 0:
            return 0
        since, to, before = self.stalls[begun - 1]
        return before + min(to, time) - since

    def waiting(self) -> int:
        """Return the bytes that wait."""
        return sum(packet.size for queue in self.queues.values() for packet in queue)

    def buffer(self, vc: int) -> Buffer:
        """Return the buffer of a virtual channel."""
        return self.buffers.setdefault(vc, Buffer(self.link))


class PacketNetwork:
    """The packet engine: `send` takes messages, `log` has the events of their packets."""

    def __init__(
        self,
        machine: Machine,
        options: NetworkOptions,
        clock: Clock,
        delivered: Callable[[int], None],
        injected: Callable[[int], None],
    ) -> None:
        self.machine = machine
        self.options = options
        self.clock = clock
        self.delivered = delivered
        self.routing = make_routing(machine, options.routing)
        self.outputs = [Output(link) for link in machine.links]
        self.nics: list[list[Message]] = [[] for _ in machine.port_router]
        self.turns: list[list[int]] = [[] for _ in machine.port_router]  # destinations
        self.gates = [Gate(options.congestion_bytes) for _ in machine.port_router]
        self.in_flight = [0] * machine.num_ports  # [B] payload, by source
        self.next_message = [0] * machine.num_ports  # [ps] when one may start, by source
        self.packets: dict[tuple[int, int], Packet] = {}  # by source and number
        self.sent = [0] * machine.num_ports  # packets, by source
        self.packet_hops = 0  # routers that forwarded a packet
        self.log: list[LogEntry] = []
        self.ways: dict[int, Way] = {}  # of the last crossing of each message
        clock.handlers |= {
            Kind.ARRIVE: self.arrive,
            Kind.DELIVER: self.deliver,
            Kind.WAKE: self.wake,
            Kind.INJECTED: lambda _port, _number, message: injected(message),
        }

    def send(
        self, number: int, source: int, target: int, size: int, tell_injected: bool, fetch: int
    ) -> None:
        """Hand a message of `size` bytes to its source port."""
        nic, now = self.nics[source], self.clock.now
        nic.append(Message(number, source, target, size, size, tell_injected, now, fetch))
        if self.options.in_turns and target not in self.turns[source]:
            self.turns[source].append(target)
        if len(nic) == 1:
            self.wake(self.machine.injection(source).number)

    def wake(self, link: int) -> None:
        """Let a link serve waiting packets, if it is free; or a gate grant some."""
        if link >= len(self.outputs):
            self.open_gate(link - len(self.outputs))
            return
        output = self.outputs[link]
        if output.free_at > self.clock.now:
            return
        if link < self.machine.num_ports:
            self.inject(link)
        else:
            self.serve(output)

    # ---- at the ports

    def inject(self, port: int) -> None:
        """Start the next packet of a port, if window, buffer and gate have room for it."""
        nic, output = self.nics[port], self.outputs[port]
        if not nic:
            return
        message = self.first(port)
        if not message.started and self.next_message[port] > self.clock.now:
            self.clock.at(self.next_message[port], Kind.WAKE, output.link.number)
            return
        payload = min(message.to_inject, self.options.packet_bytes)
        size = payload + self.options.header_bytes
        window = self.options.window_bytes
        if 0 < window < self.in_flight[port] + payload and self.in_flight[port] > 0:
            return
        if not self.has_room(output, 0, size):
            self.block(output)
            return
        if not self.passes_gate(message, payload):
            self.unblock(output)
            self.hold(nic.pop(0), self.clock.now)
            self.inject(port)
            return
        number = self.sent[port]
        to = self.machine.port_router[message.target]
        route = Route(port << 32 | number, to, (port, message.target))
        packet = Packet(number, message, payload, size, self.clock.now, route)
        self.packets[port, number] = packet
        self.sent[port] += 1
        if not message.started:
            message.started = True
            self.next_message[port] = self.clock.now + self.options.message_gap
        message.to_inject -= payload
        self.in_flight[port] += payload
        self.end_turn(port, message)
        self.start(output, 0, packet)
        if message.to_inject == 0 and message.tell_injected:
            way = way_of(
                self.machine, self.machine.link_kinds, packet.hops, packet.own, message.fetch
            )
            self.ways[message.number] = way[:-1]  # without the wire
            self.clock.at(output.free_at, Kind.INJECTED, port, number, message.number)
        if message.granted:
            self.use_grant(message)

    def first(self, port: int) -> Message:
        """Return the message whose turn it is."""
        nic, turns = self.nics[port], self.turns[port]
        if not self.options.in_turns:
            return nic[0]
        return next(message for message in nic if message.target == turns[0])

    def end_turn(self, port: int, message: Message) -> None:
        """Let a message leave its port with its last packet, or its destination wait for a turn."""
        if message.to_inject == 0:
            self.nics[port].remove(message)
        if not self.options.in_turns:
            return
        turns = self.turns[port]
        target = turns.pop(0)
        if any(message.target == target for message in self.nics[port]):
            turns.append(target)

    def deliver(self, source: int, number: int) -> None:
        """Take a packet from the network; tell whoever waits for it."""
        packet = self.packets.pop((source, number))
        message = packet.message
        self.log.append((self.clock.now, DELIVERED, message.target, source, number))
        self.packet_hops += packet.route.hops + 1
        self.in_flight[message.source] -= packet.payload
        self.clock.at(self.clock.now, Kind.WAKE, self.machine.injection(message.source).number)
        known = self.clock.now + self.options.congestion_delay
        self.gates[message.target].leave(packet.payload, known)
        self.wake_gate(message.target, known)
        message.to_deliver -= packet.payload
        if message.to_deliver == 0:
            kinds = self.machine.link_kinds
            self.ways[message.number] = way_of(
                self.machine, kinds, packet.hops, packet.own, message.fetch
            )
            self.delivered(message.number)

    # ---- at the gates

    def passes_gate(self, message: Message, payload: int) -> bool:
        """Return whether the next packet of a message may start; count its bytes if so."""
        gate = self.gates[message.target]
        if not message.granted:
            if not gate.admits(payload, self.clock.now):
                return False
            gate.enter(payload)
        return True

    def hold(self, message: Message, since: int) -> None:
        """Let a message wait at the gate of its destination from a time on [ps]."""
        message.held_since = since
        self.gates[message.target].wait(message)
        self.wake_gate(message.target, self.clock.now)

    def wake_gate(self, port: int, time: int) -> None:
        """Let a gate look at a time [ps] whether it has room."""
        if self.options.congestion_bytes:
            self.clock.at(time, Kind.WAKE, len(self.outputs) + port)

    def open_gate(self, port: int) -> None:
        """Grant packets as long as there is room for the next."""
        gate = self.gates[port]
        while gate.queue:
            payload = min(gate.next_message().to_inject, self.options.packet_bytes)
            if not gate.has_room(payload, self.clock.now):
                return
            message = gate.grant(payload)
            message.granted = True
            message.held.append((message.held_since, self.clock.now))
            nic = self.nics[message.source]
            nic.insert(sum(other.granted for other in nic), message)
            self.wake(self.machine.injection(message.source).number)

    def use_grant(self, message: Message) -> None:
        """Let the rest of a message wait again after a granted packet has started."""
        message.granted = False
        gate, rest = self.gates[message.target], message.to_inject > 0
        if rest:
            nic = self.nics[message.source]
            nic.remove(message)
            message.held_since = self.outputs[message.source].free_at
        gate.rejoin(message, rest=rest)
        self.wake_gate(message.target, self.clock.now)

    # ---- at the routers

    def arrive(self, source: int, number: int) -> None:
        """Route a packet and let it join the queue of its output."""
        packet = self.packets[source, number]
        hop = self.routing.next(
            packet.route, packet.router, lambda link: self.outputs[link.number].waiting()
        )
        link, vc = hop or (self.machine.ejection(packet.message.target), 0)
        output = self.outputs[link.number]
        free = output.free_at <= self.clock.now
        about_to_serve = any(output.queues.values()) and output.blocked_since is None
        output.queues[vc].append(packet)
        output.queues[vc].sort(key=lambda p: p.born)
        if free and not about_to_serve:
            self.serve(output)

    def serve(self, output: Output) -> None:
        """Start the oldest packet that has room."""
        heads = [(queue[0].born, vc) for vc, queue in output.queues.items() if queue]
        ready = [(b, vc) for b, vc in heads if self.has_room(output, vc, output.queues[vc][0].size)]
        if ready:
            _, vc = min(ready)
            self.start(output, vc, output.queues[vc].pop(0))
        elif heads:
            self.block(output)

    def start(self, output: Output, vc: int, packet: Packet) -> None:
        """Send a packet over a link, whose buffer has room."""
        now, link = self.clock.now, output.link
        end = max(now + transmission_time(packet.size, link.link_class.bandwidth), packet.tail)
        source, number = packet.message.source, packet.number
        self.log.append((now, link.number, vc, source, number))
        self.unblock(output)
        self.note_hop(output, packet, end)
        output.free_at = end
        output.busy += end - now
        output.sent += packet.size
        self.clock.at(end, Kind.WAKE, link.number)
        self.leave_buffer(packet, end)
        if self.ejects(link):
            self.clock.at(end + link.link_class.latency, Kind.DELIVER, source, number)
            return
        packet.buffer = output.buffer(vc)
        packet.room = packet.buffer.take(packet.size, now)
        delay = link.link_class.latency + self.machine.router_delay
        if link.number < self.machine.num_ports:
            delay += packet.message.fetch
        packet.router = link.target
        packet.tail = end + delay
        packet.head = now + delay
        self.clock.at(now + delay, Kind.ARRIVE, source, number)

    def note_hop(self, output: Output, packet: Packet, end: int) -> None:
        """Write down the pieces of the way of a message."""
        now, message = self.clock.now, packet.message
        head, held = packet.head, 0
        if output.link.number < self.machine.num_ports:
            head = message.handed
            message.own += end - now
            packet.own = message.own
            waits = (to - since - output.stalled_within(since, to) for since, to in message.held)
            held = sum(max(0, wait) for wait in waits)
        credit = output.stalled_within(head, now)
        packet.hops.append(Hop(output.link, head, packet.tail, now, end, credit, held))

    def leave_buffer(self, packet: Packet, end: int) -> None:
        """Send the credit home when the tail has left the buffer that the packet is in."""
        if packet.buffer is None or packet.room is None:
            return
        link = packet.buffer.link
        packet.room.credit = end + link.link_class.credit_delay
        self.clock.at(packet.room.credit, Kind.WAKE, link.number)

    # ---- room

    def ejects(self, link: Link) -> bool:
        """Return whether a link leads to a node, which takes everything."""
        return self.machine.num_ports <= link.number < 2 * self.machine.num_ports

    def has_room(self, output: Output, vc: int, size: int) -> bool:
        """Return whether the buffer behind a link has room for a packet now."""
        if self.ejects(output.link):
            return True
        return output.buffer(vc).used(self.clock.now) + size <= output.link.link_class.buffer

    def block(self, output: Output) -> None:
        """Note since when a link waits for credits."""
        if output.blocked_since is None:
            output.blocked_since = self.clock.now

    def unblock(self, output: Output) -> None:
        """Count the time for which a link has waited for credits."""
        if output.blocked_since is not None:
            output.stalls.append((output.blocked_since, self.clock.now, output.stalled))
            output.stalled += self.clock.now - output.blocked_since
        output.blocked_since = None
