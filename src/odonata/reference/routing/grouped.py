"""Routing on dragonfly and Aries, whose routers form groups.

A route has at most one detour, through a random third group, decided at the source. Virtual
channels rise along every route.
"""

from __future__ import annotations

from odonata.reference.draws import Draws, Purpose, pick
from odonata.reference.machine import Link, Machine
from odonata.reference.routing.base import (
    DETOUR,
    LOCAL,
    MIDDLE,
    NEXT,
    Hop,
    Plan,
    Route,
    Routing,
    RoutingOptions,
    Waiting,
)


class GroupRouting(Routing):
    """Dragonfly and Aries: local links, a global link, local links, and once more for a detour."""

    def __init__(self, machine: Machine, options: RoutingOptions) -> None:
        super().__init__(machine, options)
        rows = 1 + max(row for _, row, _ in machine.positions)
        self.columns = 1 + max(column for _, _, column in machine.positions)
        self.span = 2 if rows > 1 and self.columns > 1 else 1  # local links in a group
        self.first_span = 2 * self.span if options.policy == "par" else self.span

    def always_detours(self) -> bool:
        """Under Valiant, where there is another group."""
        return self.options.policy == "valiant" and self.machine.groups > 1

    def draw(self, route: Route, what: int) -> int:
        """Four draws a hop."""
        return Draws(self.options.seed, Purpose.ROUTE, route.packet).bits(4 * route.hops + what)

    def gateways(self, here: int, there: int) -> list[Link]:
        """Return the global links from a group to another."""
        group = self.machine.group
        return [
            link
            for link in self.machine.router_links()
            if group(link.source) == here and group(link.target) == there
        ]

    def local_distance(self, a: int, b: int) -> int:
        """Return the links between two routers of a group: one to change column, one for row."""
        columns = self.columns
        return (a % columns != b % columns) + (a // columns != b // columns)

    def distance(self, a: int, b: int) -> int:
        """Return the links on a shortest route."""
        here, there = self.machine.group(a), self.machine.group(b)
        if here == there:
            return self.local_distance(a, b)
        return min(self.length_by(gateway, a, b) for gateway in self.gateways(here, there))

    def length_by(self, gateway: Link, a: int, b: int) -> int:
        """Return the links on a shortest route by this global link."""
        return self.local_distance(a, gateway.source) + 1 + self.distance(gateway.target, b)

    def local_link(self, route: Route, router: int, goal: int) -> Link:
        """Return the first link to a router of the group; chance chooses turn and cable."""
        bits = self.draw(route, LOCAL)
        columns = self.columns
        same_row = router // columns == goal // columns
        same_column = router % columns == goal % columns
        if same_row or (not same_column and bits % 2 == 0):
            corner = router - router % columns + goal % columns  # my row, its column
        else:
            corner = goal - goal % columns + router % columns  # its row, my column
        cables = [link for link in self.leaving[router] if link.target == corner]
        return cables[pick(bits, len(cables))]

    def towards(self, route: Route, router: int, gateway: Link) -> Link:
        """Return the first link of the way out by a gateway."""
        if gateway.source == router:
            return gateway
        return self.local_link(route, router, gateway.source)

    def minimal_gateway(self, route: Route, router: int) -> Link:
        """Return one of the global links on a shortest route."""
        group = self.machine.group
        links = self.gateways(group(router), group(route.to))
        length = self.distance(router, route.to)
        best = [link for link in links if self.length_by(link, router, route.to) == length]
        return best[pick(self.draw(route, NEXT), len(best))]

    def detour_gateway(self, route: Route, router: int, middle: int) -> Link:
        """Return one of the global links to the intermediate group."""
        links = self.gateways(self.machine.group(router), middle)
        return links[pick(self.draw(route, DETOUR), len(links))]

    def decide(self, route: Route, router: int, waiting: Waiting) -> None:
        """Once at the source; PAR again at each router there, while the route is minimal."""
        policy = self.options.policy
        route.decided = policy != "par" or route.globals > 0
        if policy == "minimal" or route.globals > 0:
            return
        here, there = self.machine.group(router), self.machine.group(route.to)
        others = [g for g in range(self.machine.groups) if g not in (here, there)]
        if not others:
            route.decided = True
            return
        middle = others[pick(self.draw(route, MIDDLE), len(others))]
        if policy == "valiant":
            route.middle = middle
            return
        minimal = self.plan_minimal(route, router)
        exit_ = self.detour_gateway(route, router, middle)
        length = self.length_by(exit_, router, route.to)
        detour = Plan(exit_, self.towards(route, router, exit_), length)
        if self.minimal_wins(minimal, detour, waiting):
            route.gateway = minimal.gateway
        else:
            route.decided, route.middle, route.gateway = True, middle, detour.gateway

    def plan_minimal(self, route: Route, router: int) -> Plan:
        """Return the start of a shortest route."""
        if self.machine.group(router) == self.machine.group(route.to):
            link = self.local_link(route, router, route.to)
            return Plan(None, link, self.local_distance(router, route.to))
        gateway = route.gateway or self.minimal_gateway(route, router)
        length = self.length_by(gateway, router, route.to)
        return Plan(gateway, self.towards(route, router, gateway), length)

    def hop(self, route: Route, router: int) -> Hop:
        """To the gateway, through it, or to the destination in this group."""
        here = self.machine.group(router)
        if route.middle == here:
            route.middle = None
        if route.middle is None and self.machine.group(route.to) == here:
            return self.take_local(route, self.local_link(route, router, route.to))
        if route.gateway is None and route.middle is not None:
            route.gateway = self.detour_gateway(route, router, route.middle)
        gateway = route.gateway or self.minimal_gateway(route, router)
        if gateway.source != router:
            route.gateway = gateway
            return self.take_local(route, self.local_link(route, router, gateway.source))
        route.gateway, route.locals = None, 0
        route.globals += 1
        return gateway, route.globals - 1

    def take_local(self, route: Route, link: Link) -> Hop:
        """Count a local link; its virtual channel is above all channels of earlier groups."""
        below = 0 if route.globals == 0 else self.first_span + (route.globals - 1) * self.span
        route.locals += 1
        return link, below + route.locals - 1
