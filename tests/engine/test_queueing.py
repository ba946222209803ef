"""A link fed by random messages of one length is an M/D/1 queue."""

import pytest
from small import ROUTER, WIRE, pairs, simulate, star

LENGTH = 1_000_000  # ps: 1000 B at 1 B/ns


@pytest.mark.parametrize(("load", "messages"), [(0.2, 10_000), (0.5, 20_000), (0.8, 60_000)])
def test_the_mean_wait_is_that_of_md1(load, messages):
    """Wait = length * load / (2 (1 - load)); 64 independent queues, within 1 %."""
    machine = star(128)
    targets = [node + 64 if node < 64 else -1 for node in range(128)]
    offered = pairs(machine, targets, load=load, messages=messages)
    run = simulate(machine, [offered], seed=1, packet_bytes=1000, record=False)
    job = run.job(0)
    wait = job["latency_sum"] / job["messages"] - (LENGTH + 2 * WIRE + ROUTER)
    assert wait == pytest.approx(LENGTH * load / (2 * (1 - load)), rel=0.01)
