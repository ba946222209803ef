"""Hierarchies: shipped and estimated ones, and files that are refused."""

from __future__ import annotations

import copy
import json
import math

import pytest

from odonata import model
from odonata.errors import UserError
from odonata.model.hierarchy import PROBLEMS
from odonata.model.shipped import SHIPPED

from .documents import LEVEL

RUN = {"ranks": 2, "points_per_rank": [10, 10, 10], "levels": [LEVEL, LEVEL | {"rows": 20}]}


def read(tmp_path, document, ranks=2, points=2000):
    path = tmp_path / "run.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return model.read_hierarchy(path, problem="laplace", ranks=ranks, points=points)


def test_a_run_is_read_alone_or_from_a_list(tmp_path):
    text = "3D 7-point Laplacian, values 6 and -1"
    for document in (RUN, {"meta": {"problem": text}, "runs": [RUN]}):
        h = read(tmp_path, document)
        assert (h.ranks, h.num_levels, h.rows.tolist()) == (2, 2, [2000, 20])
    assert read(tmp_path, {"runs": [{"ranks": 3}, RUN]}).ranks == 2
    with pytest.raises(UserError, match="none for this number of ranks: 4; allowed: 2, 3"):
        read(tmp_path, {"runs": [{"ranks": 3}, RUN]}, ranks=4)
    with pytest.raises(ValueError, match="read-only"):
        h.rows[0] = 1
    assert "2000" in repr(h)


def changed(key, value, level=None):
    run = copy.deepcopy(RUN)
    table = run if level is None else run["levels"][level]
    if value is None:
        del table[key]
    else:
        table[key] = value
    return run


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "run: not an object of JSON"),
        ('{"runs": []}', "run.json:runs: runs: out of range; allowed: a list of length >= 1"),
        ('{"runs": 3}', "run.json:runs: runs: not a list: 3"),
        (changed("ranks", None), "run.json:ranks: ranks: missing"),
        (
            changed("ranks", 0),
            "run.json:ranks: ranks: out of range: 0; allowed: a whole number >= 1",
        ),
        (changed("points_per_rank", [10, 10]), "points_per_rank: not a list of length 3"),
        (changed("levels", []), "levels: out of range; allowed: a list of length >= 1"),
        (changed("levels", [1]), r"run.json:levels\[0\]: levels: not an object of JSON: 1"),
        (changed("A_max_sends", None, 1), r"run.json:levels\[1\].A_max_sends: .*missing"),
        (changed("rows", -1, 1), "out of range: -1"),
        (changed("rows", 1.5, 1), "not a whole number"),
        (changed("nnz_per_row", "7", 0), "not a number"),
        (changed("nnz_per_row", 10**400, 0), "not JSON|out of range"),
        (changed("nnz_per_row", 26.0, 0), "nnz_per_row: too large for the problem"),
        (changed("problem", "3D 27-point Laplacian"), "problem: differs from the requested one"),
        (changed("rows", 2000, 1), "not coarser"),
        (changed("rows", 1999, 0), "not the points of all ranks"),
        (changed("active_ranks", 3, 1), "more than there are ranks"),
        (changed("P_max_sends", 2, 0), "more than there are ranks"),
        (changed("ranks", 4) | {"points_per_rank": [10, 10, 5]}, "wrong size"),
    ],
)
def test_damaged_and_foreign_files_are_refused(tmp_path, document, message):
    with pytest.raises(UserError, match=message):
        read(tmp_path, document)


def test_shipped_hierarchies_are_found_by_cores_and_threads():
    found = model.find_hierarchy("laplace", (50, 50, 25), 1024)
    assert (found.origin, found.rows[0], found.sends[5]) == ("shipped", 64_000_000, 158)
    assert model.find_hierarchy("laplace", (50, 50, 25), 16, 8).points_per_rank == (50, 100, 100)


def test_what_is_not_near_is_refused_with_a_list():
    with pytest.raises(UserError, match=r"50x50x26 on 8.*allowed: .*50x50x25 on 8, 16, 64"):
        model.find_hierarchy("laplace", (50, 50, 26), 8)
    with pytest.raises(UserError, match="did you mean 'laplace'"):
        model.find_hierarchy("laplac", (50, 50, 25), 8)
    with pytest.raises(UserError, match="multiple"):
        model.find_hierarchy("laplace", (50, 50, 25), 8, 3)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_hierarchies_ship_for_every_problem(problem):
    for h in model.shipped_hierarchies(problem):
        assert h.row_nonzeros[0] <= PROBLEMS[problem][1]
        assert model.find_hierarchy(problem, h.points_per_rank, h.ranks) is h


@pytest.mark.parametrize(("problem", "nonzeros"), [
    ("laplace", lambda n: 7 * math.prod(n) - 2 * (n[0] * n[1] + n[1] * n[2] + n[2] * n[0])),
    ("laplace27", lambda n: math.prod(3 * side - 2 for side in n)),
])  # fmt: skip
def test_shipped_matrices_have_the_entries_of_their_stencil(problem, nonzeros):
    """A row has an entry for each neighbor, in each direction but out of the grid."""
    document = json.loads((SHIPPED / f"{problem}.json").read_text(encoding="utf-8"))
    for run in document["runs"]:
        points = [a * b for a, b in zip(run["rank_grid"], run["points_per_rank"], strict=True)]
        assert run["levels"][0]["rows"] == math.prod(points)
        assert run["levels"][0]["nnz"] == nonzeros(points)


def test_a_27_point_hierarchy_ships_for_1024_ranks():
    found = model.find_hierarchy("laplace27", (25, 25, 25), 1024)
    assert (found.origin, found.rows[0]) == ("shipped", 16_000_000)


def test_more_points_of_the_stencil_are_fewer_unknowns_below():
    few, many = (model.find_hierarchy(name, (50, 50, 25), 64) for name in PROBLEMS)
    assert many.row_nonzeros[0] == pytest.approx((3 * 200 - 2) ** 2 * (3 * 100 - 2) / 4e6, rel=1e-3)
    assert many.rows[1] < few.rows[1] / 5
