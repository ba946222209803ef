"""Schedules that LogGOPSim, LLAMP and Odonata express, and the machine that plays them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from odonata import machine as machines
from odonata.interchange import convert
from odonata.interchange.goal_collectives import LOCKSTEP
from odonata.interchange.goal_schedule import CALC, RECV, SEND, Operation, Rank, write_goal
from odonata.trace import Call, Collective, Header, Writer, function_names
from odonata.trace.calls import Block

LATENCY = 2500
"""L [ns], LogGOPSim's default."""

COLLECTIVES = {
    "bcast": (8, 16, 27, 32),
    "reduce": (16, 27),
    "allreduce": (16, 27, 32),
    "allgather": (13, 16),
    "alltoall": (9, 16),
    "scan": (16, 21),
    "barrier": (16, 31),
    "gather": (16,),
    "scatter": (16,),
}
ROOTED = {"bcast", "reduce", "gather", "scatter"}


def machine(ranks: int, overhead: int) -> machines.Machine:
    """Return a machine with LogGOPSim's parameters; a byte takes 1 ps."""
    values = {
        **LOCKSTEP,
        "shape.nodes": ranks,
        "links.injection.latency": f"{LATENCY} ns",
        "mpi.send_overhead": f"{overhead} ns",
        "mpi.recv_overhead": f"{overhead} ns",
    }
    return machines.load("jupiter-fdr").with_values(values)


def collective(operation: str, ranks: int, folder: Path) -> Path:
    """Write the schedule of a collective after random times of work, and return its name."""
    draw = random.Random(ranks)
    view = Collective(bytes=8, root=0 if operation in ROOTED else -2, operation=operation)
    calls = [
        Call(rank, "MPI_Barrier", "collective", view, compute=draw.randrange(1, 20_000))
        for rank in range(ranks)
    ]
    with Writer(folder / "c.trace", Header(ranks=ranks)) as writer:
        writer.write(Block.of(calls, function_names()))
    convert(folder / "c.trace", folder / "c.goal")
    return folder / "c.goal"


def rounds(seed: int, ranks: int) -> list[Rank]:
    """Return rounds: every rank posts receives, sends, works, and waits for all."""
    draw = random.Random(seed)
    made: list[Rank] = [[] for _ in range(ranks)]
    for step in range(20):
        pairs = [tuple(draw.sample(range(ranks), 2)) for _ in range(ranks)]
        front = [[len(own) - 1] if own else [] for own in made]
        ends: list[list[int]] = [[] for _ in made]
        for kind in (RECV, SEND):
            for number, (one, other) in enumerate(pairs):
                rank, peer = (one, other) if kind == SEND else (other, one)
                tag = 1000 * step + number
                made[rank].append(Operation(kind, 1, peer, tag, after=list(front[rank])))
                ends[rank].append(len(made[rank]) - 1)
        for rank, own in enumerate(made):
            own.append(Operation(CALC, draw.randrange(1, 30_000), after=ends[rank] or front[rank]))
    return made


def chains(seed: int, ranks: int) -> list[Rank]:
    """Return random messages and work, each operation of a rank after its predecessor."""
    draw = random.Random(1000 + seed)
    made: list[Rank] = [[] for _ in range(ranks)]
    for number in range(40 * ranks):
        one, other = draw.sample(range(ranks), 2)
        for rank, kind, peer in ((one, SEND, other), (other, RECV, one)):
            after = [len(made[rank]) - 1] if made[rank] else []
            made[rank].append(Operation(kind, 1, peer, number, after=after))
        rank = draw.choice((one, other))
        made[rank].append(Operation(CALC, draw.randrange(1, 9000), after=[len(made[rank]) - 1]))
    return made


def schedules(folder: Path) -> Iterator[tuple[str, Path, int]]:
    """Yield the name, the file and the ranks of each schedule."""
    for operation, sizes in COLLECTIVES.items():
        for ranks in sizes:
            yield f"{operation} of {ranks} ranks", collective(operation, ranks, folder), ranks
    for kind, make in (("rounds", rounds), ("chains", chains)):
        for seed in range(1, 6):
            ranks = 4 + 3 * seed
            write_goal(folder / "r.goal", make(seed, ranks))
            yield f"random {kind} of {ranks} ranks, seed {seed}", folder / "r.goal", ranks
