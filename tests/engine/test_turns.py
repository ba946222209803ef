"""Order of messages at a port: first come, first served, or the destinations in turns."""

from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small import fat_tree, program, simulate, star

from odonata.errors import UserError

NS = 1_000
PACKET = 1000  # B, and ns on a link
PORTS = 6


def datagrams(*lists):
    """Each rank sends its list of (target, bytes) at once."""

    def body(rank):
        for target, size in lists[rank.index] if rank.index < len(lists) else ():
            rank.send_datagram(target, size)
        yield rank.compute(0)

    return program(body)


def sent(messages, **options):
    """Simulate messages of rank 0 that are sent at once; return when each is delivered [ns]."""
    jobs = [(range(PORTS), datagrams(messages))]
    run = simulate(star(PORTS), jobs, packet_bytes=PACKET, **options)
    return [time / NS for time in run.messages(0)["delivered"].tolist()]


def order(messages, **options):
    """Return the destinations of the packets of rank 0 in the order in which they start."""
    jobs = [(range(PORTS), datagrams(messages))]
    log = simulate(star(PORTS), jobs, packet_bytes=PACKET, log=True, **options).log()
    packets = zip(*(log[key].tolist() for key in ("time", "link", "packet", "vc")), strict=True)
    starts, targets = {}, {}
    for time, link, packet, port in packets:
        if link == 0:
            starts[packet] = time
        if link < 0:
            targets[packet] = port
    return [targets[packet] for packet in sorted(starts, key=starts.__getitem__)]


FIRST = (5, PACKET)  # keeps the port busy until all messages are there
TWO = [FIRST, (1, 3 * PACKET), (2, 3 * PACKET)]


def test_destinations_of_a_port_take_turns():
    assert order(TWO) == [5, 1, 1, 1, 2, 2, 2]
    assert order(TWO, in_turns=True) == [5, 1, 2, 1, 2, 1, 2]


def test_messages_to_one_destination_keep_their_order():
    messages = [FIRST, (1, 2 * PACKET), (1, PACKET), (2, 3 * PACKET)]
    assert order(messages, in_turns=True) == [5, 1, 2, 1, 2, 1, 2]
    _, first, second, _ = sent(messages, in_turns=True)
    assert first == second - 2 * PACKET  # a packet of the other destination goes between them


def test_a_destination_that_comes_later_goes_to_the_end():
    messages = [FIRST, (1, 2 * PACKET), (2, PACKET), (3, 2 * PACKET)]
    assert order(messages, in_turns=True) == [5, 1, 2, 3, 1, 3]


def test_a_turn_waits_for_the_gap_between_messages():
    jobs = [(range(PORTS), datagrams(TWO))]
    gap = int(1.5 * PACKET) * NS
    log = simulate(
        star(PORTS), jobs, packet_bytes=PACKET, log=True, in_turns=True, message_gap=gap
    ).log()
    times, links = log["time"].tolist(), log["link"].tolist()
    starts = sorted(time for time, link in zip(times, links, strict=True) if link == 0)
    assert starts[:4] == [0, gap, 2 * gap, 2 * gap + PACKET * NS]


def test_the_analytic_engine_shares_the_time_of_a_port():
    """Three messages of 1, 2 and 3 ms share a port: 1 ms of all, 1 of two, 1 of one."""
    messages = [(1, 10**6), (2, 2 * 10**6), (3, 3 * 10**6)]
    one, two, three = sent(messages, in_turns=True, engine="analytic")
    way = sent([(1, 10**6)], engine="analytic")[0] - 10**6
    assert [one, two, three] == [3 * 10**6 + way, 5 * 10**6 + way, 6 * 10**6 + way]


@pytest.mark.parametrize("engine", ["packet", "analytic"])
def test_messages_to_different_destinations_begin_a_gap_apart(engine):
    messages = [(1, 100), (2, 100), (3, 100)]
    gap = 1500
    first, *others = sent(messages, in_turns=True, engine=engine, message_gap=gap * NS)
    assert others == [first + gap, first + 2 * gap]


