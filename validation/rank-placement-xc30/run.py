"""Measure what results.json lacks, and write the tables and figures of the page.

Run it as ``python validation/rank-placement-xc30/run.py``; ``--only knees`` makes one study.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Generator, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import figures
import numpy as np
import tables
from communicators import Communicators
from numpy.typing import NDArray

from odonata import _core, machine, simulate, workload
from odonata.machine import Machine
from odonata.placement import Placement
from odonata.study import make_cases

HERE = Path(__file__).parent
MACHINE = "darter"
SIZES = tuple(2**k for k in (0, 4, *range(6, 21)))  # [B]
POINT_TO_POINT = ("sendrecv", "exchange")
COLLECTIVES = ("allreduce", "allgather", "alltoall")
FOURS = tuple(
    Communicators(colour, 4, ensemble)
    for colour in ("green", "black")
    for ensemble in (False, True)
)
SIXTEENS = tuple(Communicators(colour, 16) for colour in ("green", "black", "red", "blue"))
SEEDS = (1, 2, 3, 4, 5)
REPETITIONS = {2**19: 1, 2**16: 2, 0: 4}  # from a size on [B]
MINIMAL, ADAPTIVE = "minimal", "ugal-l"
ADAPTIVE_SIZES = (2**8, 2**12, 2**16, 2**20)  # [B]
SHORT_SIZES = (2**7, 2**8, 2**9)  # [B]
WHY_SIZES = tuple(2**k for k in range(7, 19))  # [B]

VARIANTS: Mapping[str, dict[str, object]] = {
    "": {},
    "short messages to 8 KiB": {"mpi.short_threshold": "8 KiB"},
    "Bruck to 8 KiB": {"mpi.collectives.alltoall_bruck_block": "8 KiB"},
    "equal links": {"shape.black_links": 1},
    "faster green links": {"links.green.bandwidth": "15.75 GB/s"},
    "headers of 1 KiB": {"nic.header_bytes": "1 KiB"},
    "headers of 4 KiB": {"nic.header_bytes": "4 KiB"},
    "headers of 8 KiB": {"nic.header_bytes": "8 KiB"},
    "starts within 1 us": {},
    "starts within 10 us": {},
}
LATEST_US = {"starts within 1 us": 1.0, "starts within 10 us": 10.0}
"""Longest drawn delay of a rank before each operation [us]."""
DELAYED_REPETITIONS = 20
Row = dict[str, object]


@cache
def load(variant: str) -> Machine:
    return machine.load(MACHINE, VARIANTS[variant])


def case(
    study: str,
    operation: str,
    of: Communicators,
    size: int,
    *,
    routing: str = "minimal",
    variant: str = "",
    algorithm: str = "auto",
) -> Row:
    """Return the description of a run."""
    return {
        "study": study,
        "operation": operation,
        "algorithm": algorithm,
        "colour": of.colour,
        "ranks": of.ranks,
        "ensemble": of.ensemble,
        "bytes": size,
        "routing": routing,
        "variant": variant,
    }


def _both_routings(study: str, operation: str, of: Communicators) -> Iterator[Row]:
    for size in SIZES:
        yield case(study, operation, of, size)
    most = 2**16 if operation in COLLECTIVES else 2**20
    for size in (size for size in ADAPTIVE_SIZES if size <= most):
        yield case(study, operation, of, size, routing=ADAPTIVE)


def figures_2_to_6() -> Iterator[Row]:
    """Sendrecv and Exchange; Figure 6 has another short-message limit."""
    for operation in POINT_TO_POINT:
        for of in (*FOURS, *SIXTEENS):
            yield from _both_routings("point to point", operation, of)
    for of in SIXTEENS[:2]:
        for size in SIZES:
            yield case("point to point", "sendrecv", of, size, variant="short messages to 8 KiB")


def figures_7_to_9() -> Iterator[Row]:
    """Allreduce, Allgather and Alltoall; Figure 9 has another limit for Bruck's algorithm."""
    for operation in COLLECTIVES:
        for of in (*FOURS, *SIXTEENS):
            yield from _both_routings("collectives", operation, of)
    for of in SIXTEENS[:2]:
        for size in SIZES:
            yield case("collectives", "alltoall", of, size, variant="Bruck to 8 KiB")


def why_alltoall() -> Iterator[Row]:
    """Alltoall by each algorithm, and with other links."""
    for of in (FOURS[1], FOURS[3], *SIXTEENS[:2]):
        for size in WHY_SIZES:
            for algorithm in ("bruck", "scattered", "pairwise"):
                yield case("alltoall", "alltoall", of, size, algorithm=algorithm)
            for variant in ("equal links", "faster green links"):
                yield case("alltoall", "alltoall", of, size, algorithm="scattered", variant=variant)


