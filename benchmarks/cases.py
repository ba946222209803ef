"""The commands that are measured, each with the question that it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Summary = Mapping[str, Any]

RUN = "--allocation random --routing minimal --engine packet --seed 7 --json"
RING = f"simulate allgather --algorithm ring --bytes 1KiB --machine dragonfly-5256 {RUN}"

TORUS = "--machine hopper --set shape.sizes=[14,8,23] " + " ".join(
    f"--set links.{way}.bandwidth=4GB/s" for way in ("injection", "ejection")
)
"""A torus of 5,152 nodes that takes uniform traffic of load 0.3."""

MPIRUN = "mpirun -n 1024 --machine dragonfly-5256 --compute none --json"
POLLS = "mpirun -n 16 --machine eos --compute none --json"


@dataclass(frozen=True)
class Case:
    """A command and the value that is read from its JSON document.

    Parameters
    ----------
    name
        Short name.
    question
        Question that the measurement answers.
    arguments
        Arguments of ``odonata``; {ring} and {ring.so} stand for benchmarks/ring.c, compiled,
        and {assemble} and {assemble.so} for benchmarks/assemble.c.
    value
        Function from a run's summary to the measured value.
    unit
        Unit of the value.
    more_is_better
        Whether the best of several runs is the largest.
    limit
        Worst value that passes, in the same unit.
    most_bytes
        Largest peak memory that passes [B].
    """

    name: str
    question: str
    arguments: str
    value: Callable[[Summary], float]
    unit: str
    more_is_better: bool
    limit: float | None = None
    most_bytes: float | None = None


def hops_per_second(run: Summary) -> float:
    return run["packet_hops"] / run["cpu_seconds"]


def seconds(run: Summary) -> float:
    return run["cpu_seconds"]


def messages_per_second(run: Summary) -> float:
    return run["messages"] / (run["cpu_seconds"] + run["ranks_cpu_seconds"])


def seconds_per_poll(run: Summary) -> float:
    return (run["cpu_seconds"] + run["ranks_cpu_seconds"]) / run["mpi_calls"]["MPI_Iprobe"]


def nanoseconds_per_hop(run: Summary) -> float:
    return 1e9 * run["cpu_seconds"] / run["packet_hops"]


CASES = [
    Case(
        "uniform",
        "How many packets pass a router in a second of processor time, under random traffic?",
        "simulate traffic --pattern uniform --load 0.5 --packet-bytes 1024 --packets-per-node 50 "
        "--machine dragonfly-5256 --routing minimal --seed 7 --json",
        hops_per_second,
        "hops/s",
        more_is_better=True,
        limit=2e6,
    ),
    Case(
        "ring-1024",
        "What does a ring of a million messages cost?",
        f"{RING} --ranks 1024",
        seconds,
        "s",
        more_is_better=False,
        limit=3.0,
        most_bytes=300e6,
    ),
    Case(
        "ring-4096",
        "What does a ring of 16.8 million messages on a full machine cost?",
        f"{RING} --ranks 4096",
        seconds,
        "s",
        more_is_better=False,
        limit=60.0,
        most_bytes=500e6,
    ),
    Case(
        "bruck-1024",
        "How many packets pass a router in a second where messages have up to 512 packets?",
        f"{RING.replace('ring', 'bruck')} --ranks 1024",
        hops_per_second,
        "hops/s",
        more_is_better=True,
        limit=2e6,
    ),
    Case(
        "start-up",
        "What does the construction of a machine of 5,256 nodes cost?",
        f"simulate barrier --ranks 2 --machine dragonfly-5256 {RUN}",
        seconds,
        "s",
        more_is_better=False,
        limit=0.1,
        most_bytes=100e6,
    ),
    Case(
        "torus",
        "How many packets pass a router of a torus in a second, whose routes are longer?",
        "simulate traffic --pattern uniform --load 0.3 --packet-bytes 1024 --packets-per-node 50 "
        f"{TORUS} --routing dimension-order --seed 7 --json",
        hops_per_second,
        "hops/s",
        more_is_better=True,
        limit=2e6,
    ),
    Case(
        "start-up-torus",
        "What does the construction of a torus of 13,248 routers cost?",
        f"simulate barrier --ranks 2 --machine blue-waters {RUN}",
        seconds,
        "s",
        more_is_better=False,
        limit=0.5,
        most_bytes=300e6,
    ),
    Case(
        "mpirun-processes",
        "How many messages does a real program send in a second of its and our processor time?",
        f"{MPIRUN} -- {{ring}}",
        messages_per_second,
        "messages/s",
        more_is_better=True,
        limit=60e3,
    ),
    Case(
        "mpirun-fibers",
        "How many messages does it send where its ranks are fibers?",
        f"{MPIRUN} --fibers -- {{ring.so}}",
        messages_per_second,
        "messages/s",
        more_is_better=True,
        limit=300e3,
    ),
    Case(
        "polls-processes",
        "What does a poll cost in a program that works like a genome assembler?",
        f"{POLLS} -- {{assemble}} 1000",
        seconds_per_poll,
        "s",
        more_is_better=False,
    ),
    Case(
        "polls-fibers",
        "What does a poll cost there where ranks are fibers?",
        f"{POLLS} --fibers -- {{assemble.so}} 1000",
        seconds_per_poll,
        "s",
        more_is_better=False,
    ),
]

EXPLAINED = {
    "ring": f"{RING} --ranks 1024",
    "contiguous": f"{RING.replace('random', 'contiguous')} --ranks 1024",
    "analytic": f"{RING.replace('packet', 'analytic')} --ranks 1024",
    "alltoall": "simulate alltoall --algorithm pairwise --bytes 4KiB --machine theta --ranks 512 "
    "--seed 7 --json",
    "bruck": f"{RING.replace('ring', 'bruck')} --ranks 1024",
    "halo": "simulate halo --sides 8x8x8 --machine theta --ranks 512 --repetitions 50 --seed 7 "
    "--json",
    "uniform": CASES[0].arguments,
    "mpirun": f"{MPIRUN} --fibers -- {{ring.so}}",
    "mpirun-calls": f"{MPIRUN} --fibers -- {{ring.so}} calls",
}
"""Runs whose explanation is measured: the first ones have many short messages and little else."""

SMALL = f"{RING} --ranks 128 --repetitions 64"
LARGE = f"{RING} --ranks 4096"
"""Runs for the cost of a hop with few ranks and on a full machine. They have 1.0 and 16.8 million
messages, so start-up has little weight in both."""
