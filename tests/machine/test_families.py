"""The graphs that the families build: by hand where small, by property where random."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from odonata.errors import UserError
from odonata.machine import routings
from odonata.machine.families import FAMILIES
from odonata.machine.policies import routing_policy

MOST_HOPS = {"minimal": 3, "valiant": 5, "ugal-l": 5, "ugal-g": 5, "par": 6}


def router_links(machine, link_class):
    """Return from-to pairs of the links of a class, with their numbers."""
    rows = machine.links[2 * machine.num_nodes :]
    return Counter((int(a), int(b)) for a, b, c in rows if c == link_class)


@st.composite
def dragonflies(draw):
    a = draw(st.integers(1, 5))
    h = draw(st.integers(1, 3))
    g = draw(st.integers(1, a * h + 1))
    p = draw(st.integers(1, 3))
    most = a * h // (g - 1) if g > 1 else 0
    copies = draw(st.integers(0, most))
    return p, a, h, g, draw(st.sampled_from(["absolute", "relative", "circulant"])), copies


def test_relative_arrangement_of_nine_groups_by_hand(dragonfly):
    # a = 4, h = 2: ports 0 and 1 of group 0 are on router 0 and lead to groups 1 and 2; port 7,
    # on router 3, to group 8. Back from group 1 to group 0 it is port 9 - 2 - 0 = 7, router 3.
    links = router_links(dragonfly(1, 4, 2, 9), 3)
    assert links[0, 4 * 1 + 3] == 1
    assert links[0, 4 * 2 + 3] == 1  # back by port 6, router 3
    assert links[3, 4 * 8 + 0] == 1  # port 7 of group 0, back by port 0
    assert sum(links.values()) == 9 * 8


def test_absolute_arrangement_of_three_groups_by_hand(dragonfly):
    # a = 2, h = 1: port k is router k. Group 0: 1, 2; group 1: 0, 2; group 2: 0, 1.
    links = router_links(dragonfly(1, 2, 1, 3, "absolute"), 3)
    there = {(0, 2), (1, 4), (3, 5)}
    assert set(links) == there | {(b, a) for a, b in there}


def test_circulant_arrangement_of_five_groups_by_hand(dragonfly):
    # a = 4, h = 1: from group 0 ports lead to 1, 4, 2, 3; the way back is the neighbouring port.
    links = router_links(dragonfly(1, 4, 1, 5, "circulant"), 3)
    assert {pair for pair in links if pair[0] < 4} == {(0, 5), (1, 16), (2, 11), (3, 14)}


def test_copies_fill_the_ports(dragonfly):
    # eight ports a group and two peers: four links a pair, one from each router
    links = router_links(dragonfly(1, 4, 2, 3), 3)
    assert Counter(a // 4 * 3 + b // 4 for a, b in links.elements()) == {
        i * 3 + j: 4 for i in range(3) for j in range(3) if i != j
    }
    assert {a for a, b in links if a // 4 == 0 and b // 4 == 1} == {0, 1, 2, 3}
    assert sum(router_links(dragonfly(1, 4, 2, 3, copies=1), 3).values()) == 6


def test_a_machine_of_one_node_is_legal(dragonfly):
    machine = dragonfly(1, 1, 0, 1)
    assert (machine.num_nodes, machine.num_routers, machine.num_links) == (1, 1, 2)


def test_groups_of_one_router_are_legal(dragonfly):
    machine = dragonfly(2, 1, 3, 4)
    assert sum(router_links(machine, 2).values()) == 0
    assert set(router_links(machine, 3)) == {(i, j) for i in range(4) for j in range(4) if i != j}


@given(shape=dragonflies())
def test_every_group_pair_has_its_links_and_no_router_too_many(dragonfly, shape):
    p, a, h, g, arrangement, copies = shape
    machine = dragonfly(p, a, h, g, arrangement, copies)
    links = router_links(machine, 3)
    wanted = copies or (a * h // (g - 1) if g > 1 else 0)
    pairs = Counter((i // a, j // a) for i, j in links.elements())
    assert pairs == {(i, j): wanted for i in range(g) for j in range(g) if i != j}
    assert all(n <= h for n in Counter(i for i, _ in links.elements()).values())
    assert all(links[j, i] == n for (i, j), n in links.items())
    local = router_links(machine, 2)
    inside = {(i, j) for i in range(a * g) for j in range(a * g) if i != j and i // a == j // a}
    assert local == dict.fromkeys(inside, 1)
    assert list(machine.node_router) == [n // p for n in range(p * a * g)]


@given(shape=dragonflies(), policy=st.sampled_from(routings("dragonfly")), data=st.data())
def test_routes_are_valid_and_short(dragonfly, shape, policy, data):
    from odonata import _core

    machine = dragonfly(*shape)
    routing = _core.make_routing(machine, policy, data.draw(st.integers(0, 2**64 - 1)), 0)
    routers = st.integers(0, machine.num_routers - 1)
    start, goal = data.draw(routers), data.draw(routers)
    here = start
    hops = routing.route(machine, start, goal, data.draw(st.integers(0, 2**40)))
    for link, vc in hops:
        from_router, to_router, link_class = machine.links[link]
        assert from_router == here
        assert 0 <= vc < routing.num_vcs(int(link_class))
        here = to_router
    assert here == goal
    assert len(hops) <= MOST_HOPS[policy]
    if policy == "minimal":
        assert len(hops) == routing.distance(start, goal)


def test_aries_group_is_a_grid_with_three_black_links(aries):
    machine = aries(1, 0)
    assert router_links(machine, 2) == {
        (r * 16 + i, r * 16 + j): 1
        for r in range(6)
        for i in range(16)
        for j in range(16)
        if i != j
    }
    assert router_links(machine, 3) == {
        (i * 16 + c, j * 16 + c): 3 for c in range(16) for i in range(6) for j in range(6) if i != j
    }


def test_blue_links_of_two_groups_by_hand(aries):
    # five blue links are three router pairs: two, two and one, on the first columns of chassis 0
    # and the first of chassis 1
    blue = router_links(aries(2, 5), 4)
    assert {pair: n for pair, n in blue.items() if pair[0] < 96} == {
        (0, 96): 2,
        (1, 97): 2,
        (16, 112): 1,
    }


@given(
    groups=st.integers(2, 6),
    rows=st.integers(1, 4),
    columns=st.integers(1, 5),
    data=st.data(),
)
def test_blue_links_keep_to_the_ports(aries, groups, rows, columns, data):
    most = 2 * (5 * rows * columns // (groups - 1))
    if most == 0:
        return
    links = data.draw(st.integers(1, most))
    blue = router_links(aries(groups, links, rows, columns), 4)
    size = rows * columns
    assert Counter((a // size, b // size) for a, b in blue.elements()) == {
        (i, j): links for i in range(groups) for j in range(groups) if i != j
    }
    assert all(blue[b, a] == n for (a, b), n in blue.items())
    assert all(n <= 10 for n in Counter(a for a, _ in blue.elements()).values())


def test_nodes_leave_out_service_routers_and_the_last_slots(aries):
    machine = aries(1, 0, nodes=10, service=[0, 2])
    assert list(machine.node_router) == [1] * 4 + [3] * 4 + [4] * 2


def test_explicit_blue_links_take_the_place_of_the_rule(aries):
    wiring = [(0, 100, 0), (100, 0, 0)]
    assert router_links(aries(2, 0, blue_wiring=wiring), 4) == {(0, 100): 1, (100, 0): 1}


@pytest.mark.parametrize(
    ("wiring", "problem"),
    [
        ([(0, 100, 0)], "0 -> 100 goes one way"),
        ([(0, 500, 0), (500, 0, 0)], "0 -> 500 dangles"),
        ([(0, 5, 0), (5, 0, 0)], "0 -> 5 stays in group 0"),
        ([(7, 7, 0)], "back to its own router"),
    ],
)
def test_wrong_blue_links_are_named(aries, wiring, problem):
    with pytest.raises(UserError, match=problem):
        aries(2, 0, blue_wiring=wiring)


def test_groups_without_a_blue_link_are_named(aries):
    with pytest.raises(UserError, match="no link joins groups 0 and 2"):
        aries(3, 0, blue_wiring=[(0, 100, 0), (100, 0, 0)])


@pytest.mark.parametrize(
    ("shape", "problem"),
    [
        ((1, 2, 1, 4), "4; allowed: 1 to 3"),
        ((0, 2, 1, 3), "nodes_per_router: out of range: 0"),
        ((1, -1, 1, 3), "routers_per_group: out of range: -1"),
        ((1, 2, 1, 0), "groups: out of range: 0"),
        ((4096, 4096, 1, 2048), "number of routers"),
        ((4096, 244, 10, 2048), "number of nodes"),
    ],
)
def test_impossible_dragonflies_are_refused(dragonfly, shape, problem):
    with pytest.raises(UserError, match=problem):
        dragonfly(*shape)


def test_too_many_copies_are_refused(dragonfly):
    with pytest.raises(UserError, match="links_per_group_pair: out of range: 5; allowed: 1 to 4"):
        dragonfly(1, 4, 2, 3, copies=5)


def test_too_many_blue_links_are_refused(aries):
    with pytest.raises(UserError, match="blue_links: out of range: 961; allowed: 1 to 960"):
        aries(2, 961)


@pytest.mark.parametrize(
    ("links", "problem"),
    [
        ([(0, 1), (1, 0), (1, 2)], "1 -> 2 goes one way"),
        ([(0, 1), (1, 0), (1, 0)], "1 -> 0 goes one way"),
        ([(0, 1), (1, 0), (2, 3), (3, 2)], "2 -> 3 dangles"),
        ([(0, 1), (1, 0), (2, 2)], "2 -> 2 leads back"),
        ([(0, 1), (1, 0)], "no route joins routers 0 and 2"),
    ],
)
def test_wrong_graphs_are_refused(graph, links, problem):
    with pytest.raises(UserError, match=problem):
        graph([0, 1, 2], links)


def test_arrays_are_views_of_the_machine_and_read_only(dragonfly):
    machine = dragonfly(1, 2, 1, 3)
    links, first = machine.links, machine.first_link
    assert links.shape == (machine.num_links, 3)
    assert first[0] == 2 * machine.num_nodes
    assert first[-1] == machine.num_links
    assert np.all(np.diff(links[first[0] :, 0]) >= 0)
    del machine
    assert links[0, 0] == 0  # the view keeps its machine alive
    with pytest.raises(ValueError, match="read-only"):
        links[0, 0] = 1


@pytest.mark.parametrize(
    ("family", "shape", "names", "allowed"),
    [
        ("hyperx", {"sizes": [2, 2], "nodes_per_router": 1}, "yx", "x, y"),
        ("torus", {"sizes": [3, 3], "nodes_per_router": 1}, "yx", "x, y"),
        ("fat-tree", {"down": [2, 2], "up": [1]}, ["uplink2"], "uplink1"),
    ],
)
def test_own_classes_of_links_have_the_right_names(family, shape, names, allowed):
    from odonata import _core

    basics = _core.Basics("test", 1, 1000, 1000, 10**9)
    links = [
        _core.LinkClass(name, 10**9, 1000, 4096, 1000) for name in ["injection", "ejection", *names]
    ]
    with pytest.raises(UserError, match="besides injection and ejection") as caught:
        _core.make_machine(family, basics, shape, links)
    assert caught.value.value == ", ".join(names)
    assert caught.value.allowed == f"{allowed}, in this order"


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_has_a_plain_and_an_adaptive_policy(family):
    policies = {policy.name: policy for policy in FAMILIES[family].policies}
    assert policies[routing_policy("minimal", family)].oblivious
    assert not policies[routing_policy("adaptive", family)].oblivious
    assert routing_policy("minimal", family) == routings(family)[0]
