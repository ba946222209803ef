"""Tolerances of latency that LLAMP and Odonata find for the same schedules.

    python validation/other-simulators/loggopsim/tolerance.py
    python validation/other-simulators/loggopsim/tolerance.py --llamp FOLDER --python PYTHON

The second runs LLAMP, which is not shipped (spcl/llamp), and writes llamp.json: FOLDER is its
mpi-dep-graph, PYTHON an interpreter that has its packages.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from schedules import LATENCY, machine, schedules

import odonata
from odonata import decide, simulate
from odonata.interchange import convert

HERE = Path(__file__).parent
THEIRS = HERE / "llamp.json"
PROGRAMS = {
    "LULESH, 8³ elements a rank, 10 steps, 8 ranks": ("lulesh-8.trace", 8),
    "the same on 27 ranks": ("lulesh-27.trace", 27),
    "miniFE, 12³ elements, 8 ranks": ("minife-8.trace", 8),
}
"""Recorded runs of programs of LLAMP's paper and its like, with measured times of work."""

RESOLUTION_NS = 0.002
"""Odonata's resolution is 0.001 ns, and it rounds shares of the time."""


def cases(folder: Path) -> Iterator[tuple[str, Path, int]]:
    """Yield the name, the schedule and the ranks of each case; a file is good until the next."""
    yield from schedules(folder)
    for title, (name, ranks) in PROGRAMS.items():
        convert(HERE / name, folder / "p.goal")
        yield title, folder / "p.goal", ranks


def ours(path: Path, ranks: int) -> list[float]:
    """Return our tolerances [ns]."""
    convert(path, path.with_suffix(".trace"))
    result = odonata.replay(path.with_suffix(".trace"), machine(ranks, 0), engine="analytic")
    found = decide.tolerances(simulate.Recipe.of_run(result.run))
    return [float(each.latency_ps) / 1e3 for each in found]


def theirs(path: Path, folder: Path, python: Path) -> list[float]:
    """Return LLAMP's tolerances [ns]."""
    words = [python, HERE / "llamp.py", folder, path, LATENCY]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=True)
    found: list[float] = json.loads(done.stdout)["tolerances_ns"]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--llamp", type=Path, help="runs LLAMP in this folder")
    parser.add_argument("--python", type=Path, default=Path(sys.executable))
    given = parser.parse_args()
    known = {} if given.llamp else json.loads(THEIRS.read_text())["tolerances_ns"]
    print("| schedule | 1 %: LLAMP | Odonata | 2 %: LLAMP | Odonata | 5 %: LLAMP | Odonata |")
    print("|:--|--:|--:|--:|--:|--:|--:|")
    worst = 0.0
    with tempfile.TemporaryDirectory() as name:
        for title, path, ranks in cases(Path(name)):
            if given.llamp:
                known[title] = theirs(path, given.llamp, given.python)
            pairs = list(zip(known[title], ours(path, ranks), strict=True))
            worst = max(worst, *(abs(their - own) for their, own in pairs))
            cells = " | ".join(f"{their:,.2f} | {own:,.2f}" for their, own in pairs)
            print(f"| {title} | {cells} |", flush=True)
    if given.llamp:
        settings = {"program": "spcl/llamp 0bdce2e, GLOP of OR-Tools 9.15", "L": LATENCY, "o": 0}
        document = {"settings": settings, "tolerances_ns": known}
        THEIRS.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    print(f"\nall within {worst:.3f} ns")
    return 0 if worst < RESOLUTION_NS else 1


if __name__ == "__main__":
    sys.exit(main())
