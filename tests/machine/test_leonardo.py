"""Leonardo: every node on its leaf, the hosts, and routes by hand."""

from __future__ import annotations

import csv
import gzip
import json
import os
from collections import Counter
from pathlib import Path

import pytest

from odonata import _core, machine
from odonata.errors import UserError
from odonata.machine import Names, template
from odonata.placement import nodes_named

LEONARDO = machine.load("leonardo")
SHARED = Path(__file__).parents[3] / "shared" / "data"
DATA = Path(os.environ.get("ODONATA_DATA", SHARED)) / "measured-collectives"


def leaves_of_cells():
    """Return (cell, index) of the leaf of each node."""
    core = LEONARDO.core
    places = [core.position(int(router)) for router in core.node_router]
    assert {level for _, level, _ in places} == {1}
    return [(cell, index) for cell, _, index in places]


def test_cells_leaves_and_nodes():
    leaves = leaves_of_cells()
    assert LEONARDO.num_nodes == len(leaves) == 4992
    assert LEONARDO.num_routers == 20 * (18 + 18) + 2 * (16 + 18)
    per_cell = Counter(cell for cell, _ in leaves)
    assert [per_cell[cell] for cell in range(22)] == [180] * 19 + [324, 624, 624]
    booster = Counter(leaf for leaf in leaves if leaf[0] < 19)
    assert set(booster.values()) == {10}
    assert leaves[0] == leaves[7] == leaves[12] == (0, 0)  # lrdn0001, 0008 and 0013
    assert leaves[8] == (0, 2)  # lrdn0009


@pytest.mark.skipif(not DATA.exists(), reason="the measured collectives are not here")
def test_the_shipped_map_is_the_map_of_the_data():
    with gzip.open(DATA / "leonardo-map.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file))
    switches = sorted({(int(row["cell"]), int(row["leaf_switch"])) for row in rows})
    cells = Counter(cell for cell, _ in switches)
    before = {cell: sum(cells[c] for c in cells if c < cell) for cell in cells}
    index = {switch: at - before[switch[0]] for at, switch in enumerate(switches)}
    leaves = leaves_of_cells()
    for row in rows:
        cell, switch = int(row["cell"]), int(row["leaf_switch"])
        assert leaves[int(row["node"]) - 1] == (cell - 1, index[cell, switch])


def test_every_spine_has_one_link_to_every_other_cell():
    core = LEONARDO.core
    cells = Counter()
    for a, b, kind in core.links:
        if kind == 3:
            (here, _, one), (there, _, other) = core.position(int(a)), core.position(int(b))
            assert one == other
            cells[int(a), there] += 1
            assert here != there
    assert set(cells.values()) == {1}
    assert len(cells) == 22 * 18 * 21


def test_hosts():
    names = Names(LEONARDO)
    assert names.kinds == ("host",)
    assert names.of(0) == {"host": "lrdn0001"}
    assert names.host_form == ("lrdn", 4)
    assert (names.nid(4991), names.node("lrdn4992")) == (4992, 4991)
    assert nodes_named(LEONARDO, ["lrdn[0003-0004]", "7"]) == [2, 3, 7]
    with pytest.raises(UserError, match="'lrdn4993'; allowed: lrdn0001 to lrdn4992"):
        names.node("lrdn4993")
    with pytest.raises(UserError, match=r"not a name of a node: 'nid00001'.*lrdn0001"):
        names.node("nid00001")


def test_hosts_with_several_numbers():
    shape = {"shape.nodes": 6, "names.scheme": "hosts", "names.hosts": "as[01-02]r[1-3]"}
    names = Names(machine.load("jupiter-fdr", shape))
    assert [names.host(node) for node in (0, 3, 5)] == ["as01r1", "as02r1", "as02r3"]
    assert names.node("as02r2") == names.nid(4) == 4
    assert names.host_form == ("nid", 5)
    with pytest.raises(UserError, match="not a name of a node: 'as03r1'"):
        names.node("as03r1")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"names.hosts": "n[1-31]"}, "names.hosts: not one host for each node.*32 different"),
        ({"names.hosts": "n[1-999999999]"}, "names.hosts: too many"),
        ({"names.hosts": "n[1-31],n1"}, "names.hosts: not one host for each node"),
        ({"names.hosts": "n[1-"}, "names.hosts"),
        ({}, "names.hosts: missing"),
    ],
)
def test_hosts_that_are_refused(changes, message):
    with pytest.raises(UserError, match=message):
        Names(machine.load("jupiter-fdr", {"names.scheme": "hosts"} | changes))


def test_no_policy_can_deadlock():
    for policy in machine.routings("dragonfly-plus"):
        routing = _core.make_routing(LEONARDO.core, policy, 0, 0)
        assert _core.check_deadlock(LEONARDO.core, routing).deadlock_free


@pytest.mark.parametrize("written", ["lrdn[0041,0084]", "lrdn0041,lrdn0084", "@nodes"])
def test_ranks_on_named_hosts_are_simulated(run_odonata, tmp_path, monkeypatch, written):
    monkeypatch.chdir(tmp_path)
    tmp_path.joinpath("nodes").write_text("lrdn0041\nlrdn0084\n")
    status, out, err = run_odonata(
        "simulate", "pingpong", "--machine", "leonardo", "--allocation", written, "--json"
    )
    assert (status, err) == (0, "")
    assert json.loads(out)["mean_node_distance"] == 43  # written as "@nodes" or as names


def test_a_recipe_finds_the_map_wherever_odonata_is(monkeypatch, tmp_path):
    document = LEONARDO.document()
    assert document["shape.node_map"]["value"] == "leonardo.nodes"
    monkeypatch.chdir(tmp_path)
    again = machine.from_document(document)
    assert again.node_router.tolist() == LEONARDO.node_router.tolist()


def test_a_map_beside_the_file_comes_first(tmp_path):
    copied = template.copied("leonardo", "mine")
    tmp_path.joinpath("mine.toml").write_text(copied)
    assert machine.load(tmp_path / "mine.toml").num_nodes == 4992
    tmp_path.joinpath("leonardo.nodes").write_text("cell 1 leaf a nodes 1\n")
    with pytest.raises(UserError, match="of another shape"):
        machine.load(tmp_path / "mine.toml")
