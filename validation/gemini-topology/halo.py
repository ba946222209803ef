"""Halo exchanges on Blue Waters under three distributions of ranks (Figure 6): halo.json, a table.

Run it as ``python validation/gemini-topology/halo.py``; finished rows of halo.json are kept, and
the table is written into halo.md.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from pathlib import Path
from statistics import median

from odonata import machine, placement, simulate, workload
from odonata.machine import Machine
from odonata.placement import Placement
from odonata.study import make_cases

sys.path.append(str(Path(__file__).parents[1]))
from marked import fill

HERE = Path(__file__).parent
RESULTS = HERE / "halo.json"
GRIDS = [(n, n) for n in (3, 5, 6, 7, 8, 9, 10, 12)] + [(n, n, n) for n in range(3, 9)]
CELLS = {2: 65536, 3: 96}
"""Cells of a rank along each side, by dimensions: the study has 65,536 and 1,536."""
PUBLISHED = 1536  # cells in 3D, as in the study
LARGER = [("6x6x6", cells, "none") for cells in (384, PUBLISHED)]
LARGER += [("6x6x6", PUBLISHED, "slow")]
"""Cases in 3D with more cells, with one seed."""
SEEDS = (1, 2, 3, 4, 5)

CONTIGUOUS, STRIDED = "0.2 ns/B", "0.4 ns/B"
PACKING = {
    "none": "0 ps/B",
    "x contiguous": (CONTIGUOUS, STRIDED, STRIDED),
    "slow": "1 ns/B",
}
"""Time to pack a byte of the faces along x, y, z."""

LARGER_PACKETS = {"nic.packet_bytes": "1 KiB", "nic.header_bytes": "656 B"}
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


def measure(blue_waters: Machine, case: Row) -> Row:
    """Return a row: the time of an exchange and the routers of a packet."""
    sides = tuple(map(int, str(case["sides"]).split("x")))
    pack = PACKING[str(case["packing"])]
    halo = workload.Halo(
        sides,
        str(case["distribution"]),
        cells=int(case["cells"]),
        pack=pack if isinstance(pack, str) else pack[: len(sides)],
    )
    job = simulate.Job(halo, Placement(blue_waters, nodes_of(blue_waters, sides)))
    options = simulate.Options(routing="adaptive", seed=int(case["seed"]))
    run = simulate.run(blue_waters, [job], options, record_messages=False)
    return case | {
        "microseconds": round(float(str(run.summary["time_seconds"])) * 1e6, 3),
        "hops": round(float(str(run.summary["mean_routers"])), 3),
    }


def cases() -> Iterator[Row]:
    """Yield every case with five seeds, then those with more cells."""
    for sides, packing, how, seed in product(GRIDS, PACKING, workload.DISTRIBUTIONS, SEEDS):
        case: Row = {"sides": "x".join(map(str, sides)), "cells": CELLS[len(sides)]}
        yield case | {"packing": packing, "distribution": how, "seed": seed}
    for (shape, cells, packing), how in product(LARGER, workload.DISTRIBUTIONS):
        larger: Row = {"sides": shape, "cells": cells, "packing": packing}
        yield larger | {"distribution": how, "seed": SEEDS[0]}


def rows() -> list[Row]:
    """Measure what halo.json does not hold yet."""
    kept: list[Row] = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    missing = [c for c in cases() if not any(c.items() <= row.items() for row in kept)]
    kept += make_cases(HERE / "runs" / "halo", made, missing)
    lines = ",\n".join(json.dumps(row) for row in kept)
    RESULTS.write_text(f"[\n{lines}\n]\n")
    return kept


def made(**case: str | int) -> Row:
    return measure(blue_waters(), dict(case))


@lru_cache(maxsize=1)
def blue_waters() -> Machine:
    return machine.load("blue-waters", LARGER_PACKETS)


def times(kept: list[Row], sides: str, packing: str, key: str, cells: int = 0) -> dict[str, Row]:
    """Return the values of the seeds by distribution; of all numbers of cells if `cells` is 0."""
    found: dict[str, Row] = {}
    for row in kept:
        if (row["sides"], row["packing"]) == (sides, packing) and row["cells"] in (
            {cells} if cells else CELLS.values()
        ):
            of = found.setdefault(str(row["distribution"]), {})
            of[str(row["seed"])] = row[key]
    return found


def saved(found: dict[str, Row], than: str, how: str = "custom") -> str:
    """Return how much less time a distribution takes: the median and range over the seeds."""
    less = sorted(
        100 * (1 - float(found[how][seed]) / float(found[than][seed])) for seed in found[how]
    )
    return f"{median(less):.1f} ({less[0]:.1f} to {less[-1]:.1f}) %"


def table(kept: list[Row]) -> str:
    """Return the table: how much less time ``custom`` takes, and the routers of a packet."""
    lines = ["| ranks | packing | plain | cart | custom | custom less than plain | than cart |"]
    lines[0] += " cart less than plain |"
    lines.append("|---|---|--:|--:|--:|--:|--:|--:|")
    for sides, packing in product(("x".join(map(str, sides)) for sides in GRIDS), PACKING):
        found = times(kept, sides, packing, "microseconds")
        hops = times(kept, sides, packing, "hops")
        cells = [
            f"{median(map(float, found[how].values())):,.0f} µs,"
            f" {median(map(float, hops[how].values())):.1f}"
            for how in workload.DISTRIBUTIONS
        ]
        less = [saved(found, "plain"), saved(found, "cart"), saved(found, "plain", "cart")]
        lines.append("| " + " | ".join([sides, packing, *cells, *less]) + " |")
    return "\n".join(lines)


def calculated(kept: list[Row]) -> str:
    """Return the table in 3D by cells a side; 1,536 from 96 where there was no run: 256 times."""
    lines = ["| ranks | packing | cells | | plain | cart | custom | custom less than plain |"]
    lines[0] += " than cart | cart less than plain |"
    lines.append("|---|---|--:|---|--:|--:|--:|--:|--:|--:|")
    for sides, packing in product(("x".join(map(str, s)) for s in GRIDS if len(s) == 3), PACKING):
        runs = [
            (cells, "run") for shape, cells, pack in LARGER if (shape, pack) == (sides, packing)
        ]
        shown = [(CELLS[3], "96 cells, times 256"), *runs] if packing == "none" or runs else []
        for cells, how in shown:
            found = times(kept, sides, packing, "microseconds", cells)
            factor = (PUBLISHED / CELLS[3]) ** 2 if how != "run" else 1
            ms = [
                f"{factor * median(map(float, found[name].values())) / 1e3:.3g} ms"
                for name in workload.DISTRIBUTIONS
            ]
            less = [saved(found, "plain"), saved(found, "cart"), saved(found, "plain", "cart")]
            size = f"{cells if how == 'run' else PUBLISHED:,}"
            lines.append("| " + " | ".join([sides, packing, size, how, *ms, *less]) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    made = rows()
    fill(HERE / "halo.md", {"table": table(made), "calculated": calculated(made)})
