"""Slurm's topology.conf of a machine."""

from __future__ import annotations

import pytest

from odonata import machine
from odonata.errors import UserError
from odonata.machine import Names
from odonata.placement.topology import (
    Switch,
    nodes_below,
    read_switches,
    switches_in,
    switches_of,
    text_of,
    write_switches,
)

DARTER = machine.load("darter")


def test_the_switches_of_darter_are_blades_chassis_and_groups(tmp_path):
    tree = switches_of(DARTER, Names(DARTER).host)
    assert len(tree) == 187 + 12 + 2 + 1  # blades with compute nodes, chassis, groups, the machine
    lines = text_of(tree).splitlines()
    assert lines[0] == "SwitchName=router3 Nodes=nid[00012-00015]"
    assert lines[187] == "SwitchName=chassis0 Switches=router[3-15]"
    assert lines[-3:] == [
        "SwitchName=group0 Switches=chassis[0-5]",
        "SwitchName=group1 Switches=chassis[6-11]",
        "SwitchName=darter Switches=group[0-1]",
    ]
    write_switches(tmp_path / "topology.conf", tree)
    assert read_switches(tmp_path / "topology.conf") == tree


@pytest.mark.parametrize("name", machine.names())
def test_every_machine_is_a_tree_with_each_node_once(name):
    loaded = machine.load(name)
    tree = switches_of(loaded)
    assert switches_in(text_of(tree)) == tree  # a node or switch below two others is refused
    hosts = [host for switch in tree for host in switch.nodes]
    assert sorted(hosts) == sorted(f"node{node}" for node in range(loaded.num_nodes))
    levels = {switch.name.rstrip("0123456789") for switch in tree if switch.nodes == ()}
    for level in levels - {loaded.name.rstrip("0123456789")}:
        mine = [switch for switch in tree if switch.name.rstrip("0123456789") == level]
        assert max(len(switch.switches) for switch in mine) > 1, level
    below = {name for switch in tree for name in switch.switches}
    assert {switch.name for switch in tree} - below == {loaded.name}


def test_switches_of_a_fabric_keep_their_names(tmp_path, run_odonata):
    """The machine is called as one of its switches, so the switch of all has another name."""
    (tmp_path / "net.csv").write_text(
        "a,b,count\nleaf-1,n1,1\nleaf-1,n2,1\nleaf-2,n3,1\nleaf-2,n4,1\n"
        "leaf-1,top,2\nleaf-2,top,2\n"
    )
    path = tmp_path / "leaf-2.toml"
    assert run_odonata("machines", "import", tmp_path / "net.csv", "-o", path, "--quiet")[0] == 0
    for changes in ({}, {"faults.failed": ["link:leaf-1:top"]}):
        loaded = machine.load(path, changes)
        assert text_of(switches_of(loaded, Names(loaded).host)).splitlines() == [
            "SwitchName=leaf-1 Nodes=n[1-2]",
            "SwitchName=leaf-2 Nodes=n[3-4]",
            "SwitchName=leaf-2-all Switches=leaf-[1-2]",
        ]


def test_routers_of_one_node_are_no_switches():
    one = {"shape.nodes_per_router": 1, "shape.routers_per_group": 4, "shape.groups": 3}
    shape = {**one, "shape.global_links_per_router": 2}
    tree = switches_of(machine.load("dragonfly-5256", shape))
    assert text_of(tree).splitlines() == [
        "SwitchName=group0 Nodes=node[0-3]",
        "SwitchName=group1 Nodes=node[4-7]",
        "SwitchName=group2 Nodes=node[8-11]",
        "SwitchName=dragonfly-5256 Switches=group[0-2]",
    ]


