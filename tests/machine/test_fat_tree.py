"""Fat trees: shapes, distances and loads by hand, and runs in which all nodes send at once."""

from __future__ import annotations

import json

import pytest

from odonata import _core, machine
from odonata.errors import UserError
from odonata.machine.files import describe, parse
from odonata.machine.template import template

POLICIES = machine.routings("fat-tree")

RATE = 10**9  # [B/s]: 1 B takes 1 ns
WIRE, ROUTER = 7_000, 50_000  # [ps]


def link(name):
    return _core.LinkClass(name, RATE, WIRE, 4096, WIRE)


def fat_tree(down, **shape):
    names = ["injection", "ejection", *(["rail"] if shape.get("rails", 1) > 1 else [])]
    names += [f"uplink{level}" for level in range(1, len(down))]
    basics = _core.Basics("test", 1, ROUTER, 1000, RATE)
    return _core.make_machine("fat-tree", basics, {"down": down} | shape, list(map(link, names)))


def ends(made, kind):
    return [(int(a), int(b)) for a, b, c in made.links if c == kind]


def routing_of(made, policy="d-mod-k"):
    return _core.make_routing(made, policy, 0, 0)


# ---- shapes


def test_a_binary_2_tree_by_hand():
    made = fat_tree([2, 2])
    assert list(made.node_router) == [0, 0, 1, 1]
    assert ends(made, 2) == [(0, 2), (0, 3), (1, 2), (1, 3), (2, 0), (2, 1), (3, 0), (3, 1)]
    assert made.axes == ["level", "pod", "index"]
    assert made.positions.tolist() == [[1, 0, 0], [1, 1, 0], [2, 0, 0], [2, 0, 1]]


def test_parallel_links_are_those_of_fewer_parents():
    """Four links up of a leaf, two to each parent: by port to parents 0, 1, 0, 1."""
    made = fat_tree([4, 3], parallel=[2])
    up = [pair for pair in ends(made, 2) if pair[0] == 1]
    down = [pair for pair in ends(made, 2) if pair[0] == 4]
    assert up == [(1, 3), (1, 4), (1, 3), (1, 4)]
    assert down == [(4, 0), (4, 0), (4, 1), (4, 1), (4, 2), (4, 2)]


@pytest.mark.parametrize(("k", "n"), [(2, 2), (2, 4), (3, 3), (4, 2)])
def test_a_k_ary_n_tree_has_k_to_the_n_nodes(k, n):
    """There are n levels of k^(n-1) routers, with k^n cables between two levels."""
    made = fat_tree([k] * n)
    assert made.num_nodes == k**n
    assert made.num_routers == n * k ** (n - 1)
    assert [len(ends(made, 2 + level)) for level in range(n - 1)] == [2 * k**n] * (n - 1)


def test_xgft_by_its_parameters():
    """XGFT(3; 4, 3, 2; 1, 2, 5): levels of 6, 2 * 2 and 10 routers, 12 and 20 cables between."""
    made = fat_tree([4, 3, 2], up=[2, 5])
    assert made.num_nodes == 24
    assert [made.positions[:, 0].tolist().count(level) for level in (1, 2, 3)] == [6, 4, 10]
    assert [len(ends(made, 2)), len(ends(made, 3))] == [2 * 12, 2 * 20]
    assert [(level.name, level.count) for level in made.levels] == [("leaf", 6), ("pod", 2)]


def test_a_taper_is_links_down_for_each_link_up():
    tapered, same = fat_tree([8, 4, 4], taper=[4, 2]), fat_tree([8, 4, 4], up=[2, 2])
    assert tapered.links.tolist() == same.links.tolist()


def test_rails_are_trees_side_by_side():
    """Each node has a router of its own, with a link to leaf 0 and one to leaf 1 of its four."""
    made = fat_tree([2, 2], rails=2)
    assert list(made.node_router) == [0, 1, 2, 3]
    assert [pair for pair in ends(made, 2) if pair[0] < 4] == [
        (0, 4), (0, 5), (1, 4), (1, 5), (2, 6), (2, 7), (3, 6), (3, 7),
    ]  # fmt: skip
    first = {4, 6}  # the leaves of the first rail
    roots = {b for a, b in ends(made, 3) if a in first}
    assert {b for a, b in ends(made, 3) if a in roots} == first
    assert made.positions[:, 0].tolist() == [0] * 4 + [1] * 4 + [2] * 4


