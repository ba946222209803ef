"""A real program on the GPU cluster, whole and without a spine: program.json, tables of the README.

``python validation/faults/program.py`` writes the tables; with ``--data FOLDER``, the folder of the
cluster's files, all runs are made anew, which needs hypre, OpenSM and ibsim, and takes minutes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from odonata.report import Table

sys.path.append(str(Path(__file__).parents[1]))
from marked import fill

HERE = Path(__file__).parent
SPINE = "IBSPINE-05"
RANKS = ("--ranks-per-node", "1")
NODES = {"contiguous": (), "random": ("--allocation", "random", "--seed", "1")}
AMG = ("--compute", "none", "--fibers", "--", "odonata-amg", "--points", "10x10x5", "--cycles", "1")
ALLTOALL = ("alltoall", "--ranks", "64", "--bytes", "64KiB", "--algorithm", "pairwise_ring")
CLASS = "4xNDR"


class Commands:
    """Runs commands of odonata in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, *words: str) -> str:
        """Return the standard output of a command."""
        command = [sys.executable, "-m", "odonata", *words, "--quiet"]
        if "--" in words:
            at = words.index("--")
            command = [*command[:3], *words[:at], "--quiet", *words[at:]]
        done = subprocess.run(
            command, check=True, stdout=subprocess.PIPE, text=True, cwd=self._folder
        )
        return done.stdout

    def document(self, *words: str) -> dict[str, Any]:
        """Return the document of a command."""
        found: dict[str, Any] = json.loads(self(*words, "--json"))
        return found


def measure(data: Path, folder: Path) -> dict[str, Any]:
    """Return all numbers of the tables."""
    odonata = Commands(folder)
    fabric = data.resolve() / "gpu-cluster.ibnetdiscover.gz"
    lfts = data.resolve() / "gpu-cluster.dfsssp.lfts.gz"
    odonata("machines", "import", str(fabric), "--lfts", str(lfts), "-o", "whole.toml")
    less = ("--remove-switch", SPINE, "--opensm", "dfsssp", "-o", "less.toml")
    odonata("machines", "edit", "whole.toml", *less)
    record = ("-n", "64", "--machine", "whole.toml", *RANKS, "--record", "amg.trace")
    odonata("mpirun", *record, *AMG)
    rows = []
    for nodes, words in NODES.items():
        replay = ("replay", "amg.trace", *RANKS, *words)
        rows.append({"job": "AMG", "nodes": nodes, **pair(odonata, replay)})
        rows.append(
            {
                "job": "alltoall",
                "nodes": nodes,
                **pair(odonata, ("simulate", *ALLTOALL, *RANKS, *words)),
            }
        )
    return {"spine": SPINE, "rows": rows, "order": order(odonata)}


def pair(odonata: Commands, job: tuple[str, ...]) -> dict[str, Any]:
    """Return the times of a job on both machines, and where they differ."""
    for name in ("whole", "less"):
        odonata(*job, "--machine", f"{name}.toml", "--explain", "-o", f"{name}.nc")
    found = odonata.document("compare", "whole.nc", "less.nc")
    parts = {each["name"]: (each["a_ps"], each["b_ps"]) for each in found["categories"]}
    overhead = parts.get("send_overhead", (0, 0))[0] + parts.get("receive_overhead", (0, 0))[0]
    return {
        "whole_ps": found["a"]["time_ps"],
        "less_ps": found["b"]["time_ps"],
        "overhead_ps": overhead,
        "changed_ps": {name: b - a for name, (a, b) in parts.items() if a != b},
    }


def order(odonata: Commands) -> dict[str, Any]:
    """Return the gain of an order of the ranks on random nodes."""
    on = ("--machine", "whole.toml", *RANKS, *NODES["random"])
    found = odonata.document("place", "map", "--matrix", "amg.trace", *on, "-o", "order")
    (cables,) = (each for each in found["classes"] if each["link_class"] == CLASS)
    times = [
        odonata.document("replay", "amg.trace", *on, *words)["time_seconds"]
        for words in ((), ("--reorder", "order"))
    ]
    return {
        "hop_bytes": [found["before"]["hop_bytes"], found["after"]["hop_bytes"]],
        "cable_bytes": [cables["before"], cables["after"]],
        "seconds": times,
    }


def runs(kept: dict[str, Any]) -> Table:
    """Return the table of the runs."""
    head = ["job on 64 nodes", "nodes", "whole [ms]", "without the spine [ms]", "longer"]
    rows = []
    for row in kept["rows"]:
        whole, less = row["whole_ps"], row["less_ps"]
        times = [f"{ps / 1e9:.3f}" for ps in (whole, less)]
        overhead = f"{row['overhead_ps'] / whole:.0%}".replace("%", " %")
        rows.append([row["job"], row["nodes"], *times, longer(less - whole, whole), overhead])
    return Table([*head, "overheads of the critical path"], rows, left=2)


def longer(ps: int, whole: int) -> str:
    """Return a difference of times, by its size as a time or a share."""
    return f"{ps / 1e3:+.1f} ns" if abs(ps) < 1e-4 * whole else f"{100 * ps / whole:+.1f} %"


def orders(kept: dict[str, Any]) -> Table:
    """Return the table of the order of the ranks."""
    found = kept["order"]
    names = {
        "hop_bytes": ("bytes times links [MB]", 1e-6),
        "cable_bytes": ("bytes on cables between switches [MB]", 1e-6),
        "seconds": ("time [ms]", 1e3),
    }
    rows = []
    for key, (name, scale) in names.items():
        before, after = found[key]
        cells = [f"{value * scale:.{3 if key == 'seconds' else 1}f}" for value in (before, after)]
        rows.append([name, *cells, f"{100 * (after / before - 1):+.1f} %"])
    return Table(["cost", "ranks in order of nodes", "ordered by `place map`", "change"], rows)


TABLES = {"program": runs, "order": orders}


def main() -> None:
    """Make the runs if asked to, and the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    data = parser.parse_args().data
    path = HERE / "program.json"
    if data is not None:
        with tempfile.TemporaryDirectory() as folder:
            path.write_text(json.dumps(measure(data, Path(folder)), indent=1) + "\n")
    kept = json.loads(path.read_text())
    fill(HERE / "README.md", {mark: make(kept) for mark, make in TABLES.items()})


if __name__ == "__main__":
    main()
