"""The page of validation/gemini-topology: some rows made anew, its claims in the kept ones."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "validation/gemini-topology"
KEPT = json.loads((FOLDER / "results.json").read_text())


@pytest.fixture(scope="module")
def study(load_study):
    """Return the scripts of the study."""
    return load_study("gemini-topology", "published", "box", "tables", "run")


def pick(**wanted):
    (found,) = (row for row in KEPT if wanted.items() <= row.items())
    return found


def stream(axis, hops, window="0 B"):
    return pick(study="streams", axis=axis, hops=hops, window=window)["one way"] / 1e9


@pytest.mark.parametrize(
    "wanted",
    [
        {"study": "streams", "window": "0 B", "axis": "y", "hops": 5},
        {"study": "parallel", "axis": "y", "hops": 3},
        {"study": "collectives", "variant": "", "along": "y", "operation": "allgather",
         "bytes": "1 KiB"},
    ],
)  # fmt: skip
def test_a_row_made_anew_is_the_kept_one(study, wanted):
    kept = pick(**wanted)
    ((case, measure),) = (
        (case, measure)
        for case, measure in study.run.STUDIES[wanted["study"]]()
        if wanted.items() <= case.items()
    )
    built = study.run.load(study.run.machine_of(case)[0])
    made = measure(built, study.box.Box(built))
    assert made == {key: kept[key] for key in made}


def test_no_row_is_missing(study):
    assert list(study.run.missing(KEPT, study.run.STUDIES)) == []


def test_the_tables_of_the_page_are_those_of_the_results(study):
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    for name, made in study.tables.TABLES.items():
        assert f"<!-- {name} -->\n\n{made(KEPT)}\n\n<!-- end -->" in page


def test_two_nodes_of_a_router_follow_each_other_along_y(study):
    built = study.run.load({})
    box = study.box.Box(built)
    routers = [built.node_router[box.node(0, y, 0)] for y in range(4)]
    assert routers == [0, 0, 23, 23]
    along_y, along_x = (box.groups(axis, 7)[0] for axis in "yx")
    assert [int(r) // 23 for r in built.node_router[along_y]] == [0, 0, 1, 1, 2, 2, 3]
    assert built.node_router[along_x].tolist() == list(range(7))


def test_rates_are_those_of_the_links_without_their_headers():
    """Two links of 4.6875 GB/s along x and z, one of 4.68 along y; 64 of 96 B are data."""
    for hops in range(1, 12):
        assert stream("x", hops) == pytest.approx(6.25, rel=0.01)
        assert stream("z", hops) == pytest.approx(6.25, rel=0.01)
        assert stream("y", hops) == pytest.approx(3.12 if hops < 5 else 3.91 * 2 / 3, rel=0.01)


def test_the_window_lets_rates_fall_with_distance_but_not_in_steps():
    rates = [stream("z", hops, "6656 B") for hops in range(1, 12)]
    assert rates[2] > 0.98 * 6.25
    assert all(one >= other for one, other in pairwise(rates))
    assert 0.65 * 6.25 < rates[5] < 0.8 * 6.25
    assert rates[6] > 0.6 * 6.25  # in print: below a half behind six hops


def test_a_second_pair_gains_along_y_alone():
    for hops in (1, 3, 6):
        gains = {
            axis: row["two pairs"] / row["one pair"]
            for axis in "xyz"
            for row in [pick(study="parallel", axis=axis, hops=hops)]
        }
        assert gains["y"] == pytest.approx(2, rel=0.01)
        assert gains["x"] == pytest.approx(1, rel=0.01)
        assert gains["z"] == pytest.approx(1, rel=0.01)


def rows_of(operation, along, variant=""):
    sizes = {"bytes": "256 KiB", "operation": operation, "along": along}
    return pick(study="collectives", variant=variant, **sizes)


def test_rows_along_y_have_half_the_bytes_and_as_much_on_the_fullest_link():
    """Cut in the middle, both have 12 blocks a link: 3 x 4 of two rows on two links, or of one."""
    along_x, along_y = (rows_of("alltoall", axis) for axis in "xy")
    assert along_y["y MiB"] / along_x["x MiB"] == pytest.approx(0.5, rel=0.01)
    assert along_y["y most MiB"] / along_x["x most MiB"] == pytest.approx(1, rel=0.02)
    assert along_y["y most MiB"] == pytest.approx(12 * 0.25 * 1.5, rel=0.01)


def test_with_links_and_nodes_elsewhere_rows_along_y_gain_or_lose():
    ratio = {
        variant: rows_of("alltoall", "y", variant)["mean_us"]
        / rows_of("alltoall", "x", variant)["mean_us"]
        for variant in ("", "two links along y", "one link along x and z", "the two nodes along x")
    }
    assert ratio[""] > 0.9
    assert ratio["two links along y"] < 0.7
    assert ratio["one link along x and z"] < 0.7
    assert ratio["the two nodes along x"] > 1.5
