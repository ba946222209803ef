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

POINTS = 150**3
FLOPS = 27
"""Operations a point of an iteration of PCG with diagonal scaling: 14 of the product with seven
entries a row, 6 of three inner products, 6 of three updates, 1 of the scaling."""

FLOP_SECONDS = 1.59e-9
"""Time of an operation on the finest level, fitted on the same generation of processor [s]."""


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
    print("\n## An iteration of solver 1 with 150³ points a rank\n")
    print(full_size(rows))


def full_size(rows: Rows) -> Table:
    """Return the time of an iteration with simulated messages and calculated work."""
    work = FLOPS * POINTS * FLOP_SECONDS
    body = []
    for n in NODES:
        both = [rows.get(f"{name} | exchange | {n}") for name in ("jupiter-fdr", "jupiter-1gbe")]
        if both[0] is None or both[1] is None:
            continue
        messages = [row["faces_seconds"] + 3 * row["sum_seconds"] for row in both if row]
        times = [work + seconds for seconds in messages]
        ratings = [POINTS * RANKS_PER_NODE * n / seconds / 1e9 for seconds in times]
        body.append(
            [
                str(n),
                *(f"{1e3 * seconds:.2f} ms" for seconds in messages),
                *(
                    f"{100 * part / whole:.1f} %"
                    for part, whole in zip(messages, times, strict=True)
                ),
                *(f"{one:.2f}" for one in ratings),
                f"{100 * (ratings[0] / ratings[1] - 1):.0f} %",
            ]
        )
    each = [f"{what} {name}" for what in ("messages", "share", "rating") for name in ("FDR", "GbE")]
    return Table(["nodes", *each, "FDR over GbE"], body)


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
    """Return shares of calls and of time by function, of the solvers that were run."""
    keys = {solver: f"jupiter-fdr | {points} | {nodes} | {solver}" for solver in range(4)}
    found = {solver: rows[key] for solver, key in keys.items() if key in rows}
    names = dict.fromkeys(name for row in found.values() for name in row["calls"])
    body = []
    for name in names:
        shares = [row["calls"].get(name, [0, 0, 0]) for row in found.values()]
        if max(max(share[1:]) for share in shares) >= 0.01:
            cells = [f"{100 * share[at]:.1f}" for at in (1, 2) for share in shares]
            body.append([name, *cells])
    columns = [f"{what} {s}" for what in ("% of calls", "% of MPI time") for s in found]
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
