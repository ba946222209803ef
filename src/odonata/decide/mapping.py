"""A better order of the ranks of a job on the nodes that it has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from odonata import _core
from odonata.decide.communication import Communication
from odonata.decide.exchange import Exchange
from odonata.decide.methods import (
    Situation,
    Slots,
    along_curve,
    by_bandwidth,
    by_bisection,
    why_not_here,
)
from odonata.decide.partitioning import by_partition
from odonata.decide.reasons import BusyLink, ClassChange, busiest, class_changes
from odonata.errors import UserError, near_miss
from odonata.placement import Placement
from odonata.simulate import Job

__all__ = ["METHODS", "OBJECTIVES", "Costs", "RankMapping", "map_ranks"]

OBJECTIVES = ("hop-bytes", "max-link", "simulated")
"""Costs that an order may be chosen by."""

MANY_RANKS, MOST_RANKS_OF_TWO = 512, 2_048
"""Ranks beyond which only the two best orders are searched by the busiest link, and the best."""

ROUNDS = 50
"""Most rounds of a search over all ranks."""

METHODS: Mapping[str, str] = {
    "swaps": "the order of the placement",
    "greedy": "rank by rank, each where its own hop-bytes are fewest",
    "bisection": "halves of the ranks on halves of the nodes (METIS)",
    "rcm": "reverse Cuthill-McKee",
    "curve": "a Hilbert curve through the grid of processes",
    "kahypar": "blocks of ranks on nodes (Mt-KaHyPar)",
    "exhaustive": f"all orders of up to {_core.MOST_EXHAUSTIVE} ranks",
}
"""Methods, each followed by a search by swaps (but the last)."""


@dataclass(frozen=True)
class Costs:
    """Costs of an order.

    Parameters
    ----------
    hop_bytes
        Bytes of each message times the links that they cross [B].
    max_link_seconds
        Time of the busiest link for all its bytes [s].
    simulated_seconds, analytic_seconds
        Time of one exchange of all messages at once, by the packet engine and without contention
        [s]; None: not simulated.
    """

    hop_bytes: float
    max_link_seconds: float
    simulated_seconds: float | None = None
    analytic_seconds: float | None = None

    def by(self, objective: str) -> float:
        """Return the cost by an objective."""
        found = {
            "hop-bytes": self.hop_bytes,
            "max-link": self.max_link_seconds,
            "simulated": self.simulated_seconds,
        }[objective]
        assert found is not None, objective
        return found


@dataclass(frozen=True)
class RankMapping:
    """An order of ranks, its gain, and the reason.

    Parameters
    ----------
    objective, method
        Cost that it was chosen by, and the method that found it; ``start``: none is better.
    order
        Shape (ranks,): entry i is the rank of the first placement whose slot rank i gets, as
        ``odonata mpirun --reorder`` takes it.
    placement
        The ranks in this order.
    before, after
        Costs of the first placement and of this one.
    grid
        Processes in each dimension; None: not known.
    scale
        Part of the bytes that was simulated; 1 unless they were too many.
    tried
        Cost of each method's order by the objective.
    skipped
        Methods that were not tried, and the reason.
    classes
        Bytes on each class of links, before and after.
    busiest_before, busiest_after
        The busiest links.
    """

    objective: str
    method: str
    order: NDArray[np.int32]
    placement: Placement
    before: Costs
    after: Costs
    grid: tuple[int, ...] | None
    scale: float
    tried: Mapping[str, float]
    skipped: Mapping[str, str]
    classes: tuple[ClassChange, ...]
    busiest_before: tuple[BusyLink, ...]
    busiest_after: tuple[BusyLink, ...]

    @property
    def gain(self) -> float:
        """Part of the first cost that the order saves [1]."""
        before = self.before.by(self.objective)
        return 1 - self.after.by(self.objective) / before if before > 0 else 0.0

    def to_dict(self) -> dict[str, object]:
        """Return it as JSON has it."""
        return {
            "objective": self.objective,
            "method": self.method,
            "gain": self.gain,
            "before": asdict(self.before),
            "after": asdict(self.after),
            "grid": self.grid,
            "scale": self.scale,
            "tried": dict(self.tried),
            "skipped": dict(self.skipped),
            "classes": [asdict(change) for change in self.classes],
            "busiest_before": [asdict(link) for link in self.busiest_before],
            "busiest_after": [asdict(link) for link in self.busiest_after],
            "order": self.order.tolist(),
        }


def map_ranks(
    communication: Communication,
    start: Placement,
    *,
    objective: str = "hop-bytes",
    methods: Sequence[str] | None = None,
    grid: Sequence[int] | None = None,
    routing: str = "minimal",
    seed: int = 0,
    simulate: bool = False,
    behind: Sequence[Job] = (),
) -> RankMapping:
    """Find an order of ranks on the slots of a placement that costs less.

    Parameters
    ----------
    communication
        Who sends how much to whom.
    start
        The ranks as they are; its slots are kept.
    objective
        One of `OBJECTIVES`.
    methods
        Names of `METHODS`; None: all whose packages are there.
    grid
        Processes in each dimension, the last one fastest, for ``curve``; None: the grid of the
        matrix.
    routing
        Routing of the simulations.
    seed
        Seed of the search's draws and of the simulations.
    simulate
        Whether the order before and after is simulated, whatever the objective.
    behind
        Other jobs of the machine, in the background of the simulations.

    Returns
    -------
    RankMapping
        The best order found, and never a worse one than the first by the objective.

    Raises
    ------
    UserError
        The matrix has another number of ranks than the placement; a name is unknown, a package
        missing, or the grid of another size.
    """
    _check(communication, start, objective, grid)
    grid = communication.grid if grid is None else grid
    start.machine.routing(routing)  # an error here comes before the search
    situation = Situation(start.machine, start.nodes, communication, grid)
    search = _Search(situation, start, seed)
    chosen, skipped = _choose(methods, situation)
    exchange = Exchange(communication, start, routing=routing, seed=seed, behind=behind)
    found = {"start": np.arange(communication.ranks, dtype=np.int32)}
    cost = {"start": search.cost(objective, found["start"], exchange)}
    for method, slots in search.candidates(chosen, objective):
        value = search.cost(objective, slots, exchange)
        if method not in cost or value < cost[method]:
            found[method], cost[method] = slots, value
    best = min(cost, key=cost.__getitem__)
    whether = simulate or objective == "simulated"
    return _report(search, objective, best, found, cost, skipped, exchange if whether else None)


def _check(
    communication: Communication, start: Placement, objective: str, grid: Sequence[int] | None
) -> None:
    if objective not in OBJECTIVES:
        near, allowed = near_miss(objective, OBJECTIVES), ", ".join(OBJECTIVES)
        raise UserError("objective: unknown", value=objective, allowed=allowed, near=near)
    if communication.ranks != start.ranks:
        allowed = f"{start.ranks}, the ranks of the placement"
        raise UserError("matrix: ranks", value=communication.ranks, allowed=allowed)
    if grid is not None and (min(grid) < 1 or prod(grid) != start.ranks):
        shown = "x".join(map(str, grid))
        raise UserError("grid: processes", value=shown, allowed=f"{start.ranks} in all")


def _choose(
    methods: Sequence[str] | None, situation: Situation
) -> tuple[list[str], dict[str, str]]:
    """Return the methods to try, and the reasons why others are left out."""
    for name in methods or ():
        if name not in METHODS:
            near, allowed = near_miss(name, METHODS), ", ".join(METHODS)
            raise UserError("method: unknown", value=name, allowed=allowed, near=near)
    skipped = {}
    for name in METHODS:
        reason = why_not_here(name)
        if reason:
            skipped[name] = reason
        elif name == "curve" and situation.grid is None:
            skipped[name] = "needs the grid of processes"
        elif name == "exhaustive" and len(situation.node_of) > _core.MOST_EXHAUSTIVE:
            skipped[name] = f"is for up to {_core.MOST_EXHAUSTIVE} ranks"
    if methods is None:
        return [name for name in METHODS if name not in skipped], skipped
    for name in methods:
        if name in skipped:
            raise UserError(f"method: {name} {skipped[name]}")
    return list(dict.fromkeys(methods)), {}


class _Search:
    """Orders by method, each improved by swaps, and their costs."""

    def __init__(self, situation: Situation, start: Placement, seed: int) -> None:
        self.situation = situation
        self.start = start
        self.seed = seed
        communication = situation.communication
        self.mapper = _core.Mapper(
            situation.machine.core,
            situation.node_of.tolist(),
            communication.source.tolist(),
            communication.target.tolist(),
            communication.bytes.tolist(),
        )

    def candidates(self, methods: Sequence[str], objective: str) -> list[tuple[str, Slots]]:
        """Return the improved orders of some methods, each under the method's name."""
        exact = [name for name in methods if name == "exhaustive"]
        others = [name for name in methods if name != "exhaustive"]
        made = [(name, self._makers()[name]()) for name in others]
        short = [(name, self._improved("hop-bytes", slots)) for name, slots in made]
        if objective != "hop-bytes":
            ranks = len(self.situation.node_of)
            if ranks > MANY_RANKS:
                most = 2 if ranks <= MOST_RANKS_OF_TWO else 1
                made = sorted(short, key=self._busiest)[:most]
            short += [(name, self._improved("max-link", slots)) for name, slots in made]
        for follow in ("hop-bytes", "max-link"):
            short += [(name, np.asarray(self.mapper.best(follow), np.int32)) for name in exact]
        return short

    def _improved(self, objective: str, slots: Slots) -> Slots:
        improved = self.mapper.improved(objective, slots.tolist(), self.seed, ROUNDS)
        return np.asarray(improved, dtype=np.int32)

    def _busiest(self, candidate: tuple[str, Slots]) -> float:
        return float(self.mapper.max_link_seconds(candidate[1].tolist()))

    def cost(self, objective: str, slots: Slots, exchange: Exchange) -> float:
        """Return the cost of an order by an objective."""
        if objective == "hop-bytes":
            return float(self.mapper.hop_bytes(slots.tolist()))
        if objective == "max-link":
            return float(self.mapper.max_link_seconds(slots.tolist()))
        return exchange.seconds(slots, "packet")

    def costs(self, slots: Slots, exchange: Exchange | None) -> Costs:
        """Return all costs of an order."""
        listed = slots.tolist()
        return Costs(
            float(self.mapper.hop_bytes(listed)),
            float(self.mapper.max_link_seconds(listed)),
            None if exchange is None else exchange.seconds(slots, "packet"),
            None if exchange is None else exchange.seconds(slots, "analytic"),
        )

    def _makers(self) -> Mapping[str, Callable[[], Slots]]:
        situation = self.situation
        return {
            "swaps": lambda: np.arange(len(situation.node_of), dtype=np.int32),
            "greedy": lambda: np.asarray(self.mapper.greedy(), dtype=np.int32),
            "bisection": lambda: by_bisection(situation),
            "rcm": lambda: by_bandwidth(situation),
            "curve": lambda: along_curve(situation),
            "kahypar": lambda: by_partition(situation),
        }


def _report(
    search: _Search,
    objective: str,
    best: str,
    found: Mapping[str, Slots],
    cost: Mapping[str, float],
    skipped: Mapping[str, str],
    exchange: Exchange | None,
) -> RankMapping:
    machine, nodes = search.situation.machine, search.situation.node_of
    first, slots = np.arange(len(nodes), dtype=np.int32), found[best]
    before, after = (np.asarray(search.mapper.loads(each.tolist())) for each in (first, slots))
    unchanged = bool((slots == first).all())
    return RankMapping(
        objective=objective,
        method="start" if unchanged else best,
        order=slots,
        placement=search.start.reordered(slots.tolist()),
        before=search.costs(first, exchange),
        after=search.costs(slots, exchange),
        grid=None if search.situation.grid is None else tuple(search.situation.grid),
        scale=1.0 if exchange is None else exchange.scale,
        tried=cost,
        skipped=skipped,
        classes=class_changes(machine, before, after),
        busiest_before=busiest(machine, before),
        busiest_after=busiest(machine, after),
    )
