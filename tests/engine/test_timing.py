"""Times by hand, to the picosecond: 1 B takes 1 ns, a wire 7 ns, a router 50 ns, a credit 11 ns."""

import pytest
from small import CREDIT, ROUTER, WIRE, dragonfly, link, one_message, pairs, program, simulate, star

NS = 1_000
HOP = WIRE + ROUTER
BYTE = NS


def delivered(machine, source, target, nbytes, **engine):
    run = simulate(machine, [([source, target], one_message(nbytes))], **engine)
    return int(run.messages(0)["delivered"][0])


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


def test_two_packets_for_one_node_share_its_link():
    """Both reach the router at once; the second waits for the length of the first."""
    machine = star(3)
    run = simulate(machine, [pairs(machine, [2, 2, -1], messages=1, periodic=True)],
                   packet_bytes=1000)  # fmt: skip
    start = 1000 * BYTE  # the first gap of periodic traffic at full load
    first = start + HOP + WIRE + 1000 * BYTE
    assert sorted(run.messages(0)["delivered"]) == [first, first + 1000 * BYTE]


def test_a_buffer_of_one_packet_is_filled_again_when_its_credit_is_home():
    """Start t; head at the next router t + 57; gone t + 1057; credit home t + 1068 [ns]."""
    tight = {"local": link("local", buffer=1000)}
    time = delivered(dragonfly(**tight), 0, 2, 3000, packet_bytes=1000)
    period = HOP + 1000 * BYTE + CREDIT
    assert time == 2 * HOP + WIRE + 2 * period + 1000 * BYTE


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


def test_a_long_message_asks_first():
    """Request and answer are empty: a latency each; the sender is done when the tail has left."""
    costs = {"send_overhead": 300 * NS, "recv_overhead": 200 * NS, "eager_threshold": 999}
    run = simulate(star(2), [([0, 1], one_message(1000))], packet_bytes=1000, **costs)
    latency = HOP + WIRE
    leaves = 300 * NS + latency + 200 * NS + latency
    assert list(run.job(0)["finished"]) == [leaves + 1000 * BYTE, leaves + latency + 1000 * BYTE]
    assert run.job(0)["control_messages"] == 2
    assert run.job(0)["messages"] == 1


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
