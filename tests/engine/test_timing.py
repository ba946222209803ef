"""Times by hand, to the picosecond: 1 B takes 1 ns, a wire 7 ns, a router 50 ns, a credit 11 ns."""

import numpy as np
import pytest
from small import CREDIT, ROUTER, WIRE, dragonfly, link, one_message, pairs, program, simulate, star

from odonata import _core

NS = 1_000
HOP = WIRE + ROUTER
BYTE = NS


def delivered(machine, source, target, nbytes, **engine):
    run = simulate(machine, [([source, target], one_message(nbytes))], **engine)
    return int(run.messages(0)["delivered"][0])


def latencies(run, nbytes):
    """Return the times that messages of a size took [ps]."""
    sent = run.messages(0)
    rows = zip(sent["bytes"], sent["sent"], sent["delivered"], strict=True)
    return [after - before for size, before, after in rows if size == nbytes]


@pytest.mark.parametrize("engine", ["packet", "analytic"])
@pytest.mark.parametrize(
    ("target", "routers"),
    [
        (1, 1),  # the other node of the router
        (2, 2),  # next router of the group
        (15, 2),  # port 0 of router 0 leads to router 3 of group 1: nodes 14 and 15
        (8, 3),  # router 0 of group 1: one local link more
        (16, 3),  # group 2 is behind port 1 of router 0, and lands on router 3 again: port 6
        (24, 4),  # group 3 is behind port 2, on router 1; local, global, local
    ],
)
def test_a_lone_packet_takes_its_wires_its_routers_and_its_length_once(engine, target, routers):
    machine = dragonfly()
    run = simulate(machine, [([0, target], one_message(1000))], engine=engine, packet_bytes=1000)
    assert int(run.messages(0)["routers"][0]) == routers
    assert int(run.messages(0)["delivered"][0]) == routers * HOP + WIRE + 1000 * BYTE


@pytest.mark.parametrize("engine", ["packet", "analytic"])
def test_the_slowest_link_of_the_route_sets_the_length(engine):
    slow = {"local": link("local", rate=250_000_000)}  # 4 ns a byte
    time = delivered(dragonfly(**slow), 0, 2, 1000, engine=engine, packet_bytes=1000)
    assert time == 2 * HOP + WIRE + 4 * 1000 * BYTE


@pytest.mark.parametrize("engine", ["packet", "analytic"])
@pytest.mark.parametrize(("nbytes", "packet"), [(3000, 1000), (2500, 1000), (1, 1000), (0, 1000)])
def test_packets_of_a_message_follow_each_other_without_a_gap(engine, nbytes, packet):
    time = delivered(dragonfly(), 0, 2, nbytes, engine=engine, packet_bytes=packet)
    assert time == 2 * HOP + WIRE + nbytes * BYTE


def test_every_packet_pays_for_its_header():
    time = delivered(dragonfly(), 0, 2, 2500, packet_bytes=1000, header_bytes=16)
    assert time == 2 * HOP + WIRE + (2500 + 3 * 16) * BYTE


@pytest.mark.parametrize("engine", ["packet", "analytic"])
def test_two_packets_for_one_node_share_its_link(engine):
    """Both reach the router at once; the second waits for the length of the first."""
    machine = star(3)
    run = simulate(machine, [pairs(machine, [2, 2, -1], messages=1, periodic=True)],
                   packet_bytes=1000, engine=engine)  # fmt: skip
    start = 1000 * BYTE  # the first gap of periodic traffic at full load
    first = start + HOP + WIRE + 1000 * BYTE
    assert sorted(run.messages(0)["delivered"]) == [first, first + 1000 * BYTE]


@pytest.mark.parametrize("engine", ["packet", "analytic"])
def test_two_messages_of_one_node_share_its_link(engine):
    """Both are handed over at once, to different nodes; the second waits for the first's length."""

    def body(rank):
        if rank.index == 0:
            yield rank.wait([rank.isend(1, 3000, 0), rank.isend(2, 2000, 0)])
        else:
            yield rank.wait([rank.irecv(0, 3000 if rank.index == 1 else 2000, 0)])

    run = simulate(star(3), [(range(3), program(body))], packet_bytes=1000, engine=engine)
    first = HOP + WIRE + 3000 * BYTE
    assert run.messages(0)["delivered"].tolist() == [first, first + 2000 * BYTE]


