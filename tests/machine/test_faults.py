"""Faults of machines: links, switches and nodes that are broken, and slower links."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from odonata import _core, machine
from odonata.errors import UserError
from odonata.machine.cabling import Cabling
from odonata.machine.congestion import congestion
from odonata.machine.fabric.of_machine import fabric_of
from odonata.machine.template import template
from odonata.placement import Placement, place
from odonata.simulate import Job, Recipe, run, simulate
from odonata.workload import Collective, PointToPoint, Program

from .fabrics import one_way, pair, ring

MANY = 2**20  # bytes: at 10 GB/s 104.8576 us, beside which latencies are below 1 us


def made(folder, family, shape, classes=()):
    """Return a machine of a family's defaults, with its own classes of links by name."""
    text = template(family)
    if classes:
        parts = re.split(r"(?m)^(?=\[)", text)
        own = [part for part in parts if re.match(r"\[links\.(?!injection|ejection)", part)]
        links = "".join(own[0].replace(own[0].split("]")[0], f"[links.{c}") for c in classes)
        text = "".join(part for part in parts if part not in own) + links
    path = folder / f"{family}.toml"
    path.write_text(text)
    return machine.load(path, {f"shape.{key}": value for key, value in shape.items()})


def broken(whole, failed=(), slowed=(), seed=0):
    return whole.with_values(
        {"faults.failed": list(failed), "faults.slowed": list(slowed), "faults.seed": seed}
    )


@pytest.fixture
def tree(tmp_path):
    """Return four leaves with four nodes each, and four spines: routers 4 to 7."""
    return made(tmp_path, "fat-tree", {"down": [4, 4]})


def shift(on, by):
    """Return the time of a long message from each node to another [us]."""

    def program(rank):
        ranks = rank.size
        sent = rank.isend((rank.index + by) % ranks, MANY)
        received = rank.irecv((rank.index - by) % ranks, MANY)
        yield rank.wait(sent)
        yield rank.wait(received)

    job = Job(Program(program), Placement(on, range(on.num_nodes)))
    return simulate(on, job).time * 1e6


def test_a_lost_uplink_doubles_the_time_of_a_shift(tree):
    # node 4 l + i goes up by spine i; without leaf 0's link to spine 2 two flows of leaf 0 share
    # the links by spine 0, and so do two flows to leaf 0: two links up and two down
    lost = broken(tree, ["link:router-0:router-6"])
    assert congestion(tree, "shift:4").most_flows == 1
    found = congestion(lost, "shift:4")
    assert (found.routing, found.most_flows, found.links_with_more_than_one) == ("dmodk", 2, 4)
    once = MANY / 10e9 * 1e6
    assert shift(tree, 4) == pytest.approx(once, abs=2)
    assert shift(lost, 4) == pytest.approx(2 * once, abs=2)


def test_no_link_lost_routes_a_tree_as_its_family_does(tree):
    # d-mod-k of the family and dmodk of the graph are the same on complete trees
    same = broken(tree, ["0%"])
    assert (same.policy("minimal"), same.faults.text) == ("dmodk", "fail 0% (0 of 16 links)")
    assert shift(same, 5) == shift(tree, 5)


def test_leaves_without_a_common_spine_are_reached_by_updown(tmp_path):
    # leaf 0 has spine 3 alone, and leaf 1 spine 4: the way leads down to leaf 2 and up again
    whole = made(tmp_path, "fat-tree", {"down": [2, 3], "up": [2]})
    lost = broken(whole, ["link:router-0:router-4", "link:router-1:router-3"])
    assert (lost.policy("minimal"), lost.cut_nodes) == ("updown", ())
    found = lost.check("minimal")
    assert found.passed
    # of 30 pairs 3 x 2 on a leaf, 8 between leaves 0 and 1, and 16 to and from leaf 2
    assert found.switches_per_route == {1: 6, 3: 16, 5: 8}


