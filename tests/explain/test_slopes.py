"""Slopes against a second simulation in which one number is larger, on random small cases."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import pytest

from odonata import _core

ALGORITHMS = [
    ("allgather", "ring"),
    ("allgather", "bruck"),
    ("allreduce", "recursive_doubling"),
    ("bcast", "binomial"),
    ("alltoall", "pairwise"),
    ("scatter", "binomial"),
]
WAITS = ("injection_queue", "queueing", "credit")
STEP = 1  # ps: less than any difference between two paths


@dataclass(frozen=True)
class Case:
    """A collective of ranks on nodes of their own that begin at odd times, with odd numbers."""

    operation: str
    algorithm: str
    engine: str
    nodes: tuple[int, ...]
    begins: tuple[int, ...]  # [ps]
    block: int  # [B]
    threshold: int  # [B]
    send_overhead: int  # [ps]
    recv_overhead: int  # [ps]
    latency: int  # [ps]
    router_delay: int  # [ps]
    node_latency: int  # [ps]

    def run(self) -> tuple[int, dict[str, int]]:
        """Return the time [ps], and the times on the path that are proportional to numbers."""
        basics = _core.Basics("star", 4, self.router_delay, self.node_latency, 2_000_000_011)
        kinds = [
            _core.LinkClass(name, 1_000_000_007, self.latency, 65536, 0)
            for name in ("injection", "ejection")
        ]
        machine = _core.make_machine("star", basics, {"nodes": max(self.nodes) + 1}, kinds)
        options = _core.SimulationOptions()
        options.explain = True
        mpi, engine = options.mpi, options.engine
        engine.engine = self.engine
        mpi.send_overhead, mpi.recv_overhead = self.send_overhead, self.recv_overhead
        mpi.eager_threshold = self.threshold
        options.mpi, options.engine = mpi, engine

        def body(rank):
            yield rank.compute(self.begins[rank.index])
            yield rank.collective(self.operation, self.algorithm, self.block, 0)

        simulation = _core.Simulation(machine, options)
        simulation.add(list(self.nodes), _core.python_program(body), False, False)
        assert simulation.run(None)
        raw = simulation.explanation()
        told = raw["path"]["proportions"]
        taken = {raw["categories"][at] for at in raw["path"]["category"].tolist()}
        times = {
            "send_overhead": told["works"].tolist()[1],
            "recv_overhead": told["works"].tolist()[3],
            "latency": sum(told["latency"].tolist()),
            "router_delay": told["router_delay"],
            "node_latency": told["node_latency"],
            "waits": sum(name.startswith(WAITS) for name in taken),
        }
        return max(simulation.job(0)["finished"].tolist()), times


def draw(seed: int) -> Case:
    rng = random.Random(seed)
    ranks = rng.randint(2, 8)
    operation, algorithm = rng.choice(ALGORITHMS)
    if algorithm == "recursive_doubling":
        ranks = rng.choice([2, 4, 8])
    return Case(
        operation,
        algorithm,
        rng.choice(["packet", "analytic"]),
        tuple(rng.sample(range(ranks), ranks)),
        tuple(rng.randrange(1, 300_000) for _ in range(ranks)),
        rng.randrange(1, 3000),
        rng.choice([0, 10**6]),
        *(rng.randrange(10_000, 900_000) for _ in range(5)),
    )


@pytest.mark.parametrize("number", ["send_overhead", "recv_overhead", "latency", "router_delay"])
def test_a_larger_number_takes_as_much_longer_as_the_path_says(number):
    compared = seed = 0
    while compared < 100:
        case = draw(seed := seed + 1)
        time, path = case.run()
        if path["waits"] or not path[number]:
            continue
        compared += 1
        value = getattr(case, number)
        longer, _ = replace(case, **{number: value + STEP}).run()
        assert longer - time == path[number] // value * STEP, f"seed {seed}: {case}"


def test_a_number_that_the_path_does_not_depend_on_changes_nothing():
    unused = 0
    for seed in range(100):
        case = draw(seed)
        time, path = case.run()
        for number in ("node_latency", "recv_overhead"):
            if path[number] == 0:
                more = {number: getattr(case, number) + STEP}
                assert replace(case, **more).run()[0] == time
                unused += 1
    assert unused >= 100