@pytest.mark.parametrize("engine", ["packet", "analytic"])
def test_two_long_messages_for_one_node_share_its_link(engine):
    """Both are handed over at once; the last byte of both comes when the link has taken all."""

    def body(rank):
        if rank.index == 2:
            yield rank.wait([rank.irecv(0, 3000, 0), rank.irecv(1, 3000, 0)])
        else:
            yield rank.wait([rank.isend(2, 3000, 0)])

    run = simulate(star(3), [(range(3), program(body))], packet_bytes=1000, engine=engine)
    assert max(run.messages(0)["delivered"]) == HOP + WIRE + 6000 * BYTE


@pytest.mark.parametrize("engine", ["packet", "analytic"])
def test_a_packet_passes_what_a_long_message_has_still_to_send(engine):
    """Ten packets of node 0 take the link to node 2 from 0 on; one of node 1 comes amid them."""

    def body(rank):
        if rank.index == 0:
            yield rank.wait([rank.isend(2, 10_000, 0)])
        elif rank.index == 1:
            yield rank.compute(3500 * BYTE)
            yield rank.wait([rank.isend(2, 1000, 1)])
        else:
            yield rank.wait([rank.irecv(0, 10_000, 0), rank.irecv(1, 1000, 1)])

    run = simulate(star(3), [(range(3), program(body))], packet_bytes=1000, engine=engine)
    (single,) = latencies(run, 1000)
    alone = HOP + WIRE + 1000 * BYTE
    assert alone <= single < alone + 1000 * BYTE


def test_single_packets_for_one_node_wait_for_each_other_beside_a_long_message():
    """Ten packets of node 0; one of node 1 and one of node 3 reach the link to node 2 at once."""

    def body(rank):
        if rank.index == 0:
            yield rank.wait([rank.isend(2, 10_000, 0)])
        elif rank.index == 2:
            wanted = [rank.irecv(0, 10_000, 0), rank.irecv(1, 1000, 0), rank.irecv(3, 1000, 0)]
            yield rank.wait(wanted)
        else:
            yield rank.compute(3500 * BYTE)
            yield rank.wait([rank.isend(2, 1000, 0)])

    run = simulate(star(4), [(range(4), program(body))], packet_bytes=1000, engine="analytic")
    alone = HOP + WIRE + 1000 * BYTE
    assert sorted(latencies(run, 1000)) == [alone, alone + 1000 * BYTE]


def test_a_buffer_of_one_packet_is_filled_again_when_its_credit_is_home():
    """Start t; head at the next router t + 57; gone t + 1057; credit home t + 1068 [ns]."""
    tight = {"local": link("local", buffer=1000)}
    time = delivered(dragonfly(**tight), 0, 2, 3000, packet_bytes=1000)
    period = HOP + 1000 * BYTE + CREDIT
    assert time == 2 * HOP + WIRE + 2 * period + 1000 * BYTE


def test_a_buffer_is_refused_once_each_time_it_becomes_full():
    """Packets A and B of node 0 and C of node 1 cross a link whose buffer takes one of them.

    A starts on it at 57 ns, and its credit is home at 57 + 1068 = 1125 ns. B asks at 1057 and C at
    1100 ns while the buffer is full: refused once. B goes at 1125, and its credit is home at
    2193 ns. C asks at 2125, when the link is free: refused again.
    """
    tight = dragonfly(local=link("local", buffer=1000))

    def body(rank):
        if rank.index == 0:
            yield rank.wait([rank.isend(2, 2000, 0)])
        elif rank.index == 1:
            yield rank.compute((1100 * NS) - HOP)
            yield rank.wait([rank.isend(3, 1000, 0)])
        else:
            yield rank.wait([rank.irecv(rank.index - 2, 2000, 0)])

    run = simulate(tight, [(range(4), program(body))], packet_bytes=1000, eager_threshold=10**6)
    buffers = {key: np.asarray(values) for key, values in run.buffers().items()}
    crossed = between_routers(tight, 0, 1)
    assert buffers["refused"][buffers["link"] == crossed].tolist()[0] == 2
    assert buffers["refused"].sum() == 2
    assert run.links()["peak_waiting"][crossed] == 2000  # B and C, from 1100 to 1125 ns
    assert run.links()["stalled"][crossed] == (1125 - 1057 + 2193 - 2125) * NS
    assert max(run.messages(0)["delivered"]) == 2193 * NS + HOP + WIRE + 1000 * BYTE