def test_packets_go_the_other_way_round_a_ring(tmp_path):
    # 0 - 1 is lost: 0 - 3 - 2 - 1 has two routers and two wires more, 2 (100 + 50) ns each way
    whole = made(tmp_path, "torus", {"sizes": [4], "wrap": [1], "nodes_per_router": 1}, ["x"])
    lost = broken(whole, ["link:router-0:router-1"])

    def ping(on):
        job = Job(PointToPoint("pingpong", bytes=8, repetitions=1), Placement(on, [0, 1]))
        return simulate(on, job).time * 1e9

    assert lost.policy("minimal") == "shortest"
    assert ping(lost) - ping(whole) == pytest.approx(2 * 2 * 150, abs=1e-3)


@pytest.mark.parametrize(
    ("speed", "times"), [("1x", 4), ("0.5", 2), ("2.5GB/s", 4), ("10 GB/s", 1)]
)
def test_a_slower_link_stretches_a_message(tmp_path, speed, times):
    # lanes count against the four of a link whose class does not name others
    whole = made(tmp_path, "torus", {"sizes": [2], "wrap": [0], "nodes_per_router": 1}, ["x"])
    for fault in ("link:router-0:router-1", "100%", "link:node-0:router-0"):
        slow = broken(whole, slowed=[f"{fault}={speed}"])
        assert shift(slow, 1) == pytest.approx(times * MANY / 10e9 * 1e6, rel=0.02)
        assert slow.num_links == whole.num_links


def test_a_slower_link_has_a_class_of_its_own(tree):
    slow = broken(tree, slowed=["link:router-0:router-5=0.25", "link:node-2:router-0=1 GB/s"])
    names = slow.link_classes
    assert names[-3:] == ("injection-slow-10", "ejection-slow-10", "uplink1-slow-25")
    links = slow.link_class.tolist()
    assert [links.count(names.index(name)) for name in names[-3:]] == [1, 1, 2]
    job = Job(Collective("alltoall", bytes=1024), place(slow, 16))
    assert simulate(slow, job).run.link_classes == names


def test_the_lanes_of_a_class_are_in_its_name(tmp_path, run_odonata):
    net, toml = tmp_path / "net", tmp_path / "mine.toml"
    net.write_text(pair().text().replace("4xEDR", "2xEDR"))
    assert run_odonata("machines", "import", net, "-o", toml)[0] == 0
    slow = broken(machine.load(toml), slowed=["links:leaf-a:spine-1=1x"])
    assert slow.link_classes[-1] == "2xEDR-slow-50"
    assert [c.kind for c in fabric_of(slow).cables].count("2xEDR-slow-50") == 2


def test_empty_lists_change_nothing(tree):
    same = broken(tree)
    assert same.faults is None
    assert same.policy("minimal") == "d-mod-k"
    job = Job(Collective("alltoall", bytes=1024), place(tree, 16))
    assert (
        simulate(same, job, digest=True).summary["digest"]
        == (simulate(tree, job, digest=True).summary["digest"])
    )


def test_cables_of_a_pair_fail_one_by_one_or_all(tmp_path):
    whole = made(tmp_path, "fat-tree", {"down": [2, 3], "parallel": [2]})
    cables = len(Cabling(whole).cables)

    def left(*failed):
        return cables - len(broken(whole, failed).faults.lost)

    assert cables == 6
    assert left("link:router-0:router-3") == 5
    assert left("link:router-0:router-3", "switch:router-1") == 3
    assert left("link:router-0:router-3", "link:router-3:router-0", "node:node-3") == 4
    assert left("links:router-0:router-3") == 4
    with pytest.raises(UserError, match="the 2 cables of this link are named already"):
        left(*3 * ["link:router-0:router-3"])


def test_shares_are_drawn_by_the_seed_and_contain_smaller_ones(tmp_path):
    whole = made(tmp_path, "hyperx", {"sizes": [4, 4], "nodes_per_router": 1}, "xy")

    def lost(share, seed):
        return broken(whole, [share], seed=seed).faults.lost

    assert lost("5%", 1) == lost("5%", 1) != lost("5%", 2)
    assert lost("5%", 1) < lost("10%", 1)
    assert [len(lost(share, 3)) for share in ("0%", "1%", "5%", "12.5%")] == [0, 0, 2, 6]  # of 48


