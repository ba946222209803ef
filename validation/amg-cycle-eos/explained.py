"""The critical path of an AMG solve by level, beside the terms of the model.

docs/how-to/explain-a-run.md has the commands that make its three files. With `--operations` it is
that of a timed cycle by level and operation.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from odonata import explain, machine, model
from odonata.report import Table
from odonata.trace.phases import RunPhase

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

OPERATION_OF = {
    **dict.fromkeys(("smoothing down", "residual", "smoothing up"), "smooth"),
    "restriction": "restrict",
    "interpolation": "interp",
    "coarsest solve": "coarsest",
}
"""Operations of the model (T_smooth, T_restrict, T_interp) by those of the timed cycle."""

MODEL_HAS = ("smooth", "restrict", "interp")

ORDER = ("interp", "smooth", "restrict", "coarsest")

TERMS = {"flops": "flops", "alpha": "α", "gamma": "distance", "beta": "β"}


def main() -> None:
    """Print the table of a run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("run", type=Path, help="result of the explained solve")
    parser.add_argument("amg", type=Path, help="its document of odonata-amg")
    parser.add_argument("hierarchy", type=Path, help="document of odonata-amg with levels")
    parser.add_argument("--operations", action="store_true", help="of cycles with --solver none")
    given = parser.parse_args()
    if given.operations:
        print(by_operation(explain.load(given.run), terms_of(given.hierarchy)))
        return
    cycles = json.loads(given.amg.read_text(encoding="utf-8"))["iterations"] + 1
    print(table(explain.load(given.run), cycles, modelled(given.hierarchy)))


def modelled(path: Path) -> dict[str, list[float]]:
    """Return the seconds of each level of a cycle on Eos, by term."""
    return {name: times.total.tolist() for name, times in terms_of(path).items()}


def terms_of(path: Path) -> dict[str, model.LevelTimes]:
    """Return the terms of a cycle on Eos, each by level and operation."""
    eos = model.parameters_of(machine.load("eos"))
    said = json.loads(path.read_text(encoding="utf-8"))
    hierarchy = model.read_hierarchy(
        path,
        problem=said["problem"],
        ranks=said["ranks"],
        points=said["levels"][0]["rows"],
    )
    return dict(model.cycle_terms(hierarchy, eos, mix=model.Mix(16, 1)))


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


def path_by_operation(explained: explain.Explained) -> dict[tuple[int, str], Counter[str]]:
    """Return the time on the critical path by level, operation of the model and category [ps]."""
    found: dict[tuple[int, str], Counter[str]] = {}
    for stretch in explained.stretches:
        number = int((stretch.phase or "phase 0").removeprefix("phase "))
        phase = RunPhase.of(number)
        if phase.level is not None and phase.name in OPERATION_OF:
            key = phase.level, OPERATION_OF[phase.name]
            found.setdefault(key, Counter())[stretch.category] += stretch.length_ps
    return found


def by_operation(explained: explain.Explained, terms: dict[str, model.LevelTimes]) -> Table:
    """Return times of the timed cycles by level and operation, beside those of the model."""
    rows = []
    found = path_by_operation(explained)
    for level, name in sorted(found, key=lambda key: (key[0], ORDER.index(key[1]))):
        times = found[level, name]
        shown = [0.0] * len(terms)
        if name in MODEL_HAS:
            shown = [float(getattr(each, name)[level]) * 1e6 for each in terms.values()]
        parts = [sum(times[category] for category in names) / 1e6 for names in PARTS.values()]
        parts.append(times.total() / 1e6 - sum(parts))
        numbers = [*shown, sum(shown), *parts, sum(parts)]
        rows.append([str(level), name, *(f"{abs(number):.1f}" for number in numbers)])
    columns = ["level", "operation", *(f"model: {TERMS[name]}" for name in terms), "all"]
    return Table([*columns, *(f"path: {name}" for name in PARTS), "waits", "all"], rows, left=2)


if __name__ == "__main__":
    main()
