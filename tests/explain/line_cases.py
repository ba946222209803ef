"""Small random runs on routers in a line, whose links are of a class each."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import numpy as np

from odonata import _core

PACKET = 1000  # B, payload; most messages are a multiple of it
CLASSES = ("injection", "ejection", "x", "y", "z")


@dataclass(frozen=True)
class Line:
    """A collective of ranks at routers of a line, whose links take odd times for a packet."""

    operation: str
    algorithm: str
    routers: tuple[int, ...]  # of the nodes, one rank each
    begins: tuple[int, ...]  # [ps]
    payload: int  # [B] of a block
    times: tuple[int, ...]  # [ps] of a packet, by class
    latencies: tuple[int, ...]  # [ps] by class
    buffers: tuple[int, ...]  # packets, by class
    credit_delays: tuple[int, ...]  # [ps] by class
    router_delay: int  # [ps]

    def machine(self) -> _core.Machine:
        kinds = [
            _core.LinkClass(name, -(-PACKET * 10**12 // time), latency, buffer * PACKET, delay)
            for name, time, latency, buffer, delay in zip(
                CLASSES, self.times, self.latencies, self.buffers, self.credit_delays, strict=True
            )
        ]
        basics = _core.Basics("line", 1, self.router_delay, 100_000, 2_000_000_011)
        cables = [(i, i + 1, i + 2) for i in range(3)]
        wires = [*cables, *((b, a, c) for a, b, c in cables)]
        shape = {
            "routers": 4,
            "node_router": np.array(self.routers, np.int32),
            "links": np.array(wires, np.int32),
        }
        return _core.make_machine("graph", basics, shape, kinds)

    def run(self) -> tuple[int, dict[str, list[int]], set[str]]:
        """Return the time [ps], the times on the path by number, and the path's categories."""
        options = _core.SimulationOptions()
        options.explain = True
        mpi, engine = options.mpi, options.engine
        engine.packet_bytes = PACKET
        mpi.eager_threshold = 10**6
        options.mpi, options.engine = mpi, engine

        def body(rank):
            yield rank.compute(self.begins[rank.index])
            yield rank.collective(self.operation, self.algorithm, self.payload, 0)

        simulation = _core.Simulation(self.machine(), options)
        simulation.add(list(range(len(self.routers))), _core.python_program(body), False, False)
        assert simulation.run(None)
        raw = simulation.explanation()
        told = raw["path"]["proportions"]
        times = {
            "times": told["bandwidth"].tolist(),
            "latencies": told["latency"].tolist(),
            "router_delay": [told["router_delay"]],
        }
        taken = {raw["categories"][at] for at in raw["path"]["category"].tolist()}
        return max(simulation.job(0)["finished"].tolist()), times, taken

    def slower(self, number: str, at: int, step: int) -> Line:
        """Return the same with `step` more of a number."""
        if number == "router_delay":
            return replace(self, router_delay=self.router_delay + step)
        values = list(getattr(self, number))
        values[at] += step
        return replace(self, **{number: tuple(values)})


def draw(seed: int, *, ranks: int = 2) -> Line:
    """Return a random case; two ranks are at the ends of the line."""
    rng = random.Random(seed)
    between = [rng.randrange(4) for _ in range(ranks - 2)]
    operation, algorithm = ("bcast", "binomial")
    if ranks > 2:
        operation, algorithm = rng.choice(
            [("scatter", "linear"), ("alltoall", "pairwise"), ("allgather", "bruck")]
        )
    return Line(
        operation,
        algorithm,
        (0, 3, *between),
        tuple(rng.randrange(1, 300_000) for _ in range(ranks)),
        PACKET * rng.randint(1, 40 if ranks == 2 else 8),
        tuple(rng.randrange(100_000, 900_000) for _ in CLASSES),
        tuple(rng.randrange(10_000, 900_000) for _ in CLASSES),
        tuple(rng.randint(1, 8) for _ in CLASSES),
        tuple(rng.randrange(1000, 900_000) for _ in CLASSES),
        rng.randrange(10_000, 200_000),
    )
