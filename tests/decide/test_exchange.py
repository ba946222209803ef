"""The simulated exchange beside other jobs."""

from __future__ import annotations

import numpy as np
import pytest

from odonata import machine
from odonata.decide import Communication, map_ranks
from odonata.decide.exchange import Exchange
from odonata.placement import Placement, place
from odonata.simulate import Job, Surroundings
from odonata.workload import Traffic

DARTER = machine.load("darter")
PAIR = Communication(2, [0], [1], [4096])
AS_THEY_ARE = np.arange(2, dtype=np.int32)


def seconds(nodes, behind):
    """Return the time of one message between two nodes."""
    exchange = Exchange(PAIR, Placement(DARTER, nodes), routing="minimal", seed=1, behind=behind)
    return exchange.seconds(AS_THEY_ARE, "packet")


def pairs(sources, targets, load):
    """Return a job whose first ranks send to its last ones."""
    silent = [-1] * len(targets)
    aims = [len(sources) + i for i in range(len(targets))]
    work = Traffic("pairs", load=load, bytes="4 KiB", messages_per_rank=0, targets=[*aims, *silent])
    return Job(work, Placement(DARTER, [*sources, *targets]), background=True)


def test_a_job_elsewhere_costs_nothing():
    """Routers 3 and 4 of the first group, and two routers of the second, share no link."""
    alone = seconds([0, 4], [])
    assert seconds([0, 4], [pairs([650], [700], 1.0)]) == pytest.approx(alone, abs=1e-15)


def test_an_exchange_meets_what_others_have_jammed_for_long():
    """Within 20 us these jobs double the time; their jam then grows until it is five times."""
    ranks = np.arange(16, dtype=np.int32)
    across = Communication(16, ranks, (ranks + 8) % 16, [65536] * 16)
    where = place(DARTER, 16, allocation="distance:40", seed=1)
    others = Surroundings(busy="80%", busy_with="uniform:0.6").jobs(DARTER, [where], seed=1)
    quiet, busy = (
        Exchange(across, where, routing="minimal", seed=1, behind=jobs).seconds(ranks, "packet")
        for jobs in ([], others)
    )
    assert busy > 3.5 * quiet


def test_a_mapping_says_what_others_cost():
    behind = [pairs([1, 2, 3], [5, 6, 7], 1.0)]
    start = Placement(DARTER, [0, 4])
    quiet = map_ranks(PAIR, start, methods=["swaps"], simulate=True)
    found = map_ranks(PAIR, start, methods=["swaps"], simulate=True, behind=behind)
    assert found.before.simulated_seconds > quiet.before.simulated_seconds