def test_every_router_has_a_block_at_every_level_and_blocks_are_nested():
    made = fat_tree([2, 3, 2, 2], up=[3, 2, 5])
    leaf, pod, wide = (level.of_router.tolist() for level in made.levels)
    assert [level.name for level in made.levels] == ["leaf", "pod", "pod3"]
    assert leaf[:12] == list(range(12))
    assert pod == [block // 3 for block in leaf]
    assert wide == [block // 2 for block in pod]
    assert wide[-30:] == [0] * 15 + [1] * 15  # the highest routers, shared out in order


# ---- distances


def walk(made):
    """Return the links between any two routers, ring by ring."""
    near = {r: set() for r in range(made.num_routers)}
    for a, b in made.links[2 * made.num_nodes :, :2].tolist():
        near[a].add(b)
    found = {}
    for start in near:
        ring, seen, steps = {start}, set(), 0
        while ring:
            found |= {(start, r): steps for r in ring}
            seen |= ring
            ring, steps = set().union(*(near[r] for r in ring)) - seen, steps + 1
    return found


SHAPES = [
    ([3], {"rails": 3}),
    ([2, 3], {}),
    ([2, 3, 1, 2], {"up": [3, 1, 2]}),
    ([2, 2, 3], {"up": [1, 3], "parallel": [2, 1]}),
    ([2, 2, 2], {"rails": 2}),
]


@pytest.mark.parametrize(("down", "shape"), SHAPES)
def test_distances_are_those_of_the_graph(down, shape):
    made = fat_tree(down, **shape)
    routing, walked = routing_of(made), walk(made)
    assert {pair: routing.distance(*pair) for pair in walked} == walked
    assert _core.find_properties(made, routing).diameter == max(walked.values())


def test_the_mean_distance_of_a_k_ary_n_tree():
    """1 - 1/k of the pairs meet at the highest level, 4 links apart; 1/k - 1/k^2 of them 2."""
    made = fat_tree([4, 4, 4])
    mean = _core.find_properties(made, routing_of(made)).mean_distance
    assert mean == pytest.approx(4 * 3 / 4 + 2 * 3 / 16)


@pytest.mark.parametrize("policy", POLICIES)
def test_neighbours_on_a_leaf_do_not_leave_it(policy):
    made = fat_tree([3, 3, 3])
    assert routing_of(made, policy).route(made, 4, 4, 7) == []
    pod = routing_of(made, policy).route(made, 4, 5, 7)
    assert [int(made.links[hop][2]) for hop, _ in pod] == [2, 2]  # up and down, not to the top


# ---- deadlock freedom, loads, bisection


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(("down", "shape"), SHAPES)
def test_one_virtual_channel_is_free_of_deadlocks(down, shape, policy):
    made = fat_tree(down, **shape)
    routing = routing_of(made, policy)
    report = _core.check_deadlock(made, routing)
    assert report.deadlock_free
    assert report.used == report.channels == made.num_links


def bound(made, policy, pattern, shift=1):
    return _core.fluid_bound(made, policy, pattern, shift).load


@pytest.mark.parametrize("policy", ["d-mod-k", "s-mod-k", "random"])
def test_a_taper_of_two_halves_what_crosses_it(policy):
    """All traffic to the next leaf crosses; of uniform traffic 48 of the 63 other nodes do."""
    full, tapered = fat_tree([16, 4]), fat_tree([16, 4], taper=[2])
    assert bound(full, policy, "adversarial") == pytest.approx(1)
    assert bound(tapered, policy, "adversarial") == pytest.approx(1 / 2)
    assert bound(full, policy, "uniform") == pytest.approx(1)
    assert bound(tapered, policy, "uniform") == pytest.approx(63 / 48 / 2)


@pytest.mark.parametrize("policy", ["d-mod-k", "s-mod-k", "random"])
def test_a_taper_between_pods_leaves_the_leaves_alone(policy):
    """XGFT of 4 pods of 4 leaves of 4: 48 of 63 leave the pod over half the links, 60 the leaf."""
    made = fat_tree([4, 4, 4], taper=[1, 2])
    found = _core.fluid_bound(made, policy, "uniform", 1)
    uplinks = [
        {round(found.link_load[i], 9) for i, row in enumerate(made.links) if row[2] == kind}
        for kind in (2, 3)
    ]
    assert uplinks == [{round(60 / 63, 9)}, {round(2 * 48 / 63, 9)}]
    assert bound(made, policy, "adversarial") == pytest.approx(1 / 2)


def test_random_ways_use_all_rails_and_a_fixed_way_one_at_its_end():
    """Seven of the 15 other nodes have a node's own rail; all of them send to it by that one."""
    made = fat_tree([4, 4], rails=2)
    loads = {}
    for policy in ("random", "d-mod-k", "s-mod-k"):
        found = _core.fluid_bound(made, policy, "uniform", 1)
        rails = [
            (row[0] < 16, found.link_load[i]) for i, row in enumerate(made.links) if row[2] == 2
        ]
        loads[policy] = [{round(load * 15, 6) for up, load in rails if up == way} for way in (1, 0)]
    assert loads["random"] == [{7.5}, {7.5}]
    assert loads["d-mod-k"] == [{7, 8}, {0, 15}]
    assert loads["s-mod-k"] == [{0, 15}, {7, 8}]


def test_adaptive_routing_has_no_fixed_loads():
    with pytest.raises(UserError, match="'adaptive'; allowed: d-mod-k, s-mod-k, random"):
        bound(fat_tree([2, 2]), "adaptive", "uniform")


@pytest.mark.parametrize(
    ("down", "shape", "parts", "links"),
    [
        ([4, 4], {}, "leaf routers", 8),  # two of four leaves, 4 links each
        ([4, 4], {"taper": [2]}, "leaf routers", 4),
        ([4, 4, 4], {"taper": [1, 2]}, "pods", 16),  # two of four pods, 4 * 2 links each
        ([4, 4, 4], {"up": [2, 8]}, "leaf routers", 16),  # fat above: 8 of 16 leaves, 2 links each
        ([2, 30], {}, "leaf routers", 30),  # exact though it has many parts
    ],
)
def test_the_bisection_is_at_the_weakest_level(down, shape, parts, links):
    made = fat_tree(down, **shape)
    found = _core.find_properties(made, routing_of(made)).bisection
    assert (found.parts, found.links, found.exact) == (parts, links, True)


# ---- simulated


def simulate(made, program, **engine):
    options = _core.SimulationOptions()
    chosen = options.engine
    chosen.packet_bytes = 1000
    for key, value in engine.items():
        setattr(chosen, key, value)
    options.engine = chosen
    mpi = options.mpi
    mpi.eager_threshold = 1_000_000
    options.mpi = mpi
    simulation = _core.Simulation(made, options)
    simulation.add(list(range(made.num_nodes)), program, False, True)
    assert simulation.run(None)
    return simulation.job(0)


def shift(nodes, by, nbytes):
    """Every rank sends once to the rank `by` on."""

    def body(rank):
        receive = rank.irecv((rank.index - by) % nodes, nbytes, 0)
        yield rank.wait([receive, rank.isend((rank.index + by) % nodes, nbytes, 0)])

    return _core.python_program(body)


def swap(nbytes):
    """Ranks 0 and 1 send to each other, 2 and 3, and so on."""

    def body(rank):
        receive = rank.irecv(rank.index ^ 1, nbytes, 0)
        yield rank.wait([receive, rank.isend(rank.index ^ 1, nbytes, 0)])

    return _core.python_program(body)


@pytest.mark.parametrize("policy", ["d-mod-k", "s-mod-k"])
@pytest.mark.parametrize(
    ("down", "parallel"), [([4, 4], [1]), ([4, 4], [2]), ([3, 3, 3], [1, 1]), ([2, 2, 4], [1, 2])]
)
def test_every_shift_goes_at_full_rate_through_a_non_blocking_tree(down, parallel, policy):
    """No message waits: it takes its bytes on the wire, and a wire and a router for each hop."""
    made = fat_tree(down, parallel=parallel)
    routing, home = routing_of(made, policy), made.node_router.tolist()
    nodes, nbytes = made.num_nodes, 3000
    for by in range(1, nodes):
        found = simulate(made, shift(nodes, by, nbytes), routing=policy)["finished"].tolist()
        links = [routing.distance(home[node - by], home[node]) for node in range(nodes)]
        assert found == [nbytes * 1000 + (n + 2) * WIRE + (n + 1) * ROUTER for n in links]


def accepted(made, targets, policy):
    options = _core.PatternOptions()
    options.name, options.targets = "pairs", targets
    nodes = list(range(made.num_nodes))
    offered = _core.traffic(made, nodes, options, 1.0, 1000, 400, False, 0)
    job = simulate(made, offered, routing=policy)
    span = (job["window_end"] - job["window_begin"]) * RATE / 1e12
    return job["window_bytes"] / span / made.num_nodes


@pytest.mark.parametrize("policy", ["d-mod-k", "s-mod-k"])
def test_a_simulated_taper_of_two_halves_exactly_what_crosses_it(policy):
    """Two nodes share a link up and one down to the next leaf; inside a leaf none is needed."""
    full, tapered = fat_tree([4, 4]), fat_tree([4, 4], taper=[2])
    nbytes = 100_000
    wires = 4 * WIRE + 3 * ROUTER

    def last(made, by):
        return max(simulate(made, shift(16, by, nbytes), routing=policy)["finished"])

    assert last(full, 4) == nbytes * 1000 + wires
    assert last(tapered, 4) == 2 * nbytes * 1000 + wires
    inside = simulate(tapered, swap(nbytes), routing=policy)["finished"]
    assert set(inside) == {nbytes * 1000 + 2 * WIRE + ROUTER}


def test_adaptive_ways_up_spread_what_d_mod_k_sends_one_way():
    """Four nodes of a leaf send to nodes whose port is the same: a quarter each, or all of it."""
    made = fat_tree([4, 4, 4])
    targets = [-1] * 64
    targets[:4] = [16, 32, 48, 20]  # leaves 4, 8, 12, 5; all of port 0
    got = {policy: accepted(made, targets, policy) * 16 for policy in POLICIES}
    assert got["d-mod-k"] == pytest.approx(1 / 4, abs=0.01)
    assert got["adaptive"] > 0.9
    assert 1 / 4 < got["random"] < got["adaptive"]


# ---- files


def load(changes):
    return machine.Machine(describe(parse(template("fat-tree"), "new"), None, changes), changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"shape.down": []}, "number of levels: out of range: 0; allowed: 1 to 8"),
        (
            {"shape.taper": [8]},
            r"shape.taper\[0\]: leaves no link up from a router of level 1 with 4 links down: 8; "
            "allowed: 1 to 4",
        ),
        (
            {"shape.taper": [3]},
            r"shape.taper\[0\]: does not divide the 4 links down of a router of level 1: 3; "
            "allowed: 1, 2, 4",
        ),
        (
            {"shape.parallel": [8]},
            r"shape.parallel\[0\]: does not divide the 4 links up of a router of level 1: 8; "
            "allowed: 1, 2, 4",
        ),
        ({"shape.up": [0]}, r"shape.up\[0\]: out of range: 0; allowed: 1 to 4096"),
        ({"shape.up": [2], "shape.taper": [2]}, "shape.up says already"),
        ({"shape.up": [2, 2]}, "shape.up: number of levels: out of range: 2; allowed: 1 to 1"),
        (
            {"shape.down": [4, 4, 4]},
            "classes of 3 levels and 1 rails.*: 'uplink1'; allowed: uplink1, uplink2, in this",
        ),
        ({"shape.rails": 2}, "2 rails.*: 'uplink1'; allowed: rail, uplink1, in this order"),
        ({"shape.down": [4096, 4096]}, "number of nodes: out of range: 16777216"),
        (
            {"shape.down": [2, 4096], "shape.up": [4096]},
            "number of links: out of range: 33570816; allowed: 1 to 8000000",
        ),
    ],
)
def test_shapes_that_are_refused(changes, message):
    with pytest.raises(UserError, match=message):
        load(changes)


def test_check_passes_on_the_command_line(run_odonata, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(template("fat-tree"))
    for policy in POLICIES:
        status, out, err = run_odonata("machines", "check", file, "--routing", policy, "--json")
        assert status == 0, err
        found = json.loads(out)
        assert found["passed"]
        assert found["bisection_links"] == 8


def test_a_policy_of_another_family_is_refused(run_odonata, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(template("fat-tree"))
    status, _, err = run_odonata("machines", "check", file, "--routing", "valiant")
    assert status == 2
    assert "'valiant'; allowed: d-mod-k, s-mod-k, random, adaptive" in err
