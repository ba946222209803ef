"""Levels of a fabric, missing cables, and their figure."""

import json

import pytest

from odonata import machine
from odonata.errors import UserError
from odonata.machine.fabric.fabric import read_fabric
from odonata.machine.fabric.levels import bundles_of, levels_of
from odonata.machine.fabric.of_machine import fabric_of
from odonata.report.fabric_figure import draw_fabric

from .fabrics import Cluster, pair, ring


@pytest.fixture
def imported(tmp_path, run_odonata):
    """Return the fabric of a cluster."""

    def call(cluster):
        (tmp_path / "net.txt").write_text(cluster.text())
        words = "machines", "import", tmp_path / "net.txt", "-o", tmp_path / "mine.toml"
        assert run_odonata(*words, "--quiet")[0] == 0
        return read_fabric(tmp_path / "mine.fabric")

    return call


def named(fabric, levels):
    return [[fabric.switches[switch].name for switch in level] for level in levels]


def missing(fabric):
    return {
        (fabric.switches[b.a].name, fabric.switches[b.b].name): (b.cables, b.usual)
        for b in bundles_of(fabric, levels_of(fabric))
        if b.missing
    }


def tree(without=()):
    """Return four leaves and three spines with two cables a pair, but for some."""
    cluster = Cluster()
    leaves = [cluster.add("S", f"leaf-{at}") for at in range(4)]
    spines = [cluster.add("S", f"spine-{at}") for at in range(3)]
    for leaf in leaves:
        cluster.join(cluster.add("H", f"n{leaf}"), leaf)
        for spine in spines:
            for cable in range(2):
                if (leaf, spine, cable) not in without:
                    cluster.join(leaf, spine)
    return cluster


def test_leaves_are_below_spines(imported):
    fabric = imported(pair())
    assert named(fabric, levels_of(fabric)) == [["leaf-a", "leaf-b"], ["spine-1", "spine-2"]]


def test_names_are_in_the_order_of_their_numbers(imported):
    fabric = imported(ring(11))
    assert named(fabric, levels_of(fabric)) == [[f"s{at}" for at in range(11)]]


def test_a_ring_with_hosts_everywhere_has_one_level(imported):
    fabric = imported(ring(5))
    assert len(levels_of(fabric)) == 1
    assert missing(fabric) == {}


def test_missing_cables_are_found_by_hand(imported):
    assert missing(imported(tree())) == {}
    lost = [("leaf-1", "spine-2", 0), ("leaf-3", "spine-0", 0), ("leaf-3", "spine-0", 1)]
    found = missing(imported(tree(lost)))
    assert found == {("leaf-1", "spine-2"): (1, 2), ("leaf-3", "spine-0"): (0, 2)}


def test_pairs_of_other_pods_are_not_missing(tmp_path, run_odonata):
    """Switches of a tree of three levels join switches of their own pod."""
    path = tmp_path / "tree.toml"
    assert (
        run_odonata("machines", "graph", "tree", "--down", "3,3,3", "-o", path, "--quiet")[0] == 0
    )
    fabric = fabric_of(machine.load(path))
    assert [len(level) for level in levels_of(fabric)] == [9, 9, 9]
    assert missing(fabric) == {}
    whole = sum(bundle.cables for bundle in bundles_of(fabric, levels_of(fabric)))
    assert whole == len(fabric.cables)


def test_the_figure_has_a_line_for_each_pair(imported):
    lost = [("leaf-1", "spine-2", 0), ("leaf-3", "spine-0", 0), ("leaf-3", "spine-0", 1)]
    figure = draw_fabric(imported(tree(lost)), title="mine")
    (axes,) = figure.axes
    lines = {group.get_label(): group.get_segments() for group in axes.collections}
    assert [len(each) for each in lines.values()] == [11, 2]
    assert "pairs with fewer cables than most: 2 pairs" in lines
    names = [text.get_text() for text in axes.texts]
    assert "leaf-0 (1)" in names
    assert "spine-2" in names


def test_a_ring_is_a_circle(imported):
    (axes,) = draw_fabric(imported(ring(6)), title="mine").axes
    ((x, y),) = [line.get_data() for line in axes.lines]
    assert [round(a * a + b * b, 9) for a, b in zip(x, y, strict=True)] == [1] * 6
    assert axes.get_aspect() == 1


def test_too_many_switches_are_refused():
    with pytest.raises(UserError, match="too many switches: 876; allowed: up to 500"):
        draw_fabric(fabric_of(machine.load("dragonfly-5256")), title="")


def test_the_command_draws_and_names_what_is_missing(tmp_path, run_odonata):
    path, figure = tmp_path / "tree.toml", tmp_path / "tree.png"
    assert run_odonata("machines", "graph", "tree", "--down", "2,4", "-o", path, "--quiet")[0] == 0
    fabric = fabric_of(machine.load(path))
    a, b = (fabric.switches[end].name for end in (fabric.cables[0].a, fabric.cables[0].b))
    status, out, _ = run_odonata(
        "machines", "draw", path, "-o", figure, "--fail", f"link:{a}:{b}", "--json"
    )
    assert status == 0
    told = json.loads(out)
    assert [{each["a"], each["b"]} for each in told["missing"]] == [{a, b}]
    first = figure.read_bytes()
    assert first.startswith(b"\x89PNG")
    status, out, _ = run_odonata("machines", "draw", path, "-o", figure, "--fail", f"link:{a}:{b}")
    assert (status, figure.read_bytes()) == (0, first)
    assert "missing cables" in out
    status, _, said = run_odonata("machines", "draw", path, "-o", tmp_path / "a.gif")
    assert status == 2
    assert "no such format of figures" in said
