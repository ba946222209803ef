"""The profile of AMG2013: who sends to whom, and the printed table of ranks whose work scatters."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

FOLDERS = [str(Path(sys.executable).parent), os.environ["PATH"]]
PROGRAM = shutil.which("odonata-amg", path=os.pathsep.join(FOLDERS))


@pytest.fixture(scope="module")
def study(load_study):
    return load_study("amg2013-profile", "partners", "scatter", "tables")


def test_every_rank_shares_faces_with_its_neighbours_in_the_box(study):
    found = [study.scatter.neighbours(rank) for rank in range(256)]
    assert sum(map(len, found)) == 1280
    assert all(rank in found[other] for rank in range(256) for other in found[rank])
    assert found[0] == [32, 4, 1]


@pytest.mark.skipif(not PROGRAM, reason="built without hypre: there is no odonata-amg")
def test_all_data_go_to_neighbours_in_the_grid_as_the_page_prints(study):
    """A pair of 64 ranks sends a face of 12 x 12 values in 21 products, and less in the setup."""
    found = study.partners.matrix(64)
    face = 12 * 12 * 8
    assert study.partners.distances(found).keys() == {1, 4, 16}
    (size,) = set(found.bytes.tolist()) - {0}
    assert 21 * face <= size < 22 * face
    page = (study.folder / "README.md").read_text(encoding="utf-8")
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines()]
    assert study.partners.row(found) in cells


@pytest.mark.slow
@pytest.mark.parametrize(("deviation", "seed"), [(0.0, 0), (0.003, 4)])
def test_the_page_prints_what_is_simulated(study, deviation, seed):
    page = (study.folder / "README.md").read_text(encoding="utf-8")
    row = re.search(rf"^\| {100 * deviation:.1f} % +\|(.*)\|(.*)\|$", page, re.MULTILINE)
    for share, cell in zip(study.scatter.shares(deviation, seed), row.groups(), strict=True):
        printed = [float(number) for number in re.findall(r"[\d.]+", cell)]
        assert printed[0] - 0.05 <= 100 * share <= printed[-1] + 0.05
