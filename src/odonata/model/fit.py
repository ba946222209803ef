"""Scenario of the model that is nearest to measured cycles, its distance, and the reasons."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from odonata.errors import UserError, near_miss
from odonata.machine import Machine
from odonata.model.cycle import (
    PENALTIES,
    SCENARIOS,
    SINGLE,
    LevelTimes,
    cycle_time,
    penalties_of,
)
from odonata.model.extensions import EXTENSIONS
from odonata.model.fitted import Fit, FitOfMix, FitOfRun, Weight
from odonata.model.measured import MeasuredCycle, falling
from odonata.model.parameters import Links, Mix, Parameters, default_count, links_of, parameters_of

__all__ = ["FLOPS", "best_fit", "fit_cycle"]

FLOPS: Mapping[str, str] = {
    "machine": "t of the machine file",
    "measured": "flop_seconds of each measured level",
    "falling": "the same until they rise, and from there the last before",
    "none": "nothing: only messages were timed",
}
"""Sources of the time of a floating-point operation, by name."""


def fit_cycle(
    machine: Machine,
    runs: Sequence[MeasuredCycle],
    *,
    links: str | None = None,
    restrict_rows: str = "paper",
    coarsest: str = "interp",
    relaxation_order: str = "lexicographic",
    flops: str = "machine",
) -> Fit:
    """Find the scenario of the model that explains measured cycles best.

    Parameters
    ----------
    machine
        Where they were measured.
    runs
        Measured cycles of one problem; several of a mix (on more and fewer nodes) count alike.
    links, restrict_rows, coarsest, relaxation_order
        The same as in `odonata.model.links_of` and `odonata.model.cycle_time`.
    flops
        Source of the time of a floating-point operation, one of `FLOPS`.

    Raises
    ------
    UserError
        There are no runs, they are of several problems, or the machine lacks a parameter.

    Notes
    -----
    The error of a scenario is the sum over levels of |modelled - measured|, as a share of the
    measured sum; the coarsest level, which is solved directly, is left out. See `best_fit` for
    the rule on numbers of penalties.

    References
    ----------
    Model-guided AMG on a dragonfly, sections 5.1 and 5.2.
    """
    _check_runs(runs)
    if flops not in FLOPS:
        raise UserError("flops: unknown", value=flops, near=near_miss(flops, FLOPS),
                        allowed=", ".join(FLOPS))  # fmt: skip
    parameters = parameters_of(machine, threads=max(run.mix.threads for run in runs))
    counted = links_of(machine, links)
    model = _Model(parameters, counted, restrict_rows, coarsest, relaxation_order, flops)
    # Tables list pure MPI first, then more threads, each from few to many ranks.
    by_mix: dict[Mix, list[MeasuredCycle]] = {}
    for run in sorted(runs, key=lambda run: (-run.mix.tasks, run.mix.threads, run.hierarchy.ranks)):
        by_mix.setdefault(run.mix, []).append(run)
    errors = {mix: model.errors(PENALTIES, of_mix) for mix, of_mix in by_mix.items()}
    best = _under_the_rule({mix: {s: found[s] for s in SCENARIOS} for mix, found in errors.items()})
    options = {
        "links": links or default_count(machine),
        "restrict_rows": restrict_rows,
        "coarsest": coarsest,
        "relaxation_order": relaxation_order,
        "flops": flops,
    }
    fits = [
        FitOfMix(
            mix,
            best[mix],
            errors[mix],
            {name: model.weight(name, best[mix], of_mix) for name in SINGLE},
            [FitOfRun(run, {s: model.times(s, run) for s in PENALTIES}) for run in of_mix],
            model.errors(EXTENSIONS, of_mix) if parameters.has_small_messages else {},
        )
        for mix, of_mix in by_mix.items()
    ]
    return Fit(machine.name, options, fits)


def best_fit(
    measured_levels_by_mix: Mapping[Mix, Sequence[float]],
    modelled_levels_by_mix: Mapping[Mix, Mapping[str, Sequence[float]]],
) -> dict[Mix, str]:
    """Return the scenario that explains each mix best.

    Parameters
    ----------
    measured_levels_by_mix
        By mix: measured seconds of each level, the coarsest left out as in the paper.
    modelled_levels_by_mix
        By mix and scenario: modelled seconds of as many levels (see `odonata.model.cycle_time`).

    Returns
    -------
    dict
        Scenario by mix.

    Raises
    ------
    UserError
        A mix has no model, or another number of levels.

    Notes
    -----
    The distance is the sum over levels of the absolute differences; of equals, the scenario with
    fewer penalties. Mixes are taken from most ranks a node to fewest, and none may need more
    penalties than one with more ranks a node.

    References
    ----------
    Model-guided AMG on a dragonfly, section 5.2.
    """
    errors: dict[Mix, dict[str, float]] = {}
    for mix, levels in measured_levels_by_mix.items():
        measured = np.asarray(levels, dtype=float)
        modelled = modelled_levels_by_mix.get(mix, {})
        if not modelled:
            raise UserError("best fit: no scenario is modelled for the mix", value=str(mix))
        errors[mix] = {
            s: _error(np.asarray(modelled[s], dtype=float), measured, f"{mix} {s}")
            for s in SCENARIOS
            if s in modelled
        }
    return _under_the_rule(errors)


@dataclass(frozen=True)
class _Model:
    """The model with all of its options chosen."""

    parameters: Parameters
    links: Links
    restrict_rows: str
    coarsest: str
    relaxation_order: str
    flops: str

    def times(self, scenario: str | Collection[str], run: MeasuredCycle) -> LevelTimes:
        return cycle_time(
            run.hierarchy,
            self._parameters_for(run),
            scenario,
            run.mix,
            links=self.links,
            restrict_rows=self.restrict_rows,
            coarsest=self.coarsest,
            relaxation_order=self.relaxation_order,
        )

    def error(self, scenario: str | Collection[str], runs: Sequence[MeasuredCycle]) -> float:
        errors = [
            _error(self.times(scenario, run).total[:-1], run.times.total[:-1], run.source)
            for run in runs
        ]
        return float(np.mean(errors))

    def errors(self, scenarios: Collection[str], runs: Sequence[MeasuredCycle]) -> dict[str, float]:
        return {scenario: self.error(scenario, runs) for scenario in scenarios}

    def weight(self, penalty: str, best: str, runs: Sequence[MeasuredCycle]) -> Weight:
        own = penalties_of(SINGLE[penalty])
        dependent = {name for name in SINGLE if penalty in penalties_of(SINGLE[name])}
        return Weight(
            self.error(own, runs),
            self.error(penalties_of(best) | own, runs),
            self.error(penalties_of(best) - dependent, runs),
        )

    def _parameters_for(self, run: MeasuredCycle) -> Parameters:
        if self.flops == "machine":
            return self.parameters
        if self.flops == "none":
            return dataclasses.replace(self.parameters, t=(0.0,))
        measured = run.flop_seconds
        if measured is None or not np.any(measured[:-1]):
            raise UserError("flops: the document has no flop_seconds", where=run.source)
        if self.flops == "falling":
            measured = falling(measured)
        # Measured inside a rank, so that they include its threads and their mutual slowdown.
        held = run.mix.threads / self.parameters.slowdown(run.mix.threads)
        return dataclasses.replace(self.parameters, t=tuple(float(t) * held for t in measured))


def _under_the_rule(errors_by_mix: Mapping[Mix, Mapping[str, float]]) -> dict[Mix, str]:
    """Return the scenario of least error by mix, fewer ranks a node with no more penalties."""
    best: dict[Mix, str] = {}
    for mix in sorted(errors_by_mix, key=lambda m: (-m.tasks, m.threads)):
        before = [len(PENALTIES[best[m]]) for m in best if m.tasks > mix.tasks]
        most = min(before, default=len(PENALTIES["alpha_gamma"]))
        errors = errors_by_mix[mix]
        allowed = [s for s in errors if len(PENALTIES[s]) <= most]
        if not allowed:
            raise UserError("best fit: no scenario is modelled for the mix", value=str(mix))
        best[mix] = min(allowed, key=errors.__getitem__)
    return best


def _error(modelled: NDArray[np.float64], measured: NDArray[np.float64], what: str) -> float:
    if modelled.shape != measured.shape:
        raise UserError(
            f"best fit: wrong number of levels for {what}",
            value=modelled.size,
            allowed=str(measured.size),
        )
    return float(np.abs(modelled - measured).sum() / measured.sum())


def _check_runs(runs: Sequence[MeasuredCycle]) -> None:
    if not runs:
        raise UserError("measured: no cycle to fit to")
    first = runs[0]
    for run in runs:
        if run.hierarchy.problem != first.hierarchy.problem:
            raise UserError("problem: differs from the other documents",
                            value=run.hierarchy.problem, allowed=first.hierarchy.problem,
                            where=run.source)  # fmt: skip
