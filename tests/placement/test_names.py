"""Names of nodes: NID, cname and xname, and the average distance of an allocation."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odonata import machine
from odonata.errors import UserError
from odonata.machine import Names
from odonata.machine.cray import Cname, ExLayout, XcLayout, Xname
from odonata.machine.machine import has_names
from odonata.machine.node_names import nids
from odonata.placement import (
    Placement,
    hosts_of,
    mean_node_distance,
    nodes_named,
    place,
    read_nodes,
)

DARTER = machine.load("darter")
EDISON = machine.load("edison")
UNNAMED = machine.load("dragonfly-5256")
EX = machine.load("dragonfly-5256", {"names.scheme": "cray-ex"})
LUMI = machine.load("lumi-g")
FRONTIER = machine.load("frontier")
SERVICE = [("c0-0", 0, 0), ("c0-0", 0, 1), ("c0-0", 0, 2), ("c2-0", 0, 0), ("c2-0", 0, 1)]
"""Cabinet, chassis and slot of Darter's service blades; which ones they are is an assumption."""


def darter_by_walking():
    """Return (NID, cname, compute node or None) of Darter's 758 nodes.

    The paper prints the rule and no list, so this walks through the machine as section IV A tells
    it, and counts: nodes of a blade, blades of a chassis, chassis of a cabinet, cabinets of a row.
    A service blade has nodes 1 and 2 alone; the NIDs of nodes 0 and 3 are not used.
    """
    found, nid, node = [], 0, 0
    for cabinet in ("c0-0", "c1-0", "c2-0", "c3-0"):
        for chassis in range(3):
            for slot in range(16):
                service = (cabinet, chassis, slot) in SERVICE
                for x in range(4):
                    if not service:
                        found.append((nid, f"{cabinet}c{chassis}s{slot}n{x}", node))
                        node += 1
                    elif x in (1, 2):
                        found.append((nid, f"{cabinet}c{chassis}s{slot}n{x}", None))
                    nid += 1
    return found


WALKED = darter_by_walking()


def test_darter_has_758_nodes_of_which_748_compute():
    assert len(WALKED) == 758
    assert sum(node is not None for _, _, node in WALKED) == DARTER.num_nodes == 748


def test_the_formula_gives_the_names_of_all_nodes_of_darter_both_ways():
    layout = XcLayout(cabinets=4)
    for nid, cname, _ in WALKED:
        assert layout.nid(cname) == nid
        assert layout.name(nid) == cname
        assert str(Cname.parse(cname)) == cname


def test_the_nodes_of_darter_have_the_names_of_their_places():
    names = Names(DARTER)
    for nid, cname, node in WALKED:
        if node is not None:
            assert names.of(node) == {"nid": f"nid{nid:05d}", "cname": cname}
            assert names.node(cname) == names.node(f"nid{nid:05d}") == node
            at = Cname.parse(cname)
            group, chassis = divmod(at.cabinet * 3 + at.chassis, 6)
            assert DARTER.place(node).coordinates == {
                "group": group,
                "row": chassis,
                "column": at.slot,
            }
            assert DARTER.place(node).position == at.node
        else:
            with pytest.raises(UserError, match="no compute node of darter"):
                names.node(cname)


def test_the_place_of_edison_without_cabinets_is_left_out():
    """Its wiring has c0-0 to c7-3 but for c0-3 and c1-3; the group after them is the 13th there."""
    names = Names(EDISON)
    assert names.of(12 * 384) == {"nid": "nid04992", "cname": "c2-3c0s0n0"}  # 13 groups x 384
    assert names.of(11 * 384 + 383)["cname"] == "c7-2c2s15n3"
    assert names.of(EDISON.num_nodes - 1)["cname"] == "c7-3c2s15n3"
    with pytest.raises(UserError, match="no compute node of edison"):
        names.node("c0-3c0s0n0")
    assert all(names.node(names.of(node)["cname"]) == node for node in range(EDISON.num_nodes))


