"""The time of a V-cycle of algebraic multigrid: the α-β-γ model and its penalties."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from odonata._core import MessageCosts
from odonata.errors import UserError, near_miss
from odonata.model.extensions import EXTENSIONS, EXTRA, Extra, extra_of
from odonata.model.hierarchy import Hierarchy
from odonata.model.parameters import Links, Mix, Parameters

__all__ = [
    "PENALTIES",
    "RELAXATION_ORDERS",
    "SCENARIOS",
    "SINGLE",
    "LevelTimes",
    "cycle_time",
    "flop_seconds",
    "message_costs",
    "needs_links",
    "penalties_of",
]

SCENARIOS = ("baseline", "distance", "bandwidth", "alpha", "gamma", "alpha_gamma")
"""The six of the paper, by the number of their penalties."""

_COMMON = frozenset({"distance", "bandwidth"})

PENALTIES: Mapping[str, frozenset[str]] = {
    "baseline": frozenset(),
    "distance": frozenset({"distance"}),
    "bandwidth": _COMMON,
    "alpha": _COMMON | {"alpha"},
    "gamma": _COMMON | {"gamma"},
    "alpha_gamma": _COMMON | {"alpha", "gamma"},
    "only_bandwidth": frozenset({"bandwidth"}),
    "only_alpha": frozenset({"alpha"}),
    "only_gamma": frozenset({"distance", "gamma"}),
}
"""Penalties of each scenario. ``only_gamma`` has the distance that γ multiplies."""

SINGLE: Mapping[str, str] = {
    "distance": "distance",
    "bandwidth": "only_bandwidth",
    "alpha": "only_alpha",
    "gamma": "only_gamma",
}
"""Scenario with a single penalty, by penalty."""

_KNOWN = frozenset({*SINGLE, *EXTRA})

RELAXATION_ORDERS: Mapping[str, int] = {"lexicographic": 1, "cf": 2}
"""Exchanges with neighbours in a sweep, by the order of its rows.

