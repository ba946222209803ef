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

ACCURACY_PERCENT = {1024: (86.0, 91.3, 87.4, 85.3, 83.4), 8192: (90.4, 92.8, 89.2, 86.6, 85.9)}
"""Published beside them, from times that were not rounded."""

PEAK_BANDWIDTH = "16 GB/s"
"""Bandwidth between two nodes of Eos, section 2.2 of the paper; eos.toml has the NIC's."""

WIRE_ALPHA = 1.3e-6
"""Time of a small message between two Aries blades [s]; published for Aries."""


@functools.cache
def eos(peak: str | None = None) -> machine.Machine:
    """Return the machine, with another bandwidth of a node, B_max, if given."""
    found = machine.load("eos")
    return found.with_values({"links.injection.bandwidth": peak}) if peak else found


@functools.cache
def prediction(mix: str, cores: int, peak: str | None = None, **options: str) -> model.Prediction:
    """Return the prediction of all penalties and scenarios."""
    return model.predict_cycle(
        eos(peak), "laplace", POINTS, cores, model.Mix.parse(mix), scenarios=[*model.PENALTIES],
        **options,
    )  # fmt: skip


def modelled_ms(
    mix: str, cores: int, scenario: str = "distance", peak: str | None = None, **options: str
) -> float:
    """Return the cycle time [ms]."""
    return prediction(mix, cores, peak, **options).cycle_seconds[scenario] * 1e3


def with_wire_alpha(parameters: model.Parameters) -> model.Parameters:
    """Return parameters whose α is the wire's, and whose γ keeps the published α(D)."""
    hops = parameters.diameter - parameters.nearest
    furthest = parameters.alpha + hops * parameters.gamma
    gamma = (furthest - WIRE_ALPHA) / hops
    return dataclasses.replace(parameters, alpha=WIRE_ALPHA, gamma=gamma)
