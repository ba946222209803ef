"""Sensitivity of the simulated cycle to the costs of many small messages.

``python small_messages.py 128 50x50x25`` simulates every case on 128 ranks, one after the other,
and writes the times into small-messages.json; names of cases behind it choose some of them.
``all=FILE`` takes the times of a case from a document of ``odonata-amg`` that was made before.
"""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from published import eos

from odonata import model
from odonata.report import Table

FOLDER = Path(__file__).parent
FILE = FOLDER / "small-messages.json"
GAP, SEARCH, WAIT = "nic.message_gap", "mpi.search_per_entry", "mpi.wait_per_request"
VALUES: Mapping[str, str] = {GAP: "73 ns", SEARCH: "25 ns", WAIT: "50 ns"}
"""Values of README.md, with their sources there."""

CASES: Mapping[str, Mapping[str, str]] = {
    "none": {},
    "gap": {GAP: VALUES[GAP]},
    "search": {SEARCH: VALUES[SEARCH]},
    "wait": {WAIT: VALUES[WAIT]},
    "all": VALUES,
    "all doubled": {GAP: "146 ns", SEARCH: "50 ns", WAIT: "100 ns"},
}
FLOPS = "1.59ns,0.806ns,0.545ns"
SAID: Mapping[str, str] = {
    "none": "none",
    "gap": f"gap of {VALUES[GAP]}",
    "search": f"{VALUES[SEARCH]} an entry",
    "wait": f"{VALUES[WAIT]} a request",
    "all": "all three",
    "all doubled": "all three doubled",
}


def command(ranks: int, points: str, changes: Mapping[str, str]) -> list[str]:
    """Return the words of a simulated run."""
    words = ["odonata", "mpirun", "-n", str(ranks), "--machine", "eos", "--compute", "none"]
    words += ["--engine", "analytic", "--ranks-per-node", "16", "--stack", "1MiB", "--fibers"]
    words += [word for key, value in changes.items() for word in ("--set", f"{key}={value}")]
    words += ["--", "odonata-amg", "--points", points, "--solver", "none", "--cycles", "2"]
    return [*words, "--flop-seconds", FLOPS]


def times_of(document: Path) -> dict[str, float]:
    """Return the time of the cycle, and the sums over levels of a document [s]."""
    cycles = {which: model.read_measured(document, model.Mix(16), which=which)
              for which in model.WHICH}  # fmt: skip
    found = {f"{which}_seconds": cycle.times.cycle_seconds for which, cycle in cycles.items()}
    return {"cycle_seconds": cycles["largest"].cycle_seconds or 0.0, **found}


def simulate(ranks: int, points: str, case: str) -> dict[str, Any]:
    """Run a case and return its times."""
    with tempfile.TemporaryDirectory() as folder:
        document = Path(folder) / "amg.json"
        words = command(ranks, points, CASES[case])
        subprocess.run([*words, "-o", str(document)], check=True, stdout=subprocess.DEVNULL)
        return {"ranks": ranks, "points": points, "case": case, **times_of(document)}


def read_document(document: Path, case: str) -> dict[str, Any]:
    """Return the times of a case from a document that was made before, and its hypre."""
    told = json.loads(document.read_text(encoding="utf-8"))
    points = "x".join(str(n) for n in told["points_per_rank"])
    hypre = told["source"].rpartition(" ")[2]
    run = {"ranks": told["ranks"], "points": points, "case": case, "hypre": hypre}
    return {**run, **times_of(document)}


def keep(found: Mapping[str, Any]) -> None:
    """Write a run into the file, in the place of one of the same case."""
    runs = [run for run in read() if any(run[k] != found[k] for k in ("ranks", "points", "case"))]
    runs.append(dict(found))
    order = list(CASES)
    runs.sort(key=lambda run: (run["ranks"], -len(run["points"]), order.index(run["case"])))
    FILE.write_text(json.dumps({"runs": runs}, indent=1) + "\n", encoding="utf-8")


def read() -> list[dict[str, Any]]:
    """Return the runs that are kept."""
    if not FILE.exists():
        return []
    runs: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))["runs"]
    return runs


def table() -> Table:
    """Return the simulated cycles, and how much longer they are than without costs."""
    runs = read()
    plain = {(run["ranks"], run["points"]): run for run in runs if run["case"] == "none"}
    rows = []
    for run in runs:
        base = plain[run["ranks"], run["points"]]
        longer = (run["cycle_seconds"] - base["cycle_seconds"]) * 1e3
        share = longer / (base["cycle_seconds"] * 1e3)
        rows.append([
            f"{run['ranks']:,}{said_hypre(run)}", SAID[run["case"]],
            f"{run['cycle_seconds'] * 1e3:.3f}",
            *(("", "") if run is base else (f"+{longer:.3f}", f"+{share:.1%}")),
            f"{run['largest_seconds'] * 1e3:.3f}",
        ])  # fmt: skip
    columns = ["ranks", "costs", "cycle", "longer by", "in parts of it", "Σ of the largest"]
    return Table(columns, rows, left=2)


def said_hypre(run: Mapping[str, Any]) -> str:
    """Return the hypre of a run if it is not Debian's."""
    return f" (hypre {run['hypre']})" if "hypre" in run else ""


def modelled() -> Table:
    """Return the cycle with each of the costs in the model, by ranks."""
    parameters = dataclasses.replace(
        model.parameters_of(eos()),
        message_gap=73e-9,
        search_per_entry=25e-9,
        wait_per_request=50e-9,
    )
    rows = []
    for ranks in (64, 128, 1024):
        h = model.find_hierarchy("laplace", (50, 50, 25), ranks)
        times = [
            model.cycle_time(h, parameters, {"distance", *terms}, model.Mix(16)).cycle_seconds
            for terms in ((), ("rate",), ("queue",), ("wait",), ("rate", "queue", "wait"))
        ]
        rows.append([f"{ranks:,}", *(f"{time * 1e3:.3f}" for time in times)])
    names = ["distance", "+ rate", "+ queue", "+ wait", "all (`many_waits`)"]
    return Table(["ranks", *names], rows)


if __name__ == "__main__":
    for name in sys.argv[3:] or CASES:
        case, _, document = name.partition("=")
        if document:
            keep(read_document(Path(document), case))
        else:
            keep(simulate(int(sys.argv[1]), sys.argv[2], case))
