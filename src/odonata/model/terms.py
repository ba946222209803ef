"""Time of a modelled cycle by term of the model, and the level that dominates."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from odonata.model.cycle import LevelTimes, cycle_time, penalties_of
from odonata.model.extensions import EXTRA
from odonata.model.hierarchy import Hierarchy
from odonata.model.parameters import Links, Mix, Parameters

__all__ = ["MANY", "TERMS", "Dominance", "cycle_terms", "dominance_of"]

TERMS: Mapping[str, str] = {"flops": "t", "alpha": "alpha", "gamma": "gamma", "beta": "beta"}
"""Parameter of the machine that each term is proportional to, with penalties."""

MANY = "small messages"
"""Name of all that the terms of `odonata.model.EXTENSIONS` add."""

_NOTHING: Mapping[str, Any] = {"t": (0.0,), "alpha": 0.0, "gamma": 0.0, "beta": 0.0}


@dataclass(frozen=True)
class Dominance:
    """The level and the term that take most of a cycle.

    Parameters
    ----------
    level
        The level that takes most time; of equals the finest.
    level_share
        Its share of the cycle [1]; 0 where the cycle takes no time.
    term
        The term of `TERMS` that takes most of that level.
    term_share
        Its share of that level [1].
    cycle_shares
        Share of the cycle of each term [1].
    """

    level: int
    level_share: float
    term: str
    term_share: float
    cycle_shares: Mapping[str, float]


def cycle_terms(
    hierarchy: Hierarchy,
    parameters: Parameters,
    scenario: str | Collection[str] = "distance",
    mix: Mix | None = None,
    *,
    links: Links | None = None,
    restrict_rows: str = "paper",
    coarsest: str = "interp",
    relaxation_order: str = "lexicographic",
) -> dict[str, LevelTimes]:
    """Predict the time of each term of a V-cycle, level by level.

    Parameters
    ----------
    hierarchy, parameters, scenario, mix, links, restrict_rows, coarsest, relaxation_order
        The same as in `odonata.model.cycle_time`.

    Returns
    -------
    dict
        By term of `TERMS`: seconds of each level and operation. They add up to the whole, for the
        model is a sum of products with t, α, γ and β. A scenario of `odonata.model.EXTENSIONS` has
        the term `MANY` beside them.

    Examples
    --------
    >>> from odonata import machine, model
    >>> eos = model.parameters_of(machine.load("eos"))
    >>> h = model.find_hierarchy("laplace", (50, 50, 25), 1024)
    >>> [f"{name} {t.cycle_seconds * 1e3:.2f} ms" for name, t in cycle_terms(h, eos).items()]
    ['flops 5.28 ms', 'alpha 0.45 ms', 'gamma 3.94 ms', 'beta 0.05 ms']
    """

    def times(of: Parameters, penalties: Collection[str]) -> LevelTimes:
        return cycle_time(
            hierarchy,
            of,
            penalties,
            mix,
            links=links,
            restrict_rows=restrict_rows,
            coarsest=coarsest,
            relaxation_order=relaxation_order,
        )

    penalties = penalties_of(scenario)
    paper = penalties.difference(EXTRA)
    terms = {
        term: times(
            dataclasses.replace(
                parameters, **{name: zero for name, zero in _NOTHING.items() if name != kept}
            ),
            paper,
        )
        for term, kept in TERMS.items()
    }
    if penalties != paper:
        terms[MANY] = times(parameters, penalties).beyond(times(parameters, paper))
    return terms


def dominance_of(terms: Mapping[str, LevelTimes]) -> Dominance:
    """Return the level that takes most of a cycle, and the term that takes most of that level.

    Parameters
    ----------
    terms
        Times by term: see `cycle_terms`.
    """
    levels = np.sum([times.total for times in terms.values()], axis=0)
    level = int(levels.argmax())
    by_term = {term: float(times.total[level]) for term, times in terms.items()}
    most = max(by_term, key=by_term.__getitem__)
    cycle = float(levels.sum())
    return Dominance(
        level,
        _share(float(levels[level]), cycle),
        most,
        _share(by_term[most], float(levels[level])),
        {term: _share(times.cycle_seconds, cycle) for term, times in terms.items()},
    )


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0
