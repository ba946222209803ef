"""Dragonfly+: cells, links and loads by hand, channels, detours, and maps of nodes."""

from __future__ import annotations

import json
import math
from itertools import product

import numpy as np
import pytest

from odonata import _core, machine
from odonata.errors import UserError
from odonata.machine.files import describe, parse
from odonata.machine.node_map import read_node_map
from odonata.machine.template import template

POLICIES = machine.routings("dragonfly-plus")


def made(**shape):
    """Return cells of two leaves and two spines; each spine is joined to one of each other cell."""
    cells = shape.get("cells", 3)
    usual = {"cells": cells, "leaves_per_cell": [2], "spines_per_cell": 2}
    usual |= {"global_links_per_spine": cells - 1, "arrangement": "absolute"}
    usual |= {} if "leaf_of_node" in shape else {"nodes_per_leaf": 2}
    basics = _core.Basics("test", 1, 1000, 1000, 10**9)
    link = _core.LinkClass("?", 10**9, 1000, 4096, 1000)
    return _core.make_machine("dragonfly-plus", basics, usual | shape, [link] * 4)


def ends(built, kind):
    return [(int(a), int(b)) for a, b, c in built.links if c == kind]


def test_leaves_come_before_spines_in_each_cell():
    built = made()
    assert list(built.node_router) == [0, 0, 1, 1, 4, 4, 5, 5, 8, 8, 9, 9]
    inside = [(0, 2), (0, 3), (1, 2), (1, 3), (2, 0), (2, 1), (3, 0), (3, 1)]
    cells = [(4 * cell + a, 4 * cell + b) for cell in range(3) for a, b in inside]
    assert ends(built, 2) == cells
    # spine 2 of cell 0 has one link to each other cell, to the spine of its own number
    assert ends(built, 3) == [
        (2, 6), (2, 10), (3, 7), (3, 11),
        (6, 2), (6, 10), (7, 3), (7, 11),
        (10, 2), (10, 6), (11, 3), (11, 7),
    ]  # fmt: skip


def test_uneven_cells_parallel_cables_and_nodes_anywhere():
    built = made(leaves_per_cell=[1, 3, 2], links_per_pair=2, leaf_of_node=[5, 0, 0])
    assert list(built.node_router) == [9, 0, 0]  # cells begin with routers 0, 3 and 8
    assert [built.position(r) for r in (0, 2, 3, 7, 9)] == [
        [0, 1, 0], [0, 2, 1], [1, 1, 0], [1, 2, 1], [2, 1, 1],
    ]  # fmt: skip
    assert built.axes == ["cell", "level", "index"]
    assert [(level.name, level.count) for level in built.levels] == [("cell", 3)]
    assert [built.group_of(r) for r in range(12)] == [0] * 3 + [1] * 5 + [2] * 4
    assert ends(built, 2).count((0, 1)) == ends(built, 2).count((1, 0)) == 2


def test_distances():
    built = made()
    minimal = _core.make_routing(built, "minimal", 0, 0)
    found = _core.find_properties(built, minimal)
    assert found.diameter == 3
    # of 132 pairs of nodes 12 share a leaf, 24 a cell
    assert math.isclose(found.mean_distance * 144, 24 * 2 + 96 * 3)
    assert (found.bisection.parts, found.bisection.links) == ("cells", 4)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    "shape",
    [
        {"cells": 1, "global_links_per_spine": 0},
        {"cells": 2},
        {"cells": 3},
        {"cells": 5, "leaves_per_cell": [1, 2, 3, 2, 1], "links_per_pair": 2},
        {"cells": 5, "spines_per_cell": 4, "global_links_per_spine": 1},  # turns at leaves
    ],
)
def test_no_policy_can_deadlock(shape, policy):
    built = made(**shape)
    routing = _core.make_routing(built, policy, 0, 0)
    assert _core.check_deadlock(built, routing).deadlock_free
    channels = 2 if policy != "minimal" and shape["cells"] > 2 else 1
    assert [routing.num_vcs(2), routing.num_vcs(3)] == [channels] * 2


