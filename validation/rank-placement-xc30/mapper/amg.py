"""Gain of a better rank order in the timed cycles of odonata-amg, on a quiet and a busy theta.

``python amg.py cycles.trace`` (made by ``cycles.py``) makes the runs that `amg.json` lacks, and
prints the table of the page. The order *replayed* comes from the method whose order by hop-bytes
has the fastest cycles on the quiet machine; *simulated* knows the other jobs and the routes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

HERE = Path(__file__).parent
RESULTS = HERE / "amg.json"
ODONATA = [sys.executable, "-c", "from odonata.cli import main; main()"]
NODES = ["--allocation", "distance:20", "--ranks-per-node", "16", "--set", "nic.packet_bytes=4KiB"]
BUSY = ["--busy", "80%", "--busy-with", "uniform:0.3"]
OTHERS = {"quiet": [], "80 % busy": BUSY, "80 % busy, ugal-l": [*BUSY, "--routing", "ugal-l"]}
ORDERS = {
    "quiet": ("start", "hop-bytes", "max-link", "replayed"),
    "80 % busy": ("start", "hop-bytes", "max-link", "replayed", "simulated"),
    "80 % busy, ugal-l": ("start", "hop-bytes"),
}
METHODS = ("swaps", "greedy", "bisection", "rcm", "curve", "kahypar")
SEEDS = (1, 2, 3, 4, 5)
CYCLES = 2  # in the trace


def odonata(*words: object) -> dict[str, object]:
    """Return the JSON that a command prints."""
    done = subprocess.run([*ODONATA, *map(str, words), "--json"], capture_output=True, check=True)
    result: dict[str, object] = json.loads(done.stdout)
    return result


def run(trace: Path, around: str, order: str, seed: int) -> dict[str, object]:
    """Return the time of a cycle with an order, and how it was found."""
    here = [*NODES, "--seed", seed]
    row: dict[str, object] = {"machine": around, "order": order, "seed": seed}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "order"
        if order in ("hop-bytes", "max-link"):
            row |= mapped(trace, file, [*here, "--objective", order])
        elif order == "simulated":
            row |= mapped(trace, file, [*here, *OTHERS[around], "--objective", order])
        elif order == "replayed":
            made = {name: mapped(trace, Path(folder) / name, here, name) for name in METHODS}
            quiet = {name: cycle(trace, here, Path(folder) / name) for name in made}
            best = min(quiet, key=quiet.__getitem__)
            row |= made[best] | {"quiet_cycle_seconds": quiet}
            file = Path(folder) / best
        seconds = cycle(trace, [*here, *OTHERS[around]], None if order == "start" else file)
    return row | {"cycle_seconds": seconds}


def mapped(
    trace: Path, file: Path, here: Sequence[object], method: str | None = None
) -> dict[str, object]:
    """Write the best order of all methods or one, and return its costs."""
    wanted = ["--matrix", trace, "--machine", "theta", "--grid", "8x8x8", "--output", file]
    found = odonata("place", "map", *wanted, *here, *(["--method", method] if method else []))
    return {key: found[key] for key in ("method", "before", "after")}


def cycle(trace: Path, where: Sequence[object], file: Path | None) -> float:
    """Return the simulated time of a cycle [s]."""
    ran = odonata("replay", trace, *where, *(["--reorder", file] if file else []))
    return float(str(ran["time_seconds"])) / CYCLES


def rows() -> list[dict[str, object]]:
    """Return the rows that exist."""
    found: list[dict[str, object]] = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    return found


def times(around: str, objective: str) -> dict[int, float]:
    """Return the times of a cycle by seed [s]."""
    return {
        int(str(row["seed"])): float(str(row["cycle_seconds"]))
        for row in rows()
        if (row["machine"], row["order"]) == (around, objective)
    }


def table() -> Iterator[str]:
    """Yield the lines of the table: medians and ranges over seeds."""
    yield "| theta | order | cycle [us] | gain | ahead of the start in |"
    yield "|:--|:--|--:|--:|--:|"
    for around in OTHERS:
        first = times(around, "start")
        for objective in ORDERS[around]:
            found = times(around, objective)
            if not found:
                continue
            micro = sorted(1e6 * value for value in found.values())
            gains = sorted(100 * (1 - value / first[seed]) for seed, value in found.items())
            cells = [around, objective, f"{median(micro):.1f} ({micro[0]:.1f}–{micro[-1]:.1f})"]
            if objective == "start":
                cells += ["", ""]
            else:
                cells.append(f"{median(gains):.1f} % ({gains[0]:.1f}–{gains[-1]:.1f})")
                cells.append(f"{sum(gain > 0 for gain in gains)} of {len(gains)}")
            yield f"| {' | '.join(cells)} |"


def main() -> None:
    """Make the runs, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("trace", type=Path, nargs="?", help="trace of the cycles")
    trace = parser.parse_args().trace
    for seed in SEEDS if trace else ():
        for around in OTHERS:
            for objective in ORDERS[around]:
                if seed not in times(around, objective):
                    made = [*rows(), run(trace, around, objective, seed)]
                    lines = ",\n".join(json.dumps(row) for row in made)
                    RESULTS.write_text(f"[\n{lines}\n]\n")
    print("\n".join(table()))


if __name__ == "__main__":
    main()
