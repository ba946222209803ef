"""Small random runs, with every number of the machine that a slope is of."""

from __future__ import annotations

import random
from dataclasses import dataclass

from odonata import _core

ALGORITHMS = [
    ("allgather", "ring"),
    ("allgather", "bruck"),
    ("allreduce", "recursive_doubling"),
    ("bcast", "binomial"),
    ("alltoall", "pairwise"),
    ("scatter", "binomial"),
]


@dataclass(frozen=True)
class Case:
    """A collective of ranks that begin at odd times, on a machine with odd numbers."""

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
    message_gap: int = 0  # [ps]
    eager_overhead: int = 0  # [ps]
    rendezvous_overhead: int = 0  # [ps]
    bandwidth: int = 1_000_000_007  # [B/s]
    ejection_bandwidth: int = 0  # [B/s]; 0: the same

    def options(self) -> _core.SimulationOptions:
        options = _core.SimulationOptions()
        options.explain = True
        mpi, engine = options.mpi, options.engine
        engine.engine = self.engine
        engine.message_gap = self.message_gap
        mpi.send_overhead, mpi.recv_overhead = self.send_overhead, self.recv_overhead
        mpi.eager_threshold = self.threshold
        mpi.short_threshold = 64
        mpi.eager_overhead = self.eager_overhead
        mpi.rendezvous_overhead = self.rendezvous_overhead
        options.mpi, options.engine = mpi, engine
        return options

    def run(self) -> tuple[int, dict[str, int], set[str]]:
        """Return the time [ps], the times on the path by number, and the path's categories."""
        basics = _core.Basics("star", 4, self.router_delay, self.node_latency, 2_000_000_011)
        kinds = [
            _core.LinkClass("injection", self.bandwidth, self.latency, 65536, 0),
            _core.LinkClass(
                "ejection", self.ejection_bandwidth or self.bandwidth, self.latency, 65536, 0
            ),
        ]
        machine = _core.make_machine("star", basics, {"nodes": max(self.nodes) + 1}, kinds)

        def body(rank):
            yield rank.compute(self.begins[rank.index])
            yield rank.collective(self.operation, self.algorithm, self.block, 0)

        simulation = _core.Simulation(machine, self.options())
        simulation.add(list(self.nodes), _core.python_program(body), False, False)
        assert simulation.run(None)
        raw = simulation.explanation()
        told = raw["path"]["proportions"]
        works = told["works"].tolist()
        times = {
            "send_overhead": works[1],
            "recv_overhead": works[3],
            "eager_overhead": works[10] + works[12],
            "rendezvous_overhead": works[14] + works[16],
            "latency": sum(told["latency"].tolist()),
            "router_delay": told["router_delay"],
            "node_latency": told["node_latency"],
            "message_gap": told["message_gap"],
            "bandwidth": sum(told["bandwidth"].tolist()),
            "injection": told["bandwidth"].tolist()[0],
            # where links are equally fast, the wait behind messages of other nodes
            "ejection": told["bandwidth"].tolist()[1],
        }
        taken = {raw["categories"][at] for at in raw["path"]["category"].tolist()}
        return max(simulation.job(0)["finished"].tolist()), times, taken


def draw(seed: int, most_on_a_node: int = 1) -> Case:
    """Return a random case; with more than one rank on a node, their NIC is shared."""
    rng = random.Random(seed)
    ranks = rng.randint(2, 8)
    operation, algorithm = rng.choice(ALGORITHMS)
    if algorithm == "recursive_doubling":
        ranks = rng.choice([2, 4, 8])
    places = rng.sample(range(ranks), ranks)
    shared = most_on_a_node > 1
    return Case(
        operation,
        algorithm,
        rng.choice(["packet", "analytic"]),
        tuple(place // most_on_a_node for place in places),
        tuple(rng.randrange(1, 300_000) for _ in range(ranks)),
        rng.randrange(1, 3000),
        rng.choice([0, 10**6]),
        *(rng.randrange(10_000, 900_000) for _ in range(5)),
        message_gap=rng.choice([0, rng.randrange(200_000, 4_000_000)]) if shared else 0,
        eager_overhead=rng.randrange(10_000, 300_000) if shared else 0,
        rendezvous_overhead=rng.randrange(10_000, 300_000) if shared else 0,
    )