@pytest.mark.parametrize(
    ("policy", "pattern", "bound"),
    [
        # 4 nodes of a cell send to the next one over 2 links.
        ("minimal", "adversarial", 1 / 2),
        # All go back by the third cell: its 2 links to the last one carry its own 4 nodes' first
        # halves and 4 others' second halves.
        ("valiant", "adversarial", 1 / 4),
        # A global link carries 4 * 4 / 11 / 2; the link of a node is full first.
        ("minimal", "uniform", 1.0),
    ],
)
def test_fluid_bounds_by_hand(policy, pattern, bound):
    found = _core.fluid_bound(made(), policy, pattern, 1)
    assert math.isclose(found.load, bound)


@pytest.mark.parametrize("policy", ["minimal", "valiant"])
@pytest.mark.parametrize(("spines", "links"), [(3, 1), (1, 4)])
def test_fluid_loads_are_the_shares_of_drawn_routes(policy, spines, links):
    """All pairs of 20 nodes draw 60 packets; with one link a spine, detours turn at leaves."""
    built = made(cells=4, leaves_per_cell=[3, 1, 2, 4], links_per_pair=2, spines_per_cell=spines,
                 global_links_per_spine=links)  # fmt: skip
    expected = np.array(_core.fluid_bound(built, policy, "uniform", 1).link_load)
    routing = _core.make_routing(built, policy, 5, 0)
    routers = [int(router) for router in built.node_router]
    pairs = [(a, b) for a, b in product(range(len(routers)), repeat=2) if a != b for _ in range(60)]
    uses = np.zeros(built.num_links)
    for packet, (a, b) in enumerate(pairs):
        for link, _ in routing.route(built, routers[a], routers[b], packet):
            uses[link] += 1 / 60 / (len(routers) - 1)
    inner = slice(2 * len(routers), None)
    assert uses[inner] == pytest.approx(expected[inner], rel=0.1, abs=0.05)
    assert uses[inner].sum() == pytest.approx(expected[inner].sum(), rel=0.01)


def load(changes):
    new = parse(template("dragonfly-plus"), "new")
    return machine.Machine(describe(new, None, changes), changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"shape.cells": 18}, "can join: 18; allowed: 1 to 17"),
        ({"shape.leaves_per_cell": [1, 2]}, "number of values: 2; allowed: 1, or 5"),
        ({"shape.leaves_per_cell": [0]}, r"leaves_per_cell: out of range: 0|\[0\]"),
        ({"shape.links_per_cell_pair": 5}, "links_per_cell_pair: out of range: 5; allowed: 1 to 4"),
        ({"shape.leaf_of_node": [0]}, "nodes_per_leaf: beside shape.leaf_of_node"),
        ({"shape.cells": 2048, "shape.global_links_per_spine": 600,
          "shape.leaves_per_cell": [4096]}, "number of routers: out of range"),
    ],
)  # fmt: skip
def test_shapes_that_are_refused(changes, message):
    with pytest.raises(UserError, match=message):
        load(changes)


def test_a_node_on_no_leaf_is_refused():
    with pytest.raises(UserError, match=r"leaf_of_node\[1\]: out of range: 6; allowed: 0 to 5"):
        made(leaf_of_node=[0, 6])
    with pytest.raises(UserError, match="nodes_per_leaf: missing"):
        _core.make_machine(
            "dragonfly-plus",
            _core.Basics("test", 1, 1000, 1000, 10**9),
            {"cells": 1, "leaves_per_cell": [2], "spines_per_cell": 1, "global_links_per_spine": 0,
             "arrangement": "absolute"},
            [_core.LinkClass("?", 10**9, 1000, 4096, 1000)] * 4,
        )  # fmt: skip


