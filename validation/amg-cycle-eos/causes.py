"""The cycle in C/F order with one cause of longer times after the other: causes.json.

``python validation/amg-cycle-eos/causes.py cycles.trace 16x1`` replays the cycles of a trace
(cycle_trace.py) of a mix on Eos with the numbers of its file before November 2026, and then with
today's, group by group.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from published import MEASURED_MS, MIXES

from odonata import machine, simulate
from odonata.report import Table
from odonata.trace import Reader

FILE = Path(__file__).parent / "causes.json"
CYCLES = 2
"""Cycles in a trace."""

SEEDS = range(5)
BEFORE: Mapping[str, Mapping[str, str]] = {
    "rate of messages": {"mpi.send_overhead": "400 ns", "mpi.recv_overhead": "392 ns"},
    "data rates of links": {
        "links.green.bandwidth": "5.25 GB/s",
        "links.black.bandwidth": "5.25 GB/s",
        "links.blue.bandwidth": "4.7 GB/s",
    },
    "eager and rendezvous": {
        "mpi.short_threshold": "1 TiB",
        "mpi.eager_overhead": "0 ns",
        "mpi.eager_overhead_per_byte": "0 ps/B",
        "mpi.rendezvous_overhead": "0 ns",
        "mpi.long_threshold": "1 TiB",
        "mpi.long_overhead_per_byte": "0 ps/B",
    },
    "inside a node": {
        "node.latency": "238 ns",
        "node.send_overhead": "400 ns",
        "node.recv_overhead": "392 ns",
        "node.memory_bandwidth": "1 TB/s",
    },
}
"""Numbers of the file before November 2026, by what has changed; 1 TB/s stand for no limit."""

SMALL = {
    "nic.message_gap": "73 ns",
    "mpi.search_per_entry": "25 ns",
    "mpi.wait_per_request": "50 ns",
}
"""Costs of many small messages, which the file does not have; README.md has their sources."""


def steps() -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each step with the numbers to set, which have not changed yet."""
    now = {key: value for group in BEFORE.values() for key, value in group.items()}
    yield "before", dict(now)
    for name, group in BEFORE.items():
        now = {key: value for key, value in now.items() if key not in group}
        yield name, dict(now)
    yield "many small messages", SMALL


def seconds(path: str, changes: Mapping[str, str], options: simulate.Options) -> float:
    """Return the time of a cycle [s]."""
    done = simulate.replay(path, machine.load("eos", changes), options=options)
    return float(done.summary["time_seconds"]) / CYCLES


def measure(path: str, mix: str) -> list[dict[str, Any]]:
    """Return the times of each step [s]: without contention, on minimal and on adaptive routes."""
    with Reader(path) as reader:
        ranks = reader.header.ranks
    rows = []
    for name, changes in steps():
        rows.append(
            {
                "ranks": ranks,
                "mix": mix,
                "cause": name,
                "analytic": seconds(path, changes, simulate.Options(engine="analytic")),
                "minimal": seconds(path, changes, simulate.Options()),
                "adaptive": [
                    seconds(path, changes, simulate.Options(routing="ugal-l", seed=seed))
                    for seed in SEEDS
                ],
            }
        )
    return rows


def read() -> list[dict[str, Any]]:
    """Return the rows that are kept."""
    kept: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return kept


def keep(rows: list[dict[str, Any]]) -> None:
    """Write rows in the place of rows of the same ranks and mix."""
    case = (rows[0]["ranks"], rows[0]["mix"])
    others = [row for row in read() if (row["ranks"], row["mix"]) != case] if FILE.exists() else []
    both = sorted(others + rows, key=lambda row: (row["mix"] == "16x1", int(row["ranks"])))
    text = ",\n".join(json.dumps(row) for row in both)
    FILE.write_text(f"[\n{text}\n]\n", encoding="utf-8")


def table() -> Table:
    """Return the cycles of 16x1 after each step, and its increase with adaptive routes [ms]."""
    rows, before = [], 0.0
    for row in (row for row in read() if row["mix"] == "16x1"):
        drawn = [1e3 * time for time in row["adaptive"]]
        mean = sum(drawn) / len(drawn)
        first = row["cause"] == "before"
        rows.append(
            [
                *(f"{row['ranks']:,}", row["cause"]),
                *(f"{1e3 * row['analytic']:.2f}", f"{1e3 * row['minimal']:.2f}", f"{mean:.2f}"),
                f"{min(drawn):.2f} to {max(drawn):.2f}",
                "" if first else f"{mean - before:+.2f}",
            ]
        )
        before = mean
    columns = ["no contention", "minimal", "adaptive", "five seeds", "adds"]
    return Table(["ranks", "and", *columns], rows, left=2)


def mixes() -> Table:
    """Return the cycles of 1,024 cores by mix, with adaptive routes [ms]."""
    shown = {name: i for i, name in enumerate(("before", "inside a node", "many small messages"))}
    rows: dict[str, list[str]] = {}
    for row in read():
        if row["ranks"] * int(row["mix"].partition("x")[2]) == 1024 and row["cause"] in shown:
            mean = sum(row["adaptive"]) / len(row["adaptive"])
            rows.setdefault(row["mix"], ["", "", ""])[shown[row["cause"]]] = f"{1e3 * mean:.2f}"
    measured = dict(zip(MIXES, MEASURED_MS[1024], strict=True))
    lines = [[mix, *rows[mix], f"{measured[mix]:.1f}"] for mix in MIXES if mix in rows]
    columns = ["before", "today's numbers", "and small messages", "published measured"]
    return Table(["mix", *columns], lines, left=1)


if __name__ == "__main__":
    keep(measure(*sys.argv[1:]))
