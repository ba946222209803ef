"""Table 3 of the AMG paper, modelled anew: writes the tables and the figures of README.md."""

from __future__ import annotations

import dataclasses
import json
import sys
from importlib import resources
from pathlib import Path

import causes
import simulated
import small_messages
import tables
from published import CORES, MIXES, eos, prediction

from odonata import model
from odonata.report import plot_levels

sys.path.append(str(Path(__file__).parents[1]))
from marked import filled

FOLDER = Path(__file__).parent
README = FOLDER / "README.md"
BEST = "distance"
"""The paper's best fit, drawn solid."""


def mean_sends() -> dict[int, float]:
    """Return the mean number of sends of A on 1,024 ranks, by level."""
    file = resources.files("odonata") / "data" / "hierarchies" / "laplace.json"
    runs = json.loads(file.read_text(encoding="utf-8"))["runs"]
    run = next(r for r in runs if r["ranks"] == 1024 and r["points_per_rank"] == [50, 50, 25])
    return {i: float(level["A_mean_sends"]) for i, level in enumerate(run["levels"])}


def panel(mix: str, cores: int, runs: list[simulated.Simulated]) -> model.Panel:
    """Return the panel of a mix, with its simulation if there is one."""
    for run in runs:
        if (str(run.mix), run.cores) == (mix, cores):
            return model.fit_cycle(eos(), [run.largest]).mixes[0].runs[0].panel(BEST)
    found = prediction(mix, cores).panel()
    return dataclasses.replace(
        found, best=BEST, modelled={s: found.modelled[s] for s in model.SCENARIOS}
    )


def with_tables(text: str, runs: list[simulated.Simulated]) -> str:
    """Return the text of README.md with its tables made anew."""
    cycles = {
        (str(run.mix), run.cores): (
            (run.largest.cycle_seconds or 0.0) * 1e3,
            run.largest.times.cycle_seconds * 1e3,
        )
        for run in runs
    }
    made = {
        "mixes": tables.mixes(cycles),
        "orders": tables.orders(),
        "causes": causes.table(),
        "causes, mixes": causes.mixes(),
        "readings": tables.readings(),
        "scenarios": tables.scenarios(),
        "fits": tables.fits(),
        "growth": tables.growth(),
        "alphas": tables.alphas(),
        "charges": tables.charges(mean_sends()),
        "simulated": simulated.pages(runs),
        "messages": simulated.messages(),
        "engines": simulated.engines(),
        "small messages": small_messages.table(),
        "small messages, modelled": small_messages.modelled(),
    }
    return filled(text, made)


def main() -> None:
    """Write the tables and the figures."""
    runs = simulated.runs()
    README.write_text(with_tables(README.read_text(encoding="utf-8"), runs), encoding="utf-8")
    plot_levels([panel(MIXES[0], cores, runs) for cores in CORES], FOLDER / "levels-16x1.png")
    hybrid = [panel(mix, cores, runs) for mix in MIXES[1:] for cores in CORES]
    plot_levels(hybrid, FOLDER / "levels-hybrid.png", columns=2)


if __name__ == "__main__":
    main()