def test_adaptive_routing_leaves_the_full_cells(run_odonata, tmp_path):
    """Minimal routes have 4 links for 16 nodes; detours have the links of other cells, too."""
    file = tmp_path / "mine.toml"
    file.write_text(template("dragonfly-plus"))
    accepted = {}
    for policy in ("minimal", "ugal-l", "ugal-g", "par"):
        status, out, err = run_odonata(
            "simulate", "traffic", "--pattern", "adversarial+1", "--load", "0.4", "--machine",
            file, "--routing", policy, "--packet-bytes", "1KiB", "--packets-per-node", "300",
            "--json",
        )  # fmt: skip
        assert status == 0, err
        accepted[policy] = json.loads(out)["accepted_load"]
    assert accepted["minimal"] == pytest.approx(0.25, abs=0.01)
    assert all(accepted[policy] > 0.29 for policy in ("ugal-l", "ugal-g", "par")), accepted
    assert accepted["par"] > accepted["ugal-l"]  # a spine sees its global links, a leaf does not


# ---- maps of nodes

MAP = """# two cells
cell 7 leaf a nodes 1-2,5
cell 7 leaf b nodes 3
cell 9 leaf c nodes 4
"""


def test_a_map_has_the_leaf_of_every_node(tmp_path):
    tmp_path.joinpath("my.nodes").write_text(MAP)
    found = read_node_map(tmp_path / "my.nodes")
    assert found.leaves_per_cell == (2, 1)
    assert found.leaf_of_node == (0, 0, 1, 2, 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cell 1 leaf a 1-2\n", "my.nodes:1: map: line not understood.*allowed: lines 'cell"),
        ("cell 1 leaf a nodes 2-1\n", "my.nodes:1: map: no range of nodes: '2-1'"),
        ("cell 1 leaf a nodes 1,,2\n", "my.nodes:1: map: no range of nodes: ''"),
        ("cell 1 leaf a nodes 1-2\ncell 1 leaf b nodes 2\n", "my.nodes:2: map: node 2 is listed"),
        ("cell 1 leaf a nodes 1,3\n", "numbered from 1 without gaps; missing: 2"),
        ("cell 1 leaf a nodes 0-9999999\n", "my.nodes:1: map: too many nodes.*2000000"),
        ("cell 1 leaf a nodes 1\ncell 2 leaf b nodes 2\ncell 1 leaf c nodes 3\n",
         "my.nodes:3: map: leaves of a cell stand apart"),
        ("# none\n", "no nodes in the file"),
    ],
)  # fmt: skip
def test_maps_that_are_refused(tmp_path, text, message):
    tmp_path.joinpath("my.nodes").write_text(text)
    with pytest.raises(UserError, match=message):
        read_node_map(tmp_path / "my.nodes")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("leaves_per_cell = [2, 1]", None),
        ("leaves_per_cell = [2]", "node_map: the file is of another shape.*2, 1.*allowed: 2 x 2"),
        ("leaves_per_cell = [2, 1]\nnodes_per_leaf = 1", "nodes_per_leaf: given beside"),
    ],
)
def test_a_machine_file_names_its_map(tmp_path, lines, message):
    tmp_path.joinpath("my.nodes").write_text(MAP)
    kept = template("dragonfly-plus").split("\n[links.injection]", 1)[1]
    entries = "cells = 2\nspines_per_cell = 2\nglobal_links_per_spine = 1\n" + lines
    entries += '\nnode_map = "my.nodes"\narrangement = "absolute"'
    given = [line.partition(" = ")[::2] for line in entries.splitlines()]
    shape = "".join(
        f'{key} = {{ value = {value}, source = "test", status = "assumed" }}\n'
        for key, value in given
    )
    file = tmp_path / "mine.toml"
    head = 'name = "mine"\nfamily = "dragonfly-plus"\ndescription = "A test."\n\n[shape]\n'
    file.write_text(f"{head}{shape}\n[links.injection]{kept}")
    if message is None:
        assert list(machine.load(file).core.node_router) == [0, 0, 1, 4, 0]
        return
    with pytest.raises(UserError, match=rf"mine.toml:\d+:shape.*{message}"):
        machine.load(file)
