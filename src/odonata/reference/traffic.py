"""Synthetic traffic: who sends to whom, and when."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .draws import Draws, Purpose
from .machine import Machine, transmission_time
from .mpi import RankProgram
from .rank import Program, Rank

Pattern = Callable[[int, Draws, int], int]
"""Target of message i of a rank."""


@dataclass
class Traffic:
    """Messages of every rank, with exponential gaps between them."""

    pattern: Pattern
    load: float  # of the injection link
    bytes: int  # [B] a message
    messages: int  # a rank


def uniform(num_ranks: int) -> Pattern:
    """Return any other rank."""

    def target(source: int, draws: Draws, i: int) -> int:
        others = [r for r in range(num_ranks) if r != source]
        return others[draws.below(i, len(others))]

    return target


def adversarial(machine: Machine, nodes: list[int], shift: int) -> Pattern:
    """Return any rank of the group `shift` groups onward, or of the next one that has ranks."""
    group = [machine.group(machine.node_router[node]) for node in nodes]

    def target(source: int, draws: Draws, i: int) -> int:
        goal = (group[source] + shift) % machine.groups
        while goal not in group:
            goal = (goal + 1) % machine.groups
        there = [r for r, g in enumerate(group) if g == goal]
        return there[draws.below(i, len(there))]

    return target


def permutation(num_ranks: int, seed: int) -> Pattern:
    """Return a fixed rank for each: one cycle through all (Sattolo 1986)."""
    targets = list(range(num_ranks))
    draws = Draws(seed, Purpose.SHUFFLE, 0)
    for i in range(num_ranks - 1, 0, -1):
        j = draws.below(i, i)
        targets[i], targets[j] = targets[j], targets[i]
    return lambda source, draws, i: targets[source]


def traffic(what: Traffic) -> Program:
    """Return the rank program of synthetic traffic."""

    def program(rank: Rank) -> RankProgram:
        bandwidth = rank.world.machine.injection(rank.state.port).link_class.bandwidth
        mean_gap = transmission_time(what.bytes, bandwidth) / what.load  # [ps]
        gaps, targets = rank.draws(Purpose.TRAFFIC_GAP), rank.draws(Purpose.TRAFFIC_TARGET)
        time = 0.0
        for i in range(what.messages):
            time += mean_gap * gaps.exponential(i)
            if int(time) >= rank.world.clock.now:
                yield rank.sleep_until(int(time))
            yield rank.room()
            rank.send_datagram(what.pattern(rank.index, targets, i), what.bytes)

    return program
