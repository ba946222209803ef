"""Halo exchanges on Blue Waters: rows of the study made anew, and what its page claims of them."""

import json
from pathlib import Path

import pytest

RESULTS = Path(__file__).parents[2] / "validation/gemini-topology/halo.json"
KEPT = json.loads(RESULTS.read_text())


def less(sides, packing, other):
    """Return how much less time custom takes than another distribution."""
    times = {
        row["distribution"]: row["microseconds"]
        for row in KEPT
        if (row["sides"], row["packing"]) == (sides, packing)
    }
    return 1 - times["custom"] / times[other]


@pytest.mark.parametrize("how", ["plain", "cart", "custom"])
def test_a_small_row_made_anew_is_the_kept_one(load_study, how):
    study = load_study("gemini-topology", "halo").halo
    blue_waters = study.machine.load("blue-waters", study.LARGER_PACKETS)
    (kept,) = (
        row
        for row in KEPT
        if (row["sides"], row["packing"], row["distribution"]) == ("3x3", "x contiguous", how)
    )
    assert study.measure(blue_waters, (3, 3), "x contiguous", how) == kept


def test_custom_is_ahead_from_six_a_side_on():
    for n in range(6, 13):
        for other in ("plain", "cart"):
            for packing in ("none", "even", "x contiguous"):
                assert less(f"{n}x{n}", packing, other) > 0.04
            assert n == 9 or less(f"{n}x{n}", "slow", other) > 0.01


def test_slow_packing_leaves_what_is_published():
    assert less("12x12", "slow", "cart") == pytest.approx(0.04, abs=0.01)
    assert abs(less("5x5", "slow", "cart")) < 0.001
