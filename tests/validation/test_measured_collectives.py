"""The tables of validation/measured-collectives: rows made anew, and the claims of the page."""

import json
import os
from pathlib import Path

import pytest

from odonata import machine, placement, simulate, trust, workload
from odonata.trust.checked import checked_rows
from odonata.trust.comparison import Spread, compare

FOLDER = Path(__file__).parents[2] / "validation/measured-collectives"
KEPT = json.loads((FOLDER / "results.json").read_text())
PAGE = (FOLDER / "README.md").read_text(encoding="utf-8")
SHARED = Path(__file__).parents[3] / "shared/data"
DATA = Path(os.environ.get("ODONATA_DATA", SHARED)) / "measured-collectives"


@pytest.fixture(scope="module")
def study(load_study):
    """Return the script that makes the tables."""
    return load_study("measured-collectives", "run").run


def printed(mark):
    return PAGE.partition(f"<!-- {mark} -->\n")[2].partition("\n<!-- end -->")[0]


def test_the_tables_of_the_page_are_those_of_the_rows(study):
    assert study.machines(KEPT) == printed("machines")
    assert study.coverage() == printed("coverage")
    assert study.beside() == printed("smpi")
    assert study.worst(KEPT) == printed("worst")
    assert study.tables() == (FOLDER / "tables.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["lumi-g", "leonardo", "marenostrum5", "fugaku"])
def test_a_machine_file_says_what_its_rows_say(name):
    loaded = machine.load(name)
    spread = Spread.of(row.ratio for row in checked_rows(loaded))
    assert loaded.value("checked.cases") == spread.cases
    assert loaded.value("checked.median_error") == pytest.approx(spread.error, rel=5e-3)
    assert loaded.value("checked.factor") == pytest.approx(spread.factor, rel=5e-3)


def test_most_rows_of_a_new_run_are_in_its_interval(study):
    shares = [line.split("|")[4].strip() for line in study.coverage().splitlines()[2:]]
    assert shares == ["86 %", "86 %", "91 %", "87 %"]


@pytest.mark.skipif(not DATA.exists(), reason="the measured collectives are not shipped")
@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("lumi-g", "lumi"),
        ("leonardo", "leonardo"),
        ("marenostrum5", "mare_nostrum"),
        ("fugaku", "fugaku"),
    ],
)
def test_rows_made_anew_are_the_kept_ones(name, table):
    """Files with fitted numbers have them from all runs, and their rows from other runs."""
    on = machine.load(name)
    read = trust.read_cases(DATA / f"{table}.csv.gz", DATA / f"{table}-nodes.csv.gz", on)
    every = {"leonardo": 120, "fugaku": 80}.get(name, 40)  # on large machines a run takes a second
    cases = [case for case in read.known if case.messages(on) <= 1000][::every]
    # [B] up to which rows are fitted to
    fitted = {"lumi-g": 2**63, "marenostrum5": 2**17, "fugaku": 2**63}.get(name, 0)
    made = compare(on, cases)
    for case, ratio in zip(made.cases, made.ratios, strict=True):
        kept = [row.ratio for row in checked_rows(on) if key(row) == key_of(case)]
        close = 0.25 if case.measured.bytes <= fitted else 1e-3
        assert min(abs(ratio / each - 1) for each in kept) < close


@pytest.mark.parametrize(("name", "ranks"), [("marenostrum5", 32), ("leonardo", 256)])
def test_broadcast_trees_are_right_where_messages_are_large(name, ranks):
    trees = {"binary", "bine_tree", "binomial_growing", "knomial"}
    rows = [
        row
        for row in checked_rows(machine.load(name))
        if row.operation == "bcast" and row.algorithm in trees
        if row.ranks == ranks and row.bytes >= 2**23
    ]
    assert {row.algorithm for row in rows} == trees
    assert all(1 <= row.ratio <= 1.02 for row in rows)


@pytest.mark.parametrize("engine", ["packet", "analytic"])
def test_a_tree_that_sends_at_once_takes_what_the_pages_say(engine):
    def taken(order):
        on = machine.load("marenostrum5", {"nic.order": order})
        tree = workload.Collective("bcast", "binomial_growing", bytes=2**26)
        job = simulate.Job(tree, placement.place(on, 32, ranks_per_node=1))
        return f"{1000 * simulate.simulate(on, job, engine=engine).time:.1f}"

    assert [taken("first-come"), taken("turns")] == ["20.2", "40.5"]
    pages = [PAGE, (FOLDER.parents[1] / "docs/models/packet-engine.md").read_text("utf-8")]
    assert all("40.6 ms" in page and "40.5" in page and "20.2 ms" in page for page in pages)


def key(row):
    return row.run, row.operation, row.algorithm, row.bytes


def key_of(case):
    work = case.workload
    return case.measured.run, work.operation, work.algorithm, case.measured.bytes