def test_what_slurm_allows_is_read():
    text = (
        "# a comment\nswitchname=s0 nodes=n[0-1] linkspeed=100\n\nSWITCHNAME=s1 Switches=s0 # top"
    )
    assert switches_in(text) == [Switch("s0", ("n0", "n1")), Switch("s1", switches=("s0",))]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no switches"),
        ("SwitchName=s0", "f:1: topology: incomplete line"),
        ("Nodes=n0", "f:1: topology: incomplete line"),
        ("SwitchName=s0 Nodes=n0 Switches=s1", "incomplete line"),
        ("SwitchName=s0 Node=n0", "not understood: 'Node=n0'"),
        ("SwitchName=s0 Nodes=n0 Nodes=n1", "not understood"),
        ("SwitchName=s0 Nodes=$(id)", "not a host name"),
        ("SwitchName=s;0 Nodes=n0", "not a host name"),
        ("SwitchName=s0 Nodes=n0\nSwitchName=s0 Nodes=n1", "f:2: topology: switch listed twice"),
        ("SwitchName=s0 Nodes=n0\nSwitchName=s1 Nodes=n0", "f:2: .*node below two switches"),
        ("SwitchName=s0 Nodes=n0,n0", "node below two switches, s0 and s0"),
        ("SwitchName=s0 Switches=s1", "no such switch: 's1'"),
        ("SwitchName=s0 Switches=s1\nSwitchName=s1 Switches=s0", "below itself"),
        ("SwitchName=s0 Switches=s0", "below itself"),
    ],
)
def test_what_is_no_tree_is_refused(text, said):
    with pytest.raises(UserError, match=said):
        switches_in(text, where="f")


def test_names_are_counted_over_all_lines(monkeypatch):
    monkeypatch.setattr("odonata.placement.topology.MOST_HOSTS", 4)
    lines = ["SwitchName=s0 Nodes=n[0-2]", "SwitchName=s1 Nodes=n3", "SwitchName=s2 Nodes=n4"]
    assert len(switches_in("\n".join(lines[:2]))) == 2
    with pytest.raises(UserError, match="too many nodes and switches: 's2'"):
        switches_in("\n".join(lines))


def check(tmp_path, run_odonata, switches):
    """Return the status and the output of a comparison of switches with Darter."""
    path = tmp_path / "site.conf"
    write_switches(path, switches)
    words = ["place", "topology", "--machine", "darter", "--check", path]
    status, said, _ = run_odonata(*words)
    return status, said


def renamed(switches, *, backwards=False):
    """Return a tree with other names of switches, in another order of lines and children."""
    new = {switch.name: f"site-{at * 7919 % 104729}" for at, switch in enumerate(switches)}
    step = -1 if backwards else 1
    return [
        Switch(new[s.name], s.nodes[::step], tuple(new[below] for below in s.switches[::step]))
        for s in switches[::step]
    ]


@pytest.mark.parametrize("backwards", [False, True])
def test_a_tree_is_the_same_whatever_its_switches_are_called(tmp_path, run_odonata, backwards):
    tree = switches_of(DARTER, Names(DARTER).host)
    status, said = check(tmp_path, run_odonata, renamed(tree, backwards=backwards))
    assert (status, said) == (0, "202 of 202 switches of darter are the same\n")


def test_a_tree_in_which_two_nodes_are_swapped_is_another(tmp_path, run_odonata):
    first, second, *rest = renamed(switches_of(DARTER, Names(DARTER).host))
    swapped = [
        Switch(first.name, (second.nodes[0], *first.nodes[1:])),
        Switch(second.name, (first.nodes[0], *second.nodes[1:])),
    ]
    status, said = check(tmp_path, run_odonata, [*swapped, *rest])
    lines = said.splitlines()
    assert status == 1
    assert lines[0] == "200 of 202 switches of darter are the same"
    assert lines[1] == "missing or different: router3, router4"
    assert lines[2] == f"not the machine's: {first.name}, {second.name}"


def test_nodes_below_a_switch_are_those_of_all_switches_below():
    tree = switches_in("SwitchName=top Switches=a,b\nSwitchName=a Nodes=n0\nSwitchName=b Nodes=n1")
    assert nodes_below(tree) == {"top": {"n0", "n1"}, "a": {"n0"}, "b": {"n1"}}
