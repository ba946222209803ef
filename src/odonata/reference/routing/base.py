"""Common parts of all routings: the route of a packet, and the choice between two plans."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from odonata.reference.machine import Link, Machine

# The draws of a hop, by purpose.
MIDDLE, NEXT, DETOUR, LOCAL = 0, 1, 2, 3


@dataclass
class RoutingOptions:
    """Policy by which packets are routed."""

    policy: str = "minimal"  # as the machine's family names it
    seed: int = 0
    bias_bytes: int = 0  # [B] in favour of the minimal route, for the adaptive policies


@dataclass
class Route:
    """Part of its route that a packet remembers."""

    packet: int  # number, keys the draws
    to: int  # router
    ports: tuple[int, int] = (0, 0)  # source and destination
    decided: bool = False  # whether the choice of a detour is made
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
