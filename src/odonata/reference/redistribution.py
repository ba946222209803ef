"""The decision to redistribute a level of algebraic multigrid, as the paper prints it.

One function a formula of "model-guided AMG on a dragonfly", section 6.1, without a penalty but
distance, which is part of alpha. `tests/model` compares it with the core.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log2

__all__ = ["Level", "Network", "choose_groups", "is_too_large", "no_switch", "switch"]


@dataclass(frozen=True)
class Network:
    """Time of a message, α, and of a value of 8 bytes, β [s]; ranks of the program, P."""

    alpha: float
    beta: float
    ranks: int


@dataclass(frozen=True)
class Level:
    """A level: C_i, s_i, p_i, n_i, P_i and t_i [s]."""

    rows: float
    row_nonzeros: float
    sends: float
    values_sent: float
    active_ranks: float
    flop_seconds: float


def no_switch(level: Level, network: Network, exchanges: int = 5) -> float:
    """Return the time of a level as it is, T_noswitch [s]; in C/F order it has 7 exchanges."""
    flops = 10 * level.rows / network.ranks * level.row_nonzeros * level.flop_seconds
    return flops + exchanges * (level.sends * network.alpha + level.values_sent * network.beta)


def switch(level: Level, network: Network, groups: int, exchanges: int = 5) -> float:
    """Return the time of a level on C groups, T_switch [s]."""
    per_message = network.alpha + level.values_sent / level.sends * network.beta
    flops = 2 * level.rows / groups * level.row_nonzeros * level.flop_seconds
    exchange = (groups - 1) * per_message
    steps = ceil(log2(level.active_ranks / groups))
    collective = 3 * steps * network.alpha + level.rows / groups * (2 + steps) * network.beta
    return 5 * flops + exchanges * exchange + collective


def is_too_large(level: Level, groups: int, cache_bytes: float) -> bool:
    """Return whether C groups fill the local problem half-way to a larger size class, or more."""

    def filled(ranks: float) -> tuple[float, float]:
        """Return which part of the cache the vector takes, and which the vector and the matrix."""
        rows = level.rows / ranks
        vector = 8 * rows
        matrix = 12 * rows * level.row_nonzeros + 4 * rows
        return vector / cache_bytes, (vector + matrix) / cache_bytes

    vector_before, both_before = filled(level.active_ranks)
    vector_after, both_after = filled(groups)
    if both_before <= 1:
        return both_after >= 0.5
    if vector_before <= 1:
        return vector_after >= 0.5
    return False


def choose_groups(
    level: Level,
    network: Network,
    cache_bytes: float | None,
    *,
    exhaustive: bool,
    exchanges: int = 5,
) -> int | None:
    """Return the number of groups with the smallest T_switch; None if none is allowed."""
    numbers = list(range(1, ceil(min(level.sends, level.active_ranks))))
    if not exhaustive:
        numbers = [c for c in numbers if c & (c - 1) == 0]
    if cache_bytes is not None:
        numbers = [c for c in numbers if not is_too_large(level, c, cache_bytes)]
    return min(numbers, key=lambda c: switch(level, network, c, exchanges), default=None)
