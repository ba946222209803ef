"""Each category alone, with exact times in small runs."""

from __future__ import annotations

import pytest
from by_hand import (
    BLOCK,
    BYTES,
    CREDIT,
    HEAD,
    LATENCY,
    NODE_LATENCY,
    RATE,
    WIRE,
    explained,
    receive,
    send,
    star,
)

CROSSING = {"serialization": BYTES, "wire_and_routers": HEAD, "ejection": WIRE}
ENGINES = ["packet", "analytic"]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_message_alone_is_serialized_and_crosses_wires(engine):
    ranks, path = explained(star(2), [0, 1], send(1), receive(0), engine=engine)
    assert ranks == [{}, CROSSING]
    assert path == CROSSING


@pytest.mark.parametrize("engine", ENGINES)
def test_the_receiver_waits_for_a_late_sender_and_the_path_computes(engine):
    late = 500_000
    ranks, path = explained(star(2), [0, 1], send(1, after=late), receive(0), engine=engine)
    assert ranks == [{"computing": late}, {"late_sender": late} | CROSSING]
    assert path == {"computing": late} | CROSSING


@pytest.mark.parametrize("engine", ENGINES)
def test_a_message_that_is_on_its_way_when_the_wait_begins_counts_from_there(engine):
    # The receiver computes until the last 30 ns of the way: 23 ns of wire and router, 7 ns.
    computing = BYTES + LATENCY - 30_000
    bodies = send(1), receive(0, after=computing)
    ranks, path = explained(star(2), [0, 1], *bodies, engine=engine)
    assert ranks[1] == {"computing": computing, "wire_and_routers": 23_000, "ejection": WIRE}
    assert path == CROSSING


