"""Torus: shapes, distances, cuts and loads by hand, datelines, policies."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odonata import _core, machine, simulate
from odonata.errors import UserError
from odonata.machine.files import describe, parse
from odonata.machine.template import template
from odonata.placement import place
from odonata.workload import Traffic

POLICIES = machine.routings("torus")


def link(name, rate=10**9):
    return _core.LinkClass(name, rate, 1000, 4096, 1000)


def torus(sizes, nodes=1, rates=None, **shape):
    far = ("xyz"[d] + "-far" for d, every in enumerate(shape.get("far_every", [])) if every)
    names = ["injection", "ejection", *"xyzwvu"[: len(sizes)], *far]
    basics = _core.Basics("test", 1, 1000, 1000, 10**9)
    shape |= {"sizes": sizes, "nodes_per_router": nodes}
    links = [link(name, (rates or {}).get(name, 10**9)) for name in names]
    return _core.make_machine("torus", basics, shape, links)


def ends(made, kind):
    return [(int(a), int(b)) for a, b, c in made.links if c == kind]


def routing(made, policy="minimal", seed=0):
    return _core.make_routing(made, policy, seed, 0)


def test_a_ring_and_a_line():
    assert ends(torus([4]), 2) == [
        (0, 1), (0, 3), (1, 2), (1, 0), (2, 3), (2, 1), (3, 0), (3, 2)
    ]  # fmt: skip
    assert ends(torus([3], wrap=[0]), 2) == [(0, 1), (1, 2), (1, 0), (2, 1)]
    assert ends(torus([2], wrap=[0]), 2) == [(0, 1), (1, 0)]


def test_each_dimension_has_its_links_and_its_class():
    made = torus([3, 2], nodes=2, wrap=[1, 0], links_per_direction=[2, 1])
    assert Counter(ends(made, 2)) == {
        (base + a, base + b): 2 for base in (0, 3) for a, b in product(range(3), repeat=2) if a != b
    }
    assert ends(made, 3) == [(0, 3), (1, 4), (2, 5), (3, 0), (4, 1), (5, 2)]
    assert list(made.node_router) == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]


def test_far_links_are_every_kth_one_both_ways():
    """Links 2 and 4 of a ring of five: between 1 and 2, and between 3 and 4; 5 closes it."""
    made = torus([5], far_every=[2])
    assert sorted(ends(made, 3)) == [(1, 2), (2, 1), (3, 4), (4, 3)]
    assert sorted(ends(made, 2)) == [(0, 1), (0, 4), (1, 0), (2, 3), (3, 2), (4, 0)]
    closed = torus([4], far_every=[4])
    assert sorted(ends(closed, 3)) == [(0, 3), (3, 0)]


def test_coordinates_are_named_from_the_outermost_on():
    made = torus([3, 2, 4], wrap=[1, 0, 1])
    assert made.axes == ["x", "y", "z"]
    assert made.position(16) == [1, 1, 2]  # 1 + 3 (1 + 2 * 2)
    assert [(level.name, level.count) for level in made.levels] == [("x-line", 8), ("xy-plane", 4)]
    assert made.group_of(17) == 2


def hops_by_search(made):
    """Return the links between all routers, ring after ring of neighbours."""
    next_to = {r: set() for r in range(made.num_routers)}
    for a, b, c in made.links:
        if c >= 2:
            next_to[int(a)].add(int(b))
    found = {}
    for start in next_to:
        ring, seen = {start}, {start: 0}
        while ring:
            ring = {b for a in ring for b in next_to[a]} - seen.keys()
            seen |= dict.fromkeys(ring, max(seen.values()) + 1)
        found |= {(start, to): hops for to, hops in seen.items()}
    return found


@pytest.mark.parametrize(
    ("sizes", "wrap"), [([7], [1]), ([6, 4], [1, 0]), ([3, 5, 2], [1, 1, 0]), ([4, 4, 4], [1] * 3)]
)
def test_distances_are_those_of_a_search(sizes, wrap):
    made = torus(sizes, wrap=wrap)
    found = routing(made)
    hops = hops_by_search(made)
    assert {pair: found.distance(*pair) for pair in hops} == hops
    properties = _core.find_properties(made, found)
    assert properties.diameter == max(hops.values())
    assert properties.mean_distance == pytest.approx(sum(hops.values()) / made.num_nodes**2)


def mean_on_ring(k):
    return k / 4 if k % 2 == 0 else (k - 1 / k) / 4


@pytest.mark.parametrize("sizes", [[8], [5, 4], [23, 24, 24]])
def test_diameter_and_mean_distance_in_closed_form(sizes):
    """Diameter: half of each ring; mean distance: k/4 hops on even rings, (k - 1/k)/4 on odd."""
    made = torus(sizes, nodes=2)
    found = _core.find_properties(made, routing(made))
    assert found.diameter == sum(k // 2 for k in sizes)
    assert found.mean_distance == pytest.approx(sum(map(mean_on_ring, sizes)))


@pytest.mark.parametrize(
    ("sizes", "shape", "links"),
    [
        ([4, 4, 4], {}, 2 * 16),  # two planes of 16 links
        ([8, 4], {}, 2 * 4),  # across the longer dimension
        ([8, 4], {"wrap": [0, 1]}, 4),  # a line is cut once
        ([4, 4], {"links_per_direction": [3, 2]}, 2 * 4 * 2),
        ([5, 3], {}, 2 * 3),  # two against three
    ],
)
def test_bisections_in_closed_form(sizes, shape, links):
    """Across a ring k of a torus of R routers: 2 R / k times the links of a direction."""
    made = torus(sizes, **shape)
    found = _core.find_properties(made, routing(made)).bisection
    assert (found.links, found.exact) == (links, True)
    assert found.bytes_per_second == links * 10**9


def test_a_bisection_goes_where_the_far_links_are():
    """On a ring of six the links 3 and 6 are opposite each other, and slower."""
    made = torus([6], far_every=[3], rates={"x-far": 4 * 10**8})
    found = _core.find_properties(made, routing(made)).bisection
    assert found.bytes_per_second == 2 * 4 * 10**8


@pytest.mark.parametrize(
    ("sizes", "nodes", "cables"), [([8], 1, 1), ([4, 4], 2, 1), ([6, 4], 3, 2), ([4, 4, 6], 2, 1)]
)
def test_uniform_traffic_under_dimension_order(sizes, nodes, cables):
    """The links of the longest ring are full first.

    On an even ring k packets go k/4 hops in the mean, by 2 links a router: k p / (8 c) for p nodes
    a router and c links a direction, if the own node was a target, too; N / (N - 1) of it since it
    is not.
    """
    made = torus(sizes, nodes=nodes, links_per_direction=[cables] * len(sizes))
    found = _core.fluid_bound(made, "dimension-order", "uniform", 1)
    full = max(sizes) * nodes / (8 * cables) * made.num_nodes / (made.num_nodes - 1)
    assert math.isclose(found.load, min(1, 1 / full))
    rows = zip(found.link_load, made.links, strict=True)
    along_x = {round(load, 12) for load, (_, _, kind) in rows if kind == 2}
    assert len(along_x) == 1  # both ways alike, since ties are drawn


def test_a_far_link_is_full_first():
    made = torus([8], far_every=[4], rates={"x-far": 5 * 10**8})
    bound = _core.fluid_bound(made, "minimal", "uniform", 1)
    assert made.links[bound.link][2] == 3
    assert math.isclose(
        bound.load, 0.5 * _core.fluid_bound(torus([8]), "minimal", "uniform", 1).load
    )


def test_adversarial_traffic_by_hand():
    """Each node of a plane of 4 x 4 sends to a random one of the next plane.

    Along x and y a packet goes 4/4 hops in the mean, by 2 links a router; along z one up, and what
    arrives at a place of the plane is a node's load.
    """
    made = torus([4, 4, 4])
    found = _core.fluid_bound(made, "minimal", "adversarial", 1)
    loads = {c: set() for c in (2, 3, 4)}
    for load, (_, _, kind) in zip(found.link_load, made.links, strict=True):
        if kind > 1:
            loads[int(kind)].add(round(load, 12))
    assert loads == {2: {0.5}, 3: {0.5}, 4: {0.0, 1.0}}


@given(data=st.data())
def test_loads_are_those_of_the_routes(data):
    """Loads by counting equal the mean loads of many packets."""
    sizes = data.draw(st.sampled_from([[6], [4, 3], [2, 3, 2]]))
    wrap = [int(size > 2 and data.draw(st.booleans())) for size in sizes]
    made = torus(sizes, wrap=wrap, links_per_direction=[2] * len(sizes))
    found = _core.fluid_bound(made, "minimal", "uniform", 1)
    routes, packets, count = routing(made), 64, Counter()
    pairs = [(a, b) for a, b in product(range(made.num_routers), repeat=2) if a != b]
    for number, (a, b) in product(range(packets), pairs):
        key = (a << 32) + number * made.num_routers + b
        count.update(hop[0] for hop in routes.route(made, a, b, key))
    scale = packets * (made.num_nodes - 1)
    for number in range(2 * made.num_nodes, made.num_links):
        assert count[number] / scale == pytest.approx(found.link_load[number], abs=0.15)


SHAPES = [
    ([2], {"wrap": [0]}, [1]),
    ([3], {}, [1]),
    ([4], {}, [2]),
    ([7], {"wrap": [0], "links_per_direction": [2]}, [1]),
    ([5, 3], {"far_every": [2, 0]}, [2, 1, 2]),
    ([4, 2, 5], {"wrap": [1, 0, 1], "links_per_direction": [1, 2, 1]}, [2, 1, 2]),
    ([4, 4, 4], {}, [2, 2, 2]),
    ([3] * 4, {}, [1] * 4),
]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(("sizes", "shape", "channels"), SHAPES)
def test_no_policy_can_deadlock(sizes, shape, channels, policy):
    made = torus(sizes, **shape)
    found = routing(made, policy)
    report = _core.check_deadlock(made, found)
    assert report.deadlock_free
    adaptive = policy in {"adaptive", "one-link"}
    classes = min(2, len(sizes) - 1) + 1 if adaptive else 1
    assert [found.num_vcs(2 + i) for i in range(len(channels))] == [classes * n for n in channels]
    assert [found.num_vcs(0), found.num_vcs(1)] == [1, 1]  # links of nodes


def test_a_packet_changes_its_channel_behind_the_dateline():
    """From 5 to 1 on a ring of seven the link from 6 to 0 is ahead at 5 and 6, not at 0."""
    made = torus([7])

    def taken(start, to):
        return [(int(made.links[i][1]), vc) for i, vc in routing(made).route(made, start, to, 0)]

    assert taken(5, 1) == [(6, 0), (0, 0), (1, 1)]
    assert taken(1, 5) == [(0, 0), (6, 0), (5, 1)]
    assert taken(1, 3) == [(2, 1), (3, 1)]


def way_of(made, policy, from_router, to_router, packet, seed=0):
    return routing(made, policy, seed).route(made, from_router, to_router, packet)


def test_packets_draw_their_cables_and_the_way_round():
    made = torus([4], links_per_direction=[3])
    ways = Counter(way_of(made, "minimal", 0, 2, packet)[0][0] for packet in range(600))
    assert len(ways) == 6  # three links up, three down
    assert all(60 < times < 140 for times in ways.values())


def test_hashed_packets_of_two_nodes_take_one_way_and_pairs_different_ones():
    made = torus([4, 5], links_per_direction=[3, 2])
    ways = {
        (a, b): {tuple(way_of(made, "hashed", a, b, packet)) for packet in (0, 7, 1 << 33)}
        for a, b in product(range(20), repeat=2)
    }
    assert all(len(found) == 1 for found in ways.values())
    first = Counter(next(iter(ways[a, a + 1]))[0][0] % 6 for a in range(0, 20, 4))
    assert len(first) > 1
    other_seed = [tuple(way_of(made, "hashed", a, b, 0, seed=1)) for a, b in ways]
    assert other_seed != [next(iter(found)) for found in ways.values()]


def test_one_link_keeps_packets_of_two_routers_on_one_cable_and_shares_out_the_pairs():
    made = torus([5, 4], nodes=2, links_per_direction=[3, 2])
    links = {
        (a, b): {
            way_of(made, "one-link", a, b, packet)[0][0]
            for packet in range(20)  # draws of a packet would find both cables
        }
        for a, b in product(range(5), repeat=2)
        if a != b
    }
    assert all(len(found) == 1 for found in links.values())
    first = made.first_link[0]
    assert {next(iter(links[0, 1])) - first, next(iter(links[0, 2])) - first} <= {0, 1, 2}
    assert len({next(iter(found)) for pair, found in links.items() if pair[0] == 0}) > 2
    adaptive = {way_of(made, "adaptive", 0, 1, packet)[0][0] for packet in range(20)}
    assert len(adaptive) == 3


def load(changes):
    return machine.Machine(describe(parse(template("torus"), "new"), None, changes), changes)


def run(made, targets, policy="minimal", **traffic):
    job = simulate.Job(Traffic("pairs", targets=targets, **traffic), place(made, made.num_nodes))
    return simulate.run(made, [job], simulate.Options(routing=policy))


def test_adaptive_packets_leave_what_is_full():
    """A transpose: dimension order turns all packets of a row at one router, the diagonal's."""
    changes = {"shape.sizes": [6, 6, 3], "shape.nodes_per_router": 1}
    made = load({**changes, "links.injection.bandwidth": "10 GB/s"})
    targets = [n // 36 * 36 + n % 6 * 6 + n // 6 % 6 for n in range(108)]
    found = {
        policy: run(made, targets, policy, load=0.9, messages_per_rank=150).summary["accepted_load"]
        for policy in POLICIES
    }
    assert found["adaptive"] > 1.2 * found["dimension-order"]


def test_the_window_makes_throughput_fall_with_distance():
    """A node delivers a window in the time that a packet takes to arrive: 150 ns more a hop."""
    made = load({"shape.nodes_per_router": 1, "shape.sizes": [4, 4, 16], "nic.window": "8 KiB"})
    seconds = {}
    for hops in (2, 8):
        targets = [16 * hops if node == 0 else -1 for node in range(made.num_nodes)]
        done = run(made, targets, load=1.0, bytes="1 MiB", messages_per_rank=1)
        seconds[hops] = done.end * 1e-12 / (2**20 / 8192)  # a window's
    assert seconds[8] - seconds[2] == pytest.approx(6 * (100e-9 + 50e-9), rel=0.02)
    free = made.with_values({"nic.window": "0 B"})
    targets = [16 * 8 if node == 0 else -1 for node in range(made.num_nodes)]
    unlimited = run(free, targets, load=1.0, bytes="1 MiB", messages_per_rank=1).end
    assert unlimited < 0.7 * seconds[8] * 1e12 * 128


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"shape.sizes": []}, "number of dimensions: out of range: 0; allowed: 1 to 16"),
        (
            {"shape.sizes": [4, 4], "shape.wrap": [1, 1]},
            "classes of 2 dimensions.*: 'x, y, z'; allowed: x, y, in this",
        ),
        ({"shape.sizes": [4, 1, 4]}, r"shape.sizes\[1\]: out of range: 1; allowed: 2 to 4096"),
        (
            {"shape.sizes": [4, 2, 4]},
            "shape.wrap: two routers along y and a wrap: the link round would be a second cable"
            " .*allowed: 0 for y, which is one cable, or as many as links_per_direction says",
        ),
        ({"shape.wrap": [1, 2, 1]}, r"shape.wrap\[1\]: out of range: 2; allowed: 0 to 1"),
        ({"shape.wrap": [1]}, "wrap: number of dimensions: out of range: 1; allowed: 3 to 3"),
        (
            {"shape.links_per_direction": [1, 1]},
            "links_per_direction: number of dimensions: out of range: 2; allowed: 3 to 3",
        ),
        ({"shape.links_per_direction": [1, 0, 1]}, r"direction\[1\]: out of range: 0; allowed: 1"),
        ({"shape.far_every": [0, 2, 0]}, "'x, y, z'; allowed: x, y, z, y-far, in this order"),
        ({"shape.sizes": [400, 4, 200]}, "longest route: out of range: 302; allowed: 1 to 255"),
        ({"shape.sizes": [4096, 4096, 3]}, "number of routers: out of range: 16777216"),
    ],
)
def test_shapes_that_are_refused(changes, message):
    with pytest.raises(UserError, match=message):
        load(changes)


def test_one_cable_or_two_between_two_routers():
    made = torus([2], wrap=[0], links_per_direction=[2])
    assert ends(made, 2) == [(0, 1), (0, 1), (1, 0), (1, 0)]
