"""Groups of nodes by their place in the machine, as jobs and as colours of MPI_Comm_split."""

from __future__ import annotations

import itertools
import json

import pytest

from odonata import machine
from odonata.errors import UserError
from odonata.machine import Names
from odonata.placement import (
    Placement,
    block_nodes,
    colours_of,
    groups,
    place,
    place_groups,
    read_colours,
    split,
    write_colours,
)
from odonata.placement.communicators import world
from odonata.placement.divisions import divided_by
from odonata.simulate import Job, simulate
from odonata.workload import Collective

EOS = machine.load("eos")  # 2 groups of 6 x 16 routers; the first three of each have no nodes
EDISON = machine.load("edison")  # 15 groups


@pytest.fixture(scope="module")
def grid(tmp_path_factory):
    """Return a grid of 4 x 3 x 5 routers with two nodes each."""
    from odonata.machine.template import template

    text = template("hyperx")
    head, y, rest = text.partition("[links.y]")
    table, blank, rest = rest.partition("\n\n")
    path = tmp_path_factory.mktemp("machines") / "grid.toml"
    path.write_text(f"{head}{y}{table}{blank}[links.z]{table}{blank}{rest}")
    return machine.load(path, {"shape.sizes": [4, 3, 5], "shape.nodes_per_router": 2})


def router_of(made, node):
    return made.core.node_router[node]


def at(made, group):
    """Positions of the routers of a group, each once, in order."""
    return sorted({tuple(made.core.position(router_of(made, node))) for node in group.nodes})


def covered(found):
    return sorted(node for group in found for node in group.nodes)


def test_a_row_differs_in_one_coordinate_alone(grid):
    rows = groups(grid, "row:y")
    assert [len(row.nodes) for row in rows] == [6] * 20
    assert covered(rows) == list(range(120))
    assert (rows[0].name, rows[1].name, rows[5].name) == ("x=0 z=0", "x=0 z=1", "x=1 z=0")
    for row, (x, z) in zip(rows, itertools.product(range(4), range(5)), strict=True):
        assert at(grid, row) == [(x, y, z) for y in range(3)]


def test_a_plane_differs_in_two(grid):
    planes = groups(grid, "plane:xz")
    assert [plane.name for plane in planes] == ["y=0", "y=1", "y=2"]
    assert at(grid, planes[1]) == list(itertools.product(range(4), [1], range(5)))
    assert groups(grid, "plane:zx") == groups(grid, "plane:x,z") == planes
    assert [len(one.nodes) for one in groups(grid, "plane:xyz")] == [120]


def test_a_block_limits_groups_and_begins_somewhere(grid):
    (row, *_, last) = groups(grid, "row:z", block="2x1x3", origin="1x2x2")
    assert at(grid, row) == [(1, 2, 2), (1, 2, 3), (1, 2, 4)]
    assert at(grid, last) == [(2, 2, 2), (2, 2, 3), (2, 2, 4)]
    assert groups(grid, "row:z", block=(2, 1, 3), origin=(1, 2, 2)) == [row, last]


def test_one_node_of_a_router_or_all(grid):
    everything = groups(grid, "row:x")
    first = groups(grid, "row:x", nodes_per_router="1")
    each = groups(grid, "row:x", nodes_per_router="each")
    assert (len(everything), len(first), len(each)) == (15, 15, 30)
    assert [node % 2 for node in covered(first)] == [0] * 60
    assert first == [
        type(one)(one.name, tuple(n for n in one.nodes if n % 2 == 0)) for one in everything
    ]
    assert {tuple(node % 2 for node in one.nodes) for one in each} == {(0,) * 4, (1,) * 4}
    assert covered(each) == covered(everything) == list(range(120))
    assert each[1].name == "y=0 z=0, node 1 of each router"


def test_levels_by_their_names(grid):
    assert groups(EOS, "level:chassis") == groups(EOS, "chassis")
    assert [len(one.nodes) for one in groups(EOS, "group")] == [372, 372]
    assert groups(grid, "xy-plane")[2].name == "xy-plane 2"


def test_green_is_a_chassis_and_black_a_column():
    assert [one.nodes for one in groups(EOS, "green")] == [
        one.nodes for one in groups(EOS, "row:column")
    ]
    assert [one.nodes for one in groups(EOS, "black")] == [
        one.nodes for one in groups(EOS, "row:row")
    ]
    assert len(groups(EDISON, "green")) == 15 * 6
    assert len(groups(EDISON, "black")) == 15 * 16


