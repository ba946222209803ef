"""Flows of a pattern on the links between routers: how many the fullest ones carry."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from odonata import _core
from odonata.errors import UserError
from odonata.machine.lines import read_lines
from odonata.machine.machine import Machine, has_names

__all__ = ["Congestion", "congestion", "pairs_of"]

MOST_PAIRS = 20_000_000
"""Pairs of a file."""

MOST_SAMPLES = 100_000

PATTERNS = "shift:K, bisect, alltoall, or a file of lines '<from> <to>'"

_PAIR = re.compile(r"(\S+)[\s,]+(\S+)")


@dataclass(frozen=True)
class Congestion:
    """Flows on the links between routers.

    Parameters
    ----------
    machine, routing, pattern
        Names.
    adapters
        Adapters (ports of nodes), numbered in the order of the machine.
    flows, unreachable
        Pairs of adapters with a route, and without or with a node that faults have cut off.
    most_flows
        Flows of the fullest link; of several bisections the most of all.
    links_with_more_than_one
        Links with two flows or more; of several bisections the mean.
    links_used
        Links with any flow; of several bisections the mean.
    effective_bandwidth
        Mean over the flows of the part of a link that each has where the fullest link of its route
        is shared alike; None for an alltoall.
    samples
        Random bisections; 1 for other patterns.
    """

    machine: str
    routing: str
    pattern: str
    adapters: int
    flows: int
    unreachable: int
    most_flows: int
    links_with_more_than_one: float
    links_used: float
    effective_bandwidth: float | None
    samples: int

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data."""
        return asdict(self)


def congestion(
    machine: Machine, pattern: str, *, routing: str = "minimal", samples: int = 100, seed: int = 0
) -> Congestion:
    """Count the flows of a pattern on the links between routers.

    Parameters
    ----------
    machine
        The machine.
    pattern
        ``shift:K``: from adapter i to adapter (i + K) mod n. ``bisect``: each adapter of a random
        half to one of the other half, as ORCS does. ``alltoall``: every pair. Else the path of a
        file with a pair of adapters in a line: numbers, or hosts, whose first adapter counts.
    routing
        Policy; one that draws its routes draws one for each pair.
    samples
        Random bisections.
    seed
        Seed of the bisections and of drawn routes.

    Raises
    ------
    UserError
        The pattern or a pair is wrong.
    """
    on, name = machine.routing(routing, seed=seed), machine.policy(routing)
    count, cut = machine.num_node_ports, machine.cut_ports
    if pattern == "alltoall":
        every = _core.count_all_flows(machine.core, on, cut)
        return _report(machine, name, pattern, [every], with_shares=False)
    if pattern == "bisect":
        if not 1 <= samples <= MOST_SAMPLES:
            allowed = f"1 to {MOST_SAMPLES}"
            raise UserError("samples: out of range", value=samples, allowed=allowed)
        found = [
            _core.count_flows(machine.core, on, _bisection(count, seed, sample), cut)
            for sample in range(samples)
        ]
        return _report(machine, name, pattern, found)
    pairs = pairs_of(machine, pattern, seed)
    return _report(machine, name, pattern, [_core.count_flows(machine.core, on, pairs, cut)])


def pairs_of(machine: Machine, pattern: str, seed: int = 0) -> list[tuple[int, int]]:
    """Return the pairs of adapters of a pattern.

    Parameters
    ----------
    machine
        The machine.
    pattern
        A pattern of `congestion`.
    seed
        Seed of a bisection, the first sample of `congestion`.

    Raises
    ------
    UserError
        The pattern or a pair is wrong, or there are too many pairs.
    """
    count = machine.num_node_ports
    if pattern.startswith("shift:"):
        return _shift(pattern, count)
    if pattern == "bisect":
        return _bisection(count, seed, 0)
    if pattern == "alltoall":
        if count * (count - 1) > MOST_PAIRS:
            allowed = f"up to {MOST_PAIRS} pairs"
            raise UserError("pattern: too many pairs", value=pattern, allowed=allowed)
        return [(a, (a + step) % count) for a in range(count) for step in range(1, count)]
    return _listed(machine, pattern)


def _report(
    machine: Machine,
    routing: str,
    pattern: str,
    found: Sequence[_core.FlowCounts],
    *,
    with_shares: bool = True,
) -> Congestion:
    def mean(values: Iterable[float]) -> float:
        total = sum(values)
        return int(total) if len(found) == 1 and total == int(total) else total / len(found)

    return Congestion(
        machine.name,
        routing,
        pattern,
        machine.num_node_ports,
        found[0].flows,
        found[0].unreachable,
        max(each.most_flows for each in found),
        mean(each.links_with_more_than_one for each in found),
        mean(each.links_used for each in found),
        sum(each.mean_share for each in found) / len(found) if with_shares else None,
        len(found),
    )


def _shift(pattern: str, count: int) -> list[tuple[int, int]]:
    text = pattern.partition(":")[2]
    if not re.fullmatch(r"-?\d{1,9}", text):
        raise UserError("pattern: not a shift", value=pattern, allowed="shift:K, such as shift:1")
    return [(i, (i + int(text)) % count) for i in range(count) if int(text) % count]


def _bisection(count: int, seed: int, sample: int) -> list[tuple[int, int]]:
    """Return the pairs of a random bisection: both directions of each."""
    import numpy as np

    order = np.array(_core.shuffled(count, seed, sample))
    half = count // 2
    there = zip(order[:half].tolist(), order[half : 2 * half].tolist(), strict=True)
    return [pair for a, b in there for pair in ((a, b), (b, a))]


def _listed(machine: Machine, pattern: str) -> list[tuple[int, int]]:
    path = Path(pattern)
    if not path.exists():
        raise UserError("pattern: unknown, and no such file", value=pattern, allowed=PATTERNS)
    known = _Adapters(machine)
    pairs: list[tuple[int, int]] = []
    for number, line in read_lines(path):
        where = f"{path}:{number}"
        found = _PAIR.fullmatch(line)
        if found is None:
            allowed = "two adapters or hosts"
            raise UserError("pattern: not a pair", value=line, allowed=allowed, where=where)
        if len(pairs) >= MOST_PAIRS:
            allowed = f"up to {MOST_PAIRS}"
            raise UserError("pattern: too many pairs", allowed=allowed, where=where)
        pairs.append((known.number(found[1], where), known.number(found[2], where)))
    return pairs


class _Adapters:
    """Numbers of adapters, and of the first adapters of hosts."""

    def __init__(self, machine: Machine) -> None:
        from odonata.machine.node_names import Names  # for fabrics alone

        self._machine = machine
        self._names = Names(machine) if has_names(machine) else None

    def number(self, word: str, where: str) -> int:
        """Return the adapter that a word of a file means."""
        if word.isdecimal() and len(word) < 10:
            if int(word) >= self._machine.num_node_ports:
                allowed = f"0 to {self._machine.num_node_ports - 1}"
                raise UserError(
                    "pattern: no such adapter", value=word, allowed=allowed, where=where
                )
            return int(word)
        if self._names is None:
            raise UserError("pattern: not a number", value=word, where=where)
        return self._machine.first_port(self._names.node(word, where=where))
