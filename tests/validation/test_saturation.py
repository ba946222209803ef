"""The table of validation/saturation: its smallest shape made anew, its claims in every row."""

import json
from pathlib import Path

import pytest

RESULTS = Path(__file__).parents[2] / "validation/saturation/results.json"
KEPT = json.loads(RESULTS.read_text())
ROWS = [row for row in KEPT if row["bound"]]
SHAPES = [[2, 4, 2], [4, 8, 4], [6, 12, 6]]
SMALLEST = [row for row in KEPT if row["shape"] == SHAPES[0]]
CASES = {
    ("minimal", "adversarial+1"): 0.99,  # the least share of the bound that is reached
    ("valiant", "adversarial+1"): 0.9,
    ("valiant", "adversarial+h"): 0.95,
    ("valiant", "uniform"): 0.9,
}
A_PACKET = 1e-4  # whole packets are counted: one more or less at the ends of the interval


@pytest.fixture(scope="module")
def study(load_study):
    """Return the script that measures."""
    return load_study("saturation", "run").run


@pytest.mark.parametrize(
    "kept", SMALLEST, ids=lambda row: "-".join(row[k] for k in ("routing", "pattern", "variant"))
)
def test_a_row_of_the_smallest_shape_made_anew_is_the_kept_one(study, kept):
    case = (kept["routing"], kept["pattern"], kept["variant"])
    made = study.row(tuple(kept["shape"]), *case, study.VARIANTS[kept["variant"]])
    assert made["accepted"] == kept["accepted"]
    assert made["bound"] == (kept["bound"] and pytest.approx(kept["bound"]))


def test_no_row_of_the_smallest_shape_is_missing(study):
    cases = [(r, p, v) for r, p in study.OBLIVIOUS + study.ADAPTIVE for v in study.VARIANTS]
    wanted = {case for case in cases if study.wanted(study.SHAPES[0], case[:2], case[2])}
    assert {(row["routing"], row["pattern"], row["variant"]) for row in SMALLEST} == wanted


def test_the_table_of_the_page_is_that_of_the_results(study):
    page = (RESULTS.parent / "README.md").read_text(encoding="utf-8")
    table = page.partition("<!-- table -->\n")[2].partition("\n<!-- end -->")[0]
    assert study.table(KEPT) == table


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("case", "least"), CASES.items())
def test_the_load_that_is_accepted_is_near_its_bound_and_never_above(shape, case, least):
    (row,) = (
        row
        for row in ROWS
        if (row["shape"], row["routing"], row["pattern"], row["variant"]) == (shape, *case, "")
    )
    assert least * row["bound"] <= row["accepted"] <= (1 + A_PACKET) * row["bound"]


def test_only_the_mean_of_unequal_shares_passes_the_bound():
    """Where nodes are held back less, or not at all, some get more than others at +h."""
    above = [row for row in ROWS if row["accepted"] > (1 + A_PACKET) * row["bound"]]
    assert {(row["routing"], row["pattern"]) for row in above} == {("valiant", "adversarial+h")}
    assert all(row["variant"] for row in above)