def between_routers(machine, source, target):
    """Return the link between two routers."""
    here = (machine.links[:, :2] == (source, target)).all(axis=1) & (machine.links[:, 2] >= 2)
    (found,) = here.nonzero()[0]
    return found


def test_the_most_bytes_that_wait_are_not_those_of_the_last_wait():
    """Nodes 0, 1 and 2 send to node 3 at once: two wait. Later only nodes 0 and 1 do: one waits."""

    def body(rank):
        for senders in (3, 2):
            if rank.index < senders:
                yield rank.wait([rank.isend(3, 1000, 0)])
            elif rank.index == 3:
                for source in range(senders):
                    yield rank.wait([rank.irecv(source, 1000, 0)])
            yield rank.compute(10_000 * NS)

    machine = star(4)
    run = simulate(machine, [(range(4), program(body))], packet_bytes=1000, eager_threshold=10**6)
    ejection = 4 + 3  # injection links of four nodes, then ejection
    assert run.links()["peak_waiting"].tolist() == [2000 if i == ejection else 0 for i in range(8)]


@pytest.mark.parametrize("sizes", [(1000, 10), (10, 1000)])
def test_the_longest_latency_is_not_that_of_the_last_message(sizes):
    def body(rank):
        for size in sizes:
            yield rank.wait([rank.isend(1, size, 0) if rank.index == 0 else rank.irecv(0, size, 0)])
            yield rank.compute(10_000 * NS)

    run = simulate(star(2), [([0, 1], program(body))], packet_bytes=1000)
    latencies = [HOP + WIRE + size * BYTE for size in sizes]
    assert run.job(0)["latency_max"] == max(latencies)
    assert run.job(0)["latency_sum"] == sum(latencies)


def test_a_window_of_one_packet_waits_for_its_delivery():
    time = delivered(dragonfly(), 0, 2, 3000, packet_bytes=1000, window_bytes=1000)
    assert time == 3 * (2 * HOP + WIRE + 1000 * BYTE)


def test_ranks_of_a_node_don_t_use_the_network():
    run = simulate(star(2), [([0, 0], one_message(1000))])
    assert int(run.messages(0)["delivered"][0]) == 3 * NS + 500 * BYTE
    assert int(run.messages(0)["routers"][0]) == 0
    assert run.job(0)["packets"] == 0


def test_overheads_are_paid_before_and_after():
    costs = {"send_overhead": 300 * NS, "recv_overhead": 200 * NS, "send_per_byte": 100.0}
    run = simulate(star(2), [([0, 1], one_message(1000))], packet_bytes=1000, **costs)
    sent = 300 * NS + 100 * NS
    network = HOP + WIRE + 1000 * BYTE
    assert int(run.messages(0)["sent"][0]) == sent
    assert list(run.job(0)["finished"]) == [sent, sent + network + 200 * NS]


COPYING = {"copy_per_byte": 250.0, "recv_overhead": 200 * NS, "recv_per_byte": 100.0}  # ps/B
LATE = 5_000 * NS


@pytest.mark.parametrize("late", [0, LATE])
@pytest.mark.parametrize("eager", [True, False])
def test_an_eager_message_that_came_unexpected_is_copied(late, eager):
    """A message that found its receive, and one by rendezvous, go where they shall at once."""

    def body(rank):
        if rank.index == 0:
            yield rank.wait([rank.isend(1, 1000, 0)])
        else:
            yield rank.compute(late)
            yield rank.wait([rank.irecv(0, 1000, 0)])

    threshold = 1000 if eager else 999
    jobs = [([0, 1], program(body))]
    run = simulate(star(2), jobs, packet_bytes=1000, eager_threshold=threshold, **COPYING)
    latency, receiving = HOP + WIRE, 200 * NS + 100 * NS
    copying = 250 * NS if late else 0
    if eager:
        expected = max(late, latency + 1000 * BYTE) + receiving + copying
    else:  # after the request, the answer
        expected = max(late, latency) + 200 * NS + latency + latency + 1000 * BYTE + 100 * NS
    assert run.job(0)["finished"][1] == expected


