"""The table of validation/saturation: its smallest shape made anew, its claims in every row."""

import json
import re
from pathlib import Path

import pytest

from odonata.study import Study, read_study_file

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


def test_runs_of_the_smallest_shape_made_anew_are_the_kept_ones(study, run_odonata, tmp_path):
    text = (RESULTS.parent / "study.toml").read_text(encoding="utf-8")
    smallest = re.sub(r"= \[([0-9]+), [0-9]+, [0-9]+\]", r"= [\1]", text)
    smallest = re.sub(r'\[\[without\]\][^\[]*groups"[^\[]*', "", smallest)
    file = tmp_path / "smallest.toml"
    file.write_text(smallest, encoding="utf-8")
    assert run_odonata("study", "run", file, "-o", tmp_path / "runs")[0] == 0
    made = study.rows(Study(tmp_path / "runs"))
    assert [row | {"bound": pytest.approx(row["bound"])} for row in made] == SMALLEST


def test_the_kept_rows_are_the_combinations_of_the_study():
    study = read_study_file(RESULTS.parent / "study.toml")
    assert len(KEPT) == len(list(study.combinations()))


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