def test_xnames_count_board_by_board():
    names = Names(EX)
    assert [names.of(node)["xname"] for node in (0, 1, 2, 4, 32, 256)] == [
        "x1000c0s0b0n0",
        "x1000c0s0b0n1",
        "x1000c0s0b1n0",
        "x1000c0s1b0n0",
        "x1000c1s0b0n0",
        "x1001c0s0b0n0",
    ]
    assert names.of(5) == {"nid": "nid001005", "xname": "x1000c0s1b0n1"}
    assert names.node("x1001c7s7b1n1") == 511 == names.node("nid001511")
    cases = {"names.first_nid": 1, "names.first_cabinet": 3000, "names.nodes_per_board": 1}
    other = Names(EX.with_values(cases))
    assert other.of(2) == {"nid": "nid000003", "xname": "x3000c0s1b0n0"}


def xnames_by_walking(cabinets, empty):
    """Return (xname, group, router) of the nodes: a cabinet of 8 chassis, 8 blades in each.

    A blade has two boards of a node. The 128 places of a cabinet are a group of 32 switches.
    """
    return [
        (f"x{cabinet}c{chassis}s{slot}b{board}n0", group, 32 * group + 4 * chassis + slot // 2)
        for group, cabinet in enumerate(cabinets)
        for chassis, slot, board in product(range(8), range(8), range(2))
        if not empty(group, chassis, slot)
    ]


def empty_on_lumi(group, chassis, slot):
    """Two blades of each cabinet are not there, and one of the last."""
    return slot == 7 and (chassis == 5 or (chassis == 7 and group < 23))


LUMI_CABINETS = [1100 + 100 * row + at for row in range(4) for at in range(6)]


@pytest.mark.parametrize(
    ("ex", "host", "cabinets", "empty"),
    [
        (LUMI, lambda node: f"nid{5000 + node:06d}", LUMI_CABINETS, empty_on_lumi),
        (FRONTIER, lambda node: f"frontier{1 + node:05d}", range(1000, 1077), lambda *_: False),
    ],
)
def test_a_cabinet_of_a_cray_ex_is_a_group(ex, host, cabinets, empty):
    names = Names(ex)
    walked = xnames_by_walking(cabinets, empty)
    assert len(walked) == ex.num_nodes
    for node, (xname, group, router) in enumerate(walked):
        nid = host(node)
        assert names.of(node) == {"nid": nid, "xname": xname}
        assert names.node(nid) == names.node(xname) == node
        place = ex.place(node)
        assert (place.coordinates["group"], place.router) == (group, router)


def test_lists_of_xnames_are_read_and_have_a_distance():
    """Boards of the even slots of a chassis: of 16 places 0, 1, 4, 5, 8, 9, 12, 13."""
    assert nodes_named(LUMI, ["x1200c[0-4]s[0-7]b[0-1]n0"]) == list(range(744, 824))
    assert nodes_named(FRONTIER, ["x1000c[0-7]s[0-7]b[0-1]n0"]) == list(range(128))
    even = nodes_named(FRONTIER, ["x1002c1s[0,2,4,6]b[0-1]n0"])
    assert [node - 2 * 128 - 16 for node in even] == [0, 1, 4, 5, 8, 9, 12, 13]
    assert mean_node_distance(FRONTIER, even) == pytest.approx(13 / 7)
    blades = EX.with_values({"names.nodes_per_board": 2})  # as of CPU nodes: 256 a cabinet
    assert nodes_named(blades, ["x1000c[0-7]s[0-7]b[0-1]n[0-1]"]) == list(range(256))


def test_a_site_has_its_own_word_for_hosts():
    assert nodes_named(FRONTIER, ["frontier[00001-00003,09856]"]) == [0, 1, 2, 9855]
    said = "such as frontier00001 or x1000c0s0b0n0"
    with pytest.raises(UserError, match=f"not a name of a node: 'nid00001'.*{said}"):
        nodes_named(FRONTIER, ["nid00001"])
    with pytest.raises(UserError, match=r": frontier00001 to frontier09856$"):
        nodes_named(FRONTIER, ["frontier09857"])
    with pytest.raises(UserError, match=r"names.host_prefix: not a word: 'a;b'; allowed: 1 to 32"):
        machine.load("frontier", {"names.host_prefix": "a;b"})


@given(nid=st.integers(0, 10**7), cabinets=st.integers(1, 40))
def test_cnames_and_nids_are_each_others_inverse(nid, cabinets):
    layout = XcLayout(cabinets=cabinets)
    assert layout.nid(layout.name(nid)) == nid


@given(
    place=st.integers(0, 10**6),
    first=st.integers(0, 9999),
    boards=st.integers(1, 4),
    uncounted=st.sets(st.integers(0, 200), max_size=20).map(sorted),
)
def test_xnames_and_nids_are_each_others_inverse(place, first, boards, uncounted):
    cabinets = range(first, first + 10**5)
    layout = ExLayout(cabinets, first_nid=7, boards=boards, uncounted=uncounted)
    assert layout.nid(layout.name(place + 7)) == place + 7
    names = [layout.name(nid) for nid in range(7, 7 + 200)]
    empty = [ExLayout(cabinets, 0, boards=boards).name(at) for at in uncounted]
    assert len(set(names)) == 200
    assert not set(names) & set(empty)
    assert str(Xname.parse(layout.name(place + 7))) == layout.name(place + 7)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nid", "not a name of a node"),
        ("c3-0c1s7", "not a name of a node"),
        ("c03-0c1s7n2", "not a name of a node"),
        ("x1000c0s0b0n0", "not a name of a node.*nid00012 or c0-0c0s3n0"),
        ("c3-0c1s16n2", "no such slot.*s0 to s15"),
        ("c3-0c3s1n2", "no such chassis.*c0 to c2"),
        ("c4-0c1s1n2", "no such cabinet.*c0 to c3"),
        ("c3-0c1s1n4", "no such node.*n0 to n3"),
        ("c3-1c1s1n0", "no compute node of darter"),
        ("nid00000", "no compute node of darter"),
        ("nid00768", "no compute node of darter"),
        ("748", "no such node.*0 to 747"),
        ("8-748", "not a range"),
        ("9-8", "not a range"),
        ("nid[00012-00011]", "not a range"),
        ("nid0$(id)", "not a host name"),
    ],
)
def test_names_that_are_none_are_refused(name, said):
    with pytest.raises(UserError, match=said):
        nodes_named(DARTER, [name])


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("x1000c0s0b0n0", r"no such cabinet.*x1100 to x1405"),
        ("x1106c0s0b0n0", r"no such cabinet.*x1100 to x1405"),
        ("x1100c5s7b0n0", r"an empty place.*places with a node"),
        ("nid007978", r"no compute node of lumi-g.*: nid005000 to nid007977$"),
        ("nid000012", r"no compute node of lumi-g.*: nid005000 to nid007977$"),
        ("x1100c8s0b0n0", r"no such chassis.*: c0 to c7$"),
        ("x1100c0s8b0n0", r"no such slot.*: s0 to s7$"),
        ("x1100c0s0b2n0", r"no such board.*: b0 to b1$"),
        ("x1100c[0-7]s[0-7]b[0-1]n[0-1]", r"no such node: 'x1100c0s0b0n1'; allowed: n0 alone$"),
        ("x1100c0s0b0", r"not a name of a node.*such as nid005000 or x1100c0s0b0n0$"),
        ("X1000c0s0b0n0", r"not a name of a node"),
        ("c0-0c0s3n0", r"not a name of a node.*such as nid005000 or x1100c0s0b0n0$"),
    ],
)
def test_xnames_that_are_none_are_refused(name, said):
    with pytest.raises(UserError, match=said):
        nodes_named(LUMI, [name])


