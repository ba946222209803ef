"""Run the study again: all runs that results.json doesn't have, and the tables.

`python run.py` runs all missing cases, `--first "12 | 16"` cases whose names begin so; `--tables`
makes no runs. Results are kept after each pair of runs: the first on FDR, which measures compute
times, the second on gigabit Ethernet with the same times, function by function.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import figures
import tables

from odonata.files import write_whole
from odonata.profile import Views, read
from odonata.study import make_cases

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
Row = dict[str, object]

SOLVERS = {
    0: ("pcg", "amg"),
    1: ("pcg", "diagonal"),
    2: ("gmres", "amg"),
    3: ("gmres", "diagonal"),
}
RANKS_PER_NODE = 16
GRIDS = {1: "4x2x2", 2: "4x4x2", 4: "4x4x4", 8: "8x4x4", 16: "8x8x4"}
NOT_CONVERGED = "odonata-amg: not converged in"
ITERATIONS = 20
"""Most iterations of a solve: a rating counts them, so that it does not need a converged solve."""


@dataclass(frozen=True)
class Case:
    """Runs of ``odonata-amg`` on both networks."""

    points: int
    nodes: int
    solver: int

    @property
    def key(self) -> str:
        """Name in results.json, behind a machine's name."""
        return f"{self.points} | {self.nodes} | {self.solver}"

    def command(self, machine: str, folder: Path) -> list[str]:
        """Return the words of a command."""
        solver, preconditioner = SOLVERS[self.solver]
        trace = folder / "fdr.trace"
        times = {
            "jupiter-fdr": ("--compute", "measured", "--record", str(trace)),
            "jupiter-1gbe": ("--compute", f"recorded:{trace}"),
        }
        return [
            *("mpirun", "-n", str(RANKS_PER_NODE * self.nodes), "--machine", machine),
            *("--ranks-per-node", str(RANKS_PER_NODE), *times[machine], "--fibers"),
            *("--stack", "1MiB", "--profile", str(folder / "run")),
            *("--program-output", str(folder / "amg.json"), "--json", "--", "odonata-amg"),
            *("--points", "x".join([str(self.points)] * 3), "--solver", solver),
            *("--preconditioner", preconditioner, "--restart", "10", "--cycles", "0"),
            *("--tolerance", "1e-6", "--max-iterations", str(ITERATIONS)),
        ]


def every() -> Iterator[Case]:
    """Yield all cases, the short runs first."""
    order = [(1, (1, 0, 3, 2)), (16, (1,)), (2, (1,)), (4, (1,)), (8, (1,)), (2, (0, 3, 2)),
             (16, (3,)), (4, (0, 3, 2)), (8, (3, 0, 2)), (16, (0, 2))]  # fmt: skip
    for nodes, solvers in order:
        for solver in solvers:
            yield Case(12, nodes, solver)
    for points, nodes in ((6, 16), (24, 1), (24, 16)):
        for solver in (1, 0):
            yield Case(points, nodes, solver)


def measure(case: Case) -> dict[str, Row]:
    """Run a case and return what the tables need of it, by machine."""
    program = [sys.executable, "-c", "from odonata.cli import main; main()"]
    rows: dict[str, Row] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for machine in ("jupiter-fdr", "jupiter-1gbe"):
            done = subprocess.run(
                [*program, *case.command(machine, folder)],
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode and NOT_CONVERGED not in done.stderr:
                raise SystemExit(f"{machine} | {case.key}: {done.stderr}")
            document = json.loads((folder / "amg.json").read_text(encoding="utf-8"))
            rows[f"{machine} | {case.key}"] = {
                **{key: document[key] for key in ("iterations", "setup_seconds", "solve_seconds")},
                **row_of(Views(read(folder / "run"))),
            }
    return rows


def exchange(machine: str, nodes: int) -> Row:
    """Simulate the exchange of faces of 150³ points, and the reduction of a value."""
    where = ["--machine", machine, "--ranks", str(RANKS_PER_NODE * nodes), "--ranks-per-node"]
    where += [str(RANKS_PER_NODE), "--json"]
    faces = ["halo", "--sides", GRIDS[nodes], "--cells", "150x150x150", "--cell-bytes", "8"]
    found = {}
    for name, words in (
        ("faces", [*faces, "--no-periodic"]),
        ("sum", ["allreduce", "--bytes", "8"]),
    ):
        program = [sys.executable, "-c", "from odonata.cli import main; main()", "simulate"]
        done = subprocess.run(
            [*program, *words, *where], capture_output=True, text=True, check=True
        )
        document = json.loads(done.stdout)
        found[f"{name}_seconds"] = document["time_seconds"]
        found[f"{name}_bytes"] = document["bytes"]
    return dict(found)


def row_of(views: Views) -> Row:
    """Return the numbers to keep of a profile."""
    return {
        "wall_seconds": float(views.wall_seconds.mean()),
        "mpi_seconds": float(views.mpi_seconds.mean()),
        "calls": {
            name: [call.count, round(call.share_without_polls, 4), round(call.mpi_share or 0, 4)]
            for name, call in views.calls.items()
            if call.share_without_polls > 0.001 or (call.mpi_share or 0) > 0.001
        },
        "sizes": [one.messages for one in views.paper_sizes()],
        "message_bytes": views.message_bytes,
        "collective_bytes": views.collective_bytes,
        "pairs": len(views.matrix.source),
    }


def save(rows: dict[str, Row]) -> None:
    """Write the findings so far, a line a run."""
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(rows[key])}" for key in sorted(rows))
    write_whole(RESULTS, f"{{\n{lines}\n}}\n".encode())


def made(kept: dict[str, Row], first: str) -> dict[str, Row]:
    """Return the missing rows; of programs only rows whose names begin so.

    Programs run one after the other: their ranks use all cores.
    """
    places = [
        {"machine": machine, "nodes": nodes}
        for machine in ("jupiter-fdr", "jupiter-1gbe")
        for nodes in GRIDS
        if f"{machine} | exchange | {nodes}" not in kept
    ]
    rows: dict[str, Row] = {}
    for row in make_cases(HERE / "runs" / "exchange", exchange, places):
        rows[f"{row.pop('machine')} | exchange | {row.pop('nodes')}"] = row
    cases = {case.key: case for case in every() if f"jupiter-1gbe | {case.key}" not in kept}
    wanted = [{"key": key} for key in cases if key.startswith(first)]

    def run(key: str) -> dict[str, dict[str, Row]]:
        return {"rows": measure(cases[key])}

    for found in make_cases(HERE / "runs" / "programs", run, wanted, workers=1):
        rows |= found["rows"]
    return rows


def main() -> None:
    """Run all missing cases and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", default="", help="what the names of the runs begin with")
    parser.add_argument("--tables", action="store_true", help="make no runs")
    asked = parser.parse_args()
    rows = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    if not asked.tables:
        rows |= made(rows, asked.first)
        save(rows)
    tables.show(rows)
    figures.draw(rows, HERE)


if __name__ == "__main__":
    main()
