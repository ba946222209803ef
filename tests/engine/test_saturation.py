"""Accepted loads of machines that are offered too much, against fluid bounds."""

import numpy as np
import pytest
from small import accepted, basics, dragonfly, link, pairs, simulate, traffic

from odonata import _core

# One machine for all of this: buffers of 16 packets, and nodes with at most 8 in flight.
BUFFERS = {kind: link(kind, buffer=16_000) for kind in ("injection", "local", "global")}
WINDOW = 8_000  # [B]


def bound(machine, routing, pattern, shift):
    return _core.fluid_bound(machine, routing, pattern, shift).load


@pytest.mark.parametrize(("p", "a", "h"), [(2, 4, 2), (4, 8, 4)])
def test_minimal_routing_of_adversarial_traffic_fills_the_one_link_there_is(p, a, h):
    """Whole packets are counted: one more or less at the ends of the interval."""
    machine = dragonfly(p, a, h, **BUFFERS)
    run = simulate(
        machine, [traffic(machine, "adversarial")], packet_bytes=1000, window_bytes=WINDOW
    )
    most = 1 / (a * p)
    assert bound(machine, "minimal", "adversarial", 1) == pytest.approx(most)
    job = run.job(0)
    a_packet = 1_000_000 / (job["window_end"] - job["window_begin"])  # of the full link's rate
    assert 0.99 * most <= accepted(run, machine) <= (1 + a_packet) * most


VALIANT = [
    ("adversarial", 1, 0.4375, 0.9),
    ("adversarial", 2, 7 / 24, 0.97),
    ("uniform", 1, 0.5, 0.9),
]


@pytest.mark.parametrize(("pattern", "shift", "most", "reached"), VALIANT)
def test_valiant_comes_near_its_bounds_and_never_above(pattern, shift, most, reached):
    machine = dragonfly(2, 4, 2, **BUFFERS)
    assert bound(machine, "valiant", pattern, shift) == pytest.approx(most)
    for load in (1.1 * most, 1.0):
        offered = traffic(machine, pattern, shift=shift, load=load, messages=2000)
        run = simulate(
            machine, [offered], routing="valiant", packet_bytes=1000, window_bytes=WINDOW
        )
        assert reached * most <= accepted(run, machine) <= most


@pytest.mark.parametrize(("pattern", "shift", "most", "reached"), VALIANT)
def test_without_windows_shares_differ_and_the_least_is_below_the_bound(
    pattern, shift, most, reached
):
    """The bound is the largest load that all nodes can have at once: it binds the least of them.

    The mean may pass it at overload, where nodes that need no full link get more than the others.
    """
    machine = dragonfly(2, 4, 2, **BUFFERS)
    offered = traffic(machine, pattern, shift=shift, messages=2000)
    run = simulate(machine, [offered], routing="valiant", packet_bytes=1000)
    rates = got(run, machine)
    assert rates.mean() == pytest.approx(accepted(run, machine))
    assert reached * most <= rates.mean() <= 1.03 * most
    assert rates.min() <= most


@pytest.mark.parametrize("routing", ["ugal-l", "ugal-g", "par"])
def test_adaptive_routing_accepts_more_than_minimal_and_spares_benign_traffic(routing):
    machine = dragonfly(2, 4, 2, **BUFFERS)
    adversarial = simulate(machine, [traffic(machine, "adversarial")], routing=routing)
    assert accepted(adversarial, machine) > 3 / 8
    uniform = simulate(machine, [traffic(machine, "uniform", load=0.5)], routing=routing)
    assert accepted(uniform, machine) == pytest.approx(0.5, rel=0.03)
    assert uniform.job(0)["packet_hops"] / uniform.job(0)["packets"] < 4.5


@pytest.mark.parametrize(
    ("p", "a", "h", "near", "far", "behind"), [(2, 4, 2, 1, 1, 2), (4, 8, 4, 2, 2, 4)]
)
@pytest.mark.parametrize("window", [4_000, WINDOW])
def test_three_classes_of_pairs_get_their_max_min_shares(p, a, h, near, far, behind, window):
    """Oldest first among sources with equal windows is max-min fair."""
    for share in of_max_min(p, a, h, near, far, behind, {"window_bytes": window}):
        assert share >= 0.95


def test_without_a_window_shares_are_set_by_buffers():
    """Packets for the second link fill the buffer that two classes share."""
    near, far, behind = of_max_min(2, 4, 2, 1, 1, 2, {})
    assert max(near, behind) < 0.8
    assert far > 1.4


def of_max_min(p, a, h, near, far, behind, window):
    """Return what the least of each of three classes of pairs gets of its max-min share.

    `near` pairs cross the link L from router 0 to router 1; `far` ones cross L and then the global
    link G of router 1; pairs of the third class start `behind` L and cross G. So G = far + behind
    shares, and the rest of L is for `near`.
    """
    machine = dragonfly(p, a, h, **BUFFERS)
    targets = [-1] * machine.num_nodes
    beyond = iter(range((h + 1) * a * p, (h + 2) * a * p))  # port h of group 0 is on router 1
    for node in range(near):
        targets[node] = p + node
    for node in [*range(near, near + far), *range(p, p + behind)]:
        targets[node] = next(beyond)
    run = simulate(machine, [pairs(machine, targets, messages=2000)], packet_bytes=1000, **window)
    rates = got(run, machine)
    share = 1 / (far + behind)
    return (
        rates[:near].min() / ((1 - far * share) / near),
        rates[near : near + far].min() / share,
        rates[p : p + behind].min() / share,
    )


@pytest.mark.parametrize(
    ("links", "short", "by_window"),
    [
        (3, 4, {4_000: 0.952, 8_000: 0.975, 16_000: 0.987}),
        (5, 1, {4_000: 0.890, 8_000: 0.941, 16_000: 0.970}),
        (8, 1, {4_000: 0.798, 8_000: 0.889, 16_000: 0.941}),
    ],
)
def test_a_long_flow_gets_less_than_its_share_as_its_way_takes_part_of_its_time(
    links, short, by_window
):
    """The numbers of docs/models/packet-engine.md: a long flow over links full of short ones."""
    node_router, targets = [0, links], [1, -1]
    for at in range(links):
        for _ in range(short):
            node_router += [at, at + 1]
            targets += [len(node_router) - 1, -1]
    wires = [wire for at in range(links) for wire in ((at, at + 1, 2), (at + 1, at, 2))]
    kinds = [link("injection", buffer=16_000), link("ejection"), link("road", buffer=16_000)]
    shape = {
        "routers": links + 1,
        "node_router": np.array(node_router, np.int32),
        "links": np.array(wires, np.int32),
    }
    machine = _core.make_machine("graph", basics(), shape, kinds)
    for window, expected in by_window.items():
        run = simulate(
            machine, [pairs(machine, targets, messages=800)],
            packet_bytes=1000, window_bytes=window,
        )  # fmt: skip
        rates = got(run, machine) * (1 + short)  # in units of the max-min share
        assert rates[0] == pytest.approx(expected, abs=0.008)
        assert rates[2::2].min() >= 0.998  # pairs that cross one link get the rest, too


def got(run, machine):
    """Return what each node gets through in the steady window, in units of a link."""
    job = run.job(0)
    messages = {key: np.asarray(values) for key, values in run.messages(0).items()}
    begin, end = job["window_begin"], job["window_end"]
    inside = (messages["delivered"] >= begin) & (messages["delivered"] < end)
    counts = np.bincount(messages["source"][inside], minlength=machine.num_nodes)
    return counts * 1_000_000 / (end - begin)
