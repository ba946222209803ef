"""Sources of traffic: bounded messages under way, and warnings of load that was not accepted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from odonata import machine
from odonata.placement import place
from odonata.result import Result
from odonata.result.run_warnings import traffic_warnings
from odonata.simulate import Job, Options, Surroundings, background, run
from odonata.workload import Collective, Traffic

SMALL = machine.load(
    "dragonfly-5256",
    {
        "shape.nodes_per_router": 2,
        "shape.routers_per_group": 4,
        "shape.global_links_per_router": 2,
        "shape.groups": 9,
    },
)
RING = Job(Collective("allgather", "ring", bytes="64 KiB"), place(SMALL, 22, allocation="random"))
MANY = 2**20
"""Messages under way of a source that never waits: a run here has fewer."""


def beside(load=0.9, outstanding=None, pattern="adversarial+1", **options):
    changes = {} if outstanding is None else {"mpi.outstanding": outstanding}
    made = SMALL.with_values(changes)
    behind = background(made, Traffic(pattern, load=load), beside=[RING.placement])
    return run(made, [RING, behind], Options(seed=3, **options))


@pytest.mark.parametrize("engine", ["packet", "analytic"])
def test_the_window_of_a_background_ends_with_the_other_jobs(engine):
    """Messages that are under way then are delivered later."""
    done = beside(0.9, 5, pattern="hotspot", engine=engine)
    behind, end = done.jobs[1].totals, done.jobs[0].finished.max()
    assert end * 0.998 <= behind["window_end"] <= end < behind["last_delivered"]
    assert behind["window_begin"] == pytest.approx(end / 2, rel=0.005)


def test_sources_that_wait_change_no_time_but_stop_earlier():
    """The messages wait at their sources instead of at their NICs."""
    bounded, unbounded = beside(), beside(outstanding=MANY)
    assert bounded.summary["time_seconds"] == unbounded.summary["time_seconds"]
    for key in ("background_accepted_load", "mean_latency_seconds"):
        assert bounded.summary[key] == unbounded.summary[key]
    sent = [done.jobs[1].totals["messages"] for done in (bounded, unbounded)]
    assert sent[1] - sent[0] > 50 * 256


def test_a_message_that_waits_at_its_source_has_that_in_its_latency():
    def latency(outstanding):
        made = SMALL.with_values({"mpi.outstanding": outstanding})
        traffic = Traffic("adversarial+1", load=0.9, messages_per_rank=600)
        return run(made, [Job(traffic, place(made, 72))]).summary["mean_latency_seconds"]

    assert latency(256) == latency(MANY)


def test_few_messages_under_way_accept_less():
    """One message of 1,024 B at a time takes at least 0.24 us to be sent and 0.13 us of wires."""
    loads = [beside(0.9, n, pattern="uniform").summary["background_accepted_load"] for n in (1, 4)]
    assert loads[0] < 0.24 / (0.24 + 0.13)
    assert loads[1] > 1.5 * loads[0]


@pytest.mark.parametrize("around", ["background", "busy"])
def test_a_background_that_is_not_accepted_is_told(around):
    """Eight nodes of a group share a global link of 0.9 of an injection link to the next group."""
    said = {"background": "adversarial+1:0.9"}
    if around == "busy":
        said = {"busy": "100%", "busy_with": "uniform:1"}
    jobs = Surroundings(**said).jobs(SMALL, [RING.placement])
    result = Result(run(SMALL, [RING, *jobs]))
    offered, accepted = (
        result.summary[f"background_{what}_load"] for what in ("offered", "accepted")
    )
    assert offered == (0.9 if around == "background" else 1)
    assert accepted < 0.95 * offered
    (warning,) = result.warnings
    assert warning.startswith(f"background: offered load {offered:.3g} is above accepted load 0.")


@pytest.mark.parametrize("pattern", ["uniform", "permutation"])
def test_a_background_that_is_accepted_is_not(pattern):
    done = beside(0.2, pattern=pattern)
    assert done.summary["background_accepted_load"] == pytest.approx(0.2, rel=0.05)
    assert (done.summary["offered_load"], traffic_warnings(done)) == (None, [])


def test_a_network_that_fills_has_no_warning():
    """Some load was accepted, but ever more: the job was over too early to tell."""
    done = beside()
    totals = dict(done.jobs[1].totals)
    for times, said in ((1.24, 1), (1.26, 0)):
        totals["window_first_bytes"] = round(totals["window_bytes"] / (1 + times))
        changed = replace(done, jobs=(done.jobs[0], replace(done.jobs[1], totals=totals)))
        assert len(traffic_warnings(changed)) == said


def test_jobs_without_traffic_have_no_loads_behind():
    done = run(SMALL, [RING])
    assert done.summary["background_offered_load"] is None
    assert done.summary["background_accepted_load"] is None
