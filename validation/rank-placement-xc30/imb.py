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

from communicators import NODES, Communicators
from run import HERE, KEYS, MINIMAL, Row, case, load, save

from odonata.placement import Placement

SIZES = (256, 1024, 2048, 8192, 16384, 65536, 262144)  # [B]
ITERATIONS = 4
CASES = (
    ("sendrecv", Communicators("green", 4, ensemble=False)),
    ("sendrecv", Communicators("black", 4, ensemble=False)),
    ("exchange", Communicators("green", 16)),
    ("alltoall", Communicators("green", 16)),
    ("alltoall", Communicators("black", 16)),
    ("sendrecv", Communicators("green", 4)),
    ("sendrecv", Communicators("black", 4)),
    ("alltoall", Communicators("green", 4)),
    ("alltoall", Communicators("black", 4)),
)
"""Benchmarks and communicators. The first of each colour runs, of an ensemble those on its routers,
which share their links with no others."""

ODONATA = [sys.executable, "-c", "from odonata.cli import main; main()"]


def run(program: Path, operation: str, of: Communicators) -> list[Row]:
    """Return a row for each size: the time of the slowest rank, as IMB prints it [us]."""
    together = first_of(of)
    nodes = [node for one in together for node in one.node_of]
    multi = ["-multi", 0] if len(together) > 1 else []
    with tempfile.TemporaryDirectory() as folder:
        sizes = Path(folder) / "sizes"
        sizes.write_text("".join(f"{size}\n" for size in SIZES))
        where = ["-n", len(nodes), "--machine", "darter", "--compute", "none"]
        where += ["--allocation", ",".join(map(str, nodes)), "--routing", MINIMAL]
        what = [operation.capitalize(), "-msglen", sizes, "-iter", ITERATIONS, "-npmin", of.ranks]
        what += multi
        command = [*ODONATA, "mpirun", *where, "--", program, *what]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    return [
        case("imb", operation, of, size) | {"us": slowest}
        for size, slowest in slowest_ranks(done.stdout + done.stderr).items()
        if size in SIZES
    ]


def first_of(of: Communicators) -> list[Placement]:
    """Return the first communicator; of an ensemble of 4 ranks those on its routers."""
    built = load("")
    places = of.placements(built)
    first = set(places[0].routers.tolist())
    alone = not of.ensemble or of.ranks > NODES
    return places[:1] if alone else [one for one in places if set(one.routers.tolist()) == first]


def slowest_ranks(printed: str) -> dict[int, float]:
    """Return t_max by size from the first table of IMB: bytes, repetitions, t_min, t_max, ...

    With ``-multi`` further tables are of communicators that IMB merges.
    """
    first = printed.split("# Benchmarking")[1]
    rows = re.findall(r"^ +(\d+) +\d+ +[\d.]+ +([\d.]+) +[\d.]+.*$", first, re.MULTILINE)
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
