"""Congestion control: bytes on the way to a port are limited, and the rest waits at its source."""

from collections import defaultdict

import pytest
from small import ROUTER, WIRE, dragonfly, fat_tree, one_message, program, simulate, star

from odonata.errors import UserError

NS = 1_000
PACKET = 1000  # B, and ns on a link
HOP = WIRE + ROUTER
DELAY = 500 * NS
WAY = HOP + WIRE + PACKET * NS  # of a packet over one router
TWO = {"congestion_bytes": 2 * PACKET, "congestion_delay": DELAY, "packet_bytes": PACKET}


def datagrams(*lists):
    """Each rank sends its list of (target, bytes) at once."""

    def body(rank):
        yield rank.compute(0)
        for target, size in lists[rank.index] if rank.index < len(lists) else ():
            rank.send_datagram(target, size)

    return program(body)


def log_of(run):
    """Return (time, link, source, packet, port if delivered) of each event."""
    log = run.log()
    keys = ("time", "link", "source", "packet", "vc")
    return list(zip(*(log[key].tolist() for key in keys), strict=True))


def started(run, ports):
    """Return the times at which packets start on injection links, by source [ps]."""
    times = defaultdict(list)
    for time, link, source, _, _ in log_of(run):
        if 0 <= link < ports:
            times[source].append(time)
    return dict(times)


def test_the_third_source_waits_until_it_knows_that_a_packet_has_arrived():
    jobs = [(range(4), datagrams([], *[[(0, PACKET)]] * 3))]
    run = simulate(star(4), jobs, log=True, **TWO)
    assert started(run, 4) == {1: [0], 2: [0], 3: [WAY + DELAY]}


def test_messages_to_other_ports_pass_a_message_that_waits():
    jobs = [(range(6), datagrams([], *[[(0, PACKET)]] * 2, [(0, PACKET), (5, PACKET)]))]
    run = simulate(star(6), jobs, log=True, **TWO)
    assert started(run, 6)[3] == [0, WAY + DELAY]


def test_the_next_message_of_a_nic_starts_when_the_one_before_has_to_wait():
    last = [(5, PACKET), (0, PACKET), (5, PACKET)]
    run = simulate(
        star(6), [(range(6), datagrams([], *[[(0, PACKET)]] * 2, last))], log=True, **TWO
    )
    assert started(run, 6)[3] == [0, PACKET * NS, 2 * PACKET * NS]
    assert [port for _, link, source, _, port in log_of(run) if link < 0 and source == 3] == [
        5,
        5,
        0,
    ]


def test_a_message_that_waited_goes_before_messages_to_other_ports():
    """Its NIC has 5 packets for another port; the granted one goes when the link falls free."""
    jobs = [(range(6), datagrams([], *[[(0, PACKET)]] * 2, [(0, PACKET), (5, 5 * PACKET)]))]
    run = simulate(star(6), jobs, log=True, **TWO)
    order = [port for time, link, source, _, port in log_of(run) if link < 0 and source == 3]
    assert order == [5, 5, 0, 5, 5, 5]  # 1,564 ns: the second packet is on the link


def test_sources_have_their_turn_packet_by_packet():
    jobs = [(range(4), datagrams([], *[[(0, 4 * PACKET)]] * 3))]
    run = simulate(star(4), jobs, log=True, **TWO)
    begun = sorted((time, source) for source, all_ in started(run, 4).items() for time in all_)
    turns = [source for _, source in begun]
    assert turns[:2] == [1, 2]
    assert turns[2:] == [3, 1, 2, 3, 1, 2, 3, 1, 2, 3]


def test_no_source_overtakes_a_source_that_waits():
    """1,600 B are on the way: 1,000 B wait for room, and 300 B, which have room, behind them."""
    jobs = [(range(5), datagrams([], [(0, 600)], [(0, 1000)], [(0, 1000)], [(0, 300)]))]
    run = simulate(star(5), jobs, log=True, **TWO)
    first = HOP + 600 * NS + WIRE + DELAY  # when 600 B are known to have arrived,
    second = first + 1000 * NS  # and the 1,000 B behind them
    assert started(run, 5) == {1: [0], 2: [0], 3: [first], 4: [second]}


def test_a_short_message_waits_for_one_packet_of_each_other_source_and_not_for_long_messages():
    jobs = [(range(4), datagrams([], *[[(0, 50 * PACKET)]] * 2, [(0, 1)]))]
    run = simulate(star(4), jobs, log=True, **TWO)
    assert started(run, 4)[3] == [WAY + DELAY]


