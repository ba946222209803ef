"""Orders of ranks for the topologies that a program creates (``--mapper``).

A rank that creates a topology with ``reorder = 1`` asks the simulator which rank takes which place
(`cpp/odonata/live/order_question.hpp`); the mapper of `odonata.decide` answers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from odonata import _core
from odonata.decide import METHODS, OBJECTIVES, Communication, map_ranks
from odonata.decide.methods import why_not_here
from odonata.errors import UserError, near_miss
from odonata.placement import Placement
from odonata.simulate import Options

__all__ = ["DEFAULT_MAPPER", "OFF", "Mapper", "Reordering", "TopologyMapper", "parse_mapper"]

DEFAULT_MAPPER = "hop-bytes"
"""Mapper of the option without a word."""

OFF = "off"
"""Word for no mapper."""

EDGE_BYTES = 65_536
"""Bytes of an edge of mean weight, since the weights of a topology have no unit [B]."""


@dataclass(frozen=True)
class Mapper:
    """Way to order the ranks of topologies.

    Parameters
    ----------
    objective
        Cost that is to fall: one of `odonata.decide.OBJECTIVES`.
    methods
        Names of `odonata.decide.METHODS`; None: all whose packages are there.
    """

    objective: str
    methods: tuple[str, ...] | None = None

    def __str__(self) -> str:
        return self.objective + (f":{'+'.join(self.methods)}" if self.methods else "")


def parse_mapper(text: str | None) -> Mapper | None:
    """Return the mapper that a text names.

    Parameters
    ----------
    text
        An objective, a method, ``OBJECTIVE:METHOD``, or ``off``; None: ``off``.

    Raises
    ------
    UserError
        A name is unknown, or a package of the method missing.

    Examples
    --------
    >>> parse_mapper("max-link"), parse_mapper("greedy")
    (Mapper(objective='max-link', methods=None), Mapper(objective='hop-bytes', methods=('greedy',)))
    >>> parse_mapper("off")
    """
    if text is None or text == OFF:
        return None
    objective, colon, method = text.partition(":")
    if not colon and objective in METHODS:
        objective, method = DEFAULT_MAPPER, objective
    if objective not in OBJECTIVES or (method not in METHODS and method) or (colon and not method):
        known = [OFF, *OBJECTIVES, *METHODS]
        allowed = f"{', '.join(known)}, or OBJECTIVE:METHOD"
        raise UserError("mapper: unknown", value=text, allowed=allowed, near=near_miss(text, known))
    reason = why_not_here(method)
    if reason:
        raise UserError(f"mapper: {method} {reason}")
    return Mapper(objective, (method,) if method else None)


@dataclass(frozen=True)
class Reordering:
    """A topology that the mapper was asked about, and its answer.

    Parameters
    ----------
    function
        Function of MPI that created the topology.
    times
        How often the same ranks created it.
    ranks, of
        Ranks of the new communicator, and of its parent.
    grid
        Processes in each dimension of a Cartesian topology, else empty.
    objective, method
        Cost that the order was chosen by, and the method that found it; ``start``: no order is
        better, and ranks keep their numbers.
    before, after
        Cost of the first order and of the new one, in the objective's unit: [B] or [s].
    gain
        Part of the first cost that the order saves [1].
    moved
        Ranks of the new communicator that are others than without the mapper.
    order
        Rank in ``MPI_COMM_WORLD`` of each rank of the new communicator.
    """

    function: str
    times: int
    ranks: int
    of: int
    grid: tuple[int, ...]
    objective: str
    method: str
    before: float
    after: float
    gain: float
    moved: int
    order: tuple[int, ...]


class _Topology(NamedTuple):
    """Topology and the ranks that it is for, which determine an order."""

    size: int
    members: tuple[int, ...]
    grid: tuple[int, ...]
    edges: bytes


@dataclass(frozen=True)
class _Answer:
    """An order of the members, and its gain."""

    order: tuple[int, ...]
    method: str = "start"
    before: float = 0.0
    after: float = 0.0

    @property
    def gain(self) -> float:
        return 1 - self.after / self.before if self.before > 0 else 0.0


@dataclass
class TopologyMapper:
    """Orders for the topologies of one run; called for each question of a rank.

    The same question has the same answer, whoever asks and when.

    Parameters
    ----------
    mapper
        How orders are found.
    placement
        Where the ranks of the program are.
    options
        Routing and seed.
    """

    mapper: Mapper
    placement: Placement
    options: Options
    _answers: dict[_Topology, _Answer] = field(default_factory=dict, init=False)
    _made: dict[tuple[int, str, _Topology], Reordering] = field(default_factory=dict, init=False)

    def __call__(
        self,
        rank: int,
        function: str,
        size: int,
        members: Sequence[int],
        grid: Sequence[int],
        source: Sequence[int],
        target: Sequence[int],
        weight: Sequence[int],
    ) -> list[int]:
        """Return which member takes each place; the last ones have no place.

        Parameters
        ----------
        rank
            Rank that asks.
        function
            Function of MPI that it has called.
        size
            Places of the topology, at most as many as members.
        members
            Ranks in the world, in their first order.
        grid
            Processes in each dimension of a Cartesian topology, else empty.
        source, target, weight
            Edges between places.
        """
        edges = np.array([source, target, weight], dtype=np.int64)
        topology = _Topology(size, tuple(members), tuple(grid), edges.tobytes())
        if topology not in self._answers:
            self._answers[topology] = self._order(topology, edges)
        answer = self._answers[topology]
        if not function.endswith("_map"):
            self._note(rank, function, topology, answer)
        return list(answer.order)

    @property
    def reorderings(self) -> list[Reordering]:
        """Topologies that were created: for each first rank in the order of its calls."""
        return [self._made[key] for key in sorted(self._made, key=lambda key: key[0])]

    def provenance(self) -> dict[str, str]:
        """Return the mapper and its orders, as a result keeps them."""
        made = [asdict(one) for one in self.reorderings]
        return {"mapper": str(self.mapper), "reordered": json.dumps(made)}

    def _note(self, rank: int, function: str, topology: _Topology, answer: _Answer) -> None:
        """Count a topology that the first rank of a communicator has asked for."""
        key = (rank, function, topology)
        if key in self._made:
            self._made[key] = replace(self._made[key], times=self._made[key].times + 1)
            return
        first = answer.order[: topology.size]
        self._made[key] = Reordering(
            function=function,
            times=1,
            ranks=topology.size,
            of=len(topology.members),
            grid=topology.grid,
            objective=self.mapper.objective,
            method=answer.method,
            before=answer.before,
            after=answer.after,
            gain=answer.gain,
            moved=sum(place != member for place, member in enumerate(first)),
            order=tuple(topology.members[member] for member in first),
        )

    def _order(self, topology: _Topology, edges: NDArray[np.int64]) -> _Answer:
        members = topology.members
        unchanged = _Answer(tuple(range(len(members))))
        whole = topology.grid if topology.grid and topology.size == len(members) else None
        source, target, weight = edges
        total = float(weight[source != target].sum())
        if total == 0 or not self._possible(len(members), whole):
            return unchanged
        scale = EDGE_BYTES * np.count_nonzero((weight > 0) & (source != target)) / total
        start = Placement(
            self.placement.machine, [self.placement.node_of[member] for member in members]
        )
        found = map_ranks(
            Communication(len(members), source, target, weight * scale),
            start,
            objective=self.mapper.objective,
            methods=self.mapper.methods,
            grid=whole,
            routing=self.options.routing,
            seed=self.options.seed,
        )
        before, after = (cost.by(self.mapper.objective) for cost in (found.before, found.after))
        return _Answer(tuple(found.order.tolist()), found.method, before, after)

    def _possible(self, ranks: int, grid: tuple[int, ...] | None) -> bool:
        """Whether the chosen methods can order this topology; otherwise it stays as it is."""
        methods = self.mapper.methods or ()
        if "curve" in methods and grid is None:
            return False
        return "exhaustive" not in methods or ranks <= _core.MOST_EXHAUSTIVE