def test_a_node_that_is_listed_twice_is_refused_under_any_name():
    with pytest.raises(UserError, match=r"node 0 is listed twice \(as nid00012\): 'c0-0c0s3n0'"):
        nodes_named(DARTER, ["nid00012", "c0-0c0s3n0"])
    assert nodes_named(DARTER, ["nid00012", "c0-0c0s3n0", "0"], twice=True) == [0, 0, 0]


def test_a_machine_without_names_has_numbers_alone():
    assert not has_names(UNNAMED)
    assert nodes_named(UNNAMED, ["3", "5-6"]) == [3, 5, 6]
    with pytest.raises(UserError, match=r"dragonfly-5256 has no names of nodes.*names.scheme"):
        nodes_named(UNNAMED, ["nid00012"])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"names.cabinets_per_row": 3}, "no whole groups: 3; allowed: multiples of 2"),
        ({"names.chassis_per_cabinet": 4}, "no whole groups"),
        ({"names.scheme": "cray"}, "names.scheme: unknown: 'cray'"),
    ],
)
def test_names_that_do_not_fit_the_machine_are_refused(changes, said):
    with pytest.raises(UserError, match=said):
        Names(machine.load("darter", changes))


def test_a_changed_shape_has_the_names_of_the_rule():
    """Five chassis a group: chassis 4 of group 0 is the second of the second cabinet."""
    names = Names(machine.load("edison", {"shape.rows": 5}))
    assert names.of(4 * 64) == {"nid": "nid00256", "cname": "c1-0c1s0n0"}


