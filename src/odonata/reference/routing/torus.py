"""Routing on torus and Gemini: always a shortest way, by dimension order or by waiting bytes.

On a ring of more than three routers a packet that has the link between the last coordinate and the
first still ahead of it takes the lower one of two virtual channels. Each turn back to an earlier
dimension takes an adaptive packet to the next two (one, on lines and rings of three).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from odonata.reference.draws import Draws, Purpose, pick
from odonata.reference.machine import Link, Machine
from odonata.reference.routing.base import Hop, Route, Routing, RoutingOptions, Waiting

UP, DOWN = 1, -1
MOST_REVERSALS = 2


@dataclass
class Move:
    """A link that a packet could take next."""

    dimension: int
    step: int  # UP or DOWN
    link: Link
    reversals: int  # turns back to an earlier dimension, this one included


class TorusRouting(Routing):
    """A grid whose lines may close to rings. Route: `locals` is the dimension of the last hop."""

    def __init__(self, machine: Machine, options: RoutingOptions) -> None:
        super().__init__(machine, options)
        self.at = machine.positions
        self.router_at = {place: router for router, place in enumerate(self.at)}
        self.sizes = [1 + max(column) for column in zip(*self.at, strict=True)]
        self.rings = [self.is_ring(d) for d in range(len(self.sizes))]
        self.most_reversals = min(MOST_REVERSALS, len(self.sizes) - 1)

    def is_ring(self, d: int) -> bool:
        """Return whether a link closes the line of router 0 along a dimension."""
        last = self.moved(0, d, self.sizes[d] - 1)
        return self.sizes[d] > 2 and any(link.target == last for link in self.leaving[0])

    def moved(self, router: int, d: int, coordinate: int) -> int:
        """Return the router that differs in one coordinate."""
        place = list(self.at[router])
        place[d] = coordinate
        return self.router_at[tuple(place)]

    def walk(self, router: int, goal: int, d: int, step: int) -> list[int]:
        """Return the coordinates on the way along one dimension, both ends included."""
        here, there = self.at[router][d], self.at[goal][d]
        way = [here]
        while way[-1] != there:
            way.append((way[-1] + step) % self.sizes[d])
        return way

    def closes(self, way: list[int], d: int) -> bool:
        """Return whether a way has the link between the last coordinate and the first."""
        ends = {0, self.sizes[d] - 1}
        return self.sizes[d] > 2 and any({*pair} == ends for pair in pairwise(way))

    def shortest(self, router: int, goal: int, d: int) -> list[int]:
        """Return UP, DOWN or both: the steps of the shortest ways along one dimension."""
        ways = {step: self.walk(router, goal, d, step) for step in (UP, DOWN)}
        if not self.rings[d]:
            return [UP if self.at[router][d] < self.at[goal][d] else DOWN]
        least = min(len(way) for way in ways.values())
        return [step for step, way in ways.items() if len(way) == least]

    def cables(self, router: int, d: int, step: int) -> list[Link]:
        """Return the parallel links to a neighbour."""
        to = self.moved(router, d, (self.at[router][d] + step) % self.sizes[d])
        return [link for link in self.leaving[router] if link.target == to]

    def always_detours(self) -> bool:
        """No packet takes a detour."""
        return False

    def draw(self, route: Route, what: int) -> int:
        """Draws of the packet; under ``hashed`` of its two ports."""
        if self.options.policy == "hashed":
            return self.draw_of_pair(route.ports, what)
        return Draws(self.options.seed, Purpose.ROUTE, route.packet).bits(what)

    def draw_of_pair(self, pair: tuple[int, int], what: int) -> int:
        """Draws of two ports or routers."""
        source, target = pair
        number = Draws(self.options.seed, Purpose.ROUTE, source << 32 | target).bits(0) >> 32
        return Draws(self.options.seed, Purpose.ROUTE, number).bits(what)

    def usable(self, route: Route, d: int, cables: list[Link]) -> list[Link]:
        """Return the cables that a packet may take: under ``one-link`` one, drawn by routers."""
        if self.options.policy != "one-link" or len(cables) == 1:
            return cables
        source, target = route.ports
        routers = self.machine.port_router[source], self.machine.port_router[target]
        return [cables[pick(self.draw_of_pair(routers, 2 * d + 1), len(cables))]]

    def decide(self, route: Route, router: int, waiting: Waiting) -> None:
        """Choose the next link, at every router anew."""
        if self.options.policy in {"adaptive", "one-link"}:
            move = self.least_loaded(route, router, waiting)
        else:
            move = self.in_order(route, router)
        route.gateway, route.locals, route.globals = move.link, move.dimension, move.reversals

    def differing(self, router: int, goal: int) -> list[int]:
        """Return the dimensions that are still to be crossed, the first of them first."""
        return [d for d in range(len(self.sizes)) if self.at[router][d] != self.at[goal][d]]

    def in_order(self, route: Route, router: int) -> Move:
        """Cross the first dimension that is left: two draws, the way round and the cable."""
        d = self.differing(router, route.to)[0]
        steps = self.shortest(router, route.to, d)
        step = steps[pick(self.draw(route, 2 * d), len(steps))]
        cables = self.cables(router, d, step)
        return Move(d, step, cables[pick(self.draw(route, 2 * d + 1), len(cables))], 0)

    def moves(self, route: Route, router: int) -> list[Move]:
        """Return all moves along a shortest way after which the rest can be taken in order."""
        left = self.differing(router, route.to)
        found = []
        for d in left:
            reversals = route.globals + (d < route.locals)
            if reversals > self.most_reversals:
                continue
            if reversals == self.most_reversals and d != left[0]:
                continue
            found += [
                Move(d, step, link, reversals)
                for step in self.shortest(router, route.to, d)
                for link in self.usable(route, d, self.cables(router, d, step))
            ]
        return found

    def least_loaded(self, route: Route, router: int, waiting: Waiting) -> Move:
        """Draw one of the moves for which the fewest bytes wait; a turn back only if it is less."""

        def cost(move: Move) -> tuple[int, bool]:
            turns_back = move.reversals > route.globals
            return waiting(move.link) + turns_back * self.options.bias_bytes, turns_back

        moves = self.moves(route, router)
        best = [move for move in moves if cost(move) == min(map(cost, moves))]
        return best[pick(self.draw(route, route.hops), len(best))]

    def hop(self, route: Route, router: int) -> Hop:
        """Take the link that was chosen, on the channel for the way ahead."""
        link, d, reversals = route.gateway, route.locals, route.globals
        assert link is not None
        up = self.at[link.target][d] == (self.at[router][d] + 1) % self.sizes[d]
        if not self.rings[d] or self.sizes[d] == 3:
            return link, reversals
        ahead = self.walk(router, route.to, d, UP if up else DOWN)
        return link, 2 * reversals + (not self.closes(ahead, d))
