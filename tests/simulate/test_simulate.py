"""Simulations: results and refusals."""

from __future__ import annotations

import numpy as np
import pytest

from odonata import machine
from odonata.errors import UserError
from odonata.placement import Placement, place
from odonata.simulate import Job, Options, background, parse_background, run, simulate
from odonata.workload import Collective, Program, Traffic, algorithms
from odonata.workload.build import build

# (p, a, h) = (2, 4, 2), 9 groups: 72 nodes of 4 cores.
SHAPE = {
    "shape.nodes_per_router": 2,
    "shape.routers_per_group": 4,
    "shape.global_links_per_router": 2,
    "shape.groups": 9,
    "node.cores": 4,
}
SMALL = machine.load("dragonfly-5256", SHAPE)
RING = Collective("allgather", "ring")


def ring_on(ranks, **how):
    return Job(RING, place(SMALL, ranks, **how))


# ---- what comes out


@pytest.mark.parametrize("ranks", [2, 3, 16])
@pytest.mark.parametrize("engine", ["packet", "analytic"])
def test_samples_do_not_make_a_run_longer(ranks, engine):
    plain = run(SMALL, [ring_on(ranks)], Options(engine=engine))
    sampled = run(SMALL, [ring_on(ranks)], Options(engine=engine, samples=100))
    assert sampled.end == plain.end


def test_a_summary_has_every_key_of_the_contract():
    summary = run(SMALL, [ring_on(16)], Options(digest=True)).summary
    wanted = "time_seconds messages bytes packets packet_hops mean_routers mean_latency_seconds"
    wanted += " events cpu_seconds peak_memory_bytes digest offered_load accepted_load"
    wanted += " background_offered_load background_accepted_load"
    assert set(wanted.split()) <= set(summary)
    assert summary["messages"] == 16 * 15
    assert summary["bytes"] == 16 * 15 * 1024
    assert 0 < summary["cpu_seconds"] < 60
    assert 2**20 < summary["peak_memory_bytes"] < 2**33


def test_two_empty_exchanges_on_a_router_by_hand():
    # Two nodes on a router: wire, router, wire. A barrier of two is one exchange.
    summary = run(SMALL, [Job(Collective("barrier", repetitions=3), place(SMALL, 2))]).summary
    assert summary["time_seconds"] == pytest.approx(3 * (10 + 100 + 10) * 1e-9)
    assert summary["mean_routers"] == 1


@pytest.mark.parametrize("ranks", [1, 2, 3, 8, 13, 16])
def test_as_many_messages_come_as_were_expected(ranks):
    for operation, named in algorithms().items():
        if operation == "pingpong" and ranks % 2:
            continue
        for name in named:
            job = Job(Collective(operation, name, bytes=300, repetitions=2), place(SMALL, ranks))
            expected = build(job.workload, job.placement).messages
            assert run(SMALL, [job]).summary["messages"] == expected, f"{operation}/{name}"


def test_the_same_seed_gives_the_same_digest_and_another_one_another():
    def digest(seed, **options):
        job = ring_on(24, allocation="random", seed=seed)
        behind = background(SMALL, Traffic(load=0.3), beside=[job.placement])
        return run(SMALL, [job, behind], Options(seed=seed, digest=True, **options)).summary

    assert digest(1)["digest"] == digest(1)["digest"]
    assert digest(1)["digest"] != digest(2)["digest"]
    shuffled = digest(1, shuffle_insertions=9)
    assert shuffled["time_seconds"] == digest(1)["time_seconds"]


@pytest.mark.parametrize("engine", ["packet", "analytic"])
@pytest.mark.parametrize("routing", ["minimal", "valiant", "ugal", "ugal-g", "par"])
def test_every_engine_and_routing_runs(engine, routing):
    result = simulate(SMALL, [ring_on(12)], engine=engine, routing=routing, seed=3)
    assert result.summary["messages"] == 12 * 11


def test_messages_are_recorded_when_they_are_few_or_asked_for():
    job = ring_on(4)
    assert len(run(SMALL, [job]).jobs[0].messages["sent"]) == 12
    assert run(SMALL, [job], record_messages=False).jobs[0].messages is None


def test_samples_and_log_come_when_asked_for():
    made = run(SMALL, [ring_on(8)], Options(samples=100, log=True))
    assert made.samples["waiting"].shape == (len(made.samples["time"]), 4)
    assert (made.log["link"] == -1).sum() == made.summary["packets"]
    assert run(SMALL, [ring_on(8)]).log is None


