"""Routing on a Dragonfly+: cells of leaves and spines, global links between spines.

A packet goes up to a spine, over a global link and down to a leaf; a detour goes by way of another
cell, where it turns at the spine that it reaches, or at a leaf. From there on it takes virtual
channel 1.
"""

from __future__ import annotations

from odonata.reference.draws import pick
from odonata.reference.machine import Link
from odonata.reference.routing.base import DETOUR, LOCAL, MIDDLE, Hop, Plan, Route, Waiting
from odonata.reference.routing.grouped import GroupRouting


class DragonflyPlusRouting(GroupRouting):
    """A dragonfly whose groups are cells: the links inside one join every leaf to every spine."""

    def always_detours(self) -> bool:
        """Packets that stay in their cell take no detour."""
        return False

    def is_spine(self, router: int) -> bool:
        """Return whether a router has no nodes by its level."""
        _, level, _ = self.machine.positions[router]
        return level == 2

    def local_distance(self, a: int, b: int) -> int:
        """Return the links inside a cell: one between leaf and spine, two between two alike."""
        if a == b:
            return 0
        return 2 if self.is_spine(a) == self.is_spine(b) else 1

    def local_link(self, route: Route, router: int, goal: int) -> Link:
        """Return a link to the goal, or any to a router from which one leads there."""
        inside = [
            link
            for link in self.leaving[router]
            if self.machine.group(link.target) == self.machine.group(router)
        ]
        links = [link for link in inside if link.target == goal] or inside
        return links[pick(self.draw(route, LOCAL), len(links))]

    def detour_gateway(self, route: Route, router: int, middle: int) -> Link:
        """Return one of the links to the intermediate cell, of the router's own if it has any."""
        links = self.gateways(self.machine.group(router), middle)
        own = [link for link in links if link.source == router]
        links = own or links
        return links[pick(self.draw(route, DETOUR), len(links))]

    def decide(self, route: Route, router: int, waiting: Waiting) -> None:
        """Once at the source's leaf; PAR once more at the spine, while the route is minimal."""
        policy = self.options.policy
        here, there = self.machine.group(router), self.machine.group(route.to)
        others = [c for c in range(self.machine.groups) if c not in (here, there)]
        last = policy != "par" or self.is_spine(router)
        route.decided = last or here == there or not others
        if policy == "minimal" or here == there or not others:
            return
        middle = others[pick(self.draw(route, MIDDLE), len(others))]
        exit_ = self.detour_gateway(route, router, middle)
        if policy != "valiant":
            minimal = self.plan_minimal(route, router)
            route.gateway = minimal.gateway
            if self.is_spine(router) and exit_.source != router:
                return  # the way back down is closed
            length = self.length_by(exit_, router, route.to)
            detour = Plan(exit_, self.towards(route, router, exit_), length)
            if self.minimal_wins(minimal, detour, waiting):
                return
        route.decided, route.middle, route.gateway = True, middle, exit_

    def take_local(self, route: Route, link: Link) -> Hop:
        """Take channel 1 from the turn of a detour on."""
        route.locals += 1
        if self.is_spine(link.source):
            return link, max(route.globals, 1) - 1
        return link, route.globals
