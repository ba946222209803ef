"""Simulated cycles on Eos beside the model, level by level."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from published import eos

from odonata import model
from odonata.report import Table

FOLDER = Path(__file__).parent
FILES = {"simulated-64.json": "16x1", "simulated-128.json": "16x1", "simulated-1024.json": "16x1",
         "simulated-512.json": "8x2"}  # fmt: skip
"""Documents of ``odonata-amg`` under ``odonata mpirun`` on Eos, by file the mix: whole cycles."""

MESSAGES = {"packet": "simulated-64-packet.json", "analytic": "simulated-64-analytic.json"}
"""By engine: the same with ``--compute none``, 20 x 20 x 10 points a rank."""

WHOLE = {64: ("simulated-64.json", "simulated-64-whole-packet.json"),
         1024: ("simulated-1024.json", "simulated-1024-packet.json")}  # fmt: skip
"""By ranks: a whole cycle on the analytic engine, and on the packet engine."""


@dataclasses.dataclass(frozen=True)
class Simulated:
    """One simulated run: what ``odonata-amg`` wrote, and how it was run."""

    path: Path
    command: str
    largest: model.MeasuredCycle
    mean: model.MeasuredCycle
    mean_sends: dict[int, float]

    @property
    def mix(self) -> model.Mix:
        """Return ranks a node and threads a rank."""
        return self.largest.mix

    @property
    def cores(self) -> int:
        """Return the cores."""
        return self.largest.hierarchy.ranks * self.mix.threads


def read(path: Path, mix: str) -> Simulated:
    """Read a simulated run."""
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    parsed = model.Mix.parse(mix)
    largest, mean = (model.read_measured(path, parsed, which=which) for which in model.WHICH)
    sends = {i: float(level["A_mean_sends"]) for i, level in enumerate(document["levels"])}
    return Simulated(path, str(document.get("command", "")), largest, mean, sends)


def runs() -> list[Simulated]:
    """Return the simulated runs of whole cycles."""
    return [read(FOLDER / name, mix) for name, mix in FILES.items()]


def pages(found: Sequence[Simulated]) -> str:
    """Return the levels of each run, and what fits them."""
    parts = [f"{run.cores:,} cores, {run.mix}: `{run.command}`\n\n{levels(run)}" for run in found]
    return "\n\n".join([*parts, str(fits(found))])


def messages() -> Table:
    """Return levels of cycles in which messages alone take time, by both engines."""
    by_engine = {engine: read(FOLDER / name, "16x1") for engine, name in MESSAGES.items()}
    packet = by_engine["packet"]
    h = packet.largest.hierarchy
    parameters = dataclasses.replace(model.parameters_of(eos()), t=(0.0,))
    modelled = {s: model.cycle_time(h, parameters, s, packet.mix).total * 1e3
                for s in ("baseline", "distance")}  # fmt: skip
    simulated = {f"{engine}, {which}": cycle.times.total * 1e3
                 for engine, run in by_engine.items()
                 for which, cycle in (("largest", run.largest), ("mean", run.mean))}  # fmt: skip
    series = {**modelled, **simulated}
    charged = _messages(h)
    each = packet.largest.times.total * 1e6 / np.maximum(charged, 1)
    rows = [
        [str(i), f"{h.rows[i]:,.0f}", f"{h.sends[i]:.0f}", f"{packet.mean_sends[i]:.1f}",
         *(f"{times[i]:.3f}" for times in series.values()), f"{each[i]:.2f}"]
        for i in range(h.num_levels)
    ]  # fmt: skip
    whole = packet.largest.times.cycle_seconds * 1e6 / charged.sum()
    rows.append(["cycle", "", "", "", *(f"{times.sum():.3f}" for times in series.values()),
                 f"{whole:.2f}"])  # fmt: skip
    columns = ["level", "rows", "largest sends", "mean sends", *series, "a message [µs]"]
    return Table(columns, rows)


def engines() -> Table:
    """Return levels of whole cycles by both engines, the packet engine's beside the other's."""
    rows = []
    for ranks, names in WHOLE.items():
        pair = [read(FOLDER / name, "16x1") for name in names]
        for i, _ in enumerate(pair[0].mean_sends):
            row = [f"{ranks:,}", str(i)]
            for which in model.WHICH:
                row += _beside([getattr(run, which).times.total[i] for run in pair])
            rows.append(row)
        cycles = _beside([run.largest.cycle_seconds or 0.0 for run in pair])
        rows.append([f"{ranks:,}", "cycle", *cycles, *[""] * 3])
    kinds = ("analytic, {}", "packet, {}", "longer by")
    columns = [kind.format(which) for which in model.WHICH for kind in kinds]
    return Table(["ranks", "level", *columns], rows, left=2)


def _beside(seconds: Sequence[float]) -> list[str]:
    """Return two times, and how much longer the second is."""
    before, after = seconds
    longer = f"{after / before - 1:+.1%}" if before >= 5e-6 else ""
    return [f"{before * 1e3:.3f}", f"{after * 1e3:.3f}", longer]


def levels(run: Simulated) -> Table:
    """Return the levels: flops, messages by two scenarios, simulated."""
    h = run.largest.hierarchy
    parameters = model.parameters_of(eos())
    nothing = dataclasses.replace(parameters, alpha=0.0, beta=0.0, gamma=0.0)
    flops = model.cycle_time(h, nothing, "baseline", run.mix, restrict_rows="operator").total
    free = dataclasses.replace(parameters, t=(0.0,))
    baseline, distance = (
        model.cycle_time(h, free, s, run.mix).total for s in ("baseline", "distance")
    )
    columns = ["level", "rows", "largest sends", "mean sends", "flops, modelled",
               "messages: baseline", "messages: distance", "simulated, largest",
               "simulated, mean", "each message, simulated [µs]"]  # fmt: skip
    largest, mean = run.largest.times.total, run.mean.times.total
    messages = _messages(h)
    rows = []
    for i in range(h.num_levels):
        times = (flops[i], baseline[i], distance[i], largest[i], mean[i])
        each = (largest[i] - flops[i]) / messages[i] * 1e6 if messages[i] else 0.0
        rows.append([str(i), f"{h.rows[i]:,.0f}", f"{h.sends[i]:.0f}", f"{run.mean_sends[i]:.1f}",
                     *(f"{t * 1e3:.3f}" for t in times), f"{each:.2f}"])  # fmt: skip
    totals = (t.sum() for t in (flops, baseline, distance, largest, mean))
    each = (largest.sum() - flops.sum()) / messages.sum() * 1e6
    rows.append(["cycle", "", "", "", *(f"{t * 1e3:.3f}" for t in totals), f"{each:.2f}"])
    return Table(columns, rows, left=1)


def fits(runs: Sequence[Simulated]) -> Table:
    """Return the best fit to each simulated run, by count of links and by choice of times."""
    rows = []
    for run in runs:
        for which, cycle in (("largest", run.largest), ("mean", run.mean)):
            for links in model.COUNTS:
                (fit,) = model.fit_cycle(eos(), [cycle], links=links).mixes
                errors = [f"{fit.errors[s]:.0%}" for s in model.SCENARIOS]
                rows.append([f"{run.cores:,}", str(run.mix), which, links, fit.best,
                             f"{fit.accuracy:.1%}", *errors])  # fmt: skip
    columns = ["cores", "mix", "of the ranks", "links", "best fit", "accuracy",
               *(f"error of {s}" for s in model.SCENARIOS)]  # fmt: skip
    return Table(columns, rows, left=5)


def _messages(h: model.Hierarchy) -> np.ndarray:
    """Return the messages that the model charges on each level."""
    messages = np.zeros(h.num_levels)
    messages[:-1] = 3 * h.sends[:-1] + h.interp_sends[:-1]
    messages[1:] += h.interp_sends[:-1]
    return messages
