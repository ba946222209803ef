"""Virtual tori of jobs on a Tofu network: neighbours are neighbours, by hand and by distance."""

from __future__ import annotations

from itertools import pairwise

import pytest

from odonata import _core, machine
from odonata.errors import UserError
from odonata.placement import place
from odonata.placement.folded import folded_nodes, ring

FUGAKU = machine.load("fugaku")
ROUTING = _core.make_routing(FUGAKU.core, "dimension-order", 0, 0)


def steps(nodes):
    """Return the distances from each node to the next, and from the last one to the first."""
    return [ROUTING.distance(a, b) for a, b in pairwise([*nodes, nodes[0]])]


@pytest.mark.parametrize("length", range(2, 40))
@pytest.mark.parametrize("rows", [2, 3])
def test_a_ring_goes_by_single_steps(length, rows):
    places = ring(length, rows)
    assert len(set(places)) == length
    assert max(column for column, _ in places) == -(-length // rows) - 1
    moves = [(abs(a - c), (b - d) % rows) for (a, b), (c, d) in pairwise([*places, places[0]])]
    lengths = [along + min(across, rows - across) for along, across in moves]
    assert lengths[:-1] == [1] * (length - 1)
    assert lengths[-1] <= (1 if length % rows == 0 else 2)


def test_a_cube_by_hand():
    """An axis of four has two columns and two rows; X, Y, Z and A, B, C of every eighth node."""
    nodes = folded_nodes(FUGAKU, "torus:4x4x4")
    assert len(set(nodes)) == 64
    at = [FUGAKU.core.position(node) for node in nodes]
    assert at[:5] == [
        [0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0], [1, 0, 0, 1, 0, 0], [0, 0, 0, 1, 0, 0],
        [0, 1, 0, 0, 0, 0],
    ]  # fmt: skip
    assert at[16] == [0, 0, 1, 0, 0, 0]
    assert at[63] == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("shape", [(2, 2, 2), (4, 4, 4), (6, 3, 8), (48, 69, 48), (12, 6, 2)])
def test_neighbours_of_a_virtual_torus_are_neighbours(shape):
    x, y, z = shape
    nodes = folded_nodes(FUGAKU, f"torus:{x}x{y}x{z}")
    assert set(steps(nodes[:x])) == {1}
    assert set(steps(nodes[: x * y : x])) == {1}
    assert set(steps(nodes[:: x * y])) == {1}
    assert len(set(nodes)) == x * y * z


@pytest.mark.parametrize(("shape", "count"), [("64x64", 4096), ("12", 12), ("8x2", 16), ("36", 36)])
def test_tori_of_one_and_two_dimensions(shape, count):
    nodes = folded_nodes(FUGAKU, f"torus:{shape}")
    assert len(set(nodes)) == count
    first, *_ = map(int, shape.split("x"))
    assert set(steps(nodes[:first])[:-1]) == {1}


def test_a_job_begins_at_a_unit_and_goes_round():
    moved = [FUGAKU.core.position(n) for n in folded_nodes(FUGAKU, "torus:4x4x4@23x2x5")]
    usual = [FUGAKU.core.position(n) for n in folded_nodes(FUGAKU, "torus:4x4x4")]
    assert [[(x + 23) % 24, y + 2, z + 5, *unit] for x, y, z, *unit in usual] == moved


def test_a_unit_is_a_job_of_twelve():
    at = [FUGAKU.core.position(node) for node in folded_nodes(FUGAKU, "torus:2x3x2")]
    assert {tuple(place[:3]) for place in at} == {(0, 0, 0)}


@pytest.mark.parametrize(
    ("allocation", "message"),
    [
        ("torus:4x4x4@1x2", "not understood: 'torus:4x4x4@1x2'"),
        ("torus:4x4x4@0x23x0", "origin along Y: 23; allowed: 0 to 22"),
        ("torus:4x4x4x4", "not understood: 'torus:4x4x4x4'; allowed: one to three sizes"),
        ("torus:0x4", "not understood"),
        ("torus:49x2x2", "too long along X and A: 49; allowed: 1 to 48"),
        ("torus:2x70x2", "too long along Y and B: 70; allowed: 1 to 69"),
        ("torus:999999x999999", "too long along Y and B"),
    ],
)
def test_shapes_that_are_refused(allocation, message):
    with pytest.raises(UserError, match=message):
        place(FUGAKU, 4, allocation=allocation)


@pytest.mark.parametrize("name", ["eos", "hopper", "jupiter-fdr"])
def test_other_machines_have_no_virtual_tori(name):
    with pytest.raises(UserError, match=f"{name} has no virtual tori"):
        place(machine.load(name), 4, allocation="torus:2x2")


def test_from_the_command_line(run_odonata):
    """Ranks are as many as the torus has nodes, in its order; a ring goes to neighbours."""
    status, out, err = run_odonata(
        "simulate", "allgather", "--algorithm", "ring", "--bytes", "64B", "--machine", "fugaku",
        "--allocation", "torus:12", "--json",
    )  # fmt: skip
    assert (status, err) == (0, "")
    assert '"ranks": 12' in out
    assert '"mean_routers": 2.0' in out