``cf``, coarse points and then fine ones, was hypre's default up to version 2.11.1.
"""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LevelTimes:
    """Time of each level of a cycle; arrays have shape (levels,) [s].

    Parameters
    ----------
    smooth, restrict, interp
        Smoothing and residual, restriction to the next coarser level, interpolation to the next
        finer.
    """

    smooth: Floats
    restrict: Floats
    interp: Floats

    @property
    def total(self) -> Floats:
        """Time of each level [s], shape (levels,)."""
        return self.smooth + self.restrict + self.interp

    @property
    def cycle_seconds(self) -> float:
        """Time of the cycle [s]: the sum of the levels."""
        return float(self.total.sum())

    def beyond(self, other: LevelTimes) -> LevelTimes:
        """Return the difference of these times and others.

        Parameters
        ----------
        other
            Times of as many levels.
        """
        return LevelTimes(
            self.smooth - other.smooth, self.restrict - other.restrict, self.interp - other.interp
        )


@dataclass(frozen=True, eq=False)
class _Costs:
    """Flops and messages of each level, shape (levels,) or a scalar."""

    flop: Floats  # [s], by level
    alpha: Floats  # [s], by level
    beta: float  # [s]
    contention: Floats | None  # [s] for each value and message of a rank, by level
    extra: Extra | None = None

    def messages(self, sends: Floats, values: Floats, at: slice = slice(None)) -> Floats:
        beta = self.beta if self.contention is None else self.beta + self.contention[at] * sends
        time = np.asarray(sends * self.alpha[at] + values * beta)
        return time if self.extra is None else time + self.extra.of(sends, values, at)


def cycle_time(
    hierarchy: Hierarchy,
    parameters: Parameters,
    scenario: str | Collection[str] = "distance",
    mix: Mix | None = None,
    *,
    links: Links | None = None,
    restrict_rows: str = "paper",
    coarsest: str = "interp",
    distance: float | None = None,
    relaxation_order: str = "lexicographic",
) -> LevelTimes:
    """Predict the time of a V-cycle, level by level.

    Parameters
    ----------
    hierarchy
        Its levels.
    parameters
        Parameters of the machine.
    scenario
        One of `SCENARIOS`, or ``only_bandwidth``, ``only_alpha``, ``only_gamma``: see `PENALTIES`;
        one of `EXTENSIONS`; or a set of penalties and of `EXTRA` terms: see `SINGLE`.
    mix
        Ranks a node and threads a rank; one rank a node without threads by default.
    links
        How links are counted (see `odonata.model.links_of`, which has the paper's count and the
        wiring's); needed by the bandwidth penalty alone.
    restrict_rows
        ``paper``: restriction costs 2 (C_{i+1}/P) ŝ_i flops, as printed. ``operator``: C_i, the
        rows that P_i has.
    coarsest
        ``interp``: the interpolation from the coarsest level counts, as printed. ``none``: that
        level takes no time.
    distance
        Links that every message is charged instead of the diameter D.
    relaxation_order
        A name of `RELAXATION_ORDERS`; the paper's model has one exchange a sweep.

    Returns
    -------
    LevelTimes
        Seconds of each level and operation.

    Raises
    ------
    UserError
        An option is unknown, or the bandwidth penalty has no links.

    Notes
    -----
    With t the ranks a node and j the threads of a rank,

    - smooth: 6 C_i/P s_i t_i + 3 (p_i α + n_i β), and 0 on the coarsest level; 5 exchanges in
      C/F order;
    - restrict: 2 C_{i+1}/P ŝ_i t_i + p̂_i α + n̂_i β for i < L-1, else 0;
    - interp: 2 C_{i-1}/P ŝ_{i-1} t_{i-1} + p̂_{i-1} α + n̂_{i-1} β for i > 0, else 0;
    - distance: α becomes α + (D - h_m) γ;
    - bandwidth: β becomes β (B_max/B + m/l) with B = 8/β, and m the most that can be in flight:
      the largest number of sends of a rank times the active ranks;
    - alpha, gamma: α(h_m), γ times max(1, ceil(t P_i/P)), all messages of level i by its P_i;
    - terms of many small messages: see `odonata.model.extensions.extra_of`;
    - threads: t_i becomes t_i b_1/b_j, and each thread has C_i/(P j) rows.

    References
    ----------
    Model-guided AMG on a dragonfly, sections 4.1 (equations), 4.2 (D, links), 5.2 (scenarios).
    """
    mix = mix or Mix(1)
    _check("restrict_rows", restrict_rows, ("paper", "operator"))
    _check("coarsest", coarsest, ("interp", "none"))
    _check("relaxation order", relaxation_order, tuple(RELAXATION_ORDERS))
    h = hierarchy
    costs = _costs(h, parameters, penalties_of(scenario), mix, links, distance)
    nothing = np.zeros(h.num_levels)
    smooth, restrict, interp = nothing.copy(), nothing.copy(), nothing.copy()
    last = h.num_levels - 1
    fine, coarse = slice(0, last), slice(1, None)
    smooth[fine] = (
        6 * h.rows[fine] * h.row_nonzeros[fine] * costs.flop[fine]
        + (2 * RELAXATION_ORDERS[relaxation_order] + 1)  # two sweeps and a residual
        * costs.messages(h.sends[fine], h.values_sent[fine], fine)
    )  # fmt: skip
    sends, values = h.interp_sends[fine], h.interp_values_sent[fine]
    flops = 2 * h.interp_nonzeros[fine] * costs.flop[fine]
    rows = h.rows[coarse] if restrict_rows == "paper" else h.rows[fine]
    restrict[fine] = rows * flops + costs.messages(sends, values, fine)
    interp[coarse] = h.rows[fine] * flops + costs.messages(sends, values, coarse)
    if coarsest == "none":
        interp[last] = 0.0
    return LevelTimes(smooth, restrict, interp)


def _costs(
    h: Hierarchy,
    parameters: Parameters,
    penalties: frozenset[str],
    mix: Mix,
    links: Links | None,
    distance: float | None,
) -> _Costs:
    """Return the costs of flops and messages on each level under some penalties."""
    costs = message_costs(parameters, penalties, mix, h.ranks, links=links, distance=distance)
    flop = flop_seconds(parameters, mix, h.num_levels) / h.ranks
    shared = np.maximum(1.0, np.ceil(mix.tasks * h.active_ranks / h.ranks))
    alpha = costs.alpha * shared if costs.alpha_shared else np.full(h.num_levels, costs.alpha)
    if costs.far:
        alpha = alpha + (costs.far * shared if costs.far_shared else costs.far)
    terms = penalties.intersection(EXTRA)
    extra = extra_of(h, parameters, terms, mix, alpha, links) if terms else None
    contention = costs.contention * h.active_ranks if costs.contention else None
    return _Costs(flop, alpha, costs.beta, contention, extra)


def flop_seconds(parameters: Parameters, mix: Mix, levels: int) -> Floats:
    """Return the time that a rank with its threads needs for a flop on each level [s].

    Parameters
    ----------
    parameters
        Parameters of the machine.
    mix
        Ranks a node and threads a rank.
    levels
        Number of levels.
    """
    t = parameters.t
    measured = np.array([*t[:levels], *(t[-1:] * (levels - len(t)))])
    return measured * parameters.slowdown(mix.threads) / mix.threads


def message_costs(
    parameters: Parameters,
    penalties: frozenset[str],
    mix: Mix,
    ranks: int,
    *,
    links: Links | None = None,
    distance: float | None = None,
) -> MessageCosts:
    """Return the costs of a message under some penalties, before the level is known.

    Parameters
    ----------
    parameters
        Parameters of the machine.
    penalties
        Names of `SINGLE`: see `penalties_of`.
    mix
        Ranks a node and threads a rank.
    ranks
        Ranks of the program: P.
    links, distance
        The same as in `cycle_time`.

    Raises
    ------
    UserError
        The bandwidth penalty has no links.
    """
    p = parameters
    hops = max(0.0, (p.diameter if distance is None else distance) - p.nearest)
    contended = "bandwidth" in penalties
    if contended and links is None:
        raise UserError("links: the bandwidth penalty needs their number")
    count = links.count(math.ceil(ranks / mix.tasks)) if contended and links else math.inf
    return MessageCosts(
        alpha=p.alpha,
        far=hops * p.gamma if "distance" in penalties else 0.0,
        beta=p.beta * (max(1.0, p.peak_bandwidth * p.beta / 8) if contended else 1.0),
        contention=p.beta / count,
        tasks=mix.tasks,
        alpha_shared="alpha" in penalties,
        far_shared="gamma" in penalties,
    )


def needs_links(scenario: str | Collection[str]) -> bool:
    """Return whether a scenario looks at the number of links.

    Parameters
    ----------
    scenario
        The same as in `penalties_of`.
    """
    return not penalties_of(scenario).isdisjoint({"bandwidth", "contention"})


def penalties_of(scenario: str | Collection[str]) -> frozenset[str]:
    """Return the penalties of a scenario.

    Parameters
    ----------
    scenario
        A name of `PENALTIES` or `EXTENSIONS`, or some names of `SINGLE` and `EXTRA`.

    Raises
    ------
    UserError
        A name is unknown.
    """
    if isinstance(scenario, str):
        if scenario in PENALTIES:
            return PENALTIES[scenario]
        _check("scenario", scenario, (*PENALTIES, *EXTENSIONS))
        return EXTENSIONS[scenario]
    penalties = frozenset(scenario)
    if not penalties.issubset(_KNOWN):
        for penalty in scenario:
            _check("penalty", penalty, (*SINGLE, *EXTRA))
    return penalties


def _check(name: str, given: str, names: tuple[str, ...]) -> None:
    if given not in names:
        near = near_miss(str(given), names)
        raise UserError(f"{name}: unknown", value=given, near=near, allowed=", ".join(names))