def test_nodes_that_are_cut_off_are_left_out_and_named(tree):
    # leaf 1 has nodes 4 to 7
    lost = broken(tree, ["switch:router-1", "node:node-9"])
    assert lost.cut_nodes == (4, 5, 6, 7, 9)
    assert place(lost, 11).nodes.tolist() == [0, 1, 2, 3, 8, 10, 11, 12, 13, 14, 15]
    assert not {4, 5, 6, 7, 9} & set(place(lost, 11, allocation="random-routers").node_of)
    with pytest.raises(UserError, match="ranks: 12, 1 a node, need 12 nodes; allowed: 11 nodes"):
        place(lost, 12)
    with pytest.raises(UserError, match=r"allocation: nodes are cut off by fail .*: 'node-05'; "):
        place(lost, 2, allocation=[3, 5])
    job = Job(Collective("barrier"), place(tree, 16))
    with pytest.raises(UserError, match=r"job 0: nodes are cut off by .*: 'node-04, node-05, "):
        simulate(lost, job)
    found = congestion(lost, "alltoall")
    assert (found.flows, found.unreachable) == (11 * 10, 16 * 15 - 11 * 10)


def test_files_for_launchers_leave_cut_off_nodes_out(tmp_path, run_odonata):
    net, toml = tmp_path / "net", tmp_path / "mine.toml"
    net.write_text(pair().text())
    assert run_odonata("machines", "import", net, "-o", toml)[0] == 0
    words = ["place", "write", "--machine", toml, "--ranks", "3", "--format", "slurm"]
    status, out, err = run_odonata(*words, "--fail", "node:n2")
    assert (status, out.split()) == (0, ["n1", "n3", "n4"]), err


def test_a_leaf_without_uplinks_is_cut_off(tree):
    lost = broken(tree, [f"link:router-2:router-{spine}" for spine in (4, 5, 6, 7)])
    assert lost.cut_nodes == (8, 9, 10, 11)
    assert lost.policy("minimal") == "dmodk"
    assert not lost.check("minimal").passed
    spine = broken(tree, ["switch:router-4"])
    assert spine.cut_nodes == ()
    assert spine.check("minimal").passed


def test_nodes_with_several_ports_are_cut_off_with_any_of_them(tmp_path, run_odonata):
    net, toml = tmp_path / "net", tmp_path / "mine.toml"
    cluster = pair()
    cluster.add("H", "second", "n1 HCA-2")
    cluster.join("second", "leaf-b")
    net.write_text(cluster.text())
    assert run_odonata("machines", "import", net, "-o", toml)[0] == 0
    whole = machine.load(toml)
    assert broken(whole, ["switch:leaf-b"]).cut_nodes == (0, 2, 3)
    with pytest.raises(UserError, match="host n1 has 2 adapters, and loses all or none; allowed"):
        broken(whole, ["link:n1:leaf-a"])
    assert broken(whole, ["link:n2:leaf-a"]).cut_nodes == (1,)
    assert broken(whole, ["node:n1"]).cut_nodes == (0,)


def test_tables_of_a_fabric_are_computed_again_with_a_note(tmp_path, run_odonata):
    # tables that go one way round lock up; up and down a tree no packets wait in a cycle
    net, toml = tmp_path / "net", tmp_path / "mine.toml"
    cluster = ring(5)
    (tmp_path / "lfts").write_text(cluster.lfts(one_way(cluster, 5)))
    net.write_text(cluster.text())
    words = [net, "--lfts", tmp_path / "lfts", "-o", toml]
    assert run_odonata("machines", "import", *words)[0] == 0
    assert not machine.load(toml).check("minimal").deadlock_free
    status, out, err = run_odonata("machines", "check", toml, "--fail", "link:s0:s4", "--json")
    found = json.loads(out)
    assert (status, found["policy"], found["channels_in_cycles"]) == (0, "updown", 0)
    assert (found["faults"], found["cut_nodes"]) == ("fail link:s0:s4", [])
    assert err == "odonata: mine: the tables are of the whole fabric; updown computes others\n"
    left = fabric_of(broken(machine.load(toml), ["link:s0:s4"]))
    assert len(left.cables) == 4
    assert left.hosts() == ["n0", "n1", "n2", "n3", "n4"]


