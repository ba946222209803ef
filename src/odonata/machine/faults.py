"""Faults of a machine: links, switches and nodes that are broken, and links that are slower.

A machine with faults keeps the numbers of its nodes and routers, its ports, rates and latencies.
Packets are routed as on a graph, whatever the family. Nodes that no link joins to most others are
cut off: allocations leave them out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction

from odonata import _core
from odonata.errors import UserError, near_miss
from odonata.machine.cabling import Cabling
from odonata.machine.machine import Faults, Machine
from odonata.units import parse_rate

__all__ = ["FAILED", "SEED", "SLOWED", "faults_of", "plain_routing", "require_joined"]

FAILED = "faults.failed"
SLOWED = "faults.slowed"
SEED = "faults.seed"

MOST_NAMED = 8
"""Nodes that a message names."""

MOST_FAULTS = 10_000
"""Most entries of a list of faults."""

LANES = 4
"""Lanes of a link whose class does not name another number."""

FAILING = "link:A:B, links:A:B (all cables of the pair), switch:NAME, node:NAME, or 1%"
SLOWING = "link:A:B=SPEED, links:A:B=SPEED, switch:NAME=SPEED, or 1%=SPEED"
SPEEDS = "1x (lanes), a rate such as 25GB/s, or a factor such as 0.5, and no more than the link has"

_DRAW = int.from_bytes(b"faults")
"""Number of the draw, apart from others of the same seed."""

_PERCENT = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,6})?) ?%")
_WIDTH = re.compile(r"([0-9]{1,2})x")
_FACTOR = re.compile(r"[0-9]*\.?[0-9]+")


def faults_of(machine: Machine) -> Faults | None:
    """Return the faults that a machine's file or its changes tell, None without any.

    Parameters
    ----------
    machine
        The machine, still whole.

    Raises
    ------
    UserError
        A fault is not understood, a name is unknown, or no node is left.
    """
    failed, slowed = (_texts(machine, key) for key in (FAILED, SLOWED))
    return _Breaking(machine).run(failed, slowed) if failed or slowed else None


def _texts(machine: Machine, key: str) -> list[str]:
    number = machine.numbers.get(key)
    if number is None:
        return []
    assert isinstance(number.value, tuple)
    if len(number.value) > MOST_FAULTS:
        allowed, many = f"at most {MOST_FAULTS}", len(number.value)
        raise UserError(f"{key}: too long", value=many, allowed=allowed, where=number.where)
    return [str(text).strip() for text in number.value]


class _Breaking:
    """Links and nodes that are lost so far, and links that are slower."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._cabling = Cabling(machine)
        self._lost: set[int] = set()
        self._dead: set[int] = set()  # routers
        self._nodes: set[int] = set()
        self._slower: dict[int, tuple[int, str]] = {}  # by link: its rate and the speed as told
        self._where: str | None = None

    def run(self, failed: Sequence[str], slowed: Sequence[str]) -> Faults:
        """Take all faults."""
        told = []
        for key, texts, take in ((FAILED, failed, self._fail), (SLOWED, slowed, self._slow)):
            where = self._machine.numbers[key].where if texts else "set"
            self._where = None if where == "set" else where
            words = [take(text) for text in texts]
            told += [f"{'fail' if key == FAILED else 'slow'} {', '.join(words)}"] if words else []
        names, classes, added = self._classes()
        core = _core.with_faults(self._machine.core, self._links(self._lost), classes, added)
        cut, alone = self._cut_off(core)
        lost = self._lost | alone
        if alone:
            core = _core.with_faults(self._machine.core, self._links(lost), classes, added)
        return Faults(core, frozenset(lost), names, cut, "; ".join(told), plain_routing)

    def _fail(self, text: str) -> str:
        kind, _, rest = text.partition(":")
        if kind == "node" and rest:
            self._nodes.add(self._node(rest))
        elif kind == "switch" and rest:
            router = self._switch(rest)
            self._dead.add(router)
            self._lost.update(self._cabling.at(router))
        elif kind == "link" and (found := self._port_of(rest)):
            self._links_of_node(*found)
            self._nodes.add(self._with_one_port(found[0]))
        else:
            cables, told = self._cables(text, FAILING)
            self._lost.update(cables)
            return told
        return text

    def _slow(self, text: str) -> str:
        what, equals, speed = (part.strip() for part in text.rpartition("="))
        if not equals or not speed:
            raise self._error("faults: no speed", text, SLOWING)
        kind, _, rest = what.partition(":")
        if kind == "link" and (found := self._port_of(rest)):
            links, told = self._links_of_node(*found), what
        else:
            cables, told = self._cables(what, SLOWING, again=True)
            links = self._links(cables)
        for link in links:
            self._slower[link] = self._rate(link, speed), speed
        return f"{told}={speed}"

    def _cables(self, text: str, allowed: str, *, again: bool = False) -> tuple[list[int], str]:
        """Return the cables that a text means, and the text with their number if it has none."""
        if share := _PERCENT.fullmatch(text):
            return self._drawn(share[1], text)
        kind, _, rest = text.partition(":")
        if kind not in ("link", "links", "switch") or not rest:
            near = near_miss(kind, ("link", "links", "switch", "node"))
            raise self._error("faults: not understood", text, allowed, near)
        if kind == "switch":
            return self._cabling.at(self._switch(rest)), text
        a, b = (self._switch(name) for name in self._cabling.ends(rest, self._where))
        found = self._cabling.joining(a, b, self._where)
        if kind == "links":
            return found, text
        left = [at for at in found if at not in self._lost]
        if again:
            left = [at for at in left if self._cabling.cables[at].there not in self._slower]
        if not left:
            number = f"the {len(found)} cables" if len(found) > 1 else "the cable"
            raise self._error(f"faults: {number} of this link are named already", text, "others")
        return left[:1], text

    def _drawn(self, share: str, text: str) -> tuple[list[int], str]:
        """Return the first of all cables between switches in an order that is drawn."""
        if Fraction(share) > 100:
            raise self._error("faults: share out of range", text, "0% to 100%")
        every = self._cabling.between_switches
        number = round(Fraction(share) * len(every) / 100)
        seed = self._machine.numbers.get(SEED)
        drawn = _core.shuffled(len(every), int(str(seed.value)) if seed else 0, _DRAW)
        return [every[at] for at in drawn[:number]], f"{text} ({number} of {len(every)} links)"

    def _rate(self, link: int, speed: str) -> int:
        """Return the rate of a link at a speed [B/s]."""
        link_class = self._machine.core.classes[int(self._machine.link_class[link])]
        rate = int(link_class.bandwidth)
        if width := _WIDTH.fullmatch(speed):
            named = _WIDTH.match(link_class.name.removeprefix("injection-"))
            slower = rate * int(width[1]) // (int(named[1]) if named else LANES)
        elif _FACTOR.fullmatch(speed):
            slower = int(rate * Fraction(speed))
        else:
            slower = parse_rate(speed, what="faults: speed", where=self._where)
        if not 0 < slower <= rate:
            raise self._error("faults: speed out of range", speed, SPEEDS)
        return slower

    def _classes(self) -> tuple[tuple[str, ...], list[tuple[int, int]], list[_core.LinkClass]]:
        """Return names of new classes, the class of each slower link, and the classes."""
        known = self._machine.core.classes
        made: dict[tuple[int, int], int] = {}
        added: list[_core.LinkClass] = []
        classes = []
        for link, (rate, _) in sorted(self._slower.items()):
            of = int(self._machine.link_class[link])
            if (of, rate) not in made:
                made[of, rate] = len(known) + len(added)
                old = known[of]
                percent = f"{100 * rate / old.bandwidth:.3g}".replace(".", "_")
                name = f"{old.name}-slow-{percent}"
                if name in {each.name for each in added}:
                    name += f"-{len(added)}"
                fields = (rate, old.latency, old.buffer, old.credit_delay)
                added.append(_core.LinkClass(name, *fields))
            classes.append((link, made[of, rate]))
        return tuple(each.name for each in added), classes, added

    def _cut_off(self, core: _core.Machine) -> tuple[tuple[int, ...], set[int]]:
        """Return nodes that are cut off from most others, and cables among cut off routers."""
        part = _core.parts_of(core)
        routers = self._machine.port_router.tolist()
        whole = Counter(part[router] for router in routers if router not in self._dead)
        if not whole:
            raise self._error("faults: no node is left", ", ".join(self._names(self._dead)), None)
        most = max(whole, key=lambda each: (whole[each], -each))
        machine = self._machine
        apart = {port for port, router in enumerate(routers) if part[router] != most}
        nodes = range(machine.num_nodes)
        cut = self._nodes | {n for n in nodes if not apart.isdisjoint(machine.ports_of(n))}
        if len(cut) == machine.num_nodes:
            raise self._error("faults: no node is left", None, "fewer faults")
        cables = self._cabling.cables
        alone = {at for at, cable in enumerate(cables) if part[cable.a] != most}
        return tuple(sorted(cut)), alone

    def _names(self, routers: Iterable[int]) -> list[str]:
        return [self._cabling.routers[router] for router in sorted(routers)]

    def _links(self, cables: Iterable[int]) -> list[int]:
        """Return both links of each cable."""
        every = self._cabling.cables
        return [link for at in sorted(cables) for link in (every[at].there, every[at].back)]

    def _links_of_node(self, node: int, router: int) -> list[int]:
        """Return the links of a node's ports on a router."""
        machine = self._machine
        at = {port: int(machine.port_router[port]) for port in machine.ports_of(node)}
        ports = [port for port, each in at.items() if each == router]
        if not ports:
            names = ", ".join(self._names(set(at.values())))
            what = f"faults: host {self._cabling.hosts[node]} is not on this switch"
            raise self._error(what, self._cabling.routers[router], names)
        return [link for port in ports for link in (port, machine.num_node_ports + port)]

    def _port_of(self, text: str) -> tuple[int, int] | None:
        """Return node and router of a link between the two, None if it is another link."""
        if self._machine.num_adapters or not text:
            return None
        pair = self._cabling.ends(text, self._where)
        for host, switch in (pair, pair[::-1]):
            router, node = self._cabling.router(switch), self._cabling.node(host)
            if router is not None and node is not None and self._cabling.router(host) is None:
                return node, router
        return None

    def _with_one_port(self, node: int) -> int:
        ports = len(self._machine.ports_of(node))
        if ports > 1:
            host = self._cabling.hosts[node]
            what = f"faults: host {host} has {ports} adapters, and loses all or none"
            raise self._error(what, None, f"node:{host}")
        return node

    def _switch(self, name: str) -> int:
        router = self._cabling.router(name)
        if router is None:
            raise self._cabling.unknown(name, self._where, "switch")
        return router

    def _node(self, name: str) -> int:
        node = self._cabling.node(name)
        if node is None:
            raise self._cabling.unknown(name, self._where, "node")
        return node

    def _error(
        self, what: str, value: str | None, allowed: str | None, near: str | None = None
    ) -> UserError:
        return UserError(what, value=value, allowed=allowed, where=self._where, near=near)