def short_alltoall() -> Iterator[Row]:
    """Alltoall of short blocks, with what could tell green from black there."""
    for of in (FOURS[1], FOURS[3], *SIXTEENS[:2]):
        for size in SHORT_SIZES:
            for variant in (*LATEST_US, *(name for name in VARIANTS if "headers" in name)):
                yield case("short", "alltoall", of, size, variant=variant)
            for routing in (ADAPTIVE, "valiant"):
                yield case("short", "alltoall", of, size, routing=routing)


STUDIES = {
    "2to6": figures_2_to_6,
    "7to9": figures_7_to_9,
    "alltoall": why_alltoall,
    "short": short_alltoall,
}


def measure(built: Machine, wanted: Row) -> Row:
    """Return the time of an operation [us]: of the slowest rank of each communicator.

    Times with adaptive routes, which are drawn, are means over five seeds.
    """
    of = Communicators(str(wanted["colour"]), _whole(wanted, "ranks"), bool(wanted["ensemble"]))
    places = of.placements(built)
    size = _whole(wanted, "bytes")
    latest = LATEST_US.get(str(wanted["variant"]))
    if latest is not None:
        return measure_delayed(built, places, size, latest)
    repetitions = next(times for least, times in REPETITIONS.items() if size >= least)
    work = workload.Collective(
        str(wanted["operation"]), str(wanted["algorithm"]), bytes=size, repetitions=repetitions
    )
    ends = []
    for seed in SEEDS[:1] if wanted["routing"] == MINIMAL else SEEDS:
        jobs = [simulate.Job(work, one) for one in places]
        options = simulate.Options(routing=str(wanted["routing"]), seed=seed)
        done = simulate.run(built, jobs, options, record_messages=False)
        ends.append([float(np.asarray(job.finished).max()) for job in done.jobs])
    times = np.array(ends) / repetitions / 1e6
    return {
        "chosen": done.jobs[0].workload["algorithm"],
        "communicators": len(places),
        "us": round(float(times.mean()), 4),
        "least us": round(float(times.min()), 4),
        "most us": round(float(times.max()), 4),
    }


def measure_delayed(built: Machine, places: list[Placement], size: int, latest: float) -> Row:
    """Return the time of an Alltoall [us] whose ranks begin each after a delay of their own.

    Delays are drawn by seed, communicator and rank, the same on every colour. The time is what the
    slowest rank of a communicator spends in the operation: without its own delays.
    """
    found = []
    for seed in SEEDS:
        drawn = np.random.default_rng(seed)
        shape = (len(places), places[0].ranks, DELAYED_REPETITIONS)
        delays = drawn.integers(0, round(1000 * latest), shape)  # [ns]
        jobs = [
            simulate.Job(delayed(of_ranks, size), one)
            for of_ranks, one in zip(delays, places, strict=True)
        ]
        done = simulate.run(built, jobs, simulate.Options(seed=seed), record_messages=False)
        ends = np.array([job.finished for job in done.jobs]) / 1e6  # [us]
        found.append((ends - delays.sum(axis=2) / 1e3).max(axis=1))
    times = np.array(found) / DELAYED_REPETITIONS
    return {
        "chosen": "",
        "communicators": len(places),
        "us": round(float(times.mean()), 4),
        "least us": round(float(times.min()), 4),
        "most us": round(float(times.max()), 4),
    }


def delayed(delays: NDArray[np.int64], size: int) -> workload.Program:
    """Return a program that computes for a while before each Alltoall.

    Parameters
    ----------
    delays
        Shape (ranks, repetitions): time before each [ns].
    size
        Bytes of a block [B].
    """

    def alltoalls(rank: workload.Rank) -> Generator[_core.Waiting, _core.Status | None, None]:
        for delay in delays[rank.index].tolist():
            yield rank.compute(f"{delay} ns")
            yield rank.alltoall(size)

    return workload.Program(alltoalls)


def _whole(wanted: Row, key: str) -> int:
    value = wanted[key]
    assert isinstance(value, int)
    return value


def made(**wanted: object) -> Row:
    return measure(load(str(wanted["variant"])), wanted)


def missing(kept: list[Row], studies: Iterable[str]) -> Iterator[Row]:
    there = {tuple(row[key] for key in KEYS) for row in kept}
    for study in studies:
        for wanted in STUDIES[study]():
            if tuple(wanted[key] for key in KEYS) not in there:
                yield wanted


KEYS = tuple(case("", "", FOURS[0], 0))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=STUDIES, help="make one study")
    only = parser.parse_args().only
    path = HERE / "results.json"
    kept: list[Row] = json.loads(path.read_text()) if path.exists() else []
    kept += make_cases(HERE / "runs", made, [*missing(kept, [only] if only else STUDIES)])
    save(kept, path)
    tables.write(kept, HERE / "README.md")
    figures.draw(kept, HERE)


def save(rows: list[Row], path: Path) -> None:
    """Write a row a line."""
    path.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")


if __name__ == "__main__":
    main()
