"""Tables for pandas: the numbers of the run, in the units that their names say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from odonata import machine, placement, simulate, workload
from odonata.errors import UserError
from odonata.result import Result


@pytest.fixture(scope="module")
def result():
    eos = machine.load("eos")
    jobs = [
        simulate.Job(workload.Collective("allgather", "ring"), placement.place(eos, 4)),
        simulate.Job(
            workload.Collective("barrier"),
            placement.place(eos, 2, allocation=[100, 300]),
        ),
    ]
    return simulate.simulate(eos, jobs, record_messages=True)


def test_links(result):
    frame, run = result.links, result.run
    assert frame.index.name == "link"
    assert list(frame.columns) == [
        *("class", "from", "to", "group_from", "group_to", "bytes"),
        *("busy_seconds", "busy_share", "stalled_seconds", "peak_waiting_bytes"),
    ]
    assert frame["bytes"].tolist() == run.links["bytes"].tolist()
    assert frame["busy_seconds"].tolist() == (run.links["busy"] / 1e12).tolist()
    busiest = int(np.argmax(run.links["busy"]))
    share = run.links["busy"][busiest] / run.end
    assert frame["busy_share"].max() == pytest.approx(share, rel=1e-12)
    assert frame["class"][busiest] == run.link_classes[run.links["class"][busiest]]


def test_ranks(result):
    frame = result.ranks
    assert frame.index.names == ["job", "rank"]
    assert frame.index.tolist() == [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1)]
    assert frame.loc[1, "node"].tolist() == [100, 300]
    ends = np.concatenate([job.finished for job in result.jobs]) / 1e12
    assert frame["finished_seconds"].tolist() == ends.tolist()


def test_phases_are_columns(result):
    job = replace(
        result.jobs[0],
        phases=("up",),
        finished=np.full(4, 3_000_000),
        marks={
            "rank": np.arange(4),
            "phase": np.zeros(4, dtype=np.int64),
            "begin": np.full(4, 1_000_000),
        },
    )
    frame = Result(replace(result.run, jobs=(job,))).ranks
    assert frame["up_seconds"].tolist() == [2e-6] * 4


def test_messages(result):
    frame = result.messages
    assert len(frame) == 4 * 3 + 2  # a ring of four ranks, a barrier of two
    assert list(frame.columns) == [
        *("job", "source", "target", "bytes"),
        *("sent_seconds", "delivered_seconds", "latency_seconds", "routers"),
    ]
    ring = frame[frame["job"] == 0]
    assert set(ring["bytes"]) == {1024}
    sums = sum(job.totals["latency_sum"] for job in result.jobs)
    assert frame["latency_seconds"].sum() == pytest.approx(sums / 1e12, rel=1e-12)
    assert ((ring["source"] + 1) % 4 == ring["target"]).all()


def test_messages_that_were_not_recorded_are_an_error(result):
    jobs = tuple(replace(job, messages=None) for job in result.jobs)
    with pytest.raises(UserError, match="did not record"):
        Result(replace(result.run, jobs=jobs)).messages  # noqa: B018
