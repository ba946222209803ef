"""Runs on a small dragonfly; each is simulated once."""

from __future__ import annotations

import functools

import pytest

from odonata import machine, placement, simulate, workload

SMALL = {
    "shape.nodes_per_router": 2,
    "shape.routers_per_group": 4,
    "shape.global_links_per_router": 2,
    "shape.groups": 9,
}


@functools.cache
def collective(
    algorithm: str = "ring",
    ranks: int = 16,
    *,
    size: str = "1 KiB",
    seed: int = 1,
    engine: str = "packet",
    background: float = 0.0,
    name: str = "small",
    samples: int = 50,
):
    """Return the result of an allgather."""
    where = machine.load("dragonfly-5256", SMALL) if name == "small" else machine.load(name)
    place = placement.place(where, ranks, allocation="random", seed=seed)
    jobs = [simulate.Job(workload.Collective("allgather", algorithm, bytes=size), place)]
    if background:
        traffic = workload.Traffic("uniform", load=background)
        jobs.append(simulate.background(where, traffic, beside=[place]))
    return simulate.simulate(where, jobs, seed=seed, engine=engine, samples=samples)


@functools.cache
def traffic(load: float, routing: str = "minimal"):
    """Return the result of adversarial traffic."""
    where = machine.load("dragonfly-5256", SMALL)
    work = workload.Traffic("adversarial+1", load=load, messages_per_rank=20)
    job = simulate.Job(work, placement.place(where, where.num_nodes))
    return simulate.simulate(where, [job], seed=1, routing=routing)


@pytest.fixture(scope="session")
def allgather():
    return collective


@pytest.fixture(scope="session")
def adversarial():
    return traffic