def test_a_graph_of_a_machine_with_faults_has_them_in_its_cables(tmp_path, run_odonata):
    net, toml, new = tmp_path / "net", tmp_path / "mine.toml", tmp_path / "new.toml"
    net.write_text(pair().text())
    assert run_odonata("machines", "import", net, "-o", toml)[0] == 0
    with toml.open("a") as file:
        entry = '{{ value = ["{}"], source = "seen", status = "site" }}\n'
        file.write("\n[faults]\nfailed = " + entry.format("link:leaf-a:spine-1"))
        file.write("slowed = " + entry.format("link:n1:leaf-a=0.125"))
    words = ["machines", "edit", toml, "--add-link", "leaf-a:leaf-b", "-o", new]
    assert run_odonata(*words)[0] == 0
    edited = machine.load(new)
    assert edited.faults is None
    assert len(fabric_of(edited).cables) == 6 - 1 + 1
    slow, usual = (
        edited.value("links.injection-slow-12_5.bandwidth"),
        edited.value("links.injection.bandwidth"),
    )
    assert (slow, usual) == (12_500_000_000 // 8, 12_500_000_000)


def test_a_switch_between_two_directions_keeps_the_names_of_cycles(tmp_path, run_odonata):
    net, toml = tmp_path / "net", tmp_path / "mine.toml"
    net.write_text(ring(6).text())
    assert run_odonata("machines", "import", net, "-o", toml)[0] == 0
    words = ["machines", "check", toml, "--routing", "minhop", "--fail"]
    status, out, _ = run_odonata(*words, "0%")
    assert status == 1
    assert re.search(r"cycle of 6 channels: s0\[[23]\] vc 0 -> s[15]\[", out)
    assert run_odonata(*words, "link:s2:s3")[0] == 0  # a line has no cycle


@pytest.mark.parametrize(
    ("failed", "said"),
    [
        ("link:router-0:router-5x", "no such switch or host: 'router-5x'; did you mean 'router-5'"),
        ("link:router-0:router-1", "no cable joins router-0 and router-1; did you mean"),
        ("switch:routr-1", "no such switch: 'routr-1'; did you mean 'router-1'?"),
        ("switch:router-8", "no such switch: 'router-8'"),
        ("node:nod-3", "no such node: 'nod-3'; did you mean 'node-"),
        ("node:16", "no such node: '16'"),
        ("lnk:router-0:router-4", "not understood: 'lnk:router-0:router-4'; did you mean 'link'?"),
        ("link:router-0", "not a link: 'router-0'"),
        ("101%", "share out of range: '101%'; allowed: 0% to 100%"),
        ("%", "not understood: '%'"),
        ("", "not understood: ''"),
        ("link:", "not understood: 'link:'"),
        ("link:node-0:router-1", "host node-00 is not on this switch: 'router-1'; allowed: rou"),
    ],
)
def test_faults_that_are_not_understood(tree, failed, said):
    with pytest.raises(UserError) as raised:
        broken(tree, [failed])
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("slowed", "said"),
    [
        ("link:router-0:router-4", "no speed: 'link:router-0:router-4'"),
        ("100%=8x", "speed out of range: '8x'"),
        ("100%=0", "speed out of range: '0'"),
        ("100%=11GB/s", "speed out of range: '11GB/s'"),
        ("100%=fast", "faults: speed"),
        ("node:node-3=1x", "not understood: 'node:node-3'"),
    ],
)
def test_speeds_that_are_not_understood(tree, slowed, said):
    with pytest.raises(UserError) as raised:
        broken(tree, slowed=[slowed])
    assert said in str(raised.value)


def test_lists_of_faults_are_bounded(tree):
    with pytest.raises(UserError, match=r"faults\.failed: too long: 10001; allowed: at most 10000"):
        broken(tree, 10_001 * ["node:node-1"])


