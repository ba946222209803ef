"""Write the table of the page: latency and bandwidth of two ranks, ours beside published ones.

Run it as ``python validation/machines/run.py``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from odonata import _core, machine, simulate, workload
from odonata.machine import Machine
from odonata.placement import Placement
from odonata.report import Table

HERE = Path(__file__).parent
WINDOW = 64
"""Messages of osu_bw before an answer."""

MOST_PAIRS = 16
"""Pairs of nodes of a place that are measured."""

AGREES = 0.15
"""Largest deviation that counts as agreement."""

SIZES = tuple(2**k for k in range(0, 21, 4))
"""Sizes of the curves without a published one [B]."""

Steps = Generator[_core.Waiting, _core.Status | None, None]


@dataclass(frozen=True)
class Point:
    """A published value, and ours."""

    machine: str
    benchmark: str
    place: str
    size: int
    """Size of a message [B]."""
    published: float
    simulated: float
    source: str
    put_in: bool

    @property
    def deviation(self) -> float:
        """Ours relative to the published value."""
        return self.simulated / self.published - 1

    @property
    def verdict(self) -> str:
        """Whether they agree, or why the question does not arise."""
        if self.put_in:
            return "put in"
        return "agrees" if abs(self.deviation) <= AGREES else "**differs**"


def ping_pong(size: int) -> workload.Program:
    """Return a program of two ranks: one message there and one back."""

    def steps(rank: workload.Rank) -> Steps:
        for sender in (0, 1):
            yield rank.send(1 - sender, size) if rank.index == sender else rank.recv(sender, size)

    return workload.Program(steps)


def stream(size: int) -> workload.Program:
    """Return a program of two ranks: a window of messages, and an answer of 4 B."""

    def steps(rank: workload.Rank) -> Steps:
        if rank.index == 0:
            yield rank.wait_all([rank.isend(1, size) for _ in range(WINDOW)])
            yield rank.recv(1, 4)
        else:
            yield rank.wait_all([rank.irecv(0, size) for _ in range(WINDOW)])
            yield rank.send(0, 4)

    return workload.Program(steps)


def seconds(built: Machine, program: workload.Program, nodes: list[int]) -> float:
    """Return the time of a program of two ranks on these nodes [s]."""
    job = simulate.Job(program, Placement(built, nodes))
    done = simulate.run(built, [job], simulate.Options(), record_messages=False)
    return float(np.asarray(done.jobs[0].finished).max()) / 1e12


def latency(built: Machine, size: int, nodes: list[int]) -> float:
    """Return half of the time of a ping-pong [us]."""
    return seconds(built, ping_pong(size), nodes) / 2 * 1e6


def bandwidth(built: Machine, size: int, nodes: list[int]) -> float:
    """Return the rate of a window of messages with its answer [MB/s]."""
    return WINDOW * size / seconds(built, stream(size), nodes) / 1e6


BENCHMARKS: Mapping[str, Callable[[Machine, int, list[int]], float]] = {
    "latency": latency,
    "bandwidth": bandwidth,
}


ARIES = {
    "blade": (0, 0, 0),
    "chassis": (0, 0, 1),
    "group": (0, 1, 1),
    "other group": (1, None, None),
}
GEMINI = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1), "farthest": (12, 8, 12)}
PLACES: Mapping[str, Mapping[str, tuple[int | None, ...]]] = {"aries": ARIES, "gemini": GEMINI}
"""Steps between the coordinates of two routers, by family and place; None: each that is there."""


def pairs(built: Machine, place: str) -> list[list[int]]:
    """Return the first node with nodes at a place: one a router, of many routers a part."""
    if place == "node":
        return [[0, 0]]
    routers = np.asarray(built.node_router)
    steps = np.abs(built.router_positions[routers] - built.router_positions[routers[0]])
    wanted = PLACES[built.family][place]
    fixed = [axis for axis, step in enumerate(wanted) if step is not None]
    there = np.all(steps[:, fixed] == [wanted[axis] for axis in fixed], axis=1)
    others = [node for node in np.flatnonzero(there).tolist() if node > 0]
    firsts = np.unique(routers[others], return_index=True)[1]  # a node a router
    every = -(-len(firsts) // MOST_PAIRS)
    return [[0, others[i]] for i in firsts[::every]]


def points() -> Iterator[Point]:
    """Return all published points with ours: means over the pairs of a place."""
    read: dict[str, Any] = tomllib.loads((HERE / "published.toml").read_text(encoding="utf-8"))
    for curve in read["curves"]:
        built = machine.load(curve["machine"])
        measure = BENCHMARKS[curve["benchmark"]]
        for size, value in curve["points"]:
            ours = [measure(built, size, nodes) for nodes in pairs(built, curve["place"])]
            yield Point(
                *(curve["machine"], curve["benchmark"], curve["place"], size, value),
                *(float(np.mean(ours)), curve["source"], size in curve.get("put_in", [])),
            )


def compared(found: list[Point]) -> Table:
    """Return the published points beside ours."""
    rows = [
        [
            *(point.machine, point.benchmark, point.place, f"{point.size:,} B"),
            *(f"{point.published:,.4g}", f"{point.simulated:,.4g}", f"{point.deviation:+.0%}"),
            *(point.verdict, point.source),
        ]
        for point in found
    ]
    columns = ["machine", "benchmark", "second rank", "message", "published", "simulated"]
    return Table([*columns, "deviation", "", "source"], rows, left=3)


def curves() -> Table:
    """Return half of a ping-pong of the first two nodes of every machine [us], by size."""
    rows = []
    for name in machine.names():
        built = machine.load(name)
        rows.append([name, *(f"{latency(built, size, [0, 1]):.4g}" for size in SIZES)])
    return Table(["machine", *(f"{size:,} B" for size in SIZES)], rows, left=1)


def counted(found: list[Point]) -> Table:
    """Return how many points agree, by machine."""
    rows = []
    for name in dict.fromkeys(point.machine for point in found):
        verdicts = [point.verdict for point in found if point.machine == name]
        counts = [verdicts.count(verdict) for verdict in ("agrees", "**differs**", "put in")]
        rows.append([name, *map(str, counts)])
    return Table(["machine", "agree", "differ", "put in"], rows, left=1)


def main() -> None:
    """Write the tables into the page."""
    found = list(points())
    page = HERE / "README.md"
    text = page.read_text(encoding="utf-8")
    for mark, table in (
        ("points", compared(found)),
        ("counts", counted(found)),
        ("curves", curves()),
    ):
        pattern = rf"(?s)(<!-- {mark} -->\n).*?(<!-- end -->)"
        text = re.sub(pattern, lambda m, t=table: f"{m[1]}{t}\n{m[2]}", text)
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
