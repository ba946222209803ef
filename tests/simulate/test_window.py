"""The window of traffic: its place, its counts, and warnings when nothing had settled."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from odonata import machine
from odonata.errors import UserError
from odonata.placement import place
from odonata.result import Result
from odonata.result.run_warnings import traffic_warnings
from odonata.simulate import Job, Options, run
from odonata.simulate.window import window_totals
from odonata.workload import Collective, Traffic

SHAPE = {
    "shape.nodes_per_router": 2,
    "shape.routers_per_group": 4,
    "shape.global_links_per_router": 2,
    "shape.groups": 9,
    "links.injection.bandwidth": "1 GB/s",  # a message of 1,000 B every us at load 1
}
SMALL = machine.load("dragonfly-5256", SHAPE)
SETTINGS = [word for key, value in SHAPE.items() for word in ("--set", f"{key}={value}")]
ON_SMALL = ["simulate", "traffic", "--machine", "dragonfly-5256", *SETTINGS]


def measured(seed=0, **how):
    job = Job(Traffic(bytes=1000, **how), place(SMALL, 72))
    return run(SMALL, [job], Options(seed=seed))


def curve(counts, width=1000, **more):
    raw = {"window_begin": 0, "window_end": 0, "window_bytes": 0, "first_done": 10**9}
    raw |= {"last_delivered": 10**9, "curve_bytes": np.array(counts), "curve_width": width}
    return raw | more


# ---- where the window is


def test_the_window_that_is_asked_for_counts_its_bytes_and_those_of_its_first_half():
    # 10, 20, 30, 40 B in bins of 1 ns; 0.5 to 3.5 ns has half of the first and of the last.
    got = window_totals(curve([10, 20, 30, 40]), Traffic(warm_up="0.5 ns", window="3 ns"))
    assert (got["window_begin"], got["window_end"]) == (500, 3500)
    assert got["window_bytes"] == 5 + 20 + 30 + 20
    assert got["window_first_bytes"] == 5 + 20 // 2 + 20 // 2


def test_a_window_ends_when_the_first_rank_has_nothing_left_to_send():
    got = window_totals(curve([10] * 8, first_done=6000), Traffic(warm_up="2 ns"))
    assert (got["window_begin"], got["window_end"], got["window_bytes"]) == (2000, 6000, 40)
    got = window_totals(curve([10] * 8, first_done=6000), Traffic(window="4 ns"))
    assert (got["window_begin"], got["window_end"]) == (4000, 6000)  # as long a warm-up


def test_a_window_after_the_end_of_sending_is_that_of_the_engine_and_there_is_a_warning():
    raw = curve([10] * 8, first_done=6000, window_begin=3000, window_end=6000, window_bytes=30)
    got = window_totals(raw, Traffic(warm_up="6 ns", window="2 ns"))
    assert (got["window_begin"], got["window_end"]) == (3000, 6000)
    assert (got["asked_begin"], got["asked_end"]) == (6000, 8000)
    said = (
        "the window {} could not be measured: accepted load was measured from 3 ns to 6 ns; a rank"
    )
    assert said.format("6 ns to 8 ns") in " ".join(traffic_warnings(made(10, 10, **got)))
    got = window_totals(raw, Traffic(warm_up="7 ns"))
    assert said.format("from 7 ns on") in " ".join(traffic_warnings(made(10, 10, **got)))


def test_a_window_that_sending_cuts_short_has_a_warning():
    for first_done, number in ((8000, 0), (7999, 1)):
        got = window_totals(curve([10] * 8, first_done=first_done), Traffic(window="4 ns"))
        found = traffic_warnings(made(10, 10, **got))
        assert sum("could not be measured" in text for text in found) == number


def test_without_a_wish_the_window_is_that_of_the_engine():
    raw = curve([10] * 8, window_begin=4000, window_end=8000, window_bytes=40)
    assert window_totals(raw, Traffic()) == {
        "window_begin": 4000,
        "window_end": 8000,
        "window_bytes": 40,
        "window_first_bytes": 20,
    }


@pytest.mark.parametrize(
    ("how", "messages"),
    [
        ({}, 200),
        ({"messages_per_rank": 30}, 30),
        ({"window": "100 us", "load": 0.5}, 160),  # 100 in 200 us, and 5 sqrt(100) + 10
        ({"warm_up": "100 us", "window": "300 us", "load": 0.25}, 160),
        ({"warm_up": "100 us", "load": 1}, 360),
    ],
)
def test_ranks_send_until_the_window_is_over(how, messages):
    assert Traffic(bytes=1000, **how).messages(SMALL) == messages


def test_a_window_is_measured_whole():
    totals = measured(load=0.5, warm_up="30 us", window="60 us").jobs[0].totals
    assert (totals["window_begin"], totals["window_end"]) == (30_000_000, 90_000_000)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"window": "20"}, "window: a number without a unit"),
        ({"window": "0 us"}, "window: too short"),
        ({"warm_up": "soon"}, "warm-up: not a time"),
    ],
)
def test_a_wrong_window_is_refused(how, said):
    with pytest.raises(UserError, match=said):
        Traffic(**how)


def test_too_few_packets_for_a_window_are_refused():
    with pytest.raises(UserError, match=r"until the window is over: 100; allowed: more than 100"):
        Traffic(bytes=1000, load=0.5, window="100 us", messages_per_rank=100).messages(SMALL)


# ---- warnings


def made(first, second, *, offered=0.5, accepted=0.5, **totals):
    """Return a run whose window has such bytes in its halves, in messages of 1 B."""
    some = measured(load=0.5, messages_per_rank=20)
    job = some.jobs[0]
    changed = {"window_first_bytes": first, "window_bytes": first + second, **totals}
    counted = replace(job, totals={**job.totals, **changed}, workload={**job.workload, "bytes": 1})
    summary = {**some.summary, "offered_load": offered, "accepted_load": accepted}
    return replace(some, summary=summary, jobs=(counted,))


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (50_000, 50_000, 0),
        (51_200, 48_800, 0),  # 4.8 % apart
        (51_300, 48_700, 1),  # 5.2 %
        (48_700, 51_300, 1),
        (530, 470, 0),  # 12 %, of 1,000 messages: 6 / sqrt(1,000) is 19 %
        (600, 400, 1),
    ],
)
def test_halves_that_differ_by_more_than_chance_have_not_settled(first, second, said):
    found = traffic_warnings(made(first, second))
    assert len(found) == said
    assert all("not settled: the second half of the window delivers" in text for text in found)
    assert all((" less " if first > second else " more ") in text for text in found)


@pytest.mark.parametrize(
    ("messages", "accepted", "said"),
    [(100_000, 0.476, 0), (100_000, 0.474, 1), (400, 0.43, 0), (400, 0.42, 1)],
)
def test_more_offered_than_accepted_is_told(messages, accepted, said):
    found = traffic_warnings(made(messages // 2, messages // 2, accepted=accepted))
    assert len(found) == said
    assert all("offered load 0.5 is above accepted load 0.4" in text for text in found)


def test_no_window_is_told():
    whole = made(10, 10)
    totals = {**whole.jobs[0].totals, "window_begin": 0, "last_delivered": 7, "window_end": 7}
    found = traffic_warnings(replace(whole, jobs=(replace(whole.jobs[0], totals=totals),)))
    assert found == ["traffic/uniform: not settled: too few packets a node for a steady window"]


@pytest.mark.parametrize("seed", range(5))
def test_a_load_that_is_accepted_has_no_warning(seed):
    got = measured(seed, load=0.5)
    assert traffic_warnings(got) == []
    assert got.summary["accepted_load"] == pytest.approx(0.5, rel=0.05)


@pytest.mark.parametrize("seed", range(5))
def test_a_load_above_the_bound_has_a_warning_and_the_default_has_settled(seed):
    # One global link for the 8 nodes of a group: its rate is 4.7 of the injection's 1 GB/s.
    how = {"pattern": "adversarial+1", "load": 0.9}
    default, long = measured(seed, **how), measured(seed, **how, messages_per_rank=1000)
    assert traffic_warnings(default)[0].startswith("offered load 0.9 is above accepted load 0.5")
    accepted = default.summary["accepted_load"]
    assert accepted == pytest.approx(4.7 / 8, rel=0.02)
    assert accepted == pytest.approx(long.summary["accepted_load"], rel=0.02)


def test_what_is_no_traffic_has_no_warnings():
    assert Result(run(SMALL, [Job(Collective("barrier"), place(SMALL, 8))])).warnings == []


def test_warnings_are_in_the_table_the_document_and_the_file(run_odonata, tmp_path):
    words = [*ON_SMALL, "--pattern", "adversarial+1", "--load", "0.9"]
    status, out, err = run_odonata(*words, "-o", tmp_path / "run.nc")
    assert (status, err) == (0, "")
    kept = Result.load(tmp_path / "run.nc").warnings
    assert kept[0] in out
    row = next(line for line in out.splitlines() if line.startswith("| warnings"))
    assert row.split() == ["|", "warnings", "|", str(len(kept)), "|"]
    assert kept[0] in repr(Result.load(tmp_path / "run.nc"))
    assert json.loads(run_odonata(*words, "--json")[1])["warnings"] == kept
    _, out, _ = run_odonata(*words[:-1], "0.1,0.9")
    assert "warning: run 2: offered load 0.9 is above" in out
    assert "warning: run 1" not in out


def test_the_window_is_an_option(run_odonata):
    words = [*ON_SMALL, "--load", "0.5", "--packet-bytes", "1000", "--json"]
    got = json.loads(run_odonata(*words, "--warm-up", "10us", "--window", "90us")[1])
    assert got["messages"] == 72 * (50 + 36 + 10)  # 50 in 100 us, 5 sqrt(50) = 35.4
    status, _, err = run_odonata("simulate", "barrier", "--machine", "eos", "--window", "9us")
    assert (status, "--window: is not for barrier" in err) == (2, True)
