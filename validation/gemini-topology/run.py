"""Measure what results.json lacks, and write the tables of the page.

Run it as ``python validation/gemini-topology/run.py``; ``--only streams`` makes one study.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import tables
from box import AXES, Box
from hypotheses import HYPOTHESES

from odonata import machine, placement, simulate, workload
from odonata.machine import Machine
from odonata.result.run import Run
from odonata.study import make_cases

HERE = Path(__file__).parent
MESSAGE = 2**20  # [B]
MESSAGES = 8
HOPS = range(1, 13)
SEEDS = (1, 2, 3, 4, 5)
SIDE = 7
OPERATIONS = ("alltoall", "allgather")
SIZES = {1: "64 KiB", 2: "16 KiB"}  # of a block, by the axes of a group
OTHER_SIZES = ("4 KiB", "256 KiB")
Row = dict[str, object]


@cache
def load(hypothesis: str) -> Machine:
    return machine.load("blue-waters", HYPOTHESES[hypothesis].changes)


def box_of(case: Row) -> Box:
    """Return the box of a case; `first` is the router along its axis at which it begins."""
    first = [0, 0, 0]
    first[AXES.index(str(case["along"])[0])] = int(str(case["first"]))
    return Box(load(str(case["hypothesis"])), (first[0], first[1], first[2]))


def run(case: Row, jobs: list[simulate.Job]) -> Run:
    name = str(case["hypothesis"])
    options = simulate.Options(routing=HYPOTHESES[name].routing, seed=int(str(case["seed"])))
    return simulate.run(load(name), jobs, options, record_messages=False)


def stream(case: Row, pairs: list[tuple[int, int]]) -> float:
    """Return the rate [B/s] at which each sends its messages to the other, in sum."""
    nodes = sorted({node for pair in pairs for node in pair})
    targets = [-1] * len(nodes)
    for source, target in pairs:
        targets[nodes.index(source)] = nodes.index(target)
    sends = workload.Traffic(
        "pairs", load=1.0, bytes=MESSAGE, messages_per_rank=MESSAGES, periodic=True, targets=targets
    )
    placed = placement.Placement(load(str(case["hypothesis"])), nodes)
    totals = run(case, [simulate.Job(sends, placed)]).jobs[0].totals
    seconds = (totals["last_delivered"] - totals["first_sent"]) * 1e-12
    return len(pairs) * MESSAGES * MESSAGE / seconds


def at(axis: str, hops: int, first: tuple[int, int, int] = (0, 0, 0)) -> tuple[int, int, int]:
    """Return the place some routers on along an axis; two nodes of a router follow along y."""
    place = list(first)
    place[AXES.index(axis)] += hops * (2 if axis == "y" else 1)
    return place[0], place[1], place[2]


def streams() -> Iterator[Row]:
    """Figure 3: one node sends to another, or each to the other."""
    for name in ("H2", "H3", "H4 window", "H5"):
        for axis, first in (("x", 0), ("y", 0), ("y", 1), ("z", 0), ("z", 1)):
            for hops in HOPS:
                case = {"study": "streams", "hypothesis": name, "along": axis, "first": first}
                yield case | {"hops": hops, "seed": SEEDS[0]}
    for name, axis in product(("H1", "H3 same", "H4 buffers"), "xz"):
        case = {"study": "streams", "hypothesis": name, "along": axis, "first": 0}
        yield case | {"hops": 6, "seed": SEEDS[0]}
    for hops, seed in product((1, 6, 12), SEEDS[1:]):
        for name, axis in product(("H2", "H3"), AXES):
            case = {"study": "streams", "hypothesis": name, "along": axis, "first": 0}
            yield case | {"hops": hops, "seed": seed}


def measure_streams(case: Row) -> Row:
    box, hops = box_of(case), int(str(case["hops"]))
    ends = box.node(0, 0, 0), box.node(*at(str(case["along"]), hops))
    return {"one way": stream(case, [ends]), "both ways": stream(case, [ends, ends[::-1]])}


def parallel() -> Iterator[Row]:
    """Figure 4: two nodes next to each other send to two others, along parallel ways.

    Next to each other are the two nodes of a router where the way is along x or z, and nodes of
    neighbouring routers along x where it is along y.
    """
    for name, axis, hops, seed in product(("H2", "H3", "H3 same", "H5"), AXES, (1, 3, 6), SEEDS):
        case: Row = {"study": "parallel", "hypothesis": name, "along": axis, "first": 0}
        yield case | {"hops": hops, "seed": seed}
    for name, axis in product(("H1", "H4 window", "H4 buffers"), AXES):
        case = {"study": "parallel", "hypothesis": name, "along": axis, "first": 0}
        yield case | {"hops": 3, "seed": SEEDS[0]}


def measure_parallel(case: Row) -> Row:
    axis, hops = str(case["along"]), int(str(case["hops"]))
    box = box_of(case)
    starts = ((0, 0, 0), (1, 0, 0) if axis == "y" else (0, 1, 0))
    pairs = [(box.node(*first), box.node(*at(axis, hops, first))) for first in starts]
    return {"one pair": stream(case, pairs[:1]), "two pairs": stream(case, pairs)}


def lines() -> Iterator[Row]:
    """Bienz et al.: each of eight nodes on a line of four routers sends two routers on."""
    cases = product(("H2", "H3", "H3 same", "H5"), (("x", 0), ("y", 0), ("y", 1), ("z", 0)), SEEDS)
    for name, (axis, first), seed in cases:
        case: Row = {"study": "lines", "hypothesis": name, "along": axis, "first": first}
        yield case | {"seed": seed}


def measure_lines(case: Row) -> Row:
    """Return the rate [B/s] over the middle of the line, of all four nodes that send."""
    box, axis = box_of(case), str(case["along"])
    line = [
        box.node(*at(axis, i // 2, (0, i % 2, 0))) for i in range(8)
    ]  # both nodes of each router
    return {"rate": stream(case, list(zip(line[:4], line[4:], strict=True)))}


def collectives() -> Iterator[Row]:
    """Figure 5: a collective in every row, or in every plane, of the cube at once."""
    groups = (("x", 0), ("y", 0), ("y", 1), ("z", 0), ("xy", 0), ("xz", 0), ("yz", 0))
    for name, operation, (along, first) in product(HYPOTHESES, OPERATIONS, groups):
        case: Row = {"study": "collectives", "hypothesis": name, "along": along, "first": first}
        for seed in SEEDS[:1] if name.startswith("H4") else SEEDS:
            yield case | {"operation": operation, "bytes": SIZES[len(along)], "seed": seed}
    for name, operation, size in product(("H2", "H3", "H3 same"), OPERATIONS, OTHER_SIZES):
        for along in ("x", "y"):
            case = {"study": "collectives", "hypothesis": name, "along": along, "first": 0}
            yield case | {"operation": operation, "bytes": size, "seed": SEEDS[0]}


def measure_collectives(case: Row) -> Row:
    work = workload.Collective(str(case["operation"]), bytes=str(case["bytes"]))
    built, groups = load(str(case["hypothesis"])), box_of(case).groups(str(case["along"]), SIDE)
    jobs = [simulate.Job(work, placement.Placement(built, nodes)) for nodes in groups]
    done = run(case, jobs)
    ends = np.concatenate([np.asarray(job.finished) for job in done.jobs])
    times = {"mean_us": float(ends.mean()) / 1e6, "last_us": float(ends.max()) / 1e6}
    return times | bytes_on(done)


def bytes_on(done: Run) -> Row:
    """Return the bytes [MiB] on all links of each class, and on the link that has most."""
    kinds, sent = done.links["class"], done.links["bytes"]
    found: Row = {}
    for number, name in enumerate(done.link_classes):
        if name not in ("injection", "ejection"):
            of_class = sent[kinds == number]
            found[f"{name} MiB"] = round(float(of_class.sum()) / 2**20, 3)
            found[f"{name} most MiB"] = round(float(of_class.max()) / 2**20, 3)
    return found


STUDIES = {
    "streams": (streams, measure_streams),
    "parallel": (parallel, measure_parallel),
    "lines": (lines, measure_lines),
    "collectives": (collectives, measure_collectives),
}


def measure(case: Row) -> Row:
    return case | made(**case)


def made(**case: object) -> Row:
    return STUDIES[str(case["study"])][1](case)


def missing(kept: list[Row], studies: Iterable[str]) -> Iterator[Row]:
    for case in (case for study in studies for case in STUDIES[study][0]()):
        if not any(case.items() <= row.items() for row in kept):
            yield case


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=STUDIES, help="make one study")
    only = parser.parse_args().only
    path = HERE / "results.json"
    kept: list[Row] = json.loads(path.read_text()) if path.exists() else []
    kept += make_cases(HERE / "runs", made, [*missing(kept, [only] if only else STUDIES)])
    lines = ",\n".join(json.dumps(row) for row in kept)
    path.write_text(f"[\n{lines}\n]\n")
    tables.write(kept, HERE / "README.md")


if __name__ == "__main__":
    main()