def require_joined(machine: Machine, nodes: Iterable[int], what: str) -> None:
    """Refuse nodes that faults have broken or cut off.

    Parameters
    ----------
    machine
        The machine.
    nodes
        Nodes of a job.
    what
        The job or option that has them, for the error.

    Raises
    ------
    UserError
        Names the nodes.
    """
    lost = sorted(set(nodes).intersection(machine.cut_nodes))
    if machine.faults is None or not lost:
        return
    hosts = Cabling(machine).hosts
    more = f", ... ({len(lost)} in all)" if len(lost) > MOST_NAMED else ""
    raise UserError(
        f"{what}: nodes are cut off by {machine.faults.text}",
        value=", ".join(hosts[node] for node in lost[:MOST_NAMED]) + more,
        allowed="other nodes; allocations by name leave these out",
    )


def plain_routing(machine: Machine) -> str:
    """Return the routing that ``minimal`` means on a machine with faults.

    Parameters
    ----------
    machine
        The machine, with faults.

    Returns
    -------
    str
        On a fat tree ``dmodk``, if its tables lead from every node to every other; ``updown`` where
        a fabric has tables of its own; else ``shortest``, whose virtual channels rise along the
        route. A machine too large for these channels has ``updown``, too.
    """
    if "shape.routes" in machine.numbers:
        return "updown"
    wanted = "dmodk" if machine.family == "fat-tree" else "shortest"
    assert machine.faults is not None
    try:
        routing = _core.make_routing(machine.core, wanted, 0, 0)
    except UserError:
        return "updown"
    complete = _core.count_unreachable(machine.core, routing) == _apart(machine)
    return wanted if complete else "updown"


def _apart(machine: Machine) -> int:
    """Return the ordered pairs of ports that no links join."""
    part = _core.parts_of(machine.core)
    sizes = Counter(part[router] for router in machine.port_router.tolist()).values()
    ports = machine.num_node_ports
    return ports * (ports - 1) - sum(size * (size - 1) for size in sizes)
