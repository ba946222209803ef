"""The elastic beam of ``odonata-amg``, equal to scikit-fem's entry by entry."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDERS = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
PROGRAM = shutil.which("odonata-amg", path=os.pathsep.join(FOLDERS))

pytestmark = pytest.mark.skipif(not PROGRAM, reason="built without hypre: there is no odonata-amg")


def points_of(n):
    """Return the points of the beam, x fastest: whole numbers of cubes, shape (points, 3)."""
    z, y, x = np.meshgrid(np.arange(n + 1), np.arange(n + 1), np.arange(8 * n + 1), indexing="ij")
    return np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)


def number_of(n, point):
    x, y, z = point
    return x + (8 * n + 1) * (y + (n + 1) * z)


def tetrahedra_of(n):
    """Return six tetrahedra a cube: from its lowest corner along the axes in any order."""
    found = []
    for cube in itertools.product(range(8 * n), range(n), range(n)):
        for axes in itertools.permutations(range(3)):
            corner = np.array(cube)
            path = [number_of(n, corner)]
            for axis in axes:
                corner[axis] += 1
                path.append(number_of(n, corner))
            found.append(path)
    return np.array(found)


def by_scikit_fem(n):
    """Return matrix and right-hand side of the clamped and pulled beam."""
    from skfem import (
        Basis,
        BilinearForm,
        ElementTetP1,
        ElementVector,
        FacetBasis,
        LinearForm,
        MeshTet,
        enforce,
    )  # fmt: skip
    from skfem.helpers import ddot, sym_grad, trace

    mesh = MeshTet(np.ascontiguousarray(points_of(n).T / n), tetrahedra_of(n).T)
    element = ElementVector(ElementTetP1())
    basis = Basis(mesh, element, intorder=2)

    @BilinearForm
    def energy(u, v, w):
        material = np.where(w.x[0] < 4, 50.0, 1.0)
        strain, other = sym_grad(u), sym_grad(v)
        return material * (trace(strain) * trace(other) + 2 * ddot(strain, other))

    @LinearForm
    def pull(v, w):
        return -0.01 * v[2]

    end = FacetBasis(mesh, element, facets=mesh.facets_satisfying(lambda x: x[0] == 8), intorder=2)
    clamped = basis.get_dofs(lambda x: x[0] == 0)
    matrix, load = enforce(energy.assemble(basis), pull.assemble(end), D=clamped.all(), diag=1.0)
    matrix = matrix.toarray()
    matrix[:, clamped.all()] = 0  # times displacements that are 0, so that it stays symmetric
    matrix[clamped.all(), clamped.all()] = 1
    order = basis.nodal_dofs.T.ravel()  # the three of a point one after the other
    return matrix[order][:, order], load[order]


def numbering(n, grid):
    """Return the points in the order of their ranks' boxes, x fastest in each."""
    sides = (8 * n + 1, n + 1, n + 1)
    starts = [[side * part // parts for part in range(parts + 1)]
              for side, parts in zip(sides, grid, strict=True)]  # fmt: skip
    found = []
    for k, j, i in itertools.product(*(range(parts) for parts in reversed(grid))):
        box = [range(*starts[axis][part : part + 2]) for axis, part in enumerate((i, j, k))]
        found += [number_of(n, (x, y, z)) for z, y, x in itertools.product(*reversed(box))]
    return np.array(found)


@pytest.mark.parametrize(
    ("n", "grid"), [(1, (1, 1, 1)), (2, (1, 1, 1)), (2, (3, 1, 2)), (4, (2, 3, 1))]
)
def test_the_beam_is_that_of_an_independent_package(under_open_mpi, n, grid, tmp_path):
    pytest.importorskip("skfem")
    file = tmp_path / "amg.json"
    under_open_mpi(
        int(np.prod(grid)), PROGRAM, "--problem", "elasticity", "--elements", n, "--ranks-grid",
        "x".join(map(str, grid)), "--cycles", 0, "--matrix-output", tmp_path / "beam", "-o", file,
    )  # fmt: skip
    rows = 3 * (8 * n + 1) * (n + 1) ** 2
    ours, load = np.zeros((rows, rows)), np.full(rows, np.nan)
    for path in sorted(tmp_path.glob("beam.0*")):
        for row, column, value in np.loadtxt(path, skiprows=1):
            assert ours[int(row), int(column)] == 0
            ours[int(row), int(column)] = value
    for path in sorted(tmp_path.glob("beam.b.0*")):
        for row, value in np.loadtxt(path, skiprows=2):
            load[int(row)] = value
    order = (3 * numbering(n, grid)[:, None] + np.arange(3)).ravel()
    matrix, right = by_scikit_fem(n)
    np.testing.assert_allclose(ours, matrix[order][:, order], rtol=0, atol=1e-11)
    np.testing.assert_allclose(load, right[order], rtol=0, atol=1e-15)
    found = json.loads(file.read_text())
    assert found["levels"][0]["rows"] == rows
    assert found["converged"]
    assert (found["functions"], found["elements"]) == (3, n)
    assert found["options"]["strong_threshold"] == 0.5
    assert found["options"]["aggressive_levels"] == 0


def test_the_beam_is_redistributed_too(under_open_mpi, tmp_path):
    asked = ["--problem", "elasticity", "--elements", 2, "-o", tmp_path / "amg.json"]
    model = ["--redistribute", "model", "--alpha", "1us", "--beta", "1ns", "--least-gain", 1]
    found = {}
    for name, options in {
        "plain": ["--cycles", 0],
        "built": model,
        "1:2": ["--redistribute", "1:2"],
        "2:1": ["--redistribute", "2:1"],
        "2:4": ["--redistribute", "2:4"],
    }.items():
        under_open_mpi(4, PROGRAM, *asked, *options)
        document = json.loads((tmp_path / "amg.json").read_text())
        found[name] = document["iterations"], document["residual"]
    # which of the three unknowns a row is goes from level to level, and to the owners
    assert found["plain"] == found["built"] == found["2:4"]
    assert all(abs(iterations - found["plain"][0]) <= 1 for iterations, _ in found.values())


def test_what_is_given_comes_before_the_defaults_of_the_problem():
    command = [PROGRAM, "--strong-threshold", "0.25", "--problem", "elasticity", "--elements", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    assert json.loads(done.stdout)["options"]["strong_threshold"] == 0.25


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--problem", "elasticity", "--elements", "3"], "--elements: not a power of two: 3"),
        (["--problem", "elasticity", "--elements", "4096"], "more rows than this hypre can count"),
        (["--problem", "elasticity", "--points", "4x4x4"], "--points: not with elasticity"),
        (["--problem", "elasticity", "--functions", "2"], "--functions: only with a matrix"),
        (["--problem", "elasticity", "--ranks-grid", "2x1x1"], "does not fit 1 ranks"),
        (["--problem", "elasticiy"], "did you mean elasticity?"),
        (["--elements", "4"], "--elements: only with --problem elasticity"),
        (["--matrix-output", "no/such/folder/a"], "--matrix-output: can't be written: no/such"),
    ],
)
def test_wrong_usage_is_said_in_one_line(options, message):
    done = subprocess.run([PROGRAM, *options], capture_output=True, text=True, timeout=300)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