def test_red_is_a_diagonal_of_a_group():
    reds = groups(EOS, "red")
    assert len(reds) == 32
    assert covered(reds) == list(range(744))
    for number, red in enumerate(reds):
        positions = at(EOS, red)
        alive = 5 if number % 16 < 3 else 6  # the first three routers of row 0 have no nodes
        assert len(red.nodes) == 4 * alive
        assert {group for group, _, _ in positions} == {number // 16}
        assert len({row for _, row, _ in positions}) == alive
        assert len({column for _, _, column in positions}) == alive


def test_blue_is_a_diagonal_split_over_two_groups():
    blues = groups(EOS, "blue")
    assert len(blues) == 32
    assert covered(blues) == list(range(744))
    reds = [at(EOS, red) for red in groups(EOS, "red")]
    for blue in blues:
        positions = at(EOS, blue)
        assert len({row for _, row, _ in positions}) == len(positions)
        assert len({column for _, _, column in positions}) == len(positions)
        halves = [[one for one in positions if one[0] == group] for group in (0, 1)]
        assert {len(half) for half in halves} <= {2, 3}
        assert all(any(set(half) <= set(red) for red in reds) for half in halves)


def test_the_last_of_an_odd_number_of_groups_has_no_blue():
    used = {EDISON.place(node).coordinates["group"] for node in covered(groups(EDISON, "blue"))}
    assert used == set(range(14))


def test_rows_of_a_cube_of_blue_waters():
    waters = machine.load("blue-waters")
    rows = groups(waters, "row:y", block="7x7x7")
    assert [len(row.nodes) for row in rows] == [14] * 49  # two nodes a router
    assert at(waters, rows[8]) == [(1, y, 1) for y in range(7)]
    assert at(waters, groups(waters, "plane:xz", block="7x7x7")[2])[-1] == (6, 2, 6)


def test_leaves_of_a_fat_tree():
    from odonata.machine.files import describe, parse
    from odonata.machine.template import template

    tree = machine.Machine(describe(parse(template("fat-tree"), "tree"), None, {}))
    leaves = groups(tree, "leaf")
    assert leaves == groups(tree, "level:leaf")
    assert [leaf.nodes for leaf in leaves] == [tuple(range(i, i + 4)) for i in (0, 4, 8, 12)]


def test_each_machine_says_how_it_is_divided(grid):
    assert divided_by(grid) == [
        *("row:x", "row:y", "row:z", "plane:xy", "plane:xz", "plane:yz"),
        *("level:x-line", "level:xy-plane"),
    ]
    assert divided_by(EOS)[-4:] == ["green", "black", "red", "blue"]
    for made in (grid, EOS):
        assert all(groups(made, by) for by in divided_by(made))


# ---- communicators


def test_colours_are_read_back_the_same(tmp_path, grid):
    found = groups(grid, "row:y", block="2x3x2", nodes_per_router="each")
    everyone = world(grid, found, ranks_per_node=1)
    colours = colours_of(everyone, found)
    assert everyone.nodes.tolist() == covered(found)
    write_colours(tmp_path / "colours", colours)
    lines = (tmp_path / "colours").read_text().splitlines()
    assert lines == [str(colour) for colour in colours]
    assert read_colours(tmp_path / "colours") == colours
    again = split(everyone, read_colours(tmp_path / "colours"))
    assert [tuple(one.nodes) for one in again] == [one.nodes for one in found]


def test_ranks_of_a_node_stay_together():
    found = groups(EOS, "group")
    everyone = world(EOS, found, ranks_per_node=2)
    assert everyone.nodes.tolist() == [node for node in range(744) for _ in range(2)]
    placed = place_groups(EOS, "group", ranks_per_node=2)
    assert [one.ranks for one in placed] == [744, 744]
    assert placed[1].nodes.tolist() == [node for node in range(372, 744) for _ in range(2)]


def test_groups_run_side_by_side(grid):
    ring = Collective("allgather", "ring", bytes=1000)
    jobs = [Job(ring, one) for one in place_groups(grid, "row:y", block="2x3x2")]
    result = simulate(grid, jobs)
    assert result.summary["workload"] == "4 × allgather/ring"
    assert result.summary["messages"] == 4 * 6 * 5
    assert [job.totals["messages"] for job in result.jobs] == [30] * 4


def test_ranks_outside_of_all_groups_are_left_out():
    placed = place(EDISON, EDISON.num_nodes)
    colours = colours_of(placed, groups(EDISON, "blue"))
    in_last = [c for c, group in zip(colours, placed.groups, strict=True) if group == 14]
    assert set(in_last) == {-1}
    assert sum(one.ranks for one in split(placed, colours)) == placed.ranks - colours.count(-1)


# ---- mistakes


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("row:w", "grid is not divided by: 'row:w'; did you mean 'row:.'?.*allowed: row:x, row:y"),
        ("row:xy", "is not divided by: 'row:xy'"),
        ("plane:x", "is not divided by: 'plane:x'; did you mean 'plane:x.'"),
        ("plane:xx", "is not divided by"),
        ("level:chassis", "is not divided by: 'level:chassis'"),
        ("xy-plan", "did you mean 'xy-plane'"),
        ("", "is not divided by: ''"),
    ],
)
def test_unknown_divisions_are_told(grid, by, message):
    with pytest.raises(UserError, match=message.replace("grid", grid.name)):
        groups(grid, by)


