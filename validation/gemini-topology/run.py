"""Measure what results.json lacks, and write the tables of the page.

Run it as ``python validation/gemini-topology/run.py``; ``--only streams`` makes one study.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import tables
from box import AXES, Box

from odonata import machine, placement, simulate, workload
from odonata.machine import Machine
from odonata.result.run import Run

HERE = Path(__file__).parent
MESSAGE = 2**20  # [B]
MESSAGES = 8
HOPS = range(1, 13)
WINDOWS = ("0 B", "6656 B")
SIDE = 7
OPERATIONS = ("alltoall", "allgather")
ROWS, PLANES = ("x", "y", "z"), ("xy", "xz", "yz")
SIZES = {"row": ("1 KiB", "64 KiB", "256 KiB"), "plane": ("1 KiB", "16 KiB")}
VARIANTS: dict[str, tuple[dict[str, object], str, str]] = {
    "": ({}, "y", "adaptive"),
    "two links along y": ({"shape.links_per_direction": [2, 2, 2]}, "y", "adaptive"),
    "one link along x and z": ({"shape.links_per_direction": [1, 1, 1]}, "y", "adaptive"),
    "the two nodes along x": ({}, "x", "adaptive"),
    "window": ({"nic.window": WINDOWS[1]}, "y", "adaptive"),
    "hashed": ({}, "y", "hashed"),
}
Row = dict[str, object]


def load(changes: dict[str, object]) -> Machine:
    return machine.load("blue-waters", changes)


def run(built: Machine, jobs: list[simulate.Job], routing: str = "adaptive") -> Run:
    options = simulate.Options(routing=routing, seed=7)
    return simulate.run(built, jobs, options, record_messages=False)


def stream(built: Machine, pairs: list[tuple[int, int]]) -> float:
    """Return the rate [B/s] at which each sends its messages to the other, in sum."""
    nodes = sorted({node for pair in pairs for node in pair})
    targets = [-1] * len(nodes)
    for source, target in pairs:
        targets[nodes.index(source)] = nodes.index(target)
    sends = workload.Traffic(
        "pairs", load=1.0, bytes=MESSAGE, messages_per_rank=MESSAGES, periodic=True, targets=targets
    )
    done = run(built, [simulate.Job(sends, placement.Placement(built, nodes))])
    totals = done.jobs[0].totals
    seconds = (totals["last_delivered"] - totals["first_sent"]) * 1e-12
    return len(pairs) * MESSAGES * MESSAGE / seconds


def at(axis: str, hops: int, first: tuple[int, int, int] = (0, 0, 0)) -> tuple[int, int, int]:
    """Return the place some routers on along an axis; two nodes of a router follow along y."""
    place = list(first)
    place[AXES.index(axis)] += hops * (2 if axis == "y" else 1)
    return place[0], place[1], place[2]


def streams() -> Iterator[tuple[Row, Callable[[Machine, Box], Row]]]:
    """Figure 3: one node sends to another, or each to the other."""
    for window in WINDOWS:
        for axis in AXES:
            for hops in HOPS:
                case: Row = {"study": "streams", "window": window, "axis": axis, "hops": hops}

                def measure(built: Machine, box: Box, axis: str = axis, hops: int = hops) -> Row:
                    ends = box.node(0, 0, 0), box.node(*at(axis, hops))
                    both = [ends, ends[::-1]]
                    return {"one way": stream(built, [ends]), "both ways": stream(built, both)}

                yield case, measure


def parallel() -> Iterator[tuple[Row, Callable[[Machine, Box], Row]]]:
    """Figure 4: two nodes next to each other send to two others, along parallel ways.

    Next to each other are the two nodes of a router where the way is along x or z, and nodes of
    neighbouring routers along x where it is along y.
    """
    for axis in AXES:
        for hops in (1, 3, 6):
            case: Row = {"study": "parallel", "window": WINDOWS[0], "axis": axis, "hops": hops}

            def measure(built: Machine, box: Box, axis: str = axis, hops: int = hops) -> Row:
                beside = (1, 0, 0) if axis == "y" else (0, 1, 0)
                pairs = [
                    (box.node(*first), box.node(*at(axis, hops, first)))
                    for first in ((0, 0, 0), beside)
                ]
                return {"one pair": stream(built, pairs[:1]), "two pairs": stream(built, pairs)}

            yield case, measure


def collectives() -> Iterator[tuple[Row, Callable[[Machine, Box], Row]]]:
    """Figure 5: a collective in every row, or in every plane, of the cube at once."""
    for variant in VARIANTS:
        kinds = {"row": ROWS} | ({"plane": PLANES} if variant == "" else {})
        for kind, groups in kinds.items():
            for operation in OPERATIONS:
                for size in SIZES[kind] if variant == "" else SIZES[kind][-1:]:
                    for along in groups:
                        case: Row = {"study": "collectives", "variant": variant, "along": along}
                        case |= {"operation": operation, "bytes": size}
                        yield case, _collective(operation, size, along, VARIANTS[variant][2])


def _collective(
    operation: str, size: str, along: str, routing: str
) -> Callable[[Machine, Box], Row]:
    def measure(built: Machine, box: Box) -> Row:
        work = workload.Collective(operation, bytes=size)
        jobs = [
            simulate.Job(work, placement.Placement(built, nodes))
            for nodes in box.groups(along, SIDE)
        ]
        done = run(built, jobs, routing)
        ends = np.concatenate([np.asarray(job.finished) for job in done.jobs])
        return {"mean_us": float(ends.mean()) / 1e6, "last_us": float(ends.max()) / 1e6} | bytes_on(
            done
        )

    return measure


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


STUDIES = {"streams": streams, "parallel": parallel, "collectives": collectives}


def machine_of(case: Row) -> tuple[dict[str, object], str]:
    """Return the changes of the machine for a case, and the axis of the two nodes of a router."""
    if "variant" in case:
        return VARIANTS[str(case["variant"])][:2]
    return {"nic.window": case["window"]}, "y"


def missing(kept: list[Row], studies: Iterable[str]) -> Iterator[tuple[Row, Callable[..., Row]]]:
    for study in studies:
        for case, measure in STUDIES[study]():
            if not any(case.items() <= row.items() for row in kept):
                yield case, measure


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=STUDIES, help="make one study")
    only = parser.parse_args().only
    path = HERE / "results.json"
    kept: list[Row] = json.loads(path.read_text()) if path.exists() else []
    for case, measure in missing(kept, [only] if only else STUDIES):
        changes, dual = machine_of(case)
        built = load(changes)
        kept.append(case | measure(built, Box(built, dual)))
        path.write_text(json.dumps(kept, indent=1) + "\n")
    tables.write(kept, HERE / "README.md")


if __name__ == "__main__":
    main()
