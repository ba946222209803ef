"""Orders by Scotch, Mt-KaHyPar and odonata.decide on the same matrices, side by side.

Run it as ``python validation/rank-placement-xc30/mapper/run.py [--amg cycles.trace]``; it needs
Debian's package scotch and odonata[place]. ``cycles.py`` makes the trace.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from importlib.metadata import version as installed
from pathlib import Path

import numpy as np
import scotch
from numpy.typing import NDArray

from odonata import decide, machine, placement
from odonata.decide import Communication
from odonata.decide.exchange import Exchange
from odonata.decide.mapping import _Search
from odonata.decide.methods import Situation
from odonata.decide.partitioning import by_partition
from odonata.placement import Placement

HERE = Path(__file__).parent
ALLOCATIONS = {
    "edison": {"allocation": "random-routers", "ranks_per_node": 16, "seed": 1},
    "theta": {"allocation": "distance:20", "ranks_per_node": 16, "seed": 1},
}
FACE_BYTES = 8_192.0
BLOCK_BYTES = 1_024.0


def halo(sides: tuple[int, ...]) -> Communication:
    """Return a periodic exchange of faces, the last side fastest."""
    index = np.arange(np.prod(sides)).reshape(sides)
    shifts = [(axis, step) for axis in range(len(sides)) for step in (-1, 1)]
    target = np.concatenate([np.roll(index, step, axis).ravel() for axis, step in shifts])
    source = np.tile(index.ravel(), len(shifts))
    return Communication(index.size, source, target, np.full(len(source), FACE_BYTES))


def transposes(rows: int, columns: int) -> Communication:
    """Return alltoalls in the rows and in the columns of a grid of ranks."""
    index = np.arange(rows * columns)
    source, target = (ends.ravel() for ends in np.meshgrid(index, index, indexing="ij"))
    same = (source // columns == target // columns) | (source % columns == target % columns)
    pairs = same & (source != target)
    return Communication(
        index.size, source[pairs], target[pairs], np.full(int(pairs.sum()), BLOCK_BYTES)
    )


def compare(communication: Communication, start: Placement) -> dict[str, dict[str, float]]:
    """Return the costs of each order."""
    situation = Situation(start.machine, start.nodes, communication)
    search = _Search(situation, start, 0)
    exchange = Exchange(communication, start, routing="minimal", seed=0)
    makers: dict[str, Callable[[], NDArray[np.int32]]] = {
        "start": lambda: np.arange(start.ranks, dtype=np.int32),
        "Scotch": lambda: scotch.by_scotch(communication, start),
        "Mt-KaHyPar": lambda: by_partition(situation),
        "place map, hop-bytes": lambda: decide.map_ranks(communication, start).order,
    }
    for objective in ("max-link", "simulated"):
        makers[f"place map, {objective}"] = lambda objective=objective: (  # type: ignore[misc]
            decide.map_ranks(communication, start, objective=objective).order
        )
    rows = {}
    for name, make in makers.items():
        began = _cpu_seconds()
        order = make()
        used = _cpu_seconds() - began
        costs = search.costs(order, exchange)
        rows[name] = {
            "hop_bytes": costs.hop_bytes,
            "max_link_seconds": costs.max_link_seconds,
            "simulated_seconds": costs.simulated_seconds or 0.0,
            "cpu_seconds": used,
        }
    return rows


def _cpu_seconds() -> float:
    """Return the processor time of this process and of the programs that it started [s]."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def table(results: dict[str, dict[str, dict[str, float]]]) -> str:
    """Return all rows as Markdown."""
    head = ("matrix, machine", "order", "hop-bytes [MB]", "busiest link [us]")
    head += ("simulated [us]", "found in [s]")
    lines = [f"| {' | '.join(head)} |", "|:--|:--|--:|--:|--:|--:|"]
    for case, rows in results.items():
        for name, row in rows.items():
            cells = [
                f"{row['hop_bytes'] / 1e6:,.1f}",
                f"{row['max_link_seconds'] * 1e6:,.1f}",
                f"{row['simulated_seconds'] * 1e6:,.1f}",
                f"{row['cpu_seconds']:.2f}" if name != "start" else "",
            ]
            lines.append(f"| {case} | {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Make every row, and write results.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--amg", type=Path, help="trace of cycles of odonata-amg")
    given = parser.parse_args()
    matrices = {
        "halo 8x8x8": halo((8, 8, 8)),
        "halo 32x16": halo((32, 16)),
        "transposes 32x16": transposes(32, 16),
    }
    if given.amg is not None:
        matrices["AMG"] = decide.read_communication(given.amg)
    path = HERE / "results.json"
    results = json.loads(path.read_text())["rows"] if path.exists() else {}
    for what, matrix in matrices.items():
        for name, how in ALLOCATIONS.items():
            case = f"{what}, {name}"
            if case not in results:
                start = placement.place(machine.load(name), matrix.ranks, **how)  # type: ignore[arg-type]
                results[case] = compare(matrix, start)
                versions = {name: installed(name) for name in ("mtkahypar", "pymetis", "scipy")}
                document = {"versions": {"scotch": scotch.version(), **versions}, "rows": results}
                path.write_text(json.dumps(document, indent=1) + "\n")
    print(table(results))


if __name__ == "__main__":
    main()
