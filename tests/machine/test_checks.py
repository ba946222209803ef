"""Deadlock freedom, bisection, diameter and fluid bounds, with numbers by hand."""

from __future__ import annotations

import pytest

from odonata import _core, machine
from odonata.errors import UserError


def policies(name):
    """Return all of its family; of the two large tori, which differ from hopper in size, one."""
    offered = machine.routings(machine.load(name).family)
    return offered[:1] if name in ("blue-waters", "titan") else offered


@pytest.mark.parametrize(
    ("name", "policy"),
    [(name, policy) for name in machine.names() for policy in policies(name)],
)
def test_no_machine_of_ours_can_deadlock(name, policy):
    few = {"shape.sizes": [5, 4, 6, 2, 3, 2]} if name == "fugaku" else {}  # all take minutes
    found = machine.load(name, few).check(policy)
    assert found.deadlock_free
    assert found.cycle == ()
    assert found.connected
    assert found.passed
    assert found.used_channels <= found.channels
    assert found.channels == sum(c.channels for c in found.classes)


def properties(graph):
    return _core.find_properties(graph, _core.make_routing(graph, "minimal", 0, 0))


def test_dragonfly_by_hand(dragonfly):
    # nine groups, one link a pair: halves of 4 and 5 groups are joined by 20 links
    found = properties(dragonfly(2, 4, 2, 9))
    assert found.diameter == 3  # local, global, local
    assert (found.bisection.parts, found.bisection.links) == ("groups", 20)
    assert found.bisection.bytes_per_second == 20 * 10**9
    assert found.bisection.exact


def test_large_dragonfly_by_hand(dragonfly):
    """16,416 routers: the time grows with routers times groups, not with the routers' square."""
    a, g = 32, 513
    machine = dragonfly(1, a, 16, g)
    found = properties(machine)
    assert found.diameter == 3
    other, another_group = (a - 1) / a, (g - 1) / g  # shares of routers that are not this one
    mean = another_group * (other + 1 + other) + (1 - another_group) * other
    assert found.mean_distance == pytest.approx(mean, rel=1e-12)
    assert _core.check_deadlock(machine, _core.make_routing(machine, "minimal", 0, 0)).deadlock_free


def test_one_group_is_bisected_by_routers(dragonfly):
    found = properties(dragonfly(2, 5, 0, 1))
    assert found.diameter == 1
    assert (found.bisection.parts, found.bisection.links) == ("routers", 6)


def test_one_router_is_bisected_by_nodes(dragonfly):
    found = properties(dragonfly(5, 1, 0, 1))
    assert found.diameter == 0
    assert (found.bisection.parts, found.bisection.links) == ("nodes", 2)


def test_one_node_has_no_halves(dragonfly):
    found = properties(dragonfly(1, 1, 0, 1))
    assert found.connected
    assert found.bisection.bytes_per_second == 0


def both_ways(pairs):
    return [pair for a, b in pairs for pair in ((a, b), (b, a))]


def test_ring_by_hand(graph):
    found = properties(graph(range(8), both_ways((r, (r + 1) % 8) for r in range(8))))
    assert found.diameter == 4
    assert found.mean_distance == 2.0  # (0 + 1 + 1 + 2 + 2 + 3 + 3 + 4) / 8
    assert (found.bisection.links, found.bisection.exact) == (2, True)


def test_large_graph_is_bisected_by_search(graph):
    # two all-to-all clusters of 15 routers and one cable between them
    clusters = [(base + a, base + b) for base in (0, 15) for a in range(15) for b in range(a)]
    found = properties(graph(range(30), both_ways([*clusters, (0, 15)])))
    assert (found.bisection.links, found.bisection.exact) == (1, False)


@pytest.mark.parametrize(
    ("p", "a", "h", "next_group", "h_groups"),
    [(2, 4, 2, 7 / 16, 7 / 24), (4, 8, 4, 31 / 64, 31 / 160), (6, 12, 6, 71 / 144, 71 / 504)],
)
def test_fluid_bounds_of_balanced_dragonflies(dragonfly, p, a, h, next_group, h_groups):
    """Check the loads that a dragonfly with g = a h + 1 can take at most, per node.

    Minimal +1: all of a group's traffic, a p nodes, goes over one link. Valiant, uniform: each
    packet takes two of the links, of which there are a h = a p for as many nodes. Valiant +1 and
    +h: the local links of the third group, (a h - 1) / (2 a h) and (a h - 1) / (a h (h + 1)).
    """
    m = dragonfly(p, a, h, a * h + 1)

    def bound(policy, pattern, shift=1):
        return _core.fluid_bound(m, policy, pattern, shift).load

    assert bound("minimal", "adversarial") == pytest.approx(1 / (a * p), rel=1e-12)
    assert bound("minimal", "uniform") == pytest.approx(1, rel=1e-12)
    assert bound("valiant", "uniform") == pytest.approx(0.5, rel=1e-12)
    assert bound("valiant", "adversarial") == pytest.approx(next_group, rel=1e-12)
    assert bound("valiant", "adversarial", h) == pytest.approx(h_groups, rel=1e-12)


def test_fluid_loads_are_kept(dragonfly):
    # Every unit takes its injection link, its ejection link, and with Valiant two global links.
    m = dragonfly(2, 4, 2, 9)
    found = _core.fluid_bound(m, "valiant", "adversarial", 1)
    loads = found.link_load
    assert sum(loads[: m.num_nodes]) == pytest.approx(m.num_nodes)
    assert sum(loads[m.num_nodes : 2 * m.num_nodes]) == pytest.approx(m.num_nodes)
    by_class = [0.0] * 4
    for load, (_, _, link_class) in zip(loads, m.links, strict=True):
        by_class[link_class] += load
    assert by_class[3] == pytest.approx(2 * m.num_nodes)
    assert found.load == pytest.approx(1 / max(loads))


def test_fluid_bound_of_a_ring_by_hand(graph):
    # Four routers with two nodes each, uniform over the seven other nodes. Per link: 2/7 of each
    # of two nodes to the next router, and half of 2/7 each to the opposite one, over two links:
    # 2 * (2/7 + 2 * 1/7) = 8/7.
    ring = graph([0, 0, 1, 1, 2, 2, 3, 3], both_ways((r, (r + 1) % 4) for r in range(4)))
    assert _core.fluid_bound(ring, "minimal", "uniform", 1).load == pytest.approx(7 / 8)


@pytest.mark.parametrize(
    ("policy", "pattern", "shift", "problem"),
    [
        ("ugal-l", "uniform", 1, "allowed: minimal, valiant"),
        ("minimal", "unifrom", 1, "unifrom"),
        ("minimal", "adversarial", 9, "1 to 8"),
        ("minimal", "adversarial", 0, "1 to 8"),
        ("fastest", "uniform", 1, "fastest"),
    ],
)
def test_wrong_bounds_are_refused(dragonfly, policy, pattern, shift, problem):
    with pytest.raises(UserError, match=problem):
        _core.fluid_bound(dragonfly(2, 4, 2, 9), policy, pattern, shift)
