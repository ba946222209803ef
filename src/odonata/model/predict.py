"""A prediction: a machine, a problem and a mix, and the time of a cycle under each scenario."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from odonata.errors import UserError
from odonata.machine import Machine
from odonata.model.cycle import PENALTIES, SCENARIOS, LevelTimes, cycle_time, needs_links
from odonata.model.estimates import estimates_to_check
from odonata.model.extensions import EXTENSIONS
from odonata.model.fitted import Panel
from odonata.model.hierarchy import Hierarchy, read_hierarchy
from odonata.model.known import KnownFit, known_fit
from odonata.model.parameters import Mix, Parameters, default_count, links_of, parameters_of
from odonata.model.redistribution import Redistribution, Rules, decide_redistribution
from odonata.model.shipped import find_hierarchy, shipped_hierarchies
from odonata.model.terms import Dominance, cycle_terms, dominance_of

__all__ = ["Prediction", "predict_cycle"]


@dataclass(frozen=True, eq=False)
class Prediction:
    """The time of a cycle by scenario.

    Parameters
    ----------
    hierarchy
        The modelled hierarchy; its ``origin`` says whether it is an estimate.
    mix
        Ranks a node and threads a rank.
    times
        Seconds of each level, by scenario.
    checks
        Where the hierarchy is an estimate: by how it was made (see `odonata.model.estimates`) and
        by number of ranks, error of the cycle time [1] for hierarchies that ship and were
        estimated in the same way; distance scenario, without threads.
    links
        How links were counted; None where no scenario needed them.
    terms
        Seconds of each level by scenario and term of the model: see `odonata.model.cycle_terms`.
    best
        The scenario that fits the machine best for this mix, and how well, as the machine file
        says; None if it says nothing: see `odonata.model.known_fit`.
    redistribution
        The decisions to redistribute levels over fewer ranks; None if they were not asked for.
    """

    hierarchy: Hierarchy
    mix: Mix
    times: Mapping[str, LevelTimes]
    checks: Mapping[str, Mapping[int, float]]
    links: str | None = None
    terms: Mapping[str, Mapping[str, LevelTimes]] = field(default_factory=dict)
    best: KnownFit | None = None
    redistribution: Redistribution | None = None

    @property
    def estimate_error(self) -> float | None:
        """Error bar of the cycle time [1]: the largest of each check, added up.

        0 where the hierarchy is known, None where its estimate could not be checked.
        """
        largest = [max(map(abs, errors.values()), default=None) for errors in self.checks.values()]
        known = [error for error in largest if error is not None]
        return sum(known) if len(known) == len(largest) else None

    @property
    def cycle_seconds(self) -> dict[str, float]:
        """Time of the cycle [s], by scenario."""
        return {scenario: times.cycle_seconds for scenario, times in self.times.items()}

    @property
    def dominance(self) -> dict[str, Dominance]:
        """The level and the term that take most of the cycle, by scenario."""
        return {scenario: dominance_of(terms) for scenario, terms in self.terms.items()}

    def panel(self) -> Panel:
        """Return the data of a figure: see `odonata.report.plot_levels`."""
        h, mix = self.hierarchy, self.mix
        levels = {name: times.total[:-1].tolist() for name, times in self.times.items()}
        best = self.best.scenario if self.best and not self.best.warning else None
        best = best if best in levels else None
        return Panel(f"{mix}, {h.ranks * mix.threads:,} cores", levels, best=best)

    def to_dict(self) -> dict[str, Any]:
        """Return the prediction as plain data; times in seconds."""
        h = self.hierarchy
        levels = [
            {"level": i}
            | {name: float(column[i]) for name, column in h.columns().items()}
            | {
                "seconds": {
                    scenario: {
                        "smooth": float(times.smooth[i]),
                        "restrict": float(times.restrict[i]),
                        "interp": float(times.interp[i]),
                        "total": float(times.total[i]),
                    }
                    for scenario, times in self.times.items()
                }
            }
            for i in range(h.num_levels)
        ]
        decided = self.redistribution
        return {
            "problem": h.problem,
            "ranks": h.ranks,
            "mix": str(self.mix),
            "links": self.links,
            "hierarchy": {"origin": h.origin, "source": h.source},
            "estimate_error": self.estimate_error,
            "estimate_checks": {
                how: {str(ranks): error for ranks, error in errors.items()}
                for how, errors in self.checks.items()
            },
            "cycle_seconds": self.cycle_seconds,
            "best_fit": self._best_as_data(),
            "dominance": {scenario: asdict(found) for scenario, found in self.dominance.items()},
            "levels": levels,
        } | ({"redistribution": decided.to_dict()} if decided else {})

    def _best_as_data(self) -> dict[str, Any] | None:
        best = self.best
        if best is None:
            return None
        return asdict(best) | {"mix": str(best.mix), "warning": best.warning}


def predict_cycle(
    machine: Machine,
    problem: str,
    points: tuple[int, int, int],
    cores: int,
    mix: Mix,
    *,
    scenarios: Sequence[str] = SCENARIOS,
    hierarchy_file: str | Path | None = None,
    links: str | None = None,
    restrict_rows: str = "paper",
    coarsest: str = "interp",
    relaxation_order: str = "lexicographic",
    redistribute: Rules | None = None,
) -> Prediction:
    """Predict the time of a V-cycle.

    Parameters
    ----------
    machine
        The machine.
    problem
        Its name: see `odonata.model.PROBLEMS`.
    points
        Grid points of each core along x, y and z.
    cores
        Cores in use: ranks times threads.
    mix
        Ranks a node and threads a rank.
    scenarios
        Names: see `odonata.model.PENALTIES` and `odonata.model.EXTENSIONS`.
    hierarchy_file
        A file with the hierarchy; by default a shipped one, see `odonata.model.find_hierarchy`.
    links, restrict_rows, coarsest, relaxation_order
        The same as in `odonata.model.links_of` and `odonata.model.cycle_time`.
    redistribute
        Rules by which levels are redistributed over fewer ranks; None: none is looked at. The
        scenario is the only one that is given, else the best fit of the machine, else ``distance``.

    Raises
    ------
    UserError
        The machine is too small or lacks a parameter, or there is no such hierarchy.

    Notes
    -----
    The model: `odonata.model.cycle_time`.

    Examples
    --------
    >>> from odonata import machine
    >>> eos = machine.load("eos")
    >>> p = predict_cycle(eos, "laplace", (50, 50, 25), 1024, Mix(16), scenarios=["distance"])
    >>> f"{p.cycle_seconds['distance'] * 1e3:.3f} ms"
    '9.718 ms'
    """
    _check_fits(machine, cores, mix)
    parameters = parameters_of(machine, threads=mix.threads)
    if hierarchy_file is None:
        hierarchy = find_hierarchy(problem, points, cores, mix.threads)
    else:
        ranks, unknowns = cores // mix.threads, cores * math.prod(points)
        hierarchy = read_hierarchy(hierarchy_file, problem=problem, ranks=ranks, points=unknowns)
    best = known_fit(machine, mix, cores)
    decider = scenarios[0] if len(scenarios) == 1 else best.scenario if best else "distance"
    if redistribute and decider in EXTENSIONS:
        raise UserError("redistribute: not by this scenario", value=decider,
                        allowed=", ".join(PENALTIES))  # fmt: skip
    contended = any(needs_links(name) for name in (*scenarios, decider))
    links = links or default_count(machine)
    counted = links_of(machine, links) if contended else None
    readings: dict[str, Any] = {
        "links": counted,
        "restrict_rows": restrict_rows,
        "coarsest": coarsest,
        "relaxation_order": relaxation_order,
    }
    return Prediction(
        hierarchy,
        mix,
        {name: cycle_time(hierarchy, parameters, name, mix, **readings) for name in scenarios},
        _errors(hierarchy, parameters),
        links if contended else None,
        {name: cycle_terms(hierarchy, parameters, name, mix, **readings) for name in scenarios},
        best,
        decide_redistribution(
            hierarchy, parameters, decider, mix, links=counted, rules=redistribute
        )
        if redistribute
        else None,
    )


def _check_fits(machine: Machine, cores: int, mix: Mix) -> None:
    if mix.tasks * mix.threads > machine.cores_per_node:
        raise UserError(
            "mix: more than the cores of a node",
            value=str(mix),
            allowed=f"at most {machine.cores_per_node}",
        )
    if cores < 1:
        raise UserError("cores: out of range", value=cores, allowed="1 or more")
    if cores % mix.threads:
        raise UserError(
            "cores: not a multiple of the threads a rank",
            value=cores,
            allowed=f"multiples of {mix.threads}",
        )
    most = machine.num_nodes * mix.tasks * mix.threads
    if cores > most:
        raise UserError(
            f"cores: more than machine {machine.name} has with this mix",
            value=cores,
            allowed=f"1 to {most}",
        )


def _errors(hierarchy: Hierarchy, parameters: Parameters) -> dict[str, dict[int, float]]:
    """Return errors of the cycle time by ranks, for estimates of hierarchies that are known."""
    if hierarchy.origin in ("shipped", "file"):
        return {}
    checks = estimates_to_check(hierarchy, shipped_hierarchies(hierarchy.problem))
    return {
        how: {true.ranks: _error(estimate, true, parameters) for estimate, true in pairs}
        for how, pairs in checks.items()
    }


def _error(estimate: Hierarchy, true: Hierarchy, parameters: Parameters) -> float:
    seconds = [cycle_time(h, parameters).cycle_seconds for h in (estimate, true)]
    return seconds[0] / seconds[1] - 1