@pytest.mark.parametrize(
    ("block", "origin", "message"),
    [
        ("4x4x5", None, "block: does not fit along y: 4; allowed: 1 to 3, .* has 3 along y"),
        ("2x3x5", "3x0x0", "block: does not fit along x from 3 on: 2; allowed: 1 to 1, .* has 4"),
        ("2x3x0", None, "block: does not fit along z: 0"),
        ("1x1x1", "0x0x5", "origin: out of range along z: 5; allowed: 0 to 4"),
        ("7x7", None, "block: 2 numbers, .* has 3 axes: '7x7'; allowed: a number for each of x, y"),
        ("7*7*7", None, "block: not understood: '7[*]7[*]7'"),
        (None, "0x0x0", "origin: there is no block"),
    ],
)
def test_blocks_fit_or_it_is_told(grid, block, origin, message):
    with pytest.raises(UserError, match=message):
        groups(grid, "row:x", block=block, origin=origin)


def test_machines_without_coordinates_have_no_blocks():
    from odonata.machine.files import describe, parse
    from odonata.machine.template import template

    star = machine.Machine(describe(parse(template("star"), "star"), None, {}))
    with pytest.raises(UserError, match=r"block: routers of .* have no coordinates"):
        block_nodes(star, "2x2")
    with pytest.raises(UserError, match="allowed: none"):
        groups(star, "row:x")


def test_nodes_per_router_is_one_of_three():
    with pytest.raises(UserError, match="nodes per router: unknown: '2'; allowed: all, 1, each"):
        groups(EOS, "green", nodes_per_router="2")


@pytest.mark.parametrize("line", ["-2", "x", "", "1 2", "99999999999", "٣"])
def test_wrong_colours_are_told_by_line(tmp_path, line):
    path = tmp_path / "colours"
    path.write_text(f"0\n{line}\n1\n", encoding="utf-8")
    with pytest.raises(UserError, match=f"{path}:2: colours: not a colour"):
        read_colours(path)


def test_colours_are_one_a_rank_and_keep_nodes_together():
    everyone = Placement(EOS, [0, 0, 1])
    with pytest.raises(UserError, match="colours: another number than ranks: 2; allowed: 3"):
        split(everyone, [0, 1])
    with pytest.raises(UserError, match=r"ranks of one node are in different.*node 0"):
        split(everyone, [0, 1, 1])
    with pytest.raises(UserError, match="no rank is in a communicator"):
        split(everyone, [-1] * 3)


# ---- the command line


