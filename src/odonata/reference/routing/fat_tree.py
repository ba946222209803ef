"""Routing on a fat tree: up until the destination is below, then down.

Of several links that lead on, the policy takes the link of a node, any, or the least loaded.
"""

from __future__ import annotations

from functools import cache

from odonata.reference.draws import Draws, Purpose, pick
from odonata.reference.machine import Link, Machine
from odonata.reference.routing.base import NEXT, Hop, Route, Routing, RoutingOptions, Waiting


class FatTreeRouting(Routing):
    """Levels of routers; a link leads one level up or one down."""

    def __init__(self, machine: Machine, options: RoutingOptions) -> None:
        super().__init__(machine, options)
        self.below = cache(self._below)

    def always_detours(self) -> bool:
        """No route is longer than the shortest."""
        return False

    def draw(self, route: Route, what: int) -> int:
        """One draw a hop."""
        return Draws(self.options.seed, Purpose.ROUTE, route.packet).bits(route.hops + what - NEXT)

    def level(self, router: int) -> int:
        """Return the level of a router: a coordinate."""
        return self.machine.positions[router][0]

    def ups(self, router: int) -> list[Link]:
        """Return the links up, by port."""
        level = self.level(router)
        return [link for link in self.leaving[router] if self.level(link.target) > level]

    def downs(self, router: int) -> list[Link]:
        """Return the links down."""
        level = self.level(router)
        return [link for link in self.leaving[router] if self.level(link.target) < level]

    def _below(self, router: int) -> set[int]:
        """Return a router and all routers that it reaches by going down."""
        return {router}.union(*(self.below(link.target) for link in self.downs(router)))

    def port(self, router: int, node: int) -> int:
        """Return the port up that belongs to a node: floor(node / routers of the pod) mod ports."""
        pod = self.machine.positions[router][:2]
        copies = sum(position[:2] == pod for position in self.machine.positions)
        return node // copies % len(self.ups(router))

    def cable(self, child: int, node: int) -> int:
        """Return which of the parallel links to a child belongs to a node, by its port up."""
        parents = {link.target for link in self.ups(child)}
        return self.port(child, node) // len(parents)

    def decide(self, route: Route, router: int, waiting: Waiting) -> None:
        """Choose the next link; all candidates lead up, or all to one child."""
        down = [link for link in self.downs(router) if route.to in self.below(link.target)]
        links = down or self.ups(router)
        source, target = route.ports
        node = source if self.options.policy == "s-mod-k" else target
        if self.options.policy in ("d-mod-k", "s-mod-k"):
            number = self.cable(down[0].target, node) if down else self.port(router, node)
        else:
            number = pick(self.draw(route, NEXT), len(links))
        if self.options.policy == "adaptive":
            links = links[number:] + links[:number]
            number = min(range(len(links)), key=lambda i: waiting(links[i]))
        route.gateway = links[number]

    def hop(self, route: Route, router: int) -> Hop:
        """Take the link that was chosen; one virtual channel is enough."""
        assert route.gateway is not None
        return route.gateway, 0
