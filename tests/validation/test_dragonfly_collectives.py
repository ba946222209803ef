"""The dragonfly study, its 128-rank runs made anew: its claims, and the numbers of its page."""

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


def binomial_over_linear(study, changes):
    """Return the ratio of the times of two scatters on 128 ranks."""
    made = tuple(changes.items())
    asked = [study.cases.Case("", "", WORKLOADS[at], 128, changes=made) for at in (4, 3)]
    linear, binomial = (study.run.measure(case)["time_ps"] for case in asked)
    return binomial / linear


def test_ports_that_pay_for_each_chunk_bring_the_published_lead_of_linear(study):
    """So did CODES until October 2016 (80fd8129)."""
    assert 1.5 < binomial_over_linear(study, study.cases.ports_pay(512)) < 2.0  # published


def test_ports_that_get_the_delay_back_do_not(study):
    """CODES since: the chunk arrives as late, and the port is free after the wire's time."""
    assert 1.2 < binomial_over_linear(study, study.cases.ports_pay(512, taken_back=True)) < 1.3


def test_a_port_that_gets_its_delay_back_differs_in_its_rate_alone(study):
    before, since = (study.cases.ports_pay(512, taken_back=given) for given in (False, True))
    assert before["links.local.latency"] == since["links.local.latency"]
    assert before["links.local.latency"] == "140.826 ns"  # 512 B at 5.25 GiB/s, and 50 ns
    assert before["links.local.bandwidth"] == "3.635689 GB/s"  # 512 B in 140.826 ns
    assert since["links.local.bandwidth"] == "5.637145 GB/s"  # 5.25 GiB/s
    # A node takes a chunk from its port: after the wire's time, and the delay beside it.
    assert (before["links.ejection.latency"], since["links.ejection.latency"]) == (
        "0 ns", "50.000 ns"
    )  # fmt: skip
    assert before["links.injection.bandwidth"] == since["links.injection.bandwidth"]


@pytest.mark.parametrize("ranks", [512, 1024, 2048, 4096])
def test_the_verdicts_on_allgathers_stand_on_five_seeds(study, ranks):
    """RING behind TAR, and BRUCK behind it beyond 512 ranks, with every seed."""
    ring, bruck = (
        study.rows.ratio(study.kept, "study", "", f"allgather/{name}", "allgather/tar", ranks)
        for name in ("ring", "bruck")
    )
    assert (ring.count, bruck.count) == (5, 5)
    assert ring.low > 1.5
    assert (bruck.low > 1) == (ranks > 512)
    text = (study.folder / "README.md").read_text(encoding="utf-8")
    if ranks > 1024:
        assert str(ring) in text.partition("### Allgather")[0]
    assert str(bruck) in text.partition("### Allgather")[0]


def test_the_busiest_link_of_bruck_on_128_ranks_is_busy_as_long_as_the_page_says(study):
    found = study.rows.of_seeds(study.kept, "study", "", "allgather/bruck", 128).values()
    assert len(found) == 5
    assert max(row[kind] for row in found for kind in ("local", "global")) == 0.838
    text = (study.folder / "README.md").read_text(encoding="utf-8")
    assert "no link is busy for more than\n84 % of the run" in text


def test_the_page_says_how_many_seeds_a_mean_has(study):
    fewer = study.rows.Spread(1.5, 1.4, 1.6, 2)
    assert study.tables._few(fewer.count) == ", 2 seeds"
    assert study.tables._few(1) == ", 1 seed"
    assert study.tables._few(5) == ""


def test_the_tables_of_the_page_are_those_of_the_results(study, tmp_path):
    text = (study.folder / "README.md").read_text(encoding="utf-8")
    page = tmp_path / "README.md"
    page.write_text(text, encoding="utf-8")
    study.tables.write(study.kept, page)
    assert page.read_text(encoding="utf-8") == text