@pytest.mark.parametrize("engine", ENGINES)
def test_a_rendezvous_is_a_handshake_and_then_a_message(engine):
    # Request and answer have no bytes: the latency, twice.
    bodies = send(1), receive(0)
    ranks, path = explained(star(2), [0, 1], *bodies, engine=engine, eager_threshold=0)
    assert ranks[0] == {"rendezvous": 2 * LATENCY, "serialization": BYTES}
    assert ranks[1] == {"rendezvous": 2 * LATENCY} | CROSSING
    assert path == ranks[1]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_sender_of_a_rendezvous_waits_for_a_late_receiver(engine):
    late = 2_000_000
    bodies = send(1), receive(0, after=late)
    ranks, path = explained(star(2), [0, 1], *bodies, engine=engine, eager_threshold=0)
    assert ranks[0] == {
        "rendezvous": 2 * LATENCY,
        "late_receiver": late - LATENCY,
        "serialization": BYTES,
    }
    assert ranks[1] == {"computing": late, "rendezvous": LATENCY} | CROSSING
    assert path == ranks[1]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_wait_for_data_to_leave_may_end_while_the_processor_is_busy(engine):
    # A short message of 100 B comes to the sender 200 ns before its data have left.
    busy, early = 400_000, 200_000
    handshake = 2 * LATENCY + busy
    comes = handshake + BYTES - early

    def sends_and_receives(rank):
        receive_short = rank.irecv(2, 100, 0)
        yield rank.wait([rank.isend(1, BLOCK, 0)])
        yield rank.wait([receive_short])

    bodies = sends_and_receives, receive(0), send(0, size=100, after=comes - LATENCY - BYTES // 10)
    ranks, _ = explained(
        star(3), [0, 1, 2], *bodies, engine=engine, eager_threshold=100, recv_overhead=busy
    )
    assert ranks[0] == {
        "rendezvous": handshake,
        "serialization": BYTES - early,
        "receive_overhead": busy,
    }


@pytest.mark.parametrize("engine", ENGINES)
def test_a_packet_queues_behind_another_for_the_ejection_link(engine):
    ranks, path = explained(star(3), [0, 1, 2], receive(1, 2), send(0), send(0), engine=engine)
    assert ranks == [CROSSING | {"queueing.ejection": BYTES}, {}, {}]
    assert path == ranks[0]


def test_a_buffer_of_one_packet_makes_the_injection_link_wait_for_credit():
    # The first packet's tail leaves the buffer at 1,057 ns; the NIC knows it 11 ns later.
    machine = star(2, buffer=BLOCK)
    stalled = HEAD + CREDIT
    ranks, path = explained(machine, [0, 1], send(1, size=2 * BLOCK), receive(0))
    assert ranks[1] == {
        "serialization": 2 * BYTES,
        "credit.injection": stalled,
        "wire_and_routers": HEAD,
        "ejection": WIRE,
    }
    assert path == ranks[1]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_path_goes_through_a_busy_nic_to_the_message_that_made_it_busy(engine):
    # Rank 1 could compute for 600 ns more, and its message would still follow rank 0's.
    bodies = send(3, after=200_000), send(2, after=600_000), receive(1), receive(0)
    _, path = explained(star(3), [0, 0, 1, 2], *bodies, engine=engine)
    assert path == {"computing": 200_000, "injection_queue": BYTES} | CROSSING


@pytest.mark.parametrize("engine", ENGINES)
def test_a_message_waits_for_its_nic_behind_another(engine):
    # Two ranks of node 0: the message of rank 1 follows rank 0's.
    bodies = send(3), send(2), receive(1), receive(0)
    ranks, _ = explained(star(3), [0, 0, 1, 2], *bodies, engine=engine)
    assert ranks[2] == {"injection_queue": BYTES} | CROSSING
    assert ranks[3] == CROSSING


@pytest.mark.parametrize("engine", ENGINES)
def test_a_slower_last_link_takes_longer_to_transmit(engine):
    machine = star(2, eject_rate=RATE // 4)
    ranks, _ = explained(machine, [0, 1], send(1), receive(0), engine=engine)
    assert ranks[1] == CROSSING | {"transmission": 3 * BYTES}


def test_two_ranks_of_a_node_do_not_touch_the_network():
    ranks, path = explained(star(1), [0, 0], send(1), receive(0))
    assert ranks == [{}, {"inside_node": NODE_LATENCY + BYTES // 2}]
    assert path == ranks[1]


def test_overheads_belong_to_who_pays_them():
    ranks, path = explained(
        star(2), [0, 1], send(1), receive(0), send_overhead=300, recv_overhead=500
    )
    assert ranks[0] == {"send_overhead": 300}
    assert ranks[1] == {"late_sender": 300, "receive_overhead": 500} | CROSSING
    assert path == {"send_overhead": 300, "receive_overhead": 500} | CROSSING


def test_costs_of_bytes_and_of_unexpected_messages():
    # The message waits for 1 us, so that it is copied.
    late = BYTES + LATENCY + 1_000_000
    ranks, path = explained(
        star(2),
        [0, 1],
        send(1),
        receive(0, after=late),
        send_per_byte=0.5,
        recv_per_byte=0.25,
        copy_per_byte=2.0,
    )
    assert ranks[0] == {"send_overhead": BLOCK // 2}
    assert ranks[1] == {"computing": late, "receive_overhead": BLOCK // 4, "copying": 2 * BLOCK}
    assert path == ranks[1]


def test_searches_and_looks_at_requests_are_matching():
    # The message of rank 2 comes first and passes the receive from rank 1.
    ranks, _ = explained(
        star(3),
        [0, 1, 2],
        receive(1, 2),
        send(0, after=5_000_000),
        send(0),
        search_per_entry=70,
        wait_per_request=40,
    )
    assert ranks[0]["matching"] == 2 * 40 + 70


@pytest.mark.parametrize("engine", ENGINES)
def test_a_reduction_is_reducing(engine):
    def reduces(rank):
        yield rank.collective("allreduce", "recursive_doubling", BLOCK, 0)

    options = {"engine": engine, "reduce_per_byte": 3.0}
    ranks, path = explained(star(2), [0, 1], reduces, reduces, **options)
    assert ranks == [CROSSING | {"reducing": 3 * BLOCK}] * 2
    assert path == ranks[0]


DELAY = 500_000
ONE = {"congestion_bytes": BLOCK, "congestion_delay": DELAY}


def test_a_message_waits_for_congestion_control_at_its_source():
    """Rank 2 may send when it knows that the message of rank 1 has arrived."""
    bodies = receive(1, 2), send(0), send(0)
    ranks, path = explained(star(3), [0, 1, 2], *bodies, **ONE)
    held = BYTES + LATENCY + DELAY
    assert ranks == [CROSSING | {"congestion_control": held}, {}, {}]
    assert path == CROSSING | {"congestion_control": held}


def test_the_rest_of_a_message_waits_for_congestion_control_when_its_packet_has_left():
    bodies = receive(1), send(0, size=3 * BLOCK)
    ranks, path = explained(star(2), [0, 1], *bodies, **ONE)
    held = 2 * (LATENCY + DELAY)  # from the end of a packet on its first link
    assert ranks[0] == CROSSING | {"congestion_control": held, "serialization": 3 * BYTES}
    assert path == ranks[0]
