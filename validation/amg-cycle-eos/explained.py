"""The critical path of an AMG solve by level, beside the terms of the model.

docs/how-to/explain-a-run.md has the commands that make its three files. With `--operations` it is
the critical path of a timed cycle by level and operation.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil, log2
from pathlib import Path

from odonata import explain, machine, model
from odonata.model.cycle import flop_seconds, message_costs, penalties_of
from odonata.report import Table
from odonata.trace.phases import RunPhase

MIX = model.Mix(16, 1)

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
"""Operations of the model (T_smooth, T_restrict, T_interp) by operations of the timed cycle."""

SWITCH_OF = {"gather": "gathers", "solve": "products", "scatter": "scatter"}
"""Operations of the model on a switched level (T_switch) by phases of the solve."""

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
    said = json.loads(given.amg.read_text(encoding="utf-8"))
    cycles, explained = said["iterations"] + 1, explain.load(given.run)
    print(table(explained, cycles, modelled(given.hierarchy)))
    switch = said["redistribution"]
    if switch["level"] is not None:
        terms = switch_terms(read(given.hierarchy), switch["level"], switch["groups"])
        print(f"\n{by_part_of_switch(explained, cycles, switch['level'], terms)}")


def read(path: Path) -> model.Hierarchy:
    """Return the hierarchy of a document of odonata-amg."""
    said = json.loads(path.read_text(encoding="utf-8"))
    return model.read_hierarchy(
        path,
        problem=said["problem"],
        ranks=said["ranks"],
        points=said["levels"][0]["rows"],
    )


def modelled(path: Path) -> dict[str, list[float]]:
    """Return the seconds of each level of a cycle on Eos, by term."""
    return {name: times.total.tolist() for name, times in terms_of(path).items()}


def terms_of(path: Path) -> dict[str, model.LevelTimes]:
    """Return the terms of a cycle on Eos, each by level and operation."""
    return dict(model.cycle_terms(read(path), model.parameters_of(machine.load("eos")), mix=MIX))


def switch_terms(h: model.Hierarchy, level: int, groups: int) -> dict[str, dict[str, float]]:
    """Return the terms of a switched level of a cycle on Eos, T_switch, by operation [s].

    The gathers and the scatter are T_collective: in each of the ceil(log2(P_i/C)) steps of a tree
    two gathers send two messages and the scatter one. A gather brings C_i/C values to the owner
    once, and the scatter sends as many in every step.
    """
    eos = model.parameters_of(machine.load("eos"))
    costs = message_costs(eos, penalties_of("distance"), MIX, h.ranks)
    flop = flop_seconds(eos, MIX, h.num_levels)[level]
    rows, steps = h.rows[level] / groups, ceil(log2(h.active_ranks[level] / groups))
    length = h.values_sent[level] / h.sends[level]

    def terms(flops: float, messages: float, values: float) -> dict[str, float]:
        alpha, gamma = messages * costs.alpha, messages * costs.far
        return dict(zip(TERMS, (flops * flop, alpha, gamma, values * costs.beta), strict=True))

    flops, sends = 10 * rows * h.row_nonzeros[level], 5 * (groups - 1)
    return {
        "gathers": terms(0, 2 * steps, 2 * rows),
        "products": terms(flops, sends, sends * length),
        "scatter": terms(0, steps, steps * rows),
    }


def phase_of(stretch: explain.Stretch) -> RunPhase:
    """Return the phase of a stretch of the critical path."""
    return RunPhase.of(int((stretch.phase or "phase 0").removeprefix("phase ")))


def path_by_part(explained: explain.Explained) -> dict[tuple[int, str], Counter[str]]:
    """Return the time of the solve on the critical path by level, phase and category [ps].

    What the Krylov solver does outside of the cycle is on no level, and left out.
    """
    found: dict[tuple[int, str], Counter[str]] = {}
    for stretch in explained.stretches:
        phase = phase_of(stretch)
        if phase.level is not None and phase.name in SWITCH_OF:
            key = phase.level, phase.name
            found.setdefault(key, Counter())[stretch.category] += stretch.length_ps
    return found


def path_by_level(explained: explain.Explained) -> dict[int, Counter[str]]:
    """Return the time on the critical path by level and category [ps]."""
    found: dict[int, Counter[str]] = {}
    for (level, _), times in path_by_part(explained).items():
        found.setdefault(level, Counter()).update(times)
    return found


def numbers_of(modelled: Sequence[float], times: Mapping[str, int], cycles: int = 1) -> list[float]:
    """Return the numbers of a row [us]: of the model by term, on the path by part, with sums."""
    shown = [term * 1e6 for term in modelled]
    parts = [sum(times[name] for name in names) for names in PARTS.values()]
    parts.append(sum(times.values()) - sum(parts))
    path = [part / cycles / 1e6 for part in parts]
    return [*shown, sum(shown), *path, sum(path)]


def row(words: Sequence[str], numbers: Sequence[float]) -> list[str]:
    """Return a row of words and numbers; none is printed as -0.0."""
    return [*words, *(f"{round(number, 1) + 0.0:.1f}" for number in numbers)]


def made(rows: list[list[str]], *words: str) -> Table:
    """Return the table of some rows that begin with columns of words."""
    columns = [*words, *(f"model: {name}" for name in TERMS.values()), "all"]
    columns += [*(f"path: {name}" for name in PARTS), "waits", "all"]
    return Table(columns, rows, left=len(words))


def table(explained: explain.Explained, cycles: int, terms: dict[str, list[float]]) -> Table:
    """Return times of a cycle by level: by the model, and on the critical path."""
    rows = [
        row([str(level)], numbers_of([seconds[level] for seconds in terms.values()], times, cycles))
        for level, times in sorted(path_by_level(explained).items())
    ]
    return made(rows, "level")


def by_part_of_switch(
    explained: explain.Explained, cycles: int, level: int, terms: dict[str, dict[str, float]]
) -> Table:
    """Return times of the switched level of a cycle by operation, beside the model's."""
    found = path_by_part(explained)
    rows = [
        row([str(level), name], numbers_of(list(terms[name].values()), found[level, phase], cycles))
        for phase, name in SWITCH_OF.items()
        if (level, phase) in found
    ]
    return made(rows, "level", "operation")


def path_by_operation(explained: explain.Explained) -> dict[tuple[int, str], Counter[str]]:
    """Return the time on the critical path by level, operation of the model and category [ps]."""
    found: dict[tuple[int, str], Counter[str]] = {}
    for stretch in explained.stretches:
        phase = phase_of(stretch)
        if phase.level is not None and phase.name in OPERATION_OF:
            key = phase.level, OPERATION_OF[phase.name]
            found.setdefault(key, Counter())[stretch.category] += stretch.length_ps
    return found


def by_operation(explained: explain.Explained, terms: dict[str, model.LevelTimes]) -> Table:
    """Return times of the timed cycles by level and operation, beside the model's."""
    rows = []
    found = path_by_operation(explained)
    for level, name in sorted(found, key=lambda key: (key[0], ORDER.index(key[1]))):
        shown = [0.0] * len(terms)
        if name in MODEL_HAS:
            shown = [float(getattr(each, name)[level]) for each in terms.values()]
        rows.append(row([str(level), name], numbers_of(shown, found[level, name])))
    return made(rows, "level", "operation")


if __name__ == "__main__":
    main()