def test_cnames_are_for_aries_machines():
    with pytest.raises(UserError, match=r"names.scheme: not of this family.*aries"):
        Names(machine.load("dragonfly-5256", {"names.scheme": "cray-xc"}))


def test_nodes_are_read_from_a_file_with_the_line_of_a_mistake(tmp_path):
    file = tmp_path / "nodes.txt"
    file.write_text("# the job\nnid[00012,00013] 4, 5\n\n700 # far\n")
    assert read_nodes(DARTER, file) == [0, 1, 4, 5, 700]
    file.write_text("0\n1\n0\n")
    with pytest.raises(UserError, match=r"nodes.txt:3: nodes: node 0 is listed twice"):
        read_nodes(DARTER, file)
    file.write_text("# none\n")
    with pytest.raises(UserError, match="none listed"):
        read_nodes(DARTER, file)
    file.write_bytes(b"\xff\n")
    with pytest.raises(UserError, match="not UTF-8"):
        read_nodes(DARTER, file)


def test_the_average_distance_counts_nids():
    """Nodes 371 and 372 of Darter are 9 NIDs apart: two service blades are between them."""
    assert Names(DARTER).nid(371) == 383  # the last node of group 0: 3 service blades before it
    assert Names(DARTER).nid(372) == 392  # behind the two service blades of group 1
    assert mean_node_distance(DARTER, [372, 371]) == 9
    assert mean_node_distance(DARTER, [0, 1, 2]) == 1
    assert mean_node_distance(DARTER, [5, 5]) == 0
    assert Placement(DARTER, [371, 372, 371]).mean_node_distance() == 9
    assert mean_node_distance(UNNAMED, [371, 372, 374]) == 1.5


@given(st.sets(st.integers(0, 747), min_size=2, max_size=40))
def test_the_average_distance_is_the_sum_of_the_paper(nodes):
    names = Names(DARTER)
    nids = sorted(names.nid(node) for node in nodes)
    steps = [after - before for before, after in pairwise(nids)]
    assert mean_node_distance(DARTER, nodes) == pytest.approx(sum(steps) / len(steps))


def test_hosts_are_names_of_the_machine_or_given_ones():
    where = place(DARTER, 4, ranks_per_node=2, allocation=[9, 3])
    assert hosts_of(where) == ["nid00021", "nid00021", "nid00015", "nid00015"]
    assert hosts_of(where, ["a", "b", "c"]) == ["b", "b", "a", "a"]
    with pytest.raises(UserError, match="too few: 1; allowed: 2 or more"):
        hosts_of(where, ["a"])
    with pytest.raises(UserError, match="listed twice"):
        hosts_of(where, ["a", "a"])
    with pytest.raises(UserError, match="not a host name"):
        hosts_of(where, ["a", "b;rm"])


def test_a_machine_numbers_its_nodes_once(monkeypatch):
    """Distances of many jobs do not make the names of the machine again."""
    darter = machine.load("darter")
    first = mean_node_distance(darter, [371, 372])
    monkeypatch.setattr("odonata.machine.node_names.Names", None)
    assert mean_node_distance(darter, [371, 372]) == first == 9
    assert nids(UNNAMED) is None
