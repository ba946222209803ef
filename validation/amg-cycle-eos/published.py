"""Table 3 of *model-guided AMG on a dragonfly*, and Eos as the model sees it."""

from __future__ import annotations

import dataclasses
import functools

from odonata import machine, model

CORES = (1024, 8192)
MIXES = ("16x1", "8x2", "4x4", "2x8", "1x16")
POINTS = (50, 50, 25)

MODELLED_MS = {1024: (9.75, 14.9, 24.2, 44.2, 86.4), 8192: (11.7, 16.8, 26.5, 46.7, 88.4)}
MEASURED_MS = {1024: (11.3, 16.3, 27.6, 51.8, 104.0), 8192: (13.0, 18.1, 29.7, 53.9, 104.0)}
"""Published, by cores, in the order of `MIXES`."""

WIRE_ALPHA = 1.3e-6
"""Time of a small message between two Aries blades [s]; published for Aries."""


@functools.cache
def eos() -> machine.Machine:
    """Return the machine."""
    return machine.load("eos")


def prediction(mix: str, cores: int, **options: str) -> model.Prediction:
    """Return the prediction of all penalties and scenarios."""
    return model.predict_cycle(
        eos(), "laplace", POINTS, cores, model.Mix.parse(mix), scenarios=[*model.PENALTIES],
        **options,
    )  # fmt: skip


@functools.cache
def modelled_ms(mix: str, cores: int, scenario: str = "distance", **options: str) -> float:
    """Return the cycle time [ms]."""
    return prediction(mix, cores, **options).cycle_seconds[scenario] * 1e3


def with_wire_alpha(parameters: model.Parameters) -> model.Parameters:
    """Return parameters whose α is the wire's, and whose γ keeps the published α(D)."""
    hops = parameters.diameter - parameters.nearest
    furthest = parameters.alpha + hops * parameters.gamma
    gamma = (furthest - WIRE_ALPHA) / hops
    return dataclasses.replace(parameters, alpha=WIRE_ALPHA, gamma=gamma)