@pytest.mark.parametrize("most", [5, 50])
def test_samples_are_taken_to_the_end_at_one_pace(most):
    """The pace is 1 ns, doubled until there are no more samples than asked for: half at least."""
    made = run(SMALL, [ring_on(16)], Options(samples=most))
    times = made.samples["time"]
    (pace,) = set(np.diff(times).tolist())
    assert times[0] == 0
    assert most / 2 < len(times) <= most
    assert pace in [1000 * 2**doubled for doubled in range(20)]
    assert times[-2] < made.end <= times[-1]


def test_queues_of_nics_are_not_in_what_waits():
    def all_at_once(rank):  # 71 KiB wait in the NIC of rank 0
        if rank.index == 0:
            yield rank.wait_all([rank.isend(to, 1024) for to in range(1, rank.size)])
        else:
            yield rank.recv(0, 1024)

    def peaks(work):
        made = run(SMALL, [Job(work, place(SMALL, 72))], Options(samples=50))
        number = made.link_classes.index("injection")
        assert made.samples["waiting"][:, number].max() == 0
        own, peak = made.links["class"] == number, made.links["peak_waiting"]
        return peak[own].max(), peak[~own].max()

    assert peaks(Program(all_at_once)) == (0, 1024)  # a packet that meets its predecessor
    nothing, many = peaks(Collective("gather", "linear"))  # they meet at the root's router
    assert nothing == 0
    assert many > 4 * 1024


def test_smaller_packets_are_more_packets():
    made = run(SMALL, [ring_on(8)], packet_bytes=256)
    assert made.summary["packets"] == 4 * made.summary["messages"]
    assert made.machine["nic.packet_bytes"] == 256


def test_what_a_run_needs_to_run_again_is_kept():
    made = run(SMALL, [ring_on(8)], Options(seed=5, routing="valiant"))
    assert made.options["seed"] == 5
    assert made.options["routing"] == "valiant"
    assert made.machine["shape.groups"] == 9
    assert made.jobs[0].workload["algorithm"] == "ring"
    assert set(made.provenance) >= {"version", "command"}


def test_progress_is_told_and_can_interrupt():
    class EnoughError(Exception):
        pass

    def progress(seen):
        assert seen.expected == 300 * 64 * 63
        assert 0 < seen.messages <= seen.expected
        raise EnoughError

    many = Job(Collective("allgather", "ring", repetitions=300), place(SMALL, 64))
    with pytest.raises(EnoughError):
        run(SMALL, [many], progress=progress)


# ---- traffic and background


def test_uniform_traffic_is_accepted_as_it_is_offered():
    job = Job(Traffic("uniform", load=0.2, messages_per_rank=400), place(SMALL, 72))
    summary = run(SMALL, [job], Options(seed=1)).summary
    assert summary["offered_load"] == 0.2
    # 72 ranks send 200 messages each in the window: 14,400, of which sqrt(14,400) is 0.8 %.
    assert summary["accepted_load"] == pytest.approx(0.2, rel=0.03)


def test_adversarial_traffic_is_held_up_by_the_one_global_link():
    # a p = 8 nodes of a group share one global link to the next: 1/8 of a link rate each.
    equal = {"links.global.bandwidth": "5.25 GB/s"}
    small = SMALL.with_values(equal)
    job = Job(Traffic("adversarial+1", load=0.5, messages_per_rank=400), place(small, 72))
    accepted = run(small, [job], Options(seed=1)).summary["accepted_load"]
    assert 0.9 / 8 <= accepted <= 1.001 / 8


def test_silent_ranks_of_pairs_offer_nothing():
    pairs = Traffic("pairs", load=0.5, targets=(1, -1), messages_per_rank=400, periodic=True)
    summary = run(SMALL, [Job(pairs, place(SMALL, 2))]).summary
    assert summary["messages"] == 400
    assert summary["accepted_load"] == pytest.approx(0.5, rel=0.01)


def test_background_is_on_all_other_nodes_and_ends_with_the_job():
    job = ring_on(16, allocation="random", seed=2)
    alone = run(SMALL, [job])
    behind = background(SMALL, parse_background("uniform:0.4"), beside=[job.placement])
    both = run(SMALL, [job, behind])
    assert behind.placement.ranks == 56
    assert both.summary["messages"] == alone.summary["messages"]
    assert both.summary["time_seconds"] > alone.summary["time_seconds"]
    assert both.jobs[1].totals["messages"] > 0
    assert both.summary["all_packets"] == sum(job.totals["packets"] for job in both.jobs)


# ---- small machines, which are legal


def one_node(**changes):
    shape = {"shape.nodes_per_router": 1, "shape.routers_per_group": 1, "shape.groups": 1}
    return machine.load("dragonfly-5256", {**shape, "shape.global_links_per_router": 0, **changes})


