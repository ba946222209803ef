"""Tables of the study, from results.json."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from odonata.report import Table

NODES = (1, 2, 4, 8, 16)
RANKS_PER_NODE = 16
SIZES = ("0-64", "65-256", "257-1Ki", "1Ki-4Ki", "4Ki-16Ki", "16Ki-64Ki", "64Ki-256Ki",
         "256Ki-1Mi", "1Mi-4Mi", "4Mi and more")  # fmt: skip

Rows = Mapping[str, Mapping[str, Any]]


def rating(row: Mapping[str, Any], points: int, nodes: int) -> float:
    """Return the performance rating of AMG2013: unknowns times iterations over the solve's time."""
    unknowns = points**3 * RANKS_PER_NODE * nodes
    return float(unknowns * row["iterations"] / row["solve_seconds"])


def show(rows: Rows, points: int = 12) -> None:
    """Print all tables."""
    for machine in ("jupiter-fdr", "jupiter-1gbe"):
        print(f"\n## Rating on {machine}, {points}³ points a rank [10⁹ unknowns/s]\n")
        print(ratings(rows, machine, points))
    print("\n## Gain of FDR over gigabit Ethernet\n")
    print(gains(rows, points))
    largest = max((n for n in NODES if f"jupiter-fdr | {points} | {n} | 1" in rows), default=1)
    print(f"\n## Calls and time in MPI on {largest} nodes of jupiter-fdr\n")
    print(calls(rows, points, largest))
    print("\n## Sizes of messages and blocks, solver 1 on jupiter-fdr\n")
    print(sizes(rows, points))
    print("\n## Data in all [MB]\n")
    print(data(rows, points))


def ratings(rows: Rows, machine: str, points: int) -> Table:
    """Return the rating of each solver by nodes."""
    body = []
    for solver in range(4):
        found = [rows.get(f"{machine} | {points} | {n} | {solver}") for n in NODES]
        cells = [
            "" if row is None else f"{rating(row, points, n) / 1e9:.3f}"
            for row, n in zip(found, NODES, strict=True)
        ]
        body.append([str(solver), *cells])
    return Table(["solver", *(f"{n} nodes" for n in NODES)], body)


def gains(rows: Rows, points: int) -> Table:
    """Return how much higher each solver's rating is on FDR."""
    body = []
    for solver in range(4):
        cells = []
        for n in NODES:
            both = [
                rows.get(f"{machine} | {points} | {n} | {solver}")
                for machine in ("jupiter-fdr", "jupiter-1gbe")
            ]
            if both[0] is None or both[1] is None:
                cells.append("")
            else:
                ratio = rating(both[0], points, n) / rating(both[1], points, n)
                cells.append(f"{100 * (ratio - 1):.0f} %")
        body.append([str(solver), *cells])
    return Table(["solver", *(f"{n} nodes" for n in NODES)], body)


def calls(rows: Rows, points: int, nodes: int) -> Table:
    """Return shares of calls and of time by function and solver."""
    found = {s: rows.get(f"jupiter-fdr | {points} | {nodes} | {s}") for s in range(4)}
    names = dict.fromkeys(name for row in found.values() if row for name in row["calls"])
    body = []
    for name in names:
        shares = [row["calls"].get(name, [0, 0, 0]) if row else [0, 0, 0] for row in found.values()]
        if max(max(share[1:]) for share in shares) < 0.01:
            continue
        body.append(
            [name]
            + [f"{100 * share[1]:.1f}" for share in shares]
            + [f"{100 * share[2]:.1f}" for share in shares]
        )
    columns = [f"{what} {s}" for what in ("% of calls", "% of MPI time") for s in range(4)]
    return Table(["call", *columns], body)


def sizes(rows: Rows, points: int) -> Table:
    """Return how many messages and blocks have which size, by nodes."""
    found = {n: rows.get(f"jupiter-fdr | {points} | {n} | 1") for n in NODES}
    body = [
        [name, *("" if row is None else f"{row['sizes'][at]:,}" for row in found.values())]
        for at, name in enumerate(SIZES)
    ]
    return Table(["bytes", *(f"{n} nodes" for n in NODES)], body)


def data(rows: Rows, points: int) -> Table:
    """Return the data in all, by solver and nodes."""
    body = []
    for solver in range(4):
        cells = []
        for n in NODES:
            row = rows.get(f"jupiter-fdr | {points} | {n} | {solver}")
            cells.append(
                ""
                if row is None
                else f"{(row['message_bytes'] + row['collective_bytes']) / 1e6:.2f}"
            )
        body.append([str(solver), *cells])
    return Table(["solver", *(f"{n} nodes" for n in NODES)], body)
