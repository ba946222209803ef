"""Slack by hand, and against second simulations in which a rank computes longer."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from typer.testing import CliRunner

from odonata import explain, machine, placement, simulate, workload
from odonata.cli import app
from odonata.explain.dependencies import Dependencies

ALGORITHMS = [
    *(("allgather", name) for name in ("ring", "bruck")),
    *(("allreduce", name) for name in ("ring", "recursive_doubling")),
    *(("bcast", "binomial"), ("scatter", "binomial"), ("alltoall", "pairwise")),
]


def told(on, job):
    return explain.explain(simulate.simulate(on, [job], explain=True, record_messages=True))


def pair(first, second):
    """Return two ranks on a node each of theta, with their programs."""

    def program(rank):
        yield from (first, second)[rank.index](rank)

    theta = machine.load("theta")
    return theta, simulate.Job(workload.Program(program), placement.place(theta, 2))


def sender(after):
    def body(rank):
        yield rank.compute(f"{after} ps")
        yield rank.send(1, 64)

    return body


def overlapped(compute):
    """Return a rank that computes while its message comes."""

    def body(rank):
        request = rank.irecv(0, 64)
        yield rank.compute(f"{compute} ps")
        yield rank.wait_all([request])

    return body


def test_a_rank_that_waits_has_the_slack_of_its_wait():
    on, job = pair(sender(5_000_000), overlapped(1_000_000))
    dependencies = Dependencies(told(on, job).timeline)
    second = dependencies.timeline.step_rank == 1
    computing = np.flatnonzero(second)[0]
    slack = int(dependencies.slack_ps[computing])
    wait = dependencies.timeline.step_end[computing + 1] - 1_000_000
    assert slack == wait
    length = told(on, job).length_ps
    same, longer = (
        told(*pair(sender(5_000_000), overlapped(1_000_000 + slack + more))).length_ps
        for more in (0, 10)
    )
    assert same == length
    assert longer == length + 10
    assert dependencies.rank_slack_ps == [0, 0]  # the last step of rank 1 ends the run


def test_a_message_of_the_eager_threshold_comes_early_as_smaller_ones_do():
    """It is sent without a handshake: its sender may be as much later as it came too early."""
    compute = 5_000_000
    on, job = pair(sender(1_000_000), overlapped(compute))
    found = told(on.with_values({"mpi.eager_threshold": "64 B"}), job)
    room = compute - int(found.timeline.messages.delivered[0])
    slack = Dependencies(found.timeline).slack_ps.tolist()
    assert slack == [room, room, 0, 0]  # computing and sending, computing and receiving


def test_an_early_message_may_be_as_late_as_the_work_that_it_allows():
    """Receiving costs nothing here: the message is needed where the answer is sent."""
    compute = 5_000_000

    def asks(rank):
        yield from sender(1_000_000)(rank)
        yield rank.recv(1, 64)

    def answers(rank):
        yield from overlapped(compute)(rank)
        yield rank.send(0, 64)

    on, job = pair(asks, answers)
    found = told(on.with_values({"mpi.recv_overhead": "0 ns"}), job)
    room = compute - int(found.timeline.messages.delivered[0])
    slack = Dependencies(found.timeline).slack_ps.tolist()
    assert slack == [room, room, 0, 0, 0]  # computing, sending and waiting, computing and sending


def test_slack_leads_back_over_a_handshake():
    """The answer to a request is sent by no processor here, and neither are the data."""
    work = 1_000_000

    def program(rank):
        if rank.index == 0:
            yield rank.compute(f"{work} ps")
            yield rank.send(1, 100_000)
        elif rank.index == 1:
            yield rank.recv(0, 100_000)
        else:
            yield rank.compute("1 ms")

    dragonfly = machine.load("dragonfly-5256").with_values({"mpi.eager_threshold": "1 KiB"})
    job = simulate.Job(workload.Program(program), placement.place(dragonfly, 3))
    found = told(dragonfly, job)
    dependencies = Dependencies(found.timeline)
    assert dependencies.slack_ps[0] == 10**9 - found.ranks[1].end_ps
    assert dependencies.rank_slack_ps[2] == 0


def draw(seed):
    rng = random.Random(seed)
    on = machine.load(rng.choice(["theta", "eos", "summit", "dragonfly-5256"]))
    ranks = rng.choice([2, 4, 8, 16])
    work = workload.Collective(*rng.choice(ALGORITHMS), bytes=rng.choice([8, 96, 1024, 20_000]))
    where = rng.choice(["contiguous", "random"])
    return on, simulate.Job(work, placement.place(on, ranks, allocation=where, seed=seed))


@pytest.mark.parametrize("seed", range(30))
def test_slack_is_never_negative_and_some_rank_has_none(seed):
    on, job = draw(seed)
    dependencies = Dependencies(told(on, job).timeline)
    assert dependencies.slack_ps.min() >= 0
    assert any(slack == 0 for slack in dependencies.rank_slack_ps)


def test_the_command_prints_and_documents_tolerance_and_slack(tmp_path):
    path = str(tmp_path / "run.nc")
    words = "simulate allgather --algorithm ring --ranks 8 --bytes 8 --machine theta --explain -o"
    runner = CliRunner()
    assert runner.invoke(app, [*words.split(), path]).exit_code == 0
    document = json.loads(runner.invoke(app, ["explain", path, "--json", "--tolerance"]).stdout)
    assert [each["longer"] for each in document["latency_tolerance"]] == [0.01, 0.02, 0.05]
    assert len(document["slack"]["ranks_ps"]) == 8
    printed = runner.invoke(app, ["explain", path, "--tolerance"]).stdout
    assert "Tolerance of latency" in printed
    assert "ranks without slack" in printed


def test_ranks_of_background_jobs_have_no_slack_of_their_own():
    theta, job = pair(sender(5_000_000), overlapped(1_000_000))
    behind = simulate.Job(
        workload.Traffic("uniform", load=0.1, messages_per_rank=3),
        placement.place(theta, 8, allocation=range(16, 24)),
        background=True,
    )
    explained = explain.explain(simulate.simulate(theta, [behind, job], explain=True))
    found = Dependencies(explained.timeline)
    assert len(found.rank_slack_ps) == len(explained.ranks) == 2
    assert found.rank_slack_ps == Dependencies(told(theta, job).timeline).rank_slack_ps
