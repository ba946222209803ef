"""The critical path of an AMG solve by level, beside the terms of the model.

docs/how-to/explain-a-run.md has the commands that make its three files.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from odonata import explain, machine, model
from odonata.report import Table

SOLVE = "phase 13665"
"""Names of the phases of the solve begin so, and end with the level."""

OUTSIDE = 999
"""Level of what the Krylov solver does outside of the cycle."""

PARTS = {
    "computing": ("computing",),
    "overhead": ("send_overhead", "receive_overhead", "matching", "copying"),
    "latency": ("wire_and_routers", "ejection", "inside_node"),
    "bytes": ("serialization", "transmission"),
}
"""Categories of a simulation that stand together; all others are waits for links and NICs."""

TERMS = {"flops": "flops", "alpha": "α", "gamma": "distance", "beta": "β"}


def main() -> None:
    """Print the table of a run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("run", type=Path, help="result of the explained solve")
    parser.add_argument("amg", type=Path, help="its document of odonata-amg")
    parser.add_argument("hierarchy", type=Path, help="document of odonata-amg with levels")
    given = parser.parse_args()
    cycles = json.loads(given.amg.read_text(encoding="utf-8"))["iterations"] + 1
    print(table(explain.load(given.run), cycles, modelled(given.hierarchy)))


def modelled(path: Path) -> dict[str, list[float]]:
    """Return the seconds of each level of a cycle on Eos, by term."""
    eos = model.parameters_of(machine.load("eos"))
    said = json.loads(path.read_text(encoding="utf-8"))
    hierarchy = model.read_hierarchy(
        path,
        problem=said["problem"],
        ranks=said["ranks"],
        points=said["levels"][0]["rows"],
    )
    terms = model.cycle_terms(hierarchy, eos, mix=model.Mix(16, 1))
    return {name: times.total.tolist() for name, times in terms.items()}


def path_by_level(explained: explain.Explained) -> dict[int, Counter[str]]:
    """Return the time on the critical path by level and category [ps]."""
    found: dict[int, Counter[str]] = {}
    for stretch in explained.stretches:
        if stretch.phase and stretch.phase.startswith(SOLVE):
            level = int(stretch.phase.removeprefix(SOLVE))
            found.setdefault(level, Counter())[stretch.category] += stretch.length_ps
    return found


def table(explained: explain.Explained, cycles: int, terms: dict[str, list[float]]) -> Table:
    """Return times of a cycle by level: those of the model, and those on the critical path."""
    rows = []
    for level, times in sorted(path_by_level(explained).items()):
        if level == OUTSIDE:
            continue
        parts = [sum(times[name] for name in names) for names in PARTS.values()]
        parts.append(times.total() - sum(parts))
        shown = [seconds[level] * 1e6 for seconds in terms.values()]
        path = [part / cycles / 1e6 for part in parts]
        rows.append(
            [str(level), *(f"{time:.1f}" for time in [*shown, sum(shown), *path, sum(path)])]
        )
    columns = ["level", *(f"model: {TERMS[name]}" for name in terms), "all"]
    return Table([*columns, *(f"path: {name}" for name in PARTS), "waits", "all"], rows)


if __name__ == "__main__":
    main()
