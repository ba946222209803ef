"""The page of validation/gemini-topology: some rows made anew, its claims in the kept ones."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from statistics import median

import pytest

FOLDER = Path(__file__).parents[2] / "validation/gemini-topology"
KEPT = json.loads((FOLDER / "results.json").read_text())
CABLE = 4.6875 * 64 / 105  # GB/s of data on one


@pytest.fixture(scope="module")
def study(load_study):
    """Return the scripts of the study."""
    return load_study("gemini-topology", "published", "hypotheses", "box", "tables", "run", "titan")


def pick(**wanted):
    (found,) = (row for row in KEPT if wanted.items() <= row.items())
    return found


def stream(name, axis, hops, first=0, way="one way"):
    wanted = {"study": "streams", "hypothesis": name, "along": axis, "first": first, "seed": 1}
    return pick(**wanted, hops=hops)[way] / 1e9


@pytest.mark.parametrize(
    "wanted",
    [
        {"study": "streams", "hypothesis": "H2", "along": "y", "first": 1, "hops": 5, "seed": 1},
        {"study": "parallel", "hypothesis": "H3", "along": "x", "hops": 3, "seed": 2},
        {"study": "collectives", "hypothesis": "H5", "along": "y", "first": 1,
         "operation": "allgather", "seed": 3},
    ],
)  # fmt: skip
def test_a_row_made_anew_is_the_kept_one(study, wanted):
    kept = pick(**wanted)
    (case,) = (
        case for case in study.run.STUDIES[wanted["study"]][0]() if wanted.items() <= case.items()
    )
    assert study.run.measure(case) == kept


def test_no_row_is_missing_and_none_is_twice(study):
    assert list(study.run.missing(KEPT, study.run.STUDIES)) == []
    assert len({json.dumps(row, sort_keys=True) for row in KEPT}) == len(KEPT)


def test_the_tables_of_the_page_are_those_of_the_results(study):
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    for name, made in study.tables.TABLES.items():
        assert f"<!-- {name} -->\n\n{made(KEPT)}\n\n<!-- end -->" in page
    assert f"<!-- titan -->\n\n{study.titan.table()}\n\n<!-- end -->" in page


def test_two_nodes_of_a_router_follow_each_other_along_y(study):
    built = study.run.load("H2")
    box = study.box.Box(built)
    routers = [built.node_router[box.node(0, y, 0)] for y in range(4)]
    assert routers == [0, 0, 23, 23]
    along_y, along_x = (box.groups(axis, 7)[0] for axis in "yx")
    assert [int(r) // 23 for r in built.node_router[along_y]] == [0, 0, 1, 1, 2, 2, 3]
    assert built.node_router[along_x].tolist() == list(range(7))
    assert int(built.node_router[study.box.Box(built, (0, 1, 0)).node(0, 0, 0)]) == 23


def test_a_pair_has_the_rate_of_its_nic_or_of_its_slowest_link():
    """Two links of a backplane carry more than a NIC; a cable of y is the only link there."""
    for hops in range(1, 12):
        assert stream("H2", "x", hops) == pytest.approx(2 * CABLE, rel=0.01)
        assert stream("H2", "z", hops) == pytest.approx(6.09 if hops < 8 else 2 * CABLE, rel=0.01)
        assert stream("H2", "y", hops) == pytest.approx((hops < 2) * CABLE + CABLE, rel=0.01)
        assert stream("H2", "y", hops, first=1) == pytest.approx(CABLE, rel=0.01)


def test_on_one_link_z_is_faster_than_x_until_the_chassis_ends():
    """Links 1 to 7 along z are in the backplane: 7.5 against 4.69 GB/s, 1.6 times."""
    for hops in range(1, 12):
        ratio = stream("H3", "z", hops) / stream("H3", "x", hops)
        assert ratio == pytest.approx(1.6 if hops < 8 else 1, rel=0.02)
        from_slot_1 = stream("H3", "z", hops, first=1) / stream("H3", "x", hops)
        assert from_slot_1 == pytest.approx(1.6 if hops < 7 else 1, rel=0.02)


def test_seeds_do_not_change_the_rate_of_a_pair(study):
    for name, axis, hops in product(("H2", "H3"), "xyz", (1, 6, 12)):
        rates = study.tables.rates(KEPT, name, axis, 0, hops).values()
        assert len(rates) == 5
        assert max(rates) / min(rates) < 1.0005


def test_both_ways_have_twice_the_rate_of_one_way():
    for name in ("H2", "H3", "H5"):
        for hops in (1, 2, 6, 11):
            for axis in "xyz":
                both = stream(name, axis, hops, way="both ways")
                assert both == pytest.approx(2 * stream(name, axis, hops), rel=0.01)


def test_a_second_pair_gains_along_y_alone(study):
    for name in ("H2", "H3"):
        for hops in (1, 3, 6):
            gains = {axis: study.tables.gains(KEPT, name, axis, hops) for axis in "xyz"}
            assert all(gain == pytest.approx(2, rel=0.02) for gain in gains["y"])
            assert all(gain == pytest.approx(1, abs=0.01) for gain in gains["x"])
            rest = 15.0 * 64 / 105 / 6.09 if name == "H2" else 1  # of two links beside a NIC
            assert all(gain == pytest.approx(rest, rel=0.01) for gain in gains["z"])


def test_lines_have_the_measured_rates_where_both_links_are_used(study):
    """Bienz et al. 2018: 5.71, 2.85 and 9.14 GB/s over the middle along x, y and z."""

    def rates(name, axis, first=0):
        wanted = {"study": "lines", "hypothesis": name, "along": axis, "first": first}
        return [rate / 1e9 for rate in study.tables.by_seed(KEPT, "rate", **wanted).values()]

    for axis in "xyz":
        measured = float(study.published.LINES[axis].split(",")[0])
        assert all(rate == pytest.approx(measured, rel=0.01) for rate in rates("H2", axis))
    assert max(rates("H3 same", "x")) < 3
    assert min(rates("H3", "x")) < 3 < 5 < max(rates("H3", "x"))


def test_hypotheses_give_what_the_page_says(study):
    rows, planes = study.tables.left_of_rows, study.tables.left_of_planes
    assert all(left > 0.8 for left in rows(KEPT, "H2", "allgather", 0))
    for name in ("H3", "H3 same"):
        assert median(rows(KEPT, name, "allgather", 0)) == pytest.approx(0.46, abs=0.06)
        assert median(planes(KEPT, name, "allgather")) == pytest.approx(0.47, abs=0.09)
        assert median(rows(KEPT, name, "alltoall", 0)) > 0.5  # in print: 0.26
    assert median(rows(KEPT, "H5", "alltoall", 0)) == pytest.approx(0.29, abs=0.02)
    assert median(rows(KEPT, "H5", "allgather", 0)) < 0.36  # in print: 0.46


def test_rows_from_an_odd_router_have_their_cables_where_fewer_blocks_cross(study):
    """Rows of 7 nodes on 4 routers: 12 blocks cross the middle, 10 the first link."""
    even, odd = (study.tables.left_of_rows(KEPT, "H2", "alltoall", first) for first in (0, 1))
    assert max(odd) < min(even)

    def most(first):
        wanted = {"along": "y", "first": first, "operation": "alltoall", "seed": 1}
        wanted |= {"bytes": "64 KiB"}
        return pick(study="collectives", hypothesis="H2", **wanted)["y-cable most MiB"]

    assert most(0) == pytest.approx(12 * 105 / 64 / 16, rel=0.02)
    assert most(1) == pytest.approx(10 * 105 / 64 / 16, rel=0.02)
