"""Slowdown of an allreduce by an incast of other nodes: results.json, and the tables of the README.

Run it as ``python validation/congestion/run.py``; finished rows of results.json are kept.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterable
from pathlib import Path
from statistics import median

from odonata import machine, placement, simulate, workload
from odonata.machine import Machine
from odonata.study import make_cases

sys.path.append(str(Path(__file__).parents[1]))
from marked import fill

HERE = Path(__file__).parent
SEEDS = (1, 2, 3, 4, 5)
VICTIMS = 64  # nodes, one rank each
SOURCES = (0, 64, 128, 256)  # nodes that send to one other node
REPETITIONS = {"8 B": 20, "64 KiB": 4}
OFF = {"nic.congestion_window": "0 B"}
MACHINES: dict[str, tuple[str, dict[str, str]]] = {
    "lumi-g": ("lumi-g", {}),
    "lumi-g, no control": ("lumi-g", OFF),
    "edison": ("edison", {}),
}
BUFFERS = {
    "lumi-g": ("injection", "local", "global"),
    "edison": ("injection", "green", "black", "blue"),
}


def buffers(name: str, size: str) -> dict[str, str]:
    """Return changes that give the links of a machine other buffers."""
    return {f"links.{kind}.buffer": size for kind in BUFFERS[name]}


VARIANTS: dict[str, tuple[str, dict[str, str]]] = {
    f"`lumi-g`, {key} {value}": ("lumi-g", {f"nic.congestion_{key}": value})
    for key, values in {
        "window": ("64 KiB", "128 KiB", "1 MiB", "4 MiB", "16 MiB"),
        "delay": ("1 us", "4 us"),
    }.items()
    for value in values
} | {
    "`lumi-g`, no control, buffers 16 KiB": ("lumi-g", OFF | buffers("lumi-g", "16 KiB")),
    "`edison`, buffers 64 KiB": ("edison", buffers("edison", "64 KiB")),
    "`edison`, window 64 KiB, delay 2 us": (
        "edison",
        {"nic.congestion_window": "64 KiB", "nic.congestion_delay": "2 us"},
    ),
}
VARIED = (0, 128)  # sources of the variants
INCAST = "incast"  # in the place of a size: the incast alone, of so many messages a source
MESSAGES, MESSAGE = 8, 65_536  # and their bytes
OUTSTANDING = 2  # messages of a source under way, so that runs end soon after the allreduce
Row = dict[str, str | int | float]
Case = tuple[str, int, str, int]


def load(name: str) -> Machine:
    """Return the machine of a row."""
    file, changes = (MACHINES | VARIANTS)[name]
    return machine.load(file, changes | {"mpi.outstanding": OUTSTANDING})


def row(machine: str, sources: int, bytes: str, seed: int) -> Row:
    """Measure an allreduce on random nodes beside an incast of others."""
    built, size = load(machine), bytes
    drawn = random.Random(seed).sample(range(built.num_nodes), VICTIMS + 1 + max(SOURCES))
    victims, target, others = drawn[:VICTIMS], drawn[VICTIMS], drawn[VICTIMS + 1 :]
    jobs = []
    if size != INCAST:
        allreduce = workload.Collective("allreduce", bytes=size, repetitions=REPETITIONS[size])
        jobs.append(simulate.Job(allreduce, placement.Placement(built, victims)))
    if sources:
        nodes = [target, *others[:sources]]
        incast = workload.Traffic("pairs", 1.0, MESSAGE, MESSAGES, targets=(-1, *[0] * sources))
        placed = placement.Placement(built, nodes)
        jobs.append(simulate.Job(incast, placed, background=size != INCAST))
    run = simulate.run(built, jobs, simulate.Options(routing="ugal-l", seed=seed))
    time = run.summary["time_seconds"]
    assert isinstance(time, float)
    return {"seconds": time}


def cases() -> Iterable[Case]:
    """Yield all cases, quick ones first."""
    for names, numbers in ((MACHINES, SOURCES), (VARIANTS, VARIED)):
        for name in names:
            for sources in numbers:
                for size in REPETITIONS:
                    for seed in SEEDS:
                        yield name, sources, size, seed
    for name in MACHINES:
        for seed in SEEDS:
            yield name, VARIED[-1], INCAST, seed


def case_of(kept: Row) -> Case:
    """Return the case of a row."""
    return str(kept["machine"]), int(kept["sources"]), str(kept["bytes"]), int(kept["seed"])


def rows() -> list[Row]:
    """Measure what results.json does not hold yet."""
    path = HERE / "results.json"
    kept = json.loads(path.read_text()) if path.exists() else []
    done = {case_of(each) for each in kept}
    names = ("machine", "sources", "bytes", "seed")
    missing = [dict(zip(names, case, strict=True)) for case in cases() if case not in done]
    kept += make_cases(HERE / "runs", row, missing)
    lines = ",\n ".join(json.dumps(each) for each in kept)
    path.write_text(f"[\n {lines}\n]\n")
    return kept


def slowdowns(results: list[Row], name: str, sources: int, size: str) -> list[float]:
    """Return the ratio to the time without an incast, by seed."""
    times = {case_of(each): float(each["seconds"]) for each in results}
    return [times[name, sources, size, seed] / times[name, 0, size, seed] for seed in SEEDS]


def cell(ratios: list[float]) -> str:
    """Return the median of ratios and their range."""
    low, mid, high = (f"{value:.2f}" for value in (min(ratios), median(ratios), max(ratios)))
    return mid if low == high else f"{mid} ({low} to {high})"


def table(results: list[Row]) -> str:
    """Return the slowdowns of the machines as Markdown."""
    busy = [sources for sources in SOURCES if sources]
    head = "".join(f" {sources} |" for sources in busy)
    lines = [f"| machine | allreduce |{head}", f"|---|---:|{'---:|' * len(busy)}"]
    for name in MACHINES:
        for size in REPETITIONS:
            cells = (cell(slowdowns(results, name, sources, size)) for sources in busy)
            lines.append(f"| {name} | {size} | {' | '.join(cells)} |")
    return "\n".join(lines)


def incasts(results: list[Row]) -> str:
    """Return the times of the incast alone, divided by the time of its bytes on one link."""
    times = {case_of(each): float(each["seconds"]) for each in results}
    lines = [f"| machine | incast of {VARIED[-1]} nodes |", "|---|---:|"]
    for name in MACHINES:
        rate = int(str(load(name).value("links.ejection.bandwidth")))
        least = VARIED[-1] * MESSAGES * MESSAGE / rate
        ratios = [times[name, VARIED[-1], INCAST, seed] / least for seed in SEEDS]
        lines.append(f"| {name} | {cell(ratios)} |")
    return "\n".join(lines)


def variants(results: list[Row]) -> str:
    """Return the slowdowns with other numbers of the control as Markdown."""
    lines = ["| changed | " + " | ".join(REPETITIONS) + " |", "|---|---:|---:|"]
    for name in VARIANTS:
        cells = (cell(slowdowns(results, name, VARIED[-1], size)) for size in REPETITIONS)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, and put the tables between the marks of the README."""
    results = rows()
    tables = {"machines": table, "incasts": incasts, "numbers": variants}
    fill(HERE / "README.md", {mark: make(results) for mark, make in tables.items()})


if __name__ == "__main__":
    main()
