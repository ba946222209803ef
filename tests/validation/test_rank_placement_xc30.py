"""The page of validation/rank-placement-xc30: rows made anew, its claims in the kept ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "validation/rank-placement-xc30"
KEPT = json.loads((FOLDER / "results.json").read_text())


@pytest.fixture(scope="module")
def study(load_study):
    """Return the scripts of the study."""
    return load_study("rank-placement-xc30", "communicators", "tables", "figures", "run")


def pick(**wanted):
    usual = {"algorithm": "auto", "routing": "minimal", "variant": "", "ensemble": True}
    wanted = usual | wanted
    (found,) = (row for row in KEPT if wanted.items() <= row.items())
    return found


def ratio(size, ranks=16, **wanted):
    """Return the time of an Alltoall on green over that on black."""
    wanted |= {"study": "alltoall", "bytes": size, "ranks": ranks}
    return pick(colour="green", **wanted)["us"] / pick(colour="black", **wanted)["us"]


@pytest.mark.parametrize(
    "wanted",
    [
        {"study": "point to point", "operation": "sendrecv", "colour": "blue", "ranks": 16,
         "bytes": 2048},
        {"study": "collectives", "operation": "allreduce", "colour": "red", "ranks": 16,
         "bytes": 256, "routing": "ugal-l"},
        {"study": "alltoall", "colour": "black", "ranks": 4, "bytes": 8192,
         "algorithm": "scattered", "variant": "equal links"},
    ],
)  # fmt: skip
def test_a_row_made_anew_is_the_kept_one(study, wanted):
    kept = pick(**wanted)
    made = study.run.measure(study.run.load(kept["variant"]), kept)
    assert made == {key: kept[key] for key in made}


def test_no_row_is_missing(study):
    assert list(study.run.missing(KEPT, study.run.STUDIES)) == []


def test_the_tables_of_the_page_are_those_of_the_results(study):
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    for name, made in study.tables.TABLES.items():
        assert f"<!-- {name} -->\n\n{made(KEPT)}\n\n<!-- end -->" in page


def test_communicators_are_on_routers_of_their_colour(study):
    """Four ranks have a router each, sixteen four nodes of each of four."""
    built = study.run.load("")
    positions = built.router_positions
    fixed = {"green": ("group", "row"), "black": ("group", "column")}
    for colour, axes in fixed.items():
        for ranks in (4, 16):
            places = study.communicators.Communicators(colour, ranks).placements(built)
            for place in places:
                routers = built.node_router[place.node_of]
                assert len(set(routers.tolist())) == 4
                for axis in axes:
                    assert len(set(positions[routers, built.axes.index(axis)].tolist())) == 1
            taken = [node for place in places for node in place.node_of]
            assert len(taken) == len(set(taken))


def test_the_knee_moves_with_the_limit_of_short_messages():
    """The step is from 1 to 2 KiB, or from 8 to 16 KiB; a byte of the wire takes 0.2 ns at most."""

    def step(size, variant):
        times = [
            pick(study="point to point", operation="sendrecv", colour="green", ranks=16,
                 bytes=each, variant=variant)["us"]
            for each in (size, 2 * size)
        ]  # fmt: skip
        return times[1] - times[0]

    assert step(1024, "") > 1.0 + 1024 * 0.0002
    assert step(1024, "short messages to 8 KiB") < 1024 * 0.0002
    assert step(8192, "short messages to 8 KiB") > 3.0 + 8192 * 0.0001


def test_long_alltoalls_are_slower_on_green_and_short_ones_are_not():
    for ranks in (4, 16):
        for algorithm in ("bruck", "scattered", "pairwise"):
            how = {"ranks": ranks, "algorithm": algorithm}
            assert ratio(128, **how) == pytest.approx(1, abs=0.02)
            assert ratio(2**18, **how) > 1.3
        assert ratio(2**18, ranks=ranks, algorithm="scattered") > 1.7


def test_with_equal_links_green_is_as_fast_as_black():
    for ranks in (4, 16):
        for size in (2**k for k in range(7, 19)):
            how = {"ranks": ranks, "algorithm": "scattered", "variant": "equal links"}
            assert ratio(size, **how) == pytest.approx(1, abs=0.05)
