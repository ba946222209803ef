"""What is measured: commands, each with the question that it asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

Summary = Mapping[str, float]

RUN = "--allocation random --routing minimal --engine packet --seed 7 --json"
RING = f"simulate allgather --algorithm ring --bytes 1KiB --machine dragonfly-5256 {RUN}"

MPIRUN = "mpirun -n 1024 --machine dragonfly-5256 --compute none --json"


@dataclass(frozen=True)
class Case:
    """A command, and what is read from its JSON document.

    Parameters
    ----------
    name
        Short.
    question
        What it asks.
    arguments
        Behind ``odonata``; {ring} and {ring.so} stand for benchmarks/ring.c, compiled.
    value
        From a run's summary: what it measures.
    unit
        Of the value.
    more_is_better
        Whether the best of several runs is the largest.
    least, goal
        What was asked of it, and what was hoped for; the same unit.
    most_bytes
        Peak memory that it may take.
    """

    name: str
    question: str
    arguments: str
    value: Callable[[Summary], float]
    unit: str
    more_is_better: bool
    least: float | None = None
    goal: float | None = None
    most_bytes: float | None = None


def hops_per_second(run: Summary) -> float:
    return run["packet_hops"] / run["cpu_seconds"]


def seconds(run: Summary) -> float:
    return run["cpu_seconds"]


def messages_per_second(run: Summary) -> float:
    return run["messages"] / (run["cpu_seconds"] + run["ranks_cpu_seconds"])


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
        least=2e6,
        goal=5e6,
    ),
    Case(
        "ring-1024",
        "What does the README's example cost?",
        f"{RING} --ranks 1024",
        seconds,
        "s",
        more_is_better=False,
        least=3.0,
        goal=1.5,
        most_bytes=300e6,
    ),
    Case(
        "ring-4096",
        "Can a large machine be filled: 16.8 million messages?",
        f"{RING} --ranks 4096",
        seconds,
        "s",
        more_is_better=False,
        least=60.0,
        goal=30.0,
        most_bytes=500e6,
    ),
    Case(
        "bruck-1024",
        "And with few large messages, of up to 512 packets?",
        f"{RING.replace('ring', 'bruck')} --ranks 1024",
        hops_per_second,
        "hops/s",
        more_is_better=True,
        least=2e6,
        goal=5e6,
    ),
    Case(
        "start-up",
        "What does a machine of 5,256 nodes cost before anything moves?",
        f"simulate barrier --ranks 2 --machine dragonfly-5256 {RUN}",
        seconds,
        "s",
        more_is_better=False,
        least=0.1,
        most_bytes=100e6,
    ),
    Case(
        "mpirun-processes",
        "How many messages does a real program send in a second of all processor time together?",
        f"{MPIRUN} -- {{ring}}",
        messages_per_second,
        "messages/s",
        more_is_better=True,
        least=60e3,
    ),
    Case(
        "mpirun-fibers",
        "And with its ranks as fibers?",
        f"{MPIRUN} --fibers -- {{ring.so}}",
        messages_per_second,
        "messages/s",
        more_is_better=True,
        least=300e3,
    ),
]

SMALL = f"{RING} --ranks 128 --repetitions 64"
LARGE = f"{RING} --ranks 4096"
"""Cost of a hop where few ranks repeat, and where many fill the machine; 1.0 and 16.8 million
messages, so that start-up weighs little in both."""
