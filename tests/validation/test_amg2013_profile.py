"""The profile of AMG2013: the printed table of ranks whose work scatters."""

from __future__ import annotations

import re

import pytest


@pytest.fixture(scope="module")
def study(load_study):
    return load_study("amg2013-profile", "scatter", "tables")


def test_every_rank_shares_faces_with_its_neighbours_in_the_box(study):
    found = [study.scatter.neighbours(rank) for rank in range(256)]
    assert sum(map(len, found)) == 1280
    assert all(rank in found[other] for rank in range(256) for other in found[rank])
    assert found[0] == [32, 4, 1]


@pytest.mark.slow
@pytest.mark.parametrize(("deviation", "seed"), [(0.0, 0), (0.003, 4)])
def test_the_page_prints_what_is_simulated(study, deviation, seed):
    page = (study.folder / "README.md").read_text(encoding="utf-8")
    row = re.search(rf"^\| {100 * deviation:.1f} % +\|(.*)\|(.*)\|$", page, re.MULTILINE)
    for share, cell in zip(study.scatter.shares(deviation, seed), row.groups(), strict=True):
        printed = [float(number) for number in re.findall(r"[\d.]+", cell)]
        assert printed[0] - 0.05 <= 100 * share <= printed[-1] + 0.05
