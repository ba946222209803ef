"""Fits of the model to measured cycles, as data and for figures."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from odonata.errors import UserError
from odonata.model.cycle import SCENARIOS, LevelTimes
from odonata.model.known import doubt_about
from odonata.model.measured import MeasuredCycle
from odonata.model.parameters import Mix

__all__ = ["Fit", "FitOfMix", "FitOfRun", "Panel", "Weight", "accuracy"]


@dataclass(frozen=True)
class Panel:
    """Seconds of each level but the coarsest, for the figure of a run.

    Parameters
    ----------
    title
        The run.
    modelled
        Seconds of each level, by scenario.
    measured
        Seconds of each level; None if it was not measured.
    best
        The scenario that fits best; None if none was fitted.
    measured_as
        ``measured`` or ``simulated``.
    """

    title: str
    modelled: Mapping[str, list[float]]
    measured: list[float] | None = None
    best: str | None = None
    measured_as: str = "measured"


LEAST_GAIN = 0.01
"""Error that a penalty must take away to earn its place [1]; assumed: two measurements of one cycle
seldom agree by less."""


@dataclass(frozen=True)
class Weight:
    """Worth of a penalty to a fit; each number is an error as in `FitOfMix`.

    Parameters
    ----------
    alone
        Error with this penalty alone (multicore on γ: with the distance that γ multiplies).
    best_with, best_without
        Error of the best scenario with this penalty, and without it; one of them is the best.
    """

    alone: float
    best_with: float
    best_without: float

    @property
    def earns_its_place(self) -> bool:
        """Whether the best scenario is nearer with the penalty, by `LEAST_GAIN` or more."""
        return self.best_without - self.best_with >= LEAST_GAIN


@dataclass(frozen=True, eq=False)
class FitOfRun:
    """A measured cycle beside the model's.

    Parameters
    ----------
    measured
        The cycle.
    times
        Modelled seconds of each level, by scenario: all of `odonata.model.PENALTIES`.
    """

    measured: MeasuredCycle
    times: Mapping[str, LevelTimes]

    @property
    def accuracy(self) -> dict[str, float]:
        """Accuracy of the cycle time by scenario: see `odonata.model.accuracy`."""
        truth = self.measured.times.cycle_seconds
        return {name: accuracy(t.cycle_seconds, truth) for name, t in self.times.items()}

    def panel(self, best: str | None = None) -> Panel:
        """Return the data of a figure.

        Parameters
        ----------
        best
            The scenario that fits best.
        """
        h, mix = self.measured.hierarchy, self.measured.mix
        return Panel(
            f"{mix}, {h.ranks * mix.threads:,} cores",
            {name: self.times[name].total[:-1].tolist() for name in SCENARIOS},
            self.measured.times.total[:-1].tolist(),
            best,
            "simulated" if self.measured.simulated else "measured",
        )


@dataclass(frozen=True, eq=False)
class FitOfMix:
    """The fit to all runs of a mix.

    Parameters
    ----------
    mix
        Ranks a node and threads a rank.
    best
        Name of the best scenario, with no more penalties than of mixes with more ranks a node.
    errors
        By scenario: mean over the runs of Σ |modelled - measured| / Σ measured, sums over all
        levels but the coarsest.
    weights
        By penalty: its worth.
    runs
        The runs.
    extensions
        The same errors by scenario of `odonata.model.EXTENSIONS`; empty where the machine has no
        costs of many small messages.
    """

    mix: Mix
    best: str
    errors: Mapping[str, float]
    weights: Mapping[str, Weight]
    runs: Sequence[FitOfRun]
    extensions: Mapping[str, float] = dataclasses.field(default_factory=dict)

    @property
    def nearest(self) -> str:
        """Name of the scenario that would be best without the rule on numbers of penalties."""
        return min(SCENARIOS, key=self.errors.__getitem__)

    @property
    def accuracy(self) -> float:
        """Accuracy of the cycle time by the best scenario, mean over the runs."""
        return float(np.mean([run.accuracy[self.best] for run in self.runs]))

    @property
    def warning(self) -> str | None:
        """A sentence if the best scenario explains the runs poorly: see `doubt_about`."""
        return doubt_about(self.best, self.accuracy, self.errors[self.best])


@dataclass(frozen=True, eq=False)
class Fit:
    """The best scenario of each mix.

    Parameters
    ----------
    machine
        Its name.
    options
        How it was fitted: links, readings of the model, flops.
    mixes
        From most ranks a node to fewest.
    """

    machine: str
    options: Mapping[str, str]
    mixes: Sequence[FitOfMix]

    @property
    def best(self) -> dict[Mix, str]:
        """Name of the best scenario by mix."""
        return {fit.mix: fit.best for fit in self.mixes}

    @property
    def warnings(self) -> dict[Mix, str]:
        """Why the best scenario of a mix explains it poorly, by mix; empty without doubts."""
        return {fit.mix: fit.warning for fit in self.mixes if fit.warning is not None}

    def panels(self) -> list[Panel]:
        """Return the data for a figure of each run: see `odonata.report.plot_levels`.

        A panel has a best scenario where it explains the runs of its mix.
        """
        return [
            run.panel(None if fit.warning else fit.best) for fit in self.mixes for run in fit.runs
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the fit as plain data; times in seconds."""
        mixes = [
            {
                "mix": str(fit.mix),
                "best": fit.best,
                "nearest": fit.nearest,
                "accuracy": fit.accuracy,
                "warning": fit.warning,
                "errors": dict(fit.errors),
                "penalties": {
                    name: dataclasses.asdict(w) | {"earns_its_place": w.earns_its_place}
                    for name, w in fit.weights.items()
                },
                "runs": [_run_as_data(run) for run in fit.runs],
            }
            | ({"extensions": dict(fit.extensions)} if fit.extensions else {})
            for fit in self.mixes
        ]
        return {"machine": self.machine, **self.options, "mixes": mixes}


def accuracy(modelled: float, measured: float) -> float:
    """Return the accuracy of a prediction: 1 - |modelled - measured| / measured.

    Parameters
    ----------
    modelled, measured
        Cycle times [s].

    Raises
    ------
    UserError
        The measured time is not positive.

    References
    ----------
    Model-guided AMG on a dragonfly, Table 3; the paper has no formula, but this one gives nine of
    its ten percentages within the rounding of the times, and the tenth (1x16 on 8,192 cores) but
    for 0.4 points.

    Examples
    --------
    >>> round(accuracy(9.75e-3, 11.3e-3), 2)
    0.86
    """
    if not measured > 0:
        raise UserError("measured: not a positive time", value=measured)
    return 1.0 - abs(modelled - measured) / measured


def _run_as_data(run: FitOfRun) -> dict[str, Any]:
    measured, h = run.measured, run.measured.hierarchy
    levels = [
        {
            "level": i,
            "rows": float(h.rows[i]),
            "measured_seconds": float(measured.times.total[i]),
            "modelled_seconds": {s: float(t.total[i]) for s, t in run.times.items()},
        }
        for i in range(h.num_levels)
    ]
    return {
        "file": measured.source,
        "simulated": measured.simulated,
        "problem": h.problem,
        "ranks": h.ranks,
        "points_per_rank": list(h.points_per_rank),
        "measured_seconds": measured.times.cycle_seconds,
        "direct_seconds": measured.direct,
        "whole_cycle_seconds": measured.cycle_seconds,
        "modelled_seconds": {s: t.cycle_seconds for s, t in run.times.items()},
        "accuracy": run.accuracy,
        "levels": levels,
    }
