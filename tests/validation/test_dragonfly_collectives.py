"""The dragonfly study, its 128-rank runs made anew: what it claims, and the numbers of its page."""

from __future__ import annotations

import json

import pytest

WORKLOADS = (
    "allgather/ring",
    "allgather/bruck",
    "allgather/tar",
    "scatter/binomial",
    "scatter/linear",
    "scatter/glf",
    "scatter/llf",
)


@pytest.fixture(scope="module")
def study(load_study):
    """Return the modules of the folder, and its rows."""
    found = load_study("dragonfly-collectives", "cases", "programs", "rows", "run", "tables")
    found.kept = json.loads((found.folder / "results.json").read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def fresh(study):
    """Return the runs of 128 ranks with seed 1, by workload."""
    asked = [study.cases.Case("study", "", name, 128) for name in WORKLOADS]
    return {case.workload: study.run.measure(case) for case in asked}


@pytest.mark.parametrize("workload", WORKLOADS)
def test_a_run_made_anew_equals_the_kept_one_to_the_picosecond(study, fresh, workload):
    assert fresh[workload] == study.kept[f"study |  | {workload} | 128 | 1"]


def test_linear_scatter_keeps_the_roots_link_busy_and_no_more(fresh):
    # 127 messages of 1,024 B leave one after the other at 5.25 GB/s: 24,770,794 ps. The last one,
    # to another group, then crosses four routers (measured: 535,952 ps from its tail on).
    assert fresh["scatter/linear"]["time_ps"] == 25_306_746
    assert fresh["scatter/linear"]["time_ps"] - 127 * 1024 / 5.25e9 * 1e12 < 600_000


def test_the_order_of_the_allgathers_at_128_ranks_is_the_published_one(fresh):
    ring, bruck, tar = (fresh[f"allgather/{name}"]["time_ps"] for name in ("ring", "bruck", "tar"))
    assert bruck < tar < ring
    assert 1.1 < ring / tar < 1.4  # published: 1.1


def test_messages_cross_3_8_routers_and_fewer_with_tar(fresh):
    assert fresh["allgather/ring"]["routers"] == pytest.approx(3.8, abs=0.1)  # published: 3.8
    assert fresh["allgather/bruck"]["routers"] == pytest.approx(3.8, abs=0.1)  # published: 3.8
    assert fresh["allgather/tar"]["routers"] < 3.0


def test_linear_scatter_fills_no_buffer_and_is_ahead_of_binomial(fresh):
    linear = fresh["scatter/linear"]
    assert (linear["own_filled"], linear["router_filled"]) == (0, 0)
    assert linear["router_peak"] <= 4096  # of 16,384 B
    assert fresh["scatter/binomial"]["time_ps"] > 1.15 * linear["time_ps"]


def test_linear_falls_behind_binomial_when_software_is_slower_than_a_global_link(study):
    # 1,024 B take 195 ns on the root's link and 218 ns on a global one.
    def ahead(overhead):
        changes = tuple(study.cases.overheads(overhead).items())
        asked = [study.cases.Case("", "", WORKLOADS[at], 128, changes=changes) for at in (4, 3)]
        linear, binomial = (study.run.measure(case)["time_ps"] for case in asked)
        return linear < binomial

    assert ahead(200)
    assert not ahead(300)


def test_ports_that_pay_for_each_chunk_bring_the_published_lead_of_linear(study):
    pays = tuple(study.cases.ports_pay(512).items())
    asked = [study.cases.Case("", "", WORKLOADS[at], 128, changes=pays) for at in (4, 3)]
    linear, binomial = (study.run.measure(case)["time_ps"] for case in asked)
    assert 1.5 < binomial / linear < 2.0  # published: 1.5 to 2


def test_the_tables_of_the_page_are_those_of_the_results(study, tmp_path):
    text = (study.folder / "README.md").read_text(encoding="utf-8")
    page = tmp_path / "README.md"
    page.write_text(text, encoding="utf-8")
    study.tables.write(study.kept, page)
    assert page.read_text(encoding="utf-8") == text
