"""Runs whose times can be worked out by hand: 1 B takes 1 ns on every link."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from odonata import _core

RATE = 10**9  # B/s: 1 B/ns
WIRE = 7_000  # ps
ROUTER = 50_000  # ps
CREDIT = 11_000  # ps
NODE_LATENCY = 3_000  # ps
HEAD = WIRE + ROUTER  # of a link and the router behind it [ps]
LATENCY = HEAD + WIRE  # from node to node [ps]
BLOCK = 1000  # B
BYTES = 1_000_000  # its time on a link [ps]

Body = Callable[[Any], Any]


def star(nodes: int, *, buffer: int = 4096, eject_rate: int = RATE) -> _core.Machine:
    """Return nodes around a router."""
    basics = _core.Basics("star", 4, ROUTER, NODE_LATENCY, 2 * RATE)
    classes = [
        _core.LinkClass("injection", RATE, WIRE, buffer, CREDIT),
        _core.LinkClass("ejection", eject_rate, WIRE, buffer, CREDIT),
    ]
    return _core.make_machine("star", basics, {"nodes": nodes}, classes)


def explained(
    machine: _core.Machine, nodes: list[int], *bodies: Body, **options: Any
) -> tuple[list[dict[str, int]], dict[str, int]]:
    """Run a body on each rank; return its times and the critical path's, without zeros."""
    made = _core.SimulationOptions()
    made.explain = True
    mpi, engine = made.mpi, made.engine
    engine.packet_bytes = BLOCK
    for key, value in options.items():
        setattr(mpi if hasattr(mpi, key) else engine, key, value)
    made.mpi, made.engine = mpi, engine
    simulation = _core.Simulation(machine, made)

    def body(rank: Any) -> Any:
        yield from bodies[rank.index](rank)

    simulation.add(nodes, _core.python_program(body), False, False)
    assert simulation.run(None)
    raw = simulation.explanation()
    names = raw["categories"]
    rows = [named(names, row) for row in raw["by_rank"].tolist()]
    ends = simulation.job(0)["finished"].tolist()
    assert [sum(row.values()) for row in rows] == ends
    path = [0] * len(names)
    before = 0
    for begin, end, category in zip(
        *(raw["path"][key].tolist() for key in ("begin", "end", "category")), strict=True
    ):
        assert begin == before < end
        path[category] += end - begin
        before = end
    assert before == max(ends)
    return rows, named(names, path)


def named(names: list[str], row: list[int]) -> dict[str, int]:
    return {name: time for name, time in zip(names, row, strict=True) if time}


def send(to: int, *, size: int = BLOCK, after: int = 0) -> Body:
    """Send once, after some computing."""

    def body(rank: Any) -> Any:
        if after:
            yield rank.compute(after)
        yield rank.wait([rank.isend(to, size, 0)])

    return body


def receive(*sources: int, after: int = 0) -> Body:
    """Receive from some ranks at once, after some computing."""

    def body(rank: Any) -> Any:
        if after:
            yield rank.compute(after)
        yield rank.wait([rank.irecv(source, 10 * BLOCK, 0) for source in sources])

    return body