@pytest.mark.parametrize("limit", [PACKET, 3 * PACKET, 5 * PACKET])
def test_there_are_never_more_bytes_on_the_way_to_a_port(limit):
    machine = dragonfly()
    lists = [[(5, 3 * PACKET), (9, 2 * PACKET), (5, PACKET // 2)] for _ in range(40)]
    run = simulate(machine, [(range(40), datagrams(*lists))], log=True, routing="ugal-l",
                   congestion_bytes=limit, congestion_delay=DELAY, packet_bytes=PACKET)  # fmt: skip
    port_of = {(s, p): port for _, link, s, p, port in log_of(run) if link < 0}
    ends = machine.num_ports
    changes = defaultdict(list)  # by port: times, and whether a packet starts then
    for time, link, source, packet, port in log_of(run):
        if 0 <= link < ends:
            changes[port_of[source, packet]].append((time, 1))
        elif link < 0:
            changes[port].append((time + DELAY, 0))
    most = 0
    for port in (5, 9):
        packets = 0
        for _, starts_ in sorted(changes[port]):
            packets += 1 if starts_ else -1
            most = max(most, packets)
            assert packets <= 2 * limit // PACKET  # short ones have half a packet's bytes
    assert most >= limit // PACKET


def test_bytes_wait_at_their_sources_and_not_in_the_network():
    lists = [[]] + [[(0, 20 * PACKET)]] * 30
    machine = dragonfly()
    jobs = [(range(31), datagrams(*lists))]
    most = {}
    for limit in (0, 4 * PACKET):
        run = simulate(machine, jobs, congestion_bytes=limit, packet_bytes=PACKET)
        most[limit] = max(run.links()["peak_waiting"].tolist())
    assert most[4 * PACKET] <= 4 * PACKET < most[0]


def test_a_pair_that_has_room_for_the_way_and_the_answer_is_not_slowed_down():
    machine = dragonfly()
    jobs = [([0, 24], one_message(100 * PACKET))]
    plain = simulate(machine, jobs, digest=True, packet_bytes=PACKET)
    room = 2 * (4 * HOP + WIRE) // NS + 2 * PACKET  # B: 1 B a ns
    slow, fast = (
        simulate(machine, jobs, digest=True, packet_bytes=PACKET, congestion_bytes=limit,
                 congestion_delay=4 * HOP + WIRE)
        for limit in (PACKET, room)
    )  # fmt: skip
    assert fast.digest == plain.digest != slow.digest


def test_a_delay_without_a_limit_changes_nothing():
    jobs = [(range(8), datagrams(*[[(0, 3 * PACKET)]] * 8))]
    digests = {
        simulate(star(8), jobs, digest=True, packet_bytes=PACKET, congestion_delay=delay).digest
        for delay in (0, DELAY)
    }
    assert len(digests) == 1


@pytest.mark.parametrize("packets", [1, 2, 9])
def test_both_engines_slow_a_lone_message_down_alike(packets):
    """Each packet waits for the answer to the packet before."""
    jobs = [([0, 1], one_message(packets * PACKET))]
    one = {**TWO, "congestion_bytes": PACKET, "eager_threshold": 10**6}
    for engine in ("packet", "analytic"):
        run = simulate(star(2), jobs, engine=engine, **one)
        time = int(run.messages(0)["delivered"][0])
        assert time == (packets - 1) * (WAY + DELAY) + WAY


def test_the_analytic_engine_has_no_control_between_sources():
    jobs = [(range(5), datagrams([], *[[(0, PACKET)]] * 4))]
    options = {"engine": "analytic", "packet_bytes": PACKET, "congestion_delay": DELAY}
    controlled, free = (
        simulate(star(5), jobs, congestion_bytes=limit, **options).messages(0)["delivered"].tolist()
        for limit in (PACKET, 0)
    )
    assert controlled == free


def test_a_message_gap_counts_between_beginnings_while_a_message_waits():
    gap = 1700 * NS
    lists = [[], *[[(0, PACKET)]] * 2, [(0, 2 * PACKET), (4, PACKET), (4, PACKET)]]
    run = simulate(star(5), [(range(5), datagrams(*lists))], log=True, message_gap=gap, **TWO)
    # The message for port 0 is granted a packet at 1,564 ns and begins after the gap. Its second
    # packet is granted at 2,564 ns and needs no gap.
    assert started(run, 5)[3] == [0, gap, gap + PACKET * NS, gap + 2 * PACKET * NS]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"nic.congestion_window": "1 B"}, "nic.congestion_window: smaller than a packet"),
        ({"nic.congestion_window": "2 GiB"}, "nic.congestion_window: out of range"),
        ({"nic.congestion_windows": "1 MiB"}, "did you mean 'nic.congestion_window'"),
        ({"nic.congestion_delay": "2"}, "nic.congestion_delay: .*unit"),
    ],
)
def test_wrong_numbers_are_refused(changes, problem):
    with pytest.raises(UserError, match=problem):
        fat_tree(**changes)


def test_a_limit_that_credits_cannot_count_is_refused():
    with pytest.raises(UserError, match="congestion window"):
        simulate(star(2), [([0, 1], one_message(1))], congestion_bytes=2**31)