def test_a_local_copy_is_paid_by_the_byte():
    """The allgather of one rank copies its block, and does nothing else."""
    alone = ([0], _core.repeat_algorithm("allgather", "ring", 1000, 0, 1))
    assert simulate(star(2), [alone], **COPYING).job(0)["finished"][0] == 250 * NS


def test_a_long_message_asks_first():
    """Request and answer are empty: a latency each; the sender is done when the tail has left."""
    costs = {"send_overhead": 300 * NS, "recv_overhead": 200 * NS, "eager_threshold": 999}
    run = simulate(star(2), [([0, 1], one_message(1000))], packet_bytes=1000, **costs)
    latency = HOP + WIRE
    leaves = 300 * NS + latency + 200 * NS + latency
    assert list(run.job(0)["finished"]) == [leaves + 1000 * BYTE, leaves + latency + 1000 * BYTE]
    assert run.job(0)["control_messages"] == 2
    assert run.job(0)["messages"] == 1


PROTOCOLS = {
    "short_threshold": 100,
    "eager_overhead": 70 * NS,
    "eager_per_byte": 500.0,
    "eager_threshold": 400,
    "rendezvous_overhead": 30 * NS,
    "long_threshold": 700,
    "long_per_byte": 2000.0,
}
LATENCY = HOP + WIRE


@pytest.mark.parametrize(
    ("size", "sender", "receiver"),
    [
        (100, 0, LATENCY + 100 * BYTE),
        (101, 120_500, 2 * 120_500 + LATENCY + 101 * BYTE),
        (400, 270 * NS, 2 * 270 * NS + LATENCY + 400 * BYTE),
        # data leave when both sides have paid: the receiver before its answer, the sender after it
        (401, 60 * NS + 2 * LATENCY + 401 * BYTE, 60 * NS + 3 * LATENCY + 401 * BYTE),
        (700, 60 * NS + 2 * LATENCY + 700 * BYTE, 60 * NS + 3 * LATENCY + 700 * BYTE),
        (701, 64 * NS + 2 * LATENCY + 701 * BYTE, 64 * NS + 3 * LATENCY + 701 * BYTE),
    ],
)
def test_short_eager_and_rendezvous_cost_what_they_cost_on_both_sides(size, sender, receiver):
    run = simulate(star(2), [([0, 1], one_message(size))], packet_bytes=1000, **PROTOCOLS)
    assert list(run.job(0)["finished"]) == [sender, receiver]


@pytest.mark.parametrize("size", [100, 101, 401, 701])
def test_protocols_cost_nothing_inside_a_node(size):
    runs = [
        simulate(star(1), [([0, 0], one_message(size))], **{"eager_threshold": 400} | costs)
        for costs in (PROTOCOLS, {})
    ]
    assert list(runs[0].job(0)["finished"]) == list(runs[1].job(0)["finished"])


def test_messages_of_a_pair_match_in_the_order_of_sending():
    """The second message is shorter and overtakes the first inside the node, not in matching."""
    found = []

    def body(rank):
        if rank.index == 0:
            yield rank.wait([rank.isend(1, 100_000, 7), rank.isend(1, 10, 7)])
        else:
            for _ in range(2):
                status = yield rank.wait([rank.irecv(-1, 100_000, -1)])
                found.append(status.bytes)

    simulate(star(1), [([0, 0], program(body))], eager_threshold=10**6)
    assert found == [100_000, 10]


def test_an_older_receive_from_anyone_goes_before_a_younger_one_that_names_the_sender():
    """Three receives are posted before the first message comes; the oldest that fits takes it."""
    found = {}

    def body(rank):
        if rank.index == 0:
            for size, tag in ((10, 7), (20, 7), (30, 9)):
                yield rank.wait([rank.isend(1, size, tag)])
        else:
            wanted = {"tag 9": (0, 9), "anyone": (-1, 7), "rank 0": (0, 7)}
            posted = {name: rank.irecv(source, 100, tag) for name, (source, tag) in wanted.items()}
            for name, receive in posted.items():
                status = yield rank.wait([receive])
                found[name] = status.bytes

    simulate(star(2), [([0, 1], program(body))])
    assert found == {"tag 9": 30, "anyone": 10, "rank 0": 20}
