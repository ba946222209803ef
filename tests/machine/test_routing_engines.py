"""Routing engines on graphs: trees without contention, tori without cycles, balanced tables."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from odonata import _core
from odonata.errors import UserError
from odonata.machine import load
from odonata.machine.template import template

LINK = _core.LinkClass("any", 10**9, 1000, 4096, 1000)
ENGINES = ("minhop", "updown", "dmodk", "sssp")


def graph(routers, nodes, cables, **more):
    """Return a graph of cables between routers."""
    links = [(a, b, 2) for a, b in cables] + [(b, a, 2) for a, b in cables]
    values = {"routers": routers, "node_router": nodes, "links": links, **more}
    return _core.make_machine("graph", _core.Basics("g", 1, 1000, 1000, 10**9), values, [LINK] * 3)


def two_levels(k=4):
    """Return 2k leaves with k nodes and k spines."""
    cables = [(leaf, 2 * k + spine) for leaf in range(2 * k) for spine in range(k)]
    return graph(3 * k, [leaf for leaf in range(2 * k) for _ in range(k)], cables)


def three_levels(k=4):
    """Return a k-ary tree of three levels: k^2 routers at each, k^3 nodes."""
    cables = []
    for level, pod, at, up in itertools.product(range(2), range(k), range(k), range(k)):
        below = level * k * k + k * pod + at
        above = (level + 1) * k * k + (k * pod + up if level == 0 else k * at + up)
        cables.append((below, above))
    return graph(3 * k * k, [leaf for leaf in range(k * k) for _ in range(k)], cables)


def torus(side=4):
    """Return a torus with one node at each router."""
    cables = [
        (x + side * y, other)
        for y in range(side)
        for x in range(side)
        for other in ((x + 1) % side + side * y, x + side * ((y + 1) % side))
    ]
    return graph(side * side, list(range(side * side)), cables)


def most_flows(machine, policy):
    routing = _core.make_routing(machine, policy, 0, 0)
    ports = machine.num_ports
    return [
        _core.count_flows(machine, routing, [(i, (i + k) % ports) for i in range(ports)]).most_flows
        for k in range(1, ports)
    ]


@pytest.mark.parametrize("tree", [two_levels(), three_levels()], ids=["two", "three"])
def test_dmodk_has_no_shift_with_two_flows_on_a_link(tree):
    # Zahavi: on complete trees every shift has at most one flow on a link, as OpenSM's ftree has
    assert max(most_flows(tree, "dmodk")) == 1
    routing = _core.make_routing(tree, "dmodk", 0, 0)
    assert _core.check_deadlock(tree, routing).deadlock_free


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_reach_every_port_of_a_tree_by_shortest_routes(engine):
    tree = three_levels()
    counts = _core.make_routing(tree, engine, 0, 0).count_routes()
    # of 64: 3 on the same leaf, 12 more in the same pod, 48 in others
    assert counts.pairs_of == [0, 64 * 3, 0, 64 * 12, 0, 64 * 48]
    assert (counts.unreachable_pairs, counts.channels_in_cycles) == (0, 0)


@pytest.mark.parametrize("leaves", [254, 255, 300])
def test_tables_of_routers_with_more_links_than_a_byte_counts(leaves):
    # way out 255 in a byte stands for no route, so from 255 links on the tables have wider numbers
    star = graph(leaves + 1, list(range(leaves)), [(leaf, leaves) for leaf in range(leaves)])
    routing = _core.make_routing(star, "minhop", 0, 0)
    assert _core.count_unreachable(star, routing) == 0
    shift = [(leaf, (leaf + 1) % leaves) for leaf in range(leaves)]
    assert _core.count_flows(star, routing, shift).most_flows == 1


@pytest.mark.parametrize("engine", ["minhop", "sssp"])
def test_engines_balance_addresses_over_the_links_up(engine):
    tree = two_levels()
    routing = _core.make_routing(tree, engine, 0, 0)
    every = _core.count_all_flows(tree, routing)
    # 4 nodes of a leaf send to 28 others over 4 links up: 28 flows on each if they are balanced
    assert every.most_flows == 28
    assert every.links_used == 64


def test_updown_has_no_cycles_where_shortest_routes_have():
    ring = torus()
    for engine, cyclic in (("minhop", True), ("sssp", True), ("updown", False)):
        routing = _core.make_routing(ring, engine, 0, 0)
        assert routing.may_lock == cyclic  # updown has no cycle by its rule: none is looked for
        assert (routing.count_routes().channels_in_cycles > 0) == cyclic
        assert _core.check_deadlock(ring, routing).deadlock_free != cyclic


def test_adaptive_shortest_is_checked_with_all_its_choices():
    for machine, free in ((three_levels(), True), (torus(), False)):
        routing = _core.make_routing(machine, "adaptive-shortest", 0, 0)
        assert routing.may_lock
        assert routing.count_routes() is None
        assert _core.check_deadlock(machine, routing).deadlock_free == free


def test_dmodk_refuses_graphs_without_tiers():
    with pytest.raises(UserError, match="dmodk needs a tree; routers 0 and 1"):
        _core.make_routing(torus(), "dmodk", 0, 0)


def test_missing_links_leave_no_pair_without_a_route():
    cables = [(leaf, 4 + spine) for leaf in range(4) for spine in range(2)]
    cables.remove((0, 4))
    cables.remove((3, 5))
    tree = graph(6, [0, 0, 1, 2, 3, 3], cables)
    for engine in ("minhop", "sssp", "updown"):
        counts = _core.make_routing(tree, engine, 0, 0).count_routes()
        assert counts.unreachable_pairs == 0
        # leaves 0 and 3 have no spine in common: a route passes two spines and a leaf
        assert counts.pairs_of[5] == 2 * 2 * 2
        cyclic = counts.channels_in_cycles
        assert cyclic == 0 or engine != "updown"


def test_nodes_may_have_different_numbers_of_ports():
    machine = graph(2, [0, 1, 1], [(0, 1)], node_ports=[2, 1])
    assert list(machine.first_port) == [0, 2, 3]
    assert np.asarray(machine.node_router).tolist() == [0, 1]
    assert machine.links[:, 0].tolist()[:3] == [0, 0, 1]
    for more, message in (
        ({"node_ports": [2, 2]}, "node_ports: sum"),
        ({"port_links": [0, 1]}, "port_links: length"),
        ({"port_links": [1, 0] * 3}, "not a class of such links"),
    ):
        with pytest.raises(UserError, match=message):
            graph(2, [0, 1, 1], [(0, 1)], **more)


@pytest.fixture(scope="module")
def fat_trees(tmp_path_factory):
    """Return the files of fat trees, by their levels."""
    folder = tmp_path_factory.mktemp("trees")
    text = template("fat-tree")
    head, _, rest = text.partition("[links.uplink1]\n")
    section, _, tail = rest.partition("\n[router]")
    links = [f"[links.uplink{level}]\n{section}" for level in (1, 2)]
    (folder / "2.toml").write_text(text)
    (folder / "3.toml").write_text("\n".join([head, *links, f"[router]{tail}"]))
    return {levels: folder / f"{levels}.toml" for levels in (2, 3)}


@given(data=st.data())
def test_dmodk_has_the_flows_of_the_family_with_parallel_cables(fat_trees, data):
    """Links have the flows of d-mod-k, whatever the numbers of hosts, parents and cables."""
    levels = data.draw(st.integers(2, 3))
    down, up, parallel = (
        data.draw(st.lists(st.integers(1, 4), min_size=many, max_size=many))
        for many in (levels, levels - 1, levels - 1)
    )
    shape = {"shape.down": down, "shape.up": up, "shape.parallel": parallel}
    assume(np.prod(down) > 1)
    family = load(fat_trees[levels], shape)
    as_graph = load(fat_trees[levels], shape | {"faults.failed": ["0%"]})
    count = family.num_node_ports
    shift = data.draw(st.integers(1, count - 1))
    pairs = [(i, (i + shift) % count) for i in range(count)]
    for flows in (
        lambda on, how: _core.count_all_flows(on.core, on.routing(how)),
        lambda on, how: _core.count_flows(on.core, on.routing(how), pairs),
    ):
        one, other = flows(family, "d-mod-k"), flows(as_graph, "dmodk")
        for key in ("most_flows", "links_with_more_than_one", "links_used", "mean_share"):
            assert getattr(one, key) == pytest.approx(getattr(other, key)), key
