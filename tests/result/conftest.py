"""Runs made up of random numbers: a result must keep whatever it is given."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from odonata.result import JobRun, Result, Run
from odonata.result.variables import TABLES, TOTALS


def random_job(rng: np.random.Generator, number: int, *, recorded: bool) -> JobRun:
    ranks, phases = int(rng.integers(1, 6)), int(rng.integers(0, 3))
    marks = int(rng.integers(0, 8)) if phases else 0
    bins = np.unique(rng.integers(0, 32, int(rng.integers(0, 9))))
    return JobRun(
        name=f"job {number} – {rng.integers(0, 9)} KiB",
        background=bool(rng.integers(0, 2)),
        workload={"operation": "allgather", "algorithm": None, "bytes": 1024, "load": 0.1},
        nodes=rng.integers(0, 9, ranks).astype(np.int32),
        totals={key: int(rng.integers(0, 2**62)) for key in TOTALS},
        finished=rng.integers(0, 2**50, ranks),
        phases=tuple(f"phase {at}" for at in range(phases)),
        marks={
            "rank": rng.integers(0, ranks, marks),
            "phase": rng.integers(0, max(1, phases), marks),
            "begin": np.sort(rng.integers(0, 2**40, marks)),
        },
        latencies={"latency": bins, "count": rng.integers(1, 99, len(bins))},
        messages=random_messages(rng, ranks) if recorded else None,
    )


def random_messages(rng: np.random.Generator, ranks: int) -> dict[str, np.ndarray]:
    size = int(rng.integers(0, 20))
    return {
        "source": rng.integers(0, ranks, size).astype(np.int32),
        "target": rng.integers(0, ranks, size).astype(np.int32),
        "bytes": rng.integers(0, 2**40, size),
        "sent": rng.integers(0, 2**62, size),
        "delivered": rng.integers(0, 2**62, size),
        "routers": rng.random(size).astype(np.float32),
    }


def random_run(seed: int) -> Run:
    """Return a run of any shape: no job or several, messages of some, a log or none."""
    rng = np.random.default_rng(seed)
    links, classes = int(rng.integers(1, 40)), int(rng.integers(1, 4))
    buffers, samples = int(rng.integers(0, 30)), int(rng.integers(0, 9))
    below = {"from": links, "to": links, "class": classes, "group_from": 1, "group_to": links}
    table = {key: rng.integers(0, below.get(key, 2**62), links) for key in TABLES["link"]}
    held = {key: rng.integers(0, 2**40, buffers) for key in TABLES["buffer"]}
    held["link"] = rng.integers(0, links, buffers).astype(np.int32)
    log = {key: rng.integers(0, 2**31, 5) for key in TABLES["event"]}
    recorded = rng.integers(0, 2, int(rng.integers(0, 4)))
    jobs = [random_job(rng, at, recorded=bool(has)) for at, has in enumerate(recorded)]
    return Run(
        summary={"machine": "m", "ranks": 2, "time_seconds": float(rng.random()), "digest": None},
        jobs=tuple(jobs),
        links=table,
        link_classes=tuple(f"class {at}" for at in range(classes)),
        link_rates=rng.integers(1, 2**40, classes),
        buffers=held,
        samples={"time": np.arange(samples), "waiting": rng.integers(0, 9, (samples, classes))},
        log=log if rng.integers(0, 2) else None,
        end=int(rng.integers(1, 2**62)),
        machine={"links.local.bandwidth": 5_250_000_000, "mpi.per_byte": 0.1, "arrangement": "a"},
        options={"engine": "packet", "seed": 2**64 - 1, "digest": False},
        provenance={"version": "0.1.0", "command": "odonata simulate …"},
    )


@pytest.fixture(scope="session")
def make_run() -> Callable[[int], Run]:
    return random_run


@pytest.fixture
def run() -> Run:
    """Give a run of two jobs, with messages and without, and a log."""
    return random_run(next(seed for seed in range(999) if _is_rich(random_run(seed))))


@pytest.fixture
def saved(run, tmp_path):
    """Give the file of that run."""
    Result(run).save(tmp_path / "run.nc")
    return tmp_path / "run.nc"


def _is_rich(run: Run) -> bool:
    recorded = [job.messages is not None and len(job.messages["sent"]) > 0 for job in run.jobs]
    tables = run.log is not None and len(run.buffers["link"]) and len(run.samples["time"])
    tables = tables and any(len(job.marks["rank"]) for job in run.jobs)
    return len(run.jobs) == 2 and any(recorded) and not all(recorded) and bool(tables)