def test_nothing_may_be_left(tree):
    with pytest.raises(UserError, match="no node is left"):
        broken(tree, [f"switch:router-{leaf}" for leaf in range(4)])
    with pytest.raises(UserError, match="no node is left"):
        broken(tree, [f"node:{node}" for node in range(16)])


def test_a_run_with_faults_can_be_made_again(tree, tmp_path):
    lost = broken(tree, ["25%"], ["link:router-0:router-4=0.5"], seed=5)
    job = Job(Collective("alltoall", bytes=4096), place(lost, 8))
    made = run(lost, [job])
    again = Recipe.of_run(made)
    assert again.run().end == made.end
    assert again.load_machine().faults.lost == lost.faults.lost
    assert made.summary["changes"] == lost.changes_text


SMALL = {
    "dragonfly": {"groups": 5, "routers_per_group": 2, "global_links_per_router": 2},
    "dragonfly-plus": {"cells": 3, "leaves_per_cell": [2], "spines_per_cell": 2},
    "aries": {"groups": 2, "rows": 2, "columns": 3, "blue_links": 4},
    "hyperx": {"sizes": [3, 3]},
    "torus": {"sizes": [3, 4], "wrap": [1, 1]},
    "gemini": {"sizes": [3, 4, 3]},
    "fat-tree": {"down": [2, 3, 2], "up": [2, 2]},
    "star": {},
    "graph": {},
}

CLASSES = {"torus": "xy", "hyperx": "xy", "fat-tree": ["uplink1", "uplink2"]}


@pytest.mark.parametrize("family", SMALL)
@settings(max_examples=12)
@given(data=st.data())
def test_routes_lead_everywhere_that_links_do_and_no_packets_wait_in_a_cycle(
    family, data, tmp_path_factory
):
    whole = made(tmp_path_factory.mktemp("drawn"), family, SMALL[family], CLASSES.get(family, ()))
    share = data.draw(st.integers(0, 60))
    lost = broken(whole, [f"{share}%"], seed=data.draw(st.integers(0, 2**32)))
    joined = union(lost.num_routers, Cabling(lost).cables)
    engines = ["minimal", "updown", "minhop", "sssp", "valiant", "adaptive-shortest"]
    engine = data.draw(st.sampled_from(engines))
    routing = lost.routing(engine)
    counts = routing.count_routes()
    router = lost.port_router.tolist()
    apart = sum(
        joined[a] != joined[b] for i, a in enumerate(router) for j, b in enumerate(router) if i != j
    )
    if counts is not None:
        assert counts.unreachable_pairs == apart
    assert _core.count_all_flows(lost.core, routing).unreachable == apart
    report = _core.check_deadlock(lost.core, routing)
    assert report.deadlock_free or engine in ("minhop", "sssp", "adaptive-shortest")
    # most nodes are in one part, and the others are cut off
    parts = [joined[a] for a in router]
    most = max(parts.count(part) for part in parts)
    assert len(lost.cut_nodes) == lost.num_nodes - most


def union(routers, cables):
    """Return a name of the part of each router, by a way of its own."""
    parts = [{router} for router in range(routers)]
    for cable in cables:
        if parts[cable.a] is not parts[cable.b]:
            both = parts[cable.a] | parts[cable.b]
            for router in both:
                parts[router] = both
    return [min(part) for part in parts]


def test_switches_of_several_trees_have_hosts_beside_them(tmp_path):
    # routers 0 to 5 stand for the nodes with a link into each of two trees
    whole = made(tmp_path, "fat-tree", {"down": [2, 3], "up": [1], "rails": 2}, ["rail", "uplink1"])
    names = Cabling(whole)
    assert names.routers[:7] == [*names.hosts, "router-00"]
    assert len(names.between_switches) == 6  # 3 leaves of 1 spine, twice
    lost = broken(whole, ["link:node-2:router-2"])
    assert (len(lost.faults.lost), lost.cut_nodes) == (1, ())
    assert broken(whole, ["link:node-2:router-2", "link:node-2:router-3"]).cut_nodes == (2,)
