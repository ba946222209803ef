"""Routing on graphs: shortest paths as on stars, tables of an engine, or by waiting bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from odonata.errors import UserError
from odonata.reference.draws import Draws, Purpose, mix
from odonata.reference.machine import Link, Machine
from odonata.reference.routing.base import Hop, Route, Routing, RoutingOptions, Waiting
from odonata.reference.routing.tables import TableRouting

Table = dict[tuple[int, int], Link]  # link by router and destination port

FAR = 1_000_000  # more links than any route has


class AdaptiveShortest(TableRouting):
    """Any link of a shortest route, by the bytes that wait for it."""

    def decide(self, route: Route, router: int, waiting: Waiting) -> None:
        """Nothing to decide but the next link."""

    def next(self, route: Route, router: int, waiting: Waiting) -> Hop | None:
        """Return the link with the fewest bytes, chance deciding between equals."""
        if route.to == router:
            return None
        bits = Draws(self.options.seed, Purpose.ROUTE, route.packet).bits(route.hops)
        closer = nearer(self, router, route.to)
        least = min(waiting(link) for link in closer)
        best, equals = closer[0], 0
        for link in closer:
            if waiting(link) == least:
                equals += 1
                if mix(bits ^ link.number) % equals == 0:
                    best = link
        route.hops += 1
        return best, 0


class FixedRouting(TableRouting):
    """Each pair of ports has one route, in virtual channel 0."""

    def __init__(self, machine: Machine, options: RoutingOptions) -> None:
        super().__init__(machine, options)
        self.table = ENGINES[options.policy](self)

    def decide(self, route: Route, router: int, waiting: Waiting) -> None:
        """Nothing to decide."""
        route.decided = True

    def hop(self, route: Route, router: int) -> Hop:
        """Return the link of the table."""
        return self.table[router, route.ports[1]], 0


def nearer(routing: TableRouting, router: int, goal: int) -> list[Link]:
    """Return the links of a router that lead closer to another."""
    distances = routing.distances
    closer = distances[router].get(goal, 0) - 1
    return [link for link in routing.leaving[router] if distances[link.target].get(goal) == closer]


def minhop(routing: TableRouting) -> Table:
    """At each router the shortest way over the link with the fewest ports so far."""
    table: Table = {}
    given = dict.fromkeys(range(len(routing.machine.links)), 0)
    for port, goal in enumerate(routing.machine.port_router):
        for router in range(routing.machine.num_routers):
            if router != goal:
                best = min(nearer(routing, router, goal), key=lambda link: given[link.number])
                given[best.number] += 1
                table[router, port] = best
    return table


def sssp(routing: TableRouting) -> Table:
    """Shortest ways over the links with the fewest routes of ports so far."""
    machine, table = routing.machine, {}
    routes = dict.fromkeys(range(len(machine.links)), 0)
    for port, goal in enumerate(machine.port_router):
        cost = {goal: 0}
        for router in sorted(range(machine.num_routers), key=lambda r: routing.distances[r][goal]):
            if router != goal:
                closer = nearer(routing, router, goal)
                costs = [routes[link.number] + cost[link.target] for link in closer]
                cost[router] = min(costs)
                table[router, port] = closer[costs.index(min(costs))]
        for start in machine.port_router:
            router = start
            while router != goal:
                routes[table[router, port].number] += 1
                router = table[router, port].target
    return table


def distances_to(routing: TableRouting, routers: set[int]) -> list[int]:
    """Return the links from each router to the nearest of some."""
    everyone = range(routing.machine.num_routers)
    return [min(routing.distances[router][other] for other in routers) for router in everyone]


def ways_down(
    routing: TableRouting, place: Callable[[int], tuple[int, int]], goal: int
) -> dict[int, int]:
    """Return the links of the ways to a router that go down alone, from routers that have one."""
    down = {goal: 0}
    for _ in range(routing.machine.num_routers):  # more rounds than any way has links
        for link in routing.machine.router_links():
            if link.target in down and place(link.source) > place(link.target):
                longer = down[link.target] + 1
                down[link.source] = min(longer, down.get(link.source, longer))
    return down


def tree_table(
    routing: TableRouting,
    height: list[int],
    choose: Callable[[list[Link], int, int, bool], Link],
) -> Table:
    """Return routes down where there is a way down, else up: the shortest of these."""
    machine, table = routing.machine, {}
    everyone = range(machine.num_routers)

    def place(router: int) -> tuple[int, int]:
        return height[router], -router

    for port, goal in enumerate(machine.port_router):
        down = ways_down(routing, place, goal)
        length = dict(down)
        for router in sorted(everyone, key=place, reverse=True):
            up = [link for link in routing.leaving[router] if place(link.target) > place(router)]
            if router not in down:
                length[router] = 1 + min((length[link.target] for link in up), default=FAR)
        for router in everyone:
            if router == goal or length[router] >= FAR:
                continue
            falls = router in down
            known = down if falls else length
            links = [
                link
                for link in routing.leaving[router]
                if (place(link.target) < place(router)) == falls
                and known.get(link.target) == known[router] - 1
            ]
            table[router, port] = choose(links, router, port, falls)
    return table


def updown(routing: TableRouting) -> Table:
    """Up and down a tree whose roots are the routers farthest from nodes, or the middle one."""
    from_nodes = distances_to(routing, set(routing.machine.port_router))
    everyone = range(routing.machine.num_routers)
    roots = {router for router in everyone if from_nodes[router] == max(from_nodes)}
    if max(from_nodes) == 0:
        roots = {min(everyone, key=lambda router: sum(routing.distances[router].values()))}
    table = updown_from(routing, roots)
    leaves = set(routing.machine.port_router)
    pairs = [
        (leaf, port)
        for leaf in leaves
        for port, goal in enumerate(routing.machine.port_router)
        if leaf != goal
    ]
    return table if all(pair in table for pair in pairs) else updown_from(routing, {min(roots)})


def updown_from(routing: TableRouting, roots: set[int]) -> Table:
    """At each router the way over the link with the fewest ports so far."""
    given = dict.fromkeys(range(len(routing.machine.links)), 0)

    def choose(links: list[Link], _router: int, _port: int, _down: bool) -> Link:
        best = min(links, key=lambda link: given[link.number])
        given[best.number] += 1
        return best

    return tree_table(routing, [-distance for distance in distances_to(routing, roots)], choose)


def dmodk(routing: TableRouting) -> Table:
    """Up and down the tiers by the digits of the port."""
    machine = routing.machine
    tier = distances_to(routing, set(machine.port_router))
    if any(tier[link.source] == tier[link.target] for link in machine.router_links()):
        raise UserError("routing: dmodk needs a tree")
    digits = [[machine.port_router[:port].count(at)] for port, at in enumerate(machine.port_router)]
    inside = {router: router for router in set(machine.port_router)}  # smallest router of its part
    for top in range(1, max(tier) + 1):
        outside = {router: min(joined(routing, tier, router, top)) for router in inside}
        for port, leaf in enumerate(machine.port_router):
            parts = [inside[other] for other in sorted(inside) if outside[other] == outside[leaf]]
            digits[port].append(list(dict.fromkeys(parts)).index(inside[leaf]))
        inside = outside

    def choose(links: list[Link], router: int, port: int, down: bool) -> Link:
        return links[digits[port][tier[router] - down] % len(links)]

    return tree_table(routing, tier, choose)


def joined(routing: TableRouting, tier: list[int], router: int, top: int) -> set[int]:
    """Return the routers that links reach without going above a tier."""
    found, line = {router}, [router]
    for at in line:
        for link in routing.leaving[at]:
            if tier[link.target] <= top and link.target not in found:
                found.add(link.target)
                line.append(link.target)
    return found


ENGINES: Mapping[str, Callable[[TableRouting], Table]] = {
    "minhop": minhop,
    "updown": updown,
    "dmodk": dmodk,
    "sssp": sssp,
}


def make_graph_routing(machine: Machine, options: RoutingOptions) -> Routing:
    """Return the routing of a policy on a graph without tables of its own."""
    if options.policy in ENGINES:
        return FixedRouting(machine, options)
    if options.policy == "adaptive-shortest":
        return AdaptiveShortest(machine, options)
    plain = replace(options, policy="minimal") if options.policy == "shortest" else options
    return TableRouting(machine, plain)