def test_place_groups_prints_lists_of_nodes(run_odonata, tmp_path):
    status, out, err = run_odonata(
        *("place", "groups", "--machine", "eos", "--by", "black", "--block", "1x6x2"),
        *("--origin", "1x0x4", "--nodes-per-router", "each", "--json"),
        *("-o", tmp_path / "colours", "--hosts", tmp_path / "hosts", "--ranks-per-node", 2),
    )
    assert (status, err) == (0, "")
    document = json.loads(out)
    assert len(document["groups"]) == 8
    assert document["groups"][1] == [377, 441, 505, 569, 633, 697]
    assert document["names"][1] == "black 20, node 1 of each router"
    hosts = (tmp_path / "hosts").read_text().split()
    colours = read_colours(tmp_path / "colours")
    assert len(hosts) == len(colours) == 96
    for number, nodes in enumerate(document["groups"]):
        mine = [int(host) for host, c in zip(hosts, colours, strict=True) if c == number]
        assert mine == [node for node in nodes for _ in range(2)]


def test_place_groups_prints_a_table(run_odonata):
    status, out, _ = run_odonata("place", "groups", "--machine", "eos", "--by", "group")
    assert status == 0
    assert "| 1     | group 1 | 372   | 372-743 |" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--by", "row:w"], "eos is not divided by: 'row:w'; did you mean 'row:row'"),
        (
            ["--by", "green", "--block", "7x1x1"],
            "block: does not fit along group: 7; allowed: 1 to",
        ),
        (["--by", "green", "--block", "1x1x3"], "groups: no node is in one"),
        (["--by", "green", "--ranks-per-node", "17"], "ranks per node: out of range: 17"),
    ],
)
def test_place_groups_tells_mistakes(run_odonata, options, message):
    status, out, err = run_odonata("place", "groups", "--machine", "eos", *options)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_simulate_runs_groups_side_by_side(run_odonata, tmp_path):
    common = ["simulate", "allgather", "--algorithm", "ring", "--machine", "eos", "--json"]
    block = ["--allocation", "block:1x6x2@1x0x4"]
    _, out, _ = run_odonata(*common, *block, "--groups", "black")
    by_name = json.loads(out)
    assert by_name["workload"] == "2 × allgather/ring"
    assert (by_name["ranks"], by_name["messages"]) == (48, 2 * 24 * 23)
    assert by_name["allocation"] == "black of block:1x6x2@1x0x4"
    run_odonata(
        *("place", "groups", "--machine", "eos", "--by", "black", "--block", "1x6x2"),
        *("--origin", "1x0x4", "-o", tmp_path / "colours"),
    )
    _, out, _ = run_odonata(*common, *block, "--groups", tmp_path / "colours")
    by_file = json.loads(out)
    assert by_file["time_seconds"] == by_name["time_seconds"]
    assert by_file["allocation"] == "colours of block:1x6x2@1x0x4"


def test_simulate_tells_mistakes_of_groups(run_odonata):
    wrong = [
        (["--groups", "grene"], "did you mean 'green'"),
        (["--nodes-per-router", "1"], "nodes per router: there is no division"),
        (["--allocation", "block:2x2"], "block: 2 numbers, eos has 3 axes"),
        (["--allocation", "block:1x1x3"], "allocation: no node is in the block"),
        (["--allocation", "block:1x1x4", "--ranks", "5"], "need 5 nodes; allowed: 4 nodes"),
    ]
    for options, message in wrong:
        status, _, err = run_odonata("simulate", "barrier", "--machine", "eos", *options)
        assert status == 2
        assert message in err


# ---- where


def test_where_prints_coordinates_and_blocks(run_odonata):
    status, out, _ = run_odonata(
        "machines", "where", "edison", "--node", 4711, "--node", 0, "--json"
    )
    assert status == 0
    document = json.loads(out)
    assert document["machine"] == "edison"
    first, second = document["nodes"]
    place_ = EDISON.place(4711)
    assert first == {
        "node": 4711,
        "names": Names(EDISON).of(4711),
        "router": place_.router,
        "position": place_.position,
        "coordinates": dict(place_.coordinates),
        "blocks": {
            "chassis": place_.coordinates["group"] * 6 + place_.coordinates["row"],
            "group": place_.coordinates["group"],
        },
    }
    assert second["node"] == 0
    _, out, _ = run_odonata("machines", "where", "edison", "--node", 4711)
    assert "chassis" in out


def test_where_refuses_nodes_that_are_not_there(run_odonata):
    status, out, err = run_odonata("machines", "where", "eos", "--node", 0, "--node", 744)
    assert (status, out) == (2, "")
    assert err == "odonata: node: no such node: 744; allowed: 0 to 743\n"
