"""The tables of validation/congestion: quick rows made anew, and the claims of the page."""

import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "validation/congestion"
KEPT = json.loads((FOLDER / "results.json").read_text())
PAGE = (FOLDER / "README.md").read_text(encoding="utf-8")
SIZES = ("8 B", "64 KiB")
BUSY = (64, 128, 256)
QUICK = [
    row
    for row in KEPT
    if row["seed"] == 1 and ("edison" not in row["machine"] or row["sources"] == 0)
]


@pytest.fixture(scope="module")
def study(load_study):
    """Return the script that measures."""
    return load_study("congestion", "run").run


def test_no_row_is_missing(study):
    assert [study.case_of(row) for row in KEPT if row["machine"] in study.MACHINES] == [
        case for case in study.cases() if case[0] in study.MACHINES
    ]
    assert {study.case_of(row) for row in KEPT} == set(study.cases())


@pytest.mark.parametrize(
    "kept", QUICK, ids=lambda row: "-".join(str(row[k]) for k in ("machine", "sources", "bytes"))
)
def test_a_row_made_anew_is_the_kept_one(study, kept):
    assert study.row(*study.case_of(kept)) == {"seconds": kept["seconds"]}


@pytest.mark.parametrize(("mark", "make"), [("machines", "table"), ("incasts", "incasts"),
                                            ("numbers", "variants")])  # fmt: skip
def test_the_tables_of_the_page_are_those_of_the_results(study, mark, make):
    table = PAGE.partition(f"<!-- {mark} -->\n")[2].partition("\n<!-- end -->")[0]
    assert getattr(study, make)(KEPT) == table


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("sources", BUSY)
def test_control_keeps_the_victims_time_and_machines_without_lose_it(study, sources, size):
    def slowdowns(name):
        return study.slowdowns(KEPT, name, sources, size)

    assert max(slowdowns("lumi-g")) < 1.005
    assert min(slowdowns("lumi-g, no control")) > 0.995
    assert 1.5 < max(slowdowns("lumi-g, no control")) < 30
    assert min(slowdowns("edison")) > 12.9
    assert max(slowdowns("edison")) < 212


@pytest.mark.parametrize("size", SIZES)
def test_the_control_and_then_the_buffers_make_the_difference(study, size):
    def slowdowns(name):
        return study.slowdowns(KEPT, name, 128, size)

    assert max(slowdowns("`edison`, window 64 KiB, delay 2 us")) < 1.005
    assert max(slowdowns("`edison`, buffers 64 KiB")) < max(slowdowns("edison"))
    small = slowdowns("`lumi-g`, no control, buffers 16 KiB")
    assert max(small) > max(slowdowns("lumi-g, no control"))
    for number in ("window 64 KiB", "window 1 MiB", "delay 1 us", "delay 4 us"):
        assert max(slowdowns(f"`lumi-g`, {number}")) < 1.005
    assert slowdowns("`lumi-g`, window 16 MiB") == slowdowns("lumi-g, no control")


def test_the_control_costs_the_incast_nothing(study):
    times = {study.case_of(row): row["seconds"] for row in KEPT}
    for seed in study.SEEDS:
        controlled, free = (
            times[name, 128, study.INCAST, seed] for name in ("lumi-g", "lumi-g, no control")
        )
        assert controlled == pytest.approx(free, rel=0.005)
