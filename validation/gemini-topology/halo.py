"""Halo exchanges on Blue Waters under three distributions of ranks (Figure 6): halo.json, a table.

Run it as ``python validation/gemini-topology/halo.py``; finished rows of halo.json are kept, and
the table is written into halo.md.
"""

from __future__ import annotations

import json
from pathlib import Path

from odonata import machine, placement, simulate, workload
from odonata.machine import Machine
from odonata.placement import Placement

HERE = Path(__file__).parent
RESULTS = HERE / "halo.json"
GRIDS = [(n, n) for n in range(2, 13)] + [(n, n, n) for n in range(3, 9)]
CELLS = {2: 65536, 3: 96}
"""Cells of a rank along each side, by dimensions: the study has 65,536 and 1,536."""

CONTIGUOUS, STRIDED = "0.2 ns/B", "0.4 ns/B"
PACKING = {
    "none": "0 ps/B",
    "even": CONTIGUOUS,
    "x contiguous": (CONTIGUOUS, STRIDED, STRIDED),
    "slow": "1 ns/B",
}
"""Time to pack a byte of the faces along x, y, z."""

LARGER_PACKETS = {"nic.packet_bytes": "1 KiB", "nic.header_bytes": "512 B"}
"""Four packets of the machine in one, with all their headers: a quarter of the events."""

Row = dict[str, str | float]


def nodes_of(blue_waters: Machine, sides: tuple[int, ...]) -> list[int]:
    """Return one node a place, by number: two nodes of a router stand along y.

    Where the side along y is odd, the last routers along it have one node of the job.
    """
    x, y, z = (*sides, 1)[:3]
    block = placement.block_nodes(blue_waters, (x, -(-y // 2), z))
    if y % 2 == 0:
        return block
    places = {node: blue_waters.place(node) for node in block}
    return [node for node, at in places.items() if 2 * at.coordinates["y"] + at.position < y]


def measure(blue_waters: Machine, sides: tuple[int, ...], packing: str, how: str) -> Row:
    """Return a row: the time of an exchange, and bytes sent and received by a rank in it."""
    pack = PACKING[packing]
    halo = workload.Halo(
        sides,
        how,
        cells=CELLS[len(sides)],
        pack=pack if isinstance(pack, str) else pack[: len(sides)],
        repetitions=3,
    )
    job = simulate.Job(halo, Placement(blue_waters, nodes_of(blue_waters, sides)))
    run = simulate.run(
        blue_waters, [job], simulate.Options(routing="adaptive", seed=7), record_messages=False
    )
    seconds = float(str(run.summary["time_seconds"])) / halo.repetitions
    moved = 2 * float(str(run.summary["bytes"])) / halo.repetitions / halo.ranks
    return {
        "sides": "x".join(map(str, sides)),
        "packing": packing,
        "distribution": how,
        "microseconds": round(seconds * 1e6, 3),
        "megabytes_per_second": round(moved / seconds / 1e6, 1),
        "hops": round(float(str(run.summary["mean_routers"])), 3),
    }


def rows() -> list[Row]:
    """Measure what halo.json does not hold yet."""
    kept: list[Row] = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    done = {(row["sides"], row["packing"], row["distribution"]) for row in kept}
    blue_waters = machine.load("blue-waters", LARGER_PACKETS)
    for sides in GRIDS:
        for packing in PACKING:
            for how in workload.DISTRIBUTIONS:
                if ("x".join(map(str, sides)), packing, how) not in done:
                    kept.append(measure(blue_waters, sides, packing, how))
                    lines = ",\n".join(json.dumps(row) for row in kept)
                    RESULTS.write_text(f"[\n{lines}\n]\n")
    return kept


def table(kept: list[Row]) -> str:
    """Return the table: how much less time ``custom`` takes, and the routers of a packet."""
    by_case: dict[tuple[str, str], dict[str, Row]] = {}
    for row in kept:
        case = (str(row["sides"]), str(row["packing"]))
        by_case.setdefault(case, {})[str(row["distribution"])] = row
    lines = ["| ranks | packing | plain | cart | custom | custom less than plain | than cart |"]
    lines.append("|---|---|--:|--:|--:|--:|--:|")
    order = [("x".join(map(str, sides)), packing) for sides in GRIDS for packing in PACKING]
    for sides, packing in (case for case in order if case in by_case):
        rows_ = by_case[sides, packing]
        times = {how: float(row["microseconds"]) for how, row in rows_.items()}
        cells = [f"{times[how]:,.0f} µs, {rows_[how]['hops']:.1f}" for how in times]
        less = [f"{100 * (1 - times['custom'] / times[how]):.1f} %" for how in ("plain", "cart")]
        lines.append("| " + " | ".join([sides, packing, *cells, *less]) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    page = HERE / "halo.md"
    head, _, rest = page.read_text().partition("<!-- table -->")
    end = rest.partition("<!-- end -->")[2]
    page.write_text(f"{head}<!-- table -->\n{table(rows())}\n<!-- end -->{end}")
