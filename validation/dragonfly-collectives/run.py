"""Run the study again: all runs that results.json doesn't have, the figures, and the tables.

`python run.py` runs all missing cases, `--only 128` missing cases of 128 ranks, `--first study`
cases whose names begin so; `--draw` makes no runs.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path

import cases
import numpy as np
from programs import program, steps

from odonata import machine, placement, simulate, workload
from odonata.files import write_whole
from odonata.result import Result, class_loads
from odonata.study import make_cases

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
Row = dict[str, float | int | str | None]


@lru_cache(maxsize=2)
def load(changes: tuple[tuple[str, str], ...] = ()) -> machine.Machine:
    """Return the study's machine with some values changed."""
    return machine.load("dragonfly-5256").with_values(dict(changes))


def simulated(case: cases.Case) -> Result:
    """Return the result of a case."""
    net = load(case.changes)
    where = placed(net, case)
    operation, _, algorithm = case.workload.partition("/")
    if algorithm in workload.algorithms()[operation]:
        work = workload.Collective(operation, algorithm, bytes="1 KiB")
    else:
        work = program(case.workload, where)
    jobs = [simulate.Job(work, where)]
    if case.background:
        traffic = simulate.parse_background(case.background)
        jobs.append(simulate.background(net, traffic, beside=[where]))
    return simulate.simulate(net, jobs, seed=case.seed, record_messages=False)


def placed(net: machine.Machine, case: cases.Case) -> placement.Placement:
    """Return the nodes of a case."""
    allocation, _, order = case.allocation.partition(", ")
    mapping = "random" if order == "ranks shuffled" else "block"
    where = placement.place(net, case.ranks, allocation=allocation, mapping=mapping, seed=case.seed)
    if order != "ranks in order of place":
        return where
    nodes = np.sort(where.nodes)  # the root stays where it is
    return placement.Placement(net, np.roll(nodes, -np.searchsorted(nodes, where.nodes[0])))


def in_step(case: cases.Case) -> Row:
    """Return the time of an allgather whose ranks wait for the slowest after each step."""
    net = load(case.changes)
    where = placed(net, case)
    if case.workload.startswith("allgather/tar"):
        where = placement.Placement(net, np.sort(where.nodes))
    time = 0
    for work, times in steps(case.workload, case.ranks):
        result = simulate.simulate(net, [simulate.Job(work, where)], seed=case.seed)
        time += times * round(result.summary["time_seconds"] * 1e12)
    return {"time_ps": time}


def measure(case: cases.Case) -> Row:
    """Run a case and return what the tables and figures need of it."""
    if case.workload in cases.STEPS:
        return in_step(case)
    result = simulated(case)
    summary, loads = result.summary, class_loads(result)
    row: Row = {
        "time_ps": round(summary["time_seconds"] * 1e12),
        "routers": round(summary["mean_routers"], 4),
        "latency_ns": round(summary["mean_latency_seconds"] * 1e9, 1),
    }
    for load_of in loads:
        row[load_of.name] = round(load_of.max_utilisation, 3)  # of the busiest link
    return row | root_buffers(result)


def root_buffers(result: Result) -> Row:
    """Return how full the buffers were that rank 0 and its router send into."""
    root = result.main_job.nodes[0]
    router = load().node_router[root]
    links, buffers = result.run.links, result.run.buffers
    names = np.array(result.run.link_classes)[links["class"]]
    leaving = (links["from"] == router) & ~np.isin(names, ("injection", "ejection"))
    row: Row = {}
    for name, chosen in (("own", np.arange(len(names)) == root), ("router", leaving)):
        mine = chosen[buffers["link"]]
        row[f"{name}_filled"] = int((buffers["refused"][mine] > 0).sum())
        row[f"{name}_peak"] = int(buffers["peak"][mine].max())  # [B]
    return row


def crossover(ranks: int, seed: int, ways: tuple[str, ...]) -> int:
    """Return the software overhead [ns] from which LIN falls behind TREE, to 1 ns."""

    def ahead(overhead: int) -> bool:
        changes = tuple((f"mpi.{way}_overhead", f"{overhead} ns") for way in ways)
        linear, binomial = (
            simulated(cases.Case("", "", f"scatter/{name}", ranks, seed, changes=changes))
            for name in ("linear", "binomial")
        )
        return linear.summary["time_seconds"] < binomial.summary["time_seconds"]

    low, high = 0, 4000
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if ahead(middle) else (low, middle)
    return high


def crossovers() -> Iterable[tuple[str, Callable[[], Row]]]:
    """Yield the searches for the overhead at which LIN falls behind TREE."""
    for ranks in cases.RANKS:
        for ways in (("send", "recv"), ("send",)):
            for seed in (1, 2, 3):
                key = f"crossover | {'+'.join(ways)} | scatter/linear | {ranks} | {seed}"
                yield key, lambda r=ranks, s=seed, w=ways: {"overhead_ns": crossover(r, s, w)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", type=int, help="ranks of the runs to make")
    parser.add_argument("--first", default="", help="what the names of the runs begin with")
    parser.add_argument("--draw", action="store_true", help="make no runs")
    asked = parser.parse_args()
    rows = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    todo = [
        (case.key, lambda c=case: measure(c)) for case in (*cases.study(), *cases.sensitivity())
    ]
    runs = {key: run for key, run in (*todo, *crossovers()) if key not in rows}
    wanted = [
        {"key": key}
        for key in ([] if asked.draw else runs)
        if asked.only in (None, int(key.split(" | ")[3])) and key.startswith(asked.first)
    ]

    def made(key: str) -> Row:
        return runs[key]()

    for row in make_cases(HERE / "runs", made, wanted):
        rows[row.pop("key")] = row
    save(rows)
    import figures
    import tables

    figures.draw(rows, HERE)
    tables.write(rows, HERE / "README.md")


def save(rows: dict[str, Row]) -> None:
    """Write the findings so far, a line a run."""
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(rows[key])}" for key in sorted(rows))
    write_whole(RESULTS, f"{{\n{lines}\n}}\n".encode())


if __name__ == "__main__":
    main()
