"""Decisions of the model on hypre's own hierarchies, by the parameters of several machines."""

from __future__ import annotations

import dataclasses

from cases import MODELS

from odonata import machine, model, units
from odonata.report import Table

POINTS = (50, 50, 25)
CORES = {"edison": 24, "theta": 64}


def parameters(name: str) -> tuple[model.Parameters, model.Rules, model.Mix]:
    """Return what decides under a name of `MODELS`."""
    given = MODELS[name]
    by = dict(zip(given[::2], given[1::2], strict=True))

    def time(option: str) -> float:
        return units.parse_time(by[option]) / 1e12

    cache = by.get("--cache")
    rules = model.Rules(cache_bytes=units.parse_bytes(cache) if cache else None)
    found = dataclasses.replace(
        model.parameters_of(machine.load("eos")),
        alpha=time("--alpha"), beta=time("--beta"), gamma=time("--gamma"),
        diameter=2 + int(by["--hops"]),
    )  # fmt: skip
    return found, rules, model.Mix(CORES.get(name, 16))


def table() -> Table:
    """Return the gain of each level and the choice, by hierarchy and machine."""
    lines = []
    for ranks in (128, 1024):
        hierarchy = model.find_hierarchy("laplace", POINTS, ranks)
        for name in MODELS:
            given, rules, mix = parameters(name)
            found = model.decide_redistribution(hierarchy, given, "distance", mix, rules=rules)
            switch = found.switch
            gains = [_gain(level) for level in found.levels[1:-1]]
            lines.append([f"{ranks:,}", name, *gains, *_choice(switch)])
    width = max(len(line) for line in lines)
    lines = [line[:-2] + [""] * (width - len(line)) + line[-2:] for line in lines]
    levels = [f"level {i}" for i in range(1, width - 3)]
    return Table(["ranks", "parameters", *levels, "switched", "C"], lines, left=2)


def _gain(level: model.LevelDecision) -> str:
    if level.gain is None:
        return "–"
    return f"{100 * level.gain:.1f} ({level.groups})"


def _choice(switch: model.LevelDecision | None) -> list[str]:
    return [str(switch.level), str(switch.groups)] if switch else ["–", "–"]
