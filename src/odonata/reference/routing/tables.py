"""Routing on star and graph: shortest paths.

A route has at most one detour, through a random router, decided at the source. Virtual channels
rise along every route.
"""

from __future__ import annotations

from odonata.reference.draws import Draws, Purpose, pick
from odonata.reference.machine import Link, Machine
from odonata.reference.routing.base import (
    MIDDLE,
    NEXT,
    Hop,
    Plan,
    Route,
    Routing,
    RoutingOptions,
    Waiting,
)


class TableRouting(Routing):
    """Star and graph: shortest paths, the virtual channel being the number of links taken."""

    def __init__(self, machine: Machine, options: RoutingOptions) -> None:
        super().__init__(machine, options)
        self.distances = [self.distances_from(router) for router in range(machine.num_routers)]

    def distances_from(self, source: int) -> dict[int, int]:
        """Return the links on a shortest route to every router, one ring after the other."""
        found, ring, distance = {source: 0}, [source], 0
        while ring:
            distance += 1
            reached = {link.target for router in ring for link in self.leaving[router]}
            ring = sorted(reached - found.keys())
            found.update(dict.fromkeys(ring, distance))
        return found

    def always_detours(self) -> bool:
        """Return False: a random router at one of the ends is no detour."""
        return False

    def draw(self, route: Route, what: int) -> int:
        """Three draws a hop."""
        return Draws(self.options.seed, Purpose.ROUTE, route.packet).bits(3 * route.hops + what)

    def towards(self, route: Route, router: int, goal: int) -> Link:
        """Return one of the links on a shortest route."""
        distance = self.distances[router][goal]
        closer = [
            link
            for link in self.leaving[router]
            if self.distances[link.target][goal] == distance - 1
        ]
        return closer[pick(self.draw(route, NEXT), len(closer))]

    def decide(self, route: Route, router: int, waiting: Waiting) -> None:
        """Once, at the source."""
        route.decided = True
        if self.options.policy == "minimal":
            return
        middle = pick(self.draw(route, MIDDLE), self.machine.num_routers)
        if middle in (router, route.to):
            return
        length = self.distances[router][middle] + self.distances[middle][route.to]
        straight = self.distances[router][route.to]
        minimal = Plan(None, self.towards(route, router, route.to), straight)
        detour = Plan(None, self.towards(route, router, middle), length)
        if self.options.policy == "valiant" or not self.minimal_wins(minimal, detour, waiting):
            route.middle = middle

    def hop(self, route: Route, router: int) -> Hop:
        """To the intermediate router, then to the destination."""
        if route.middle == router:
            route.middle = None
        goal = route.to if route.middle is None else route.middle
        return self.towards(route, router, goal), route.hops
