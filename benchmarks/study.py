"""Measure what a study costs beside its simulations: ``python benchmarks/study.py [names...]``.

``workers``: the time of 200 runs of half a second on two workers over the time on one (at most
0.53), and over the processor time of the runs. ``overhead``: processor time of a worker for each
run beside the run itself (at most 15 ms). ``show``: time and memory of a table of 100,000 recorded
runs (2 s, 500 MB). README.md has results.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from odonata import __version__
from odonata.study import Study
from odonata.study.file import parse_study
from odonata.study.plan import Plan, write_plan
from odonata.study.records import RecordFile
from odonata.study.shapes import Record

HALF_A_SECOND = """
command = "simulate allgather --algorithm ring --machine eos --ranks 600 --repetitions 2"
[axes]
bytes = { from = 513, to = 532, step = 1 }
[seeds]
number = 10
"""

TINY = """
command = "simulate barrier --machine eos --ranks 2"
[axes]
bytes = { from = 1, to = 400, step = 1 }
"""

RECORDED = """
command = "simulate allgather"
[axes]
machine = ["eos", "theta", "titan", "edison"]
algorithm = ["ring", "bruck", "tar", "recursive_doubling", "neighbor_exchange"]
ranks = { from = 1, to = 1000, step = 1 }
[seeds]
number = 5
"""


def odonata(*words: object) -> tuple[float, float, float]:
    """Run a command; return its time, its processor time [s] and its memory [B]."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "odonata", *map(str, words)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, own = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, words
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - began, took, own.ru_maxrss * 1024


def planned(folder: Path, text: str) -> None:
    folder.with_suffix(".toml").write_text(text, encoding="utf-8")
    odonata("study", "check", folder.with_suffix(".toml"), "-o", folder)


def workers(folder: Path) -> str:
    """Compare with one worker, and with the processor time of the same runs: less noise."""
    times = []
    for number in (1, 2):
        planned(folder / str(number), HALF_A_SECOND)
        times.append(odonata("study", "run", folder / str(number), "--workers", number)[0])
    one, two = times
    runs = seconds_of_runs(Study(folder / "2"))
    return (
        f"200 runs: {one:.1f} s on one worker, {two:.1f} s on two: {two / one:.3f}; "
        f"of the processor time of its runs, {runs:.1f} s: {two / runs:.3f}"
    )


def seconds_of_runs(study: Study) -> float:
    return sum(float((row.record.cost or {})["cpu_seconds"]) for row in study.rows())


def overhead(folder: Path) -> str:
    planned(folder / "tiny", TINY)
    took = odonata("study", "work", folder / "tiny")[1]
    study = Study(folder / "tiny")
    runs = seconds_of_runs(study)
    start = odonata("study", "work", folder / "tiny")[1]  # nothing is left to do
    each = (took - start - runs) / study.ended
    return f"{study.ended} runs: {1e3 * each:.2f} ms a run beside {1e3 * runs / study.ended:.2f} ms"


def show(folder: Path) -> str:
    record(folder / "big")
    samples = [
        odonata("study", "show", folder / "big", "--by", "machine,algorithm") for _ in range(5)
    ]
    best = min(samples)
    return f"100,000 runs: {best[0]:.2f} s, {best[1]:.2f} s of a processor, {best[2] / 1e6:.0f} MB"


def record(folder: Path) -> None:
    """Write the folder of a study whose runs have all the results of a run."""
    planned(folder.with_name("one"), TINY.replace("400", "1"))
    odonata("study", "run", folder.with_name("one"))
    (row,) = Study(folder.with_name("one")).rows()
    folder.mkdir()
    study = parse_study(RECORDED, "study.toml")
    write_plan(study, folder, base=folder, version=__version__, expect=lambda _words: 0.5)
    files = [RecordFile(folder) for _ in range(8)]
    plan = Plan(folder)
    number = 0
    for point in plan:
        for seed in study.seeds.values:
            records = files[number % len(files)]
            records.begin(point.key, seed)
            result = {**(row.record.result or {}), "time_seconds": number / 1e6}
            records.end(Record(point.key, seed, row.record.command, result, None, row.record.cost))
            number += 1
    for records in files:
        records.close()


PARTS = {"workers": workers, "overhead": overhead, "show": show}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[*PARTS, []], help="default: all")
    for name in parser.parse_args().names or PARTS:
        with tempfile.TemporaryDirectory() as folder:
            print(f"{name}: {PARTS[name](Path(folder))}", flush=True)


if __name__ == "__main__":
    main()
