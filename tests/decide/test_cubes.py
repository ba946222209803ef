"""Halves of coordinates, by which ranks are bisected on a torus."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from odonata import decide, machine, placement
from odonata.decide.cubes import halves, is_grid


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("blue-waters", True),
        ("titan", True),
        ("edison", False),
        ("frontier", False),
        ("summit", False),
        ("dragonfly-5256", False),
        ("jupiter-fdr", False),
    ],
)
def test_grids_are_known_by_their_distances(name, expected):
    where = machine.load(name)
    assert is_grid(where, where.node_router[:2000]) is expected


def test_halves_of_a_cube_are_its_octants_after_three_cuts():
    points = np.indices((4, 4, 4)).reshape(3, -1).T
    found = halves(points)
    assert len(found) == 6
    octant = points[:, 0] // 2 * 4 + points[:, 1] // 2 * 2 + points[:, 2] // 2
    assert len(set(zip(octant.tolist(), found[2].tolist(), strict=True))) == 8
    assert sorted(found[-1].tolist()) == list(range(64))


@settings(max_examples=40)
@given(st.lists(st.tuples(*[st.integers(0, 9)] * 3), min_size=1, max_size=60))
def test_blocks_are_nested_boxes_that_end_in_points(listed):
    points = np.array(listed)
    found = [np.zeros(len(points), dtype=np.int64), *halves(points)]
    for block, finer in pairwise(found):
        assert (finer // 2 == block).all()
    last = {tuple(point): int(at) for point, at in zip(listed, found[-1], strict=True)}
    assert len(set(last.values())) == len(set(listed))
    assert all(last[tuple(p)] == at for p, at in zip(listed, found[-1].tolist(), strict=True))


def test_a_halo_is_cut_into_cubes_on_a_torus(monkeypatch):
    """Ranks of an 8 x 8 x 8 halo in random order on as many routers: halves of planes cost more."""
    titan = machine.load("titan")
    nodes = placement.block_nodes(titan, "8x8x8")[::2]
    index = np.random.default_rng(1).permutation(512).reshape(8, 8, 8)
    ends = [(index.ravel(), np.roll(index, 1, axis).ravel()) for axis in range(3)]
    source, target = (np.concatenate(side) for side in zip(*ends, strict=True))
    halo = decide.Communication(512, source, target, np.full(len(source), 8.0))
    start = placement.place(titan, 512, allocation=nodes)
    cubes = decide.map_ranks(halo, start, methods=["bisection"]).after.hop_bytes
    monkeypatch.setattr("odonata.decide.methods.is_grid", lambda *_: False)
    planes = decide.map_ranks(halo, start, methods=["bisection"]).after.hop_bytes
    assert cubes < 0.95 * planes
