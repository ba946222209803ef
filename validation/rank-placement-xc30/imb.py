"""Intel's MPI benchmarks on communicators of the study, through ``odonata mpirun``.

Run it as ``python validation/rank-placement-xc30/imb.py IMB-MPI1``, with the path of the program
(pip package impi-rt); it adds its rows to results.json.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from communicators import Communicators
from run import HERE, KEYS, MINIMAL, Row, case, load, save

SIZES = (256, 1024, 2048, 8192, 16384, 65536, 262144)  # [B]
ITERATIONS = 4
CASES = (
    ("sendrecv", Communicators("green", 4, ensemble=False)),
    ("sendrecv", Communicators("black", 4, ensemble=False)),
    ("exchange", Communicators("green", 16)),
    ("alltoall", Communicators("green", 16)),
    ("alltoall", Communicators("black", 16)),
)
"""Benchmarks and communicators; only the first of each colour runs, alone."""

ODONATA = [sys.executable, "-c", "from odonata.cli import main; main()"]


def run(program: Path, operation: str, of: Communicators) -> list[Row]:
    """Return a row for each size: the time of the slowest rank, as IMB prints it [us]."""
    nodes = of.placements(load(""))[0].node_of
    with tempfile.TemporaryDirectory() as folder:
        sizes = Path(folder) / "sizes"
        sizes.write_text("".join(f"{size}\n" for size in SIZES))
        where = ["-n", of.ranks, "--machine", "darter", "--compute", "none"]
        where += ["--allocation", ",".join(map(str, nodes)), "--routing", MINIMAL]
        what = [operation.capitalize(), "-msglen", sizes, "-iter", ITERATIONS, "-npmin", of.ranks]
        command = [*ODONATA, "mpirun", *where, "--", program, *what]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    return [
        case("imb", operation, of, size) | {"us": slowest}
        for size, slowest in slowest_ranks(done.stdout + done.stderr).items()
        if size in SIZES
    ]


def slowest_ranks(printed: str) -> dict[int, float]:
    """Return t_max by size from a table of IMB: bytes, repetitions, t_min, t_max, ..."""
    rows = re.findall(r"^ +(\d+) +\d+ +[\d.]+ +([\d.]+) +[\d.]+.*$", printed, re.MULTILINE)
    return {int(size): float(time) for size, time in rows}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("program", type=Path, help="path of IMB-MPI1")
    program = parser.parse_args(arguments).program.resolve()
    path = HERE / "results.json"
    rows = [row for operation, of in CASES for row in run(program, operation, of)]
    kept = json.loads(path.read_text()) if path.exists() else []
    made = {tuple(row[key] for key in KEYS) for row in rows}
    save([row for row in kept if tuple(row[key] for key in KEYS) not in made] + rows, path)


if __name__ == "__main__":
    main()
