"""Ranks whose work scatters: the share of ``MPI_Allreduce`` in the time in MPI, at the full size.

An iteration of PCG with diagonal scaling on 256 ranks of 150³ points: faces to six neighbours, the
product, and three sums. The work of a rank in an iteration is drawn from a normal distribution.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from tables import FLOP_SECONDS, FLOPS, POINTS

from odonata import explain, machine, placement, simulate, workload
from odonata.report import Table

SIDES = (8, 8, 4)
ITERATIONS = 20
FACE_BYTES = 8 * 150**2
DEVIATIONS = (0.0, 0.002, 0.003, 0.005, 0.01, 0.02)
"""Standard deviations of the work of a rank in an iteration, as shares of the mean."""

SEEDS = range(5)
PARTS = (16, 6, 5)
"""Flops a point before each sum: product and inner product; two updates and an inner product;
the scaling, an update and an inner product."""


def neighbours(rank: int) -> list[int]:
    """Return the ranks with which a rank shares a face."""
    at = np.array(np.unravel_index(rank, SIDES))
    found = []
    for side, step in np.ndindex(3, 2):
        other = at.copy()
        other[side] += 2 * step - 1
        if 0 <= other[side] < SIDES[side]:
            found.append(int(np.ravel_multi_index(tuple(other), SIDES)))
    return found


def solver(work_seconds: np.ndarray) -> Any:
    """Return the program of a rank, for work [s] of shape (ranks, iterations)."""

    def program(rank: Any) -> Iterator[object]:
        others = neighbours(rank.index)
        for seconds in work_seconds[rank.index]:
            requests = [rank.irecv(other, FACE_BYTES) for other in others]
            requests += [rank.isend(other, FACE_BYTES) for other in others]
            yield rank.wait_all(requests)
            for part in PARTS:
                yield rank.compute(f"{seconds * part / FLOPS * 1e9:.0f} ns")
                yield rank.allreduce(8)

    return program


def shares(deviation: float, seed: int) -> tuple[float, float]:
    """Return the shares of ``MPI_Allreduce`` in the time in MPI, and of MPI in the run."""
    fdr = machine.load("jupiter-fdr")
    ranks = int(np.prod(SIDES))
    draws = np.random.default_rng(seed).normal(1.0, deviation, (ranks, ITERATIONS))
    work = FLOPS * POINTS * FLOP_SECONDS * np.maximum(draws, 0)
    job = simulate.Job(
        workload.Program(solver(work)), placement.place(fdr, ranks, ranks_per_node=16)
    )
    found = explain.explain(simulate.simulate(fdr, [job], explain="breakdown", seed=seed))
    whole = sum(sum(part.categories_ps.values()) for part in found.functions)
    work_ps = sum(part.categories_ps.get("computing", 0) for part in found.functions)
    (sums,) = (part for part in found.functions if part.name == "allreduce")
    in_mpi = whole - work_ps
    return sum(sums.categories_ps.values()) / in_mpi, in_mpi / whole


def table() -> Table:
    """Return both shares by the deviation, with the range of the seeds."""
    rows = []
    for deviation in DEVIATIONS:
        found = np.array([shares(deviation, seed) for seed in (SEEDS if deviation else [0])])
        least, most = 100 * found.min(axis=0), 100 * found.max(axis=0)
        cells = [
            f"{low:.1f} %" if high - low < 0.05 else f"{low:.1f} to {high:.1f} %"
            for low, high in zip(least, most, strict=True)
        ]
        rows.append([f"{100 * deviation:.1f} %", *cells])
    columns = ["deviation of a rank's work", "MPI_Allreduce, of MPI", "MPI, of the run"]
    return Table(columns, rows)


if __name__ == "__main__":
    print(table())