def test_one_rank_on_one_node_has_nobody_to_talk_to():
    summary = run(one_node(), [Job(RING, place(one_node(), 1))]).summary
    assert (summary["messages"], summary["time_seconds"], summary["mean_routers"]) == (0, 0.0, 0.0)


def test_two_ranks_of_one_node_talk_through_its_memory():
    both = one_node(**{"node.cores": 2, "node.latency": "300 ns"})
    summary = run(both, [Job(RING, place(both, 2, ranks_per_node=2))]).summary
    # 300 ns, and 1 KiB at 100 GB/s is 10.24 ns; no packet.
    assert summary["time_seconds"] == pytest.approx(310.24e-9)
    assert (summary["messages"], summary["packets"]) == (2, 0)


def test_groups_of_one_router():
    groups = machine.load(
        "dragonfly-5256", {**SHAPE, "shape.routers_per_group": 1, "shape.groups": 3}
    )
    summary = run(groups, [Job(RING, place(groups, 6))]).summary
    assert summary["messages"] == 30
    assert 1 < summary["mean_routers"] <= 2


# ---- refusals


def refused(said, jobs, *options, **more):
    with pytest.raises(UserError, match=said):
        run(SMALL, jobs, *options, **more)


def test_jobs_that_do_not_fit_are_refused():
    one = ring_on(8)
    refused("none is in the foreground", [])
    refused("job 1: an earlier job has its node: 7", [one, Job(RING, Placement(SMALL, [7, 8]))])
    refused("traffic without an end", [Job(Traffic(messages_per_rank=0), place(SMALL, 4))])
    big = machine.load("dragonfly-5256")
    refused("made for another machine", [Job(RING, Placement(big, [71, 72]))])
    refused("made for another machine", [Job(RING, Placement(big, [0, 1]))])
    with pytest.raises(UserError, match="job: not a placement"):
        Job(RING, 8)
    with pytest.raises(UserError, match="job: not a workload"):
        Job("allgather", one.placement)


def test_runs_that_would_never_end_are_refused():
    huge = Job(Collective("allgather", "ring", bytes="1 TiB"), place(SMALL, 72))
    refused("too large to simulate", [huge])
    assert run(SMALL, [huge], Options(engine="analytic")).summary["messages"] == 72 * 71


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"engine": "pakcet"}, "did you mean 'packet'"),
        ({"routing": "mnimal"}, "did you mean 'minimal'"),
        ({"seed": -1}, "seed: out of range"),
        ({"samples": -1}, "samples: out of range"),
        ({"bias_bytes": -1}, "bias: out of range"),
    ],
)
def test_wrong_options_are_refused(options, said):
    with pytest.raises(UserError, match=said):
        Options(**options)


def test_packets_larger_than_a_buffer_are_refused():
    refused("smaller than a packet", [ring_on(4)], packet_bytes="32 KiB")
    refused("packet_bytes: out of range", [ring_on(4)], packet_bytes=0)


@pytest.mark.parametrize("text", ["uniform", "uniform:", "uniform:0", "uniform:1.1", "x:0.5"])
def test_wrong_backgrounds_are_refused(text):
    with pytest.raises(UserError, match=r"background: not understood|pattern: unknown"):
        parse_background(text)


def test_background_needs_two_nodes():
    with pytest.raises(UserError, match="too few nodes are left for traffic among them: 1"):
        background(SMALL, Traffic(), beside=[place(SMALL, 71)])


def test_a_placement_is_of_its_machine_or_one_with_the_same_nodes():
    where = place(SMALL, 8, ranks_per_node=4)
    faster = SMALL.with_values({"links.local.bandwidth": "50 GB/s"})
    assert run(faster, [Job(RING, where)]).summary["ranks"] == 8
    fewer = SMALL.with_values({"node.cores": 3})
    with pytest.raises(UserError, match=r"more ranks on a node .*: 4; allowed: 1 to 3"):
        run(fewer, [Job(RING, where)])
    elsewhere = place(machine.load("dragonfly-5256", {"node.cores": 64}), 64, ranks_per_node=64)
    with pytest.raises(UserError, match=r"another machine.*5256 nodes.*allowed: .* 744 nodes"):
        run(machine.load("eos"), [Job(RING, elsewhere)])


@pytest.mark.parametrize("load", [1e-12, 1e-300])
@pytest.mark.parametrize("engine", ["packet", "analytic"])
def test_times_beyond_26_days_are_refused(engine, load):
    """Sums of picoseconds would not fit 64 bits."""
    on = machine.load("dragonfly-5256")
    traffic = Traffic("uniform", load=load)
    with pytest.raises(UserError, match="longer than can be simulated; allowed: up to 26 days"):
        simulate(on, [Job(traffic, place(on, 8))], engine=engine)
