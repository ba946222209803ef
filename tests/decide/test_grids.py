"""The grid of processes behind messages to neighbours."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from odonata.decide import Communication, map_ranks
from odonata.decide.grids import grid_of
from odonata.errors import UserError
from odonata.machine import load
from odonata.placement import place


def _neighbours(grid, *, periodic):
    ranks = np.arange(np.prod(grid)).reshape(grid)
    pairs = []
    for axis in range(len(grid)):
        moved = np.roll(ranks, -1, axis)
        kept = slice(None) if periodic else slice(grid[axis] - 1)
        where = tuple(kept if at == axis else slice(None) for at in range(len(grid)))
        pairs.append(np.stack([ranks[where].ravel(), moved[where].ravel()]))
    return np.concatenate(pairs, axis=1)


GRIDS = [(4, 6), (6, 4), (3, 5), (2, 9), (3, 4, 5), (5, 4, 3), (4, 4, 4), (3, 3, 4, 2)]


@pytest.mark.parametrize(("grid", "periodic"), [*itertools.product(GRIDS, [True, False])])
def test_a_grid_is_found_from_messages_to_neighbours(grid, periodic):
    source, target = _neighbours(grid, periodic=periodic)
    ranks = int(np.prod(grid))
    found = grid_of(np.int64(ranks), source, target)
    assert found == grid
    assert {type(side) for side in found} == {int}
    assert grid_of(ranks, target, source) == grid


def test_a_message_to_another_rank_or_a_line_is_no_grid():
    source, target = _neighbours((4, 6), periodic=True)
    far = np.append(source, 0), np.append(target, 7)  # a diagonal one
    assert grid_of(24, *far) is None
    line = np.arange(23)
    assert grid_of(24, line, line + 1) is None
    assert grid_of(24, line[:0], line[:0]) is None


def test_without_a_grid_there_is_no_curve():
    matrix = Communication(8, [0, 0, 0], [1, 3, 6], [8, 8, 8])
    with pytest.raises(UserError, match="method: curve needs the grid of processes"):
        map_ranks(matrix, place(load("titan"), 8), methods=["curve"])


def test_the_curve_is_tried_with_the_grid_of_the_messages():
    source, target = _neighbours((4, 4, 4), periodic=True)
    matrix = Communication(64, source, target, np.full(len(source), 4096))
    start = place(load("titan"), 64, ranks_per_node=4)
    found = map_ranks(matrix, start, methods=["curve"])
    assert found.grid == matrix.grid == (4, 4, 4)
    assert "curve" in found.tried


def test_the_grid_of_a_run_is_read_from_its_file(run_odonata, tmp_path):
    path = tmp_path / "run.nc"
    words = ["--cells", "64x64", "--sides", "4x2", "--machine", "eos", "-o", path]
    assert run_odonata("simulate", "sedov", *words)[0] == 0
    assert Communication.of_result(path).grid == (4, 2)
    status, out, err = run_odonata("place", "map", "--matrix", path, "--machine", "eos")
    assert (status, err) == (0, "")
    assert "grid of processes: 4x2\n" in out
