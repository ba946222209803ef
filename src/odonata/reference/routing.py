"""Which link and which virtual channel a packet takes next.

A route has at most one detour: through a random third group (a random router, on machines
without groups), decided at the source. Virtual channels rise along every route.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from .draws import Draws, Purpose, pick
from .machine import Link, Machine

# Which draw of a hop decides what.
MIDDLE, NEXT, DETOUR, LOCAL = 0, 1, 2, 3


@dataclass
class RoutingOptions:
    """How packets are routed."""

    policy: str = "minimal"  # minimal, valiant, ugal-l, ugal-g, par
    seed: int = 0
    bias_bytes: int = 0  # [B] in favour of the minimal route, for the adaptive policies


@dataclass
class Route:
    """What a packet remembers of its way."""

    packet: int  # number, keys the draws
    to: int  # router
    decided: bool = False  # the detour, or that there is none
    middle: int | None = None  # group (router, without groups) to pass first
    gateway: Link | None = None  # global link to leave this group by
    globals: int = 0  # global links taken
    locals: int = 0  # links taken since the last global one
    hops: int = 0  # links taken


@dataclass
class Plan:
    """The start of a route that could be taken."""

    gateway: Link | None
    link: Link
    hops: int  # of the whole route


Hop = tuple[Link, int]  # and its virtual channel
Waiting = Callable[[Link], int]  # bytes that wait for a link at its router


class Routing(ABC):
    """The policies have in common how they weigh two plans."""

    def __init__(self, machine: Machine, options: RoutingOptions) -> None:
        self.machine = machine
        self.options = options
        self.leaving: list[list[Link]] = [[] for _ in range(machine.num_routers)]
        for link in machine.router_links():
            self.leaving[link.source].append(link)

    def next(self, route: Route, router: int, waiting: Waiting) -> Hop | None:
        """Return the next hop of a packet whose head is at `router`, None at its last router."""
        at_home = route.to == router and route.middle is None
        if at_home and (route.decided or not self.always_detours()):
            return None
        if not route.decided:
            self.decide(route, router, waiting)
        link, vc = self.hop(route, router)
        route.hops += 1
        return link, vc

    @abstractmethod
    def always_detours(self) -> bool:
        """Return whether even packets between nodes of one router make a detour."""

    @abstractmethod
    def decide(self, route: Route, router: int, waiting: Waiting) -> None:
        """Choose between the minimal route and a detour."""

    @abstractmethod
    def hop(self, route: Route, router: int) -> Hop:
        """Return the next hop of a decided route."""

    @abstractmethod
    def draw(self, route: Route, what: int) -> int:
        """Return 64 random bits for one decision of this hop."""

    def minimal_wins(self, minimal: Plan, detour: Plan, waiting: Waiting) -> bool:
        """Compare bytes waiting times hops; UGAL-G also sees the queue at the gateway."""

        def cost(plan: Plan) -> int:
            queues = {plan.link.number: plan.link}
            if self.options.policy == "ugal-g" and plan.gateway is not None:
                queues[plan.gateway.number] = plan.gateway
            return sum(waiting(link) for link in queues.values()) * plan.hops

        return cost(minimal) <= cost(detour) + self.options.bias_bytes


class GroupRouting(Routing):
    """Dragonfly and Aries: local links, a global link, local links, and once more for a detour."""

    def __init__(self, machine: Machine, options: RoutingOptions) -> None:
        super().__init__(machine, options)
        self.span = 2 if machine.rows > 1 and machine.columns > 1 else 1  # local links in a group
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
        columns = self.machine.columns
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
        columns = self.machine.columns
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
        """Count a local link; its virtual channel is above all those of earlier groups."""
        below = 0 if route.globals == 0 else self.first_span + (route.globals - 1) * self.span
        route.locals += 1
        return link, below + route.locals - 1


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
        """Not if the random router is at one of the ends."""
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


def make_routing(machine: Machine, options: RoutingOptions) -> Routing:
    """Return the routing of a machine: by groups where it has them."""
    return GroupRouting(machine, options) if machine.groups else TableRouting(machine, options)
