"""The decision to redistribute a level of algebraic multigrid over fewer ranks."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from odonata import _core
from odonata.errors import UserError, near_miss
from odonata.model.cycle import RELAXATION_ORDERS, flop_seconds, message_costs, penalties_of
from odonata.model.hierarchy import Hierarchy
from odonata.model.parameters import Links, Mix, Parameters

__all__ = [
    "CANDIDATES",
    "LEAST_GAIN",
    "LevelDecision",
    "Redistribution",
    "Rules",
    "decide_redistribution",
]

CANDIDATES: Mapping[str, str] = {
    "powers": "powers of two below p_i",
    "all": "every number below p_i",
}
"""Numbers of groups to consider, by name."""

LEAST_GAIN = 0.05
"""The least gain of the paper [1]."""

MOST_CANDIDATES = 100_000
"""Most sends of a rank for which every number of groups is looked at."""


@dataclass(frozen=True)
class Rules:
    """Numbers of groups to consider, and the gain that justifies a switch.

    Parameters
    ----------
    candidates
        A name of `CANDIDATES`.
    least_gain
        The least gain [1] that is worth a switch, of the sum of T_noswitch up to the level.
    cache_bytes
        Shared cache of a node divided by its ranks [B]; None: the local problem may have any size.
    relaxation_order
        A name of `odonata.model.RELAXATION_ORDERS`: in C/F order a level has 7 exchanges with
        neighbours in a cycle, otherwise the 5 of the paper.

    Raises
    ------
    UserError
        A rule is unknown or out of range.
    """

    candidates: str = "powers"
    least_gain: float = LEAST_GAIN
    cache_bytes: float | None = None
    relaxation_order: str = "lexicographic"

    def __post_init__(self) -> None:
        if self.candidates not in CANDIDATES:
            near, allowed = near_miss(self.candidates, CANDIDATES), ", ".join(CANDIDATES)
            raise UserError(
                "candidates: unknown", value=self.candidates, near=near, allowed=allowed
            )
        if not 0 <= self.least_gain <= 1:
            raise UserError("least gain: out of range", value=self.least_gain, allowed="0 to 1")
        if self.cache_bytes is not None and not self.cache_bytes > 0:
            raise UserError("cache: out of range", value=self.cache_bytes, allowed="more than 0 B")
        if self.relaxation_order not in RELAXATION_ORDERS:
            value, allowed = self.relaxation_order, ", ".join(RELAXATION_ORDERS)
            near = near_miss(value, RELAXATION_ORDERS)
            raise UserError("relaxation order: unknown", value=value, near=near, allowed=allowed)

    @property
    def exchanges(self) -> int:
        """Exchanges with neighbours on a level in a cycle."""
        # Two sweeps; residual, restriction and interpolation.
        return 2 * RELAXATION_ORDERS[self.relaxation_order] + 3


@dataclass(frozen=True)
class LevelDecision:
    """Decision for a level, and its reasons.

    Parameters
    ----------
    level
        Its number: i.
    no_switch_seconds
        Time of the level in a cycle as it is, T_noswitch [s].
    switch_seconds
        Time of the level after a switch [s], T_switch, by number of groups C. It is empty where no
        switch is possible.
    excluded
        Numbers of groups on which the local problem would outgrow the cache.
    groups
        The fastest number of groups that is not excluded; None if all are.
    gain
        (T_noswitch - T_switch) / Σ_{k<=i} T_noswitch of that number [1]; None without such a
        number.
    switches
        Whether the level is redistributed.
    reason
        The reason, for people.
    """

    level: int
    no_switch_seconds: float
    switch_seconds: Mapping[int, float]
    excluded: tuple[int, ...]
    groups: int | None
    gain: float | None
    switches: bool
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """Return the decision as plain data; times in seconds."""
        return {
            "level": self.level,
            "no_switch_seconds": self.no_switch_seconds,
            "switch_seconds": {str(c): seconds for c, seconds in self.switch_seconds.items()},
            "excluded": list(self.excluded),
            "groups": self.groups,
            "gain": self.gain,
            "reason": self.reason,
        }


@dataclass(frozen=True)
class Redistribution:
    """The decisions for all levels of a hierarchy.

    Parameters
    ----------
    scenario
        Scenario of the model that decided.
    rules
        The rules that it kept.
    levels
        A decision for each level, the finest first.
    """

    scenario: str
    rules: Rules
    levels: tuple[LevelDecision, ...]

    @property
    def switch(self) -> LevelDecision | None:
        """The level that is redistributed; None where none is."""
        return next((level for level in self.levels if level.switches), None)

    def to_dict(self) -> dict[str, Any]:
        """Return the decisions as plain data; times in seconds."""
        switch = self.switch
        return {
            "level": switch.level if switch else None,
            "groups": switch.groups if switch else None,
            "gain": switch.gain if switch else None,
            "scenario": self.scenario,
            "candidates": self.rules.candidates,
            "least_gain": self.rules.least_gain,
            "cache_bytes": self.rules.cache_bytes,
            "exchanges": self.rules.exchanges,
            "levels": [level.to_dict() for level in self.levels],
        }


def decide_redistribution(
    hierarchy: Hierarchy,
    parameters: Parameters,
    scenario: str | Collection[str] = "distance",
    mix: Mix | None = None,
    *,
    links: Links | None = None,
    rules: Rules | None = None,
) -> Redistribution:
    """Decide which level is redistributed, and over how many groups of ranks.

    Parameters
    ----------
    hierarchy
        Its levels.
    parameters
        Parameters of the machine.
    scenario
        The same as in `odonata.model.cycle_time`.
    mix
        Ranks a node and threads a rank; one rank a node without threads by default.
    links
        How links are counted; needed by the bandwidth penalty alone.
    rules
        Candidates and safeguards; the paper's by default, without a cache.

    Raises
    ------
    UserError
        The scenario is unknown, it has no links, or there are too many candidates.

    Notes
    -----
    With C groups, each of P_i/C adjacent active ranks with one owner,

    - T_noswitch = 10 C_i/P s_i t_i + 5 (p_i α + n_i β);
    - T_newmatvec = 2 C_i/C s_i t_i + (C - 1) (α + n_i/p_i β);
    - T_collective = 3 ceil(log2(P_i/C)) α + C_i/C (2 + ceil(log2(P_i/C))) β;
    - T_switch = 5 T_newmatvec + T_collective.

    In C/F order the messages of a product count 7 times in place of 5, its flops 5 times.

    The first level i > 0 with T_switch < T_noswitch is switched, unless the gain is below the
    least. The coarsest level is solved directly and stays. C is below p_i. It is excluded where a
    local problem that is small (matrix and source vector fit in the cache) would take half the
    cache or more, or where the vector of a medium one (the vector fits) would. A nonzero takes
    12 B, and a row 12 B more.

    References
    ----------
    Model-guided AMG on a dragonfly, section 6.1.

    Examples
    --------
    >>> from odonata import machine, model
    >>> eos = model.parameters_of(machine.load("eos"))
    >>> h = model.find_hierarchy("laplace", (50, 50, 25), 1024)
    >>> switch = decide_redistribution(h, eos).switch
    >>> switch.level, switch.groups, f"{switch.gain:.1%}"
    (5, 8, '13.9%')
    """
    mix, rules, h = mix or Mix(1), rules or Rules(), hierarchy
    exhaustive = rules.candidates == "all"
    if exhaustive and h.sends.max() > MOST_CANDIDATES:
        raise UserError("candidates: a rank has too many sends to look at all numbers of groups",
                        value=int(h.sends.max()), allowed=f"at most {MOST_CANDIDATES}")  # fmt: skip
    costs = message_costs(parameters, penalties_of(scenario), mix, h.ranks, links=links)
    kept = _core.RedistributionRules(
        exhaustive, rules.least_gain, rules.cache_bytes or 0.0, rules.exchanges
    )
    core = _core.Redistribution(costs, kept)
    flops = flop_seconds(parameters, mix, h.num_levels)
    levels = []
    for i in range(h.num_levels):
        work = _core.LevelWork(
            ranks=h.ranks,
            rows=h.rows[i],
            row_nonzeros=h.row_nonzeros[i],
            sends=h.sends[i],
            values_sent=h.values_sent[i],
            active_ranks=h.active_ranks[i],
            flop_seconds=flops[i],
        )
        decision = core.decide(work, coarsest=i + 1 == h.num_levels)
        levels.append(_labelled(i, decision, _core.explain(decision, kept)))
    name = scenario if isinstance(scenario, str) else ", ".join(sorted(scenario))
    return Redistribution(name, rules, tuple(levels))


def _labelled(level: int, decision: _core.LevelDecision, reason: str) -> LevelDecision:
    best = decision.best
    return LevelDecision(
        level,
        decision.no_switch_seconds,
        {candidate.groups: candidate.seconds for candidate in decision.candidates},
        tuple(candidate.groups for candidate in decision.candidates if candidate.too_large),
        best.groups if best else None,
        decision.gain if best else None,
        decision.switches,
        reason,
    )
