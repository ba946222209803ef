"""The AMG cycle on this computer, measured and modelled: writes the tables of README.md.

``python validation/amg-cycle-here/run.py`` measures, some minutes; with ``--measure nothing`` it
only writes the tables anew from earlier measurements in here.toml and amg-1.json, ...
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

from odonata import machine, model
from odonata.report import Table, plot_levels

sys.path.append(str(Path(__file__).parents[1]))
from marked import fill

FOLDER = Path(__file__).parent
README = FOLDER / "README.md"
MACHINE = FOLDER / "here.toml"

# More ranks than cores, as any user; the ranks give way to each other where they must.
OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
}


def measure_cycles(given: argparse.Namespace, ranks: list[int]) -> None:
    """Run odonata-amg on each number of ranks, and keep the fastest run of each."""
    for n in ranks:
        kept = min((_time(given, n) for _ in range(given.repeats)), key=_levels_seconds)
        (FOLDER / f"amg-{n}.json").write_text(kept, encoding="utf-8")


def measure_parameters(given: argparse.Namespace) -> None:
    """Run odonata measure on two ranks, flops with the operators of two."""
    program = f"odonata measure --hierarchy amg-2.json -o {MACHINE.name}"
    _run(f"{given.mpiexec} -n 2 {given.prefix} {program}", {})


def _time(given: argparse.Namespace, n: int) -> str:
    """Return the document of a run on n ranks."""
    program = f"odonata-amg --points {given.points} --cycles {given.cycles}"
    gives_way = {"OMPI_MCA_mpi_yield_when_idle": str(int(n > _cores()))}
    return _run(f"{given.mpiexec} -n {n} {given.prefix} {program}", gives_way)


def _levels_seconds(document: str) -> float:
    return sum(float(level["seconds"]["total"]) for level in json.loads(document)["levels"])


def read(n: int) -> model.MeasuredCycle:
    """Return what n ranks took."""
    return model.read_measured(FOLDER / f"amg-{n}.json", model.Mix(n))


def cycles(fit: model.Fit, cores: int) -> Table:
    """Return measured and modelled times of the cycle [ms]."""
    rows = []
    for of_mix in reversed(fit.mixes):
        (run,) = of_mix.runs
        measured, n = run.measured, of_mix.mix.tasks
        shared = _shared(run, cores)
        rows.append([
            str(n), f"{n / cores:g}", _ms(measured.times.cycle_seconds),
            _ms(measured.cycle_seconds or 0.0), _ms(run.times["baseline"].cycle_seconds),
            f"{run.accuracy['baseline']:.0%}", _ms(shared),
            f"{model.accuracy(shared, measured.times.cycle_seconds):.0%}",
            of_mix.best, f"{of_mix.accuracy:.0%}",
        ])  # fmt: skip
    columns = ["ranks", "ranks a core", "measured, Σ levels", "measured, whole cycle",
               "modelled, baseline", "accuracy", "modelled, cores shared", "accuracy of it",
               "nearest scenario", "its accuracy"]  # fmt: skip
    return Table(columns, rows)


def levels(fit: model.Fit) -> Table:
    """Return measured and modelled times of each level [ms]."""
    panels = [fit.panels()[at] for at in range(len(fit.mixes) - 1, -1, -1)]
    count = max(len(panel.measured or []) for panel in panels)
    rows = []
    for level in range(count):
        row = [str(level)]
        for panel in panels:
            for series in (panel.measured or [], panel.modelled["baseline"]):
                row.append(_ms(series[level]) if level < len(series) else "")
        rows.append(row)
    columns = [f"{fit.mix.tasks} {what}" for fit in reversed(fit.mixes)
               for what in ("measured", "modelled")]  # fmt: skip
    return Table(["level", *columns], rows)


def parameters() -> Table:
    """Return the measured parameters."""
    found = model.parameters_of(machine.load(MACHINE))
    rows = [
        ["α", f"{found.alpha * 1e6:.3f} µs"],
        ["β", f"{found.beta * 1e9:.3f} ns a value of 8 B"],
        ["t", ", ".join(f"{t * 1e9:.3f}" for t in found.t) + " ns on level 0, 1, …"],
    ]
    return Table(["parameter", "measured"], rows, left=2)


def main() -> None:
    """Measure if asked to, and write the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--measure", default="all", choices=["all", "cycles", "nothing"])
    parser.add_argument("--mpiexec", default="mpiexec.openmpi")
    parser.add_argument("--prefix", default="", help="before each program, such as 'nice -n -20'")
    parser.add_argument("--repeats", type=int, default=5, help="runs; the fastest is kept")
    parser.add_argument("--ranks", default="1,2,4,8,16", help="for each a run")
    parser.add_argument("--points", default="50x50x25")
    parser.add_argument("--cycles", type=int, default=100)
    given = parser.parse_args()
    ranks = [int(n) for n in given.ranks.split(",")]
    if given.measure != "nothing":
        measure_cycles(given, ranks)
    if given.measure == "all":
        measure_parameters(given)
    ranks = sorted(int(file.stem.removeprefix("amg-")) for file in FOLDER.glob("amg-*.json"))
    here = machine.load(MACHINE)
    fit = model.fit_cycle(here, [read(n) for n in ranks])
    made = {
        "parameters": parameters(),
        "cycles": cycles(fit, here.cores_per_node),
        "levels": levels(fit),
    }
    fill(README, made)
    plot_levels(fit.panels()[::-1], FOLDER / "levels.png", columns=2)


def _shared(run: model.FitOfRun, cores: int) -> float:
    """Return the baseline where ranks take turns on the cores: flops take as many times longer."""
    measured = run.measured
    found = model.parameters_of(machine.load(MACHINE))
    turns = max(1.0, measured.hierarchy.ranks / cores)
    slower = dataclasses.replace(found, t=tuple(turns * t for t in found.t))
    return model.cycle_time(measured.hierarchy, slower, "baseline", measured.mix).cycle_seconds


def _cores() -> int:
    return len(os.sched_getaffinity(0))


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.3f}"


def _run(command: str, environment: dict[str, str]) -> str:
    print(command, flush=True)
    words, variables = shlex.split(command), {**os.environ, **OPEN_MPI, **environment}
    return subprocess.run(
        words, check=True, stdout=subprocess.PIPE, text=True, env=variables, cwd=FOLDER
    ).stdout


if __name__ == "__main__":
    main()
