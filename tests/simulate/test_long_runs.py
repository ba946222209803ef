"""Runs of which the times of all ranks, messages or links together need more than 64 bits."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from odonata import explain, machine, placement, simulate, workload
from odonata.result import Result
from odonata.units import exact_sum

WIDE = 2**63


def slow_alltoall(ranks: int, size: str, **options: object) -> Result:
    """Messages between all ranks, over NICs of 1 MB/s: 16 MiB take 17 s."""
    slow = {f"links.{name}.bandwidth": "1 MB/s" for name in ("injection", "ejection")}
    room = {f"links.{name}.buffer": "64 MiB" for name in ("injection", "local", "global")}
    on = machine.load("dragonfly-5256").with_values(slow | room)
    where = placement.place(on, ranks, allocation="contiguous")
    job = simulate.Job(workload.Collective("alltoall", "scattered", size), where)
    return simulate.simulate(on, [job], packet_bytes="16 MiB", **options)


@pytest.fixture(scope="module")
def packets() -> Result:
    return slow_alltoall(200, "16 MiB", record_messages=True, explain=True)


@pytest.fixture(scope="module")
def breakdown() -> Result:
    """Each of the 400 ranks takes 399 times 67 s: together more than 2^63 ps."""
    return slow_alltoall(400, "64 MiB", engine="analytic", explain="breakdown")


def test_latencies_add_up(packets):
    job = packets.run.jobs[0]
    each = [
        int(end) - int(begin)
        for begin, end in zip(job.messages["sent"], job.messages["delivered"], strict=True)
    ]
    assert job.totals["latency_sum"] == sum(each) > WIDE
    mean = packets.run.summary["mean_latency_seconds"]
    assert mean == pytest.approx(sum(each) / len(each) / 1e12, rel=1e-12)
    assert packets.dataset.job_latency_sum.item() == pytest.approx(sum(each), rel=1e-15)


@pytest.mark.parametrize("name", ["packets", "breakdown"])
def test_they_are_read_as_they_were_written(name, request, tmp_path):
    result = request.getfixturevalue(name)
    result.save(tmp_path / "r.nc")
    again = Result.load(tmp_path / "r.nc")
    assert again.run.jobs[0].totals == result.run.jobs[0].totals
    for key in ("by_rank", "by_scope"):
        mine, its = (np.asarray(getattr(each.run.explanation, key)) for each in (result, again))
        assert mine.dtype == its.dtype
        assert np.array_equal(mine, its)
    told, before = explain.explain(again), explain.explain(result)
    assert told.length_ps == before.length_ps == again.run.end
    assert json.loads(json.dumps(told.document())) == json.loads(json.dumps(before.document()))


def test_categories_add_up_over_all_ranks(breakdown):
    told = explain.explain(breakdown)
    ends = sum(int(end) for end in breakdown.run.jobs[0].finished)
    assert sum(told.totals_ps().values()) == ends > WIDE
    assert sum(part.total_ps for part in told.functions) == pytest.approx(ends, rel=1e-12)
    assert all(time >= 0 for part in told.functions for time in part.categories_ps.values())


def test_a_call_that_loses_time_is_noticed(breakdown):
    """The sums of calls are doubles there, of which the check must not want the last bits."""
    from dataclasses import replace

    account = breakdown.run.explanation
    fewer = np.asarray(account.by_scope) * (1 - 1e-9)
    with pytest.raises(Exception, match="calls do not add up"):
        explain.Explained(replace(breakdown.run, explanation=replace(account, by_scope=fewer)))


def test_links_may_be_busy_longer_without_contention_than_a_time_has_room_for():
    """5,184 messages of 2 GiB cross the only link between two groups, each for 2,147 s."""
    on = machine.load("dragonfly-5256").with_values({"links.global.bandwidth": "1 MB/s"})
    job = simulate.Job(
        workload.Collective("alltoall", "scattered", "2 GiB"),
        placement.place(on, 144, allocation="contiguous"),
    )
    result = simulate.simulate(on, [job], engine="analytic")
    busy = np.asarray(result.run.links["busy"])
    assert busy.max() == pytest.approx(72 * 72 * 2**31 * 1e6, rel=1e-12)
    assert busy.max() > WIDE


def test_a_link_that_is_never_too_busy_has_whole_picoseconds(packets):
    assert np.asarray(packets.run.links["busy"]).dtype == np.int64


@given(
    arrays(np.int64, st.integers(0, 9), elements=st.integers(-(2**63), 2**63 - 1))
    | arrays(np.int32, 5)
    | arrays(np.uint32, 5)
)
def test_sums_are_exact(numbers):
    assert exact_sum(numbers) == sum(numbers.tolist())
