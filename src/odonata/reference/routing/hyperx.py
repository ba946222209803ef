"""Routing on a HyperX: dimension after dimension, one hop in each, or two by way of another router.

The first hop along a dimension takes virtual channel 0, the second one 1.
"""

from __future__ import annotations

from odonata.reference.draws import Draws, Purpose, pick
from odonata.reference.machine import Link
from odonata.reference.routing.base import Hop, Plan, Route, Routing, Waiting

MIDDLE, FIRST_CABLE, SECOND_CABLE = 0, 1, 2


class HyperxRouting(Routing):
    """A grid in which two routers that differ in one coordinate have a link."""

    def always_detours(self) -> bool:
        """No packet takes a detour along a dimension in which it is where it goes."""
        return False

    def draw(self, route: Route, what: int) -> int:
        """Three draws a dimension: `what` counts from the first dimension's."""
        return Draws(self.options.seed, Purpose.ROUTE, route.packet).bits(what)

    def differing(self, router: int, goal: int) -> list[int]:
        """Return the dimensions that are still to be crossed, the first of them first."""
        pairs = list(zip(self.machine.positions[router], self.machine.positions[goal], strict=True))
        return [d for d, (here, there) in enumerate(pairs) if here != there]

    def line(self, router: int, dimension: int) -> list[int]:
        """Return the routers that differ from this one in one coordinate at most, by it."""
        at = self.machine.positions[router]

        def rest(position: tuple[int, ...]) -> list[int]:
            return [c for i, c in enumerate(position) if i != dimension]

        all_routers = enumerate(self.machine.positions)
        line = [(p[dimension], r) for r, p in all_routers if rest(p) == rest(at)]
        return [r for _, r in sorted(line)]

    def corner(self, router: int, goal: int, dimension: int) -> int:
        """Return the router of the line that has the goal's coordinate."""
        return self.line(router, dimension)[self.machine.positions[goal][dimension]]

    def middle(self, route: Route, router: int, dimension: int) -> int:
        """Return any other router of the line."""
        others = [r for r in self.line(router, dimension) if r != router]
        return others[pick(self.draw(route, 3 * dimension + MIDDLE), len(others))]

    def link(self, route: Route, router: int, dimension: int, to: int, which: int) -> Link:
        """Return one of the parallel links between two routers."""
        cables = [link for link in self.leaving[router] if link.target == to]
        return cables[pick(self.draw(route, 3 * dimension + which), len(cables))]

    def plan(self, route: Route, router: int, dimensions: list[int], *, detours: bool) -> Plan:
        """Return the start of a way across some dimensions, and how long it is."""
        corners = {d: self.corner(router, route.to, d) for d in dimensions}
        middles = {d: self.middle(route, router, d) if detours else corners[d] for d in dimensions}
        d = dimensions[0]
        first = self.link(route, router, d, middles[d], FIRST_CABLE)
        second = None
        if middles[d] != corners[d]:
            second = self.link(route, middles[d], d, corners[d], SECOND_CABLE)
        return Plan(second, first, sum(1 + (middles[d] != corners[d]) for d in dimensions))

    def detour_wins(
        self, route: Route, router: int, dimensions: list[int], waiting: Waiting
    ) -> bool:
        """Weigh the straight way across these dimensions against the way with detours."""
        straight = self.plan(route, router, dimensions, detours=False)
        detour = self.plan(route, router, dimensions, detours=True)
        return not self.minimal_wins(straight, detour, waiting)

    def decide(self, route: Route, router: int, waiting: Waiting) -> None:
        """Once at the source; PAR at the start of each dimension, for that one."""
        policy = self.options.policy
        ahead = self.differing(router, route.to)
        if policy == "par":
            if route.locals == 0:
                route.decided = len(ahead) == 1
                route.globals = int(self.detour_wins(route, router, ahead[:1], waiting))
            return
        route.decided = True
        if policy == "valiant":
            route.globals = 1
        elif policy != "minimal":
            route.globals = int(self.detour_wins(route, router, ahead, waiting))

    def hop(self, route: Route, router: int) -> Hop:
        """Along the first dimension ahead: `globals` 1 is a detour, `locals` 1 half of one."""
        d = self.differing(router, route.to)[0]
        corner = self.corner(router, route.to, d)
        if route.locals == 1:
            route.locals = 0
            return self.link(route, router, d, corner, SECOND_CABLE), 1
        to = self.middle(route, router, d) if route.globals else corner
        route.locals = int(to != corner)
        return self.link(route, router, d, to, FIRST_CABLE), 0
