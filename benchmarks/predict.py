"""Measure what a prediction costs: ``python benchmarks/predict.py [--repeats 7]``.

Every run is a process of its own. Processor seconds count from after the imports to the prediction;
they include the reading of the machine file, its wiring and the hierarchies. README.md has results.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from statistics import median

PROGRAM = """
import time
from odonata import machine, model
import msgspec.json, tomllib
model.predict_cycle  # its module is imported now
mix = model.Mix.parse("{mix}")
start = time.process_time()
eos = machine.load("eos")
loaded = time.process_time()
model.predict_cycle(eos, "laplace", (50, 50, 25), {cores}, mix)
first = time.process_time()
model.predict_cycle(eos, "laplace", (50, 50, 25), {cores}, mix)
again = time.process_time()
print(loaded - start, first - loaded, again - first)
"""
CASES = (("16x1", 1024), ("8x2", 1024), ("1x16", 8192))


def milliseconds(mix: str, cores: int) -> list[float]:
    """Return the processor time of the machine, of a first prediction and of another [ms]."""
    program = PROGRAM.format(mix=mix, cores=cores)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True
    )
    return [float(word) * 1e3 for word in done.stdout.split()]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=7, help="processes of each (default 7)")
    given = parser.parse_args()
    print("| mix | cores | machine file [ms] | first prediction [ms] | another [ms] |")
    print("|:---|---:|---:|---:|---:|")
    for mix, cores in CASES:
        runs = [milliseconds(mix, cores) for _ in range(given.repeats)]
        cells = [f"{min(times):.1f} ({median(times):.1f})" for times in zip(*runs, strict=True)]
        print(f"| {mix} | {cores:,} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