def test_no_picosecond_of_a_shared_port_is_lost():
    """Messages join at odd times, which no number of sharers divides."""
    sizes = [10**6] * 3 + [1] * 200

    def body(rank):
        if rank.index == 0:
            for target in (1, 2, 3):
                rank.send_datagram(target, 10**6)
            for _ in range(200):
                yield rank.compute(5003)
                rank.send_datagram(4, 1)
        yield rank.compute(0)

    jobs = [(range(PORTS), program(body))]
    run = simulate(star(PORTS), jobs, packet_bytes=PACKET, in_turns=True, engine="analytic")
    way = sent([(1, 1)], engine="analytic")[0] * NS - NS
    assert max(run.messages(0)["delivered"]) == pytest.approx(sum(sizes) * NS + way, abs=4)


def test_a_message_that_is_alone_takes_as_long_in_both_orders():
    for engine in ("packet", "analytic"):
        alone = [(1, 5 * PACKET), (1, 300)]
        assert sent(alone, engine=engine) == sent(alone, engine=engine, in_turns=True)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 9000)), min_size=1, max_size=8))
def test_both_engines_share_a_port_alike(messages):
    """A message in the packet engine leaves at most two turns of all sooner or later."""
    packets, analytic = (
        sent(messages, in_turns=True, engine=engine) for engine in ("packet", "analytic")
    )
    turns = 2 * PACKET * len({target for target, _ in messages})
    for by_packets, by_shares in zip(packets, analytic, strict=True):
        assert abs(by_packets - by_shares) <= turns
    assert max(packets) == pytest.approx(max(analytic), abs=1)


@pytest.mark.parametrize("engine", ["packet", "analytic"])
def test_a_port_is_busy_until_everything_is_sent(engine):
    """The order of messages does not change when the last byte of all arrives."""
    messages = [(target, (target * 7919) % 5000) for target in (1, 2, 3, 4, 5, 1, 2)]
    last = [max(sent(messages, engine=engine, in_turns=turns)) for turns in (False, True)]
    assert last[0] == pytest.approx(last[1], abs=1)


@pytest.mark.parametrize("engine", ["packet", "analytic"])
def test_a_blocking_tree_takes_the_sum_of_its_fan_outs(engine):
    """A node of a tree with k children has sent to all after k times its message.

    So a binomial broadcast over 16 nodes takes 4 + 3 + 2 + 1 times if all children are sent to
    at once, and 4 times if one is sent to after another.
    """
    size = 64 * PACKET

    def body(rank):
        if rank.index > 0:
            yield rank.wait([rank.irecv(rank.index - (rank.index & -rank.index), size, 0)])
        children = [1 << bit for bit in range(3, -1, -1)]
        lowest = rank.index & -rank.index if rank.index else 16
        sends = [rank.isend(rank.index + child, size, 0) for child in children if child < lowest]
        yield rank.wait(sends)

    took = defaultdict(int)
    for turns in (False, True):
        jobs = [(range(16), program(body))]
        options = {"engine": engine, "packet_bytes": PACKET, "eager_threshold": 10**9}
        run = simulate(star(16), jobs, in_turns=turns, **options)
        took[turns] = max(run.messages(0)["delivered"]) / NS / size
    assert took[False] == pytest.approx(4, rel=0.1)
    assert took[True] == pytest.approx(10, rel=0.1)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"nic.order": "turn"}, "nic.order: unknown.*did you mean 'turns'"),
        (
            {"nic.order": "turns", "nic.congestion_window": "1 MiB"},
            "nic.order: not with nic.congestion_window",
        ),
    ],
)
def test_wrong_orders_are_refused(changes, problem):
    with pytest.raises(UserError, match=problem):
        fat_tree(**changes)


def test_turns_beside_gates_are_refused():
    with pytest.raises(UserError, match="in turns"):
        sent(TWO, in_turns=True, congestion_bytes=10**6)
