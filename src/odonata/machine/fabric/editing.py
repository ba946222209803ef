"""Changes of a fabric: switches, cables between them, spines, tapers.

Levels count from the switches with adapters, which are level 0: a switch is one level above the
lowest switch next to it. New cables take the next ports behind the last one of their switches.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

from odonata.errors import UserError, near_miss
from odonata.machine.fabric.fabric import MOST_PORT, Cable, Fabric, LinkKind, Switch
from odonata.machine.fabric.rates import is_infiniband, kind_of, rate_of
from odonata.units import format_rate, parse_rate

__all__ = ["Changes", "edited", "levels_of", "parts_with_hosts"]

MOST_SPINES = 10_000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_NUMBERED = re.compile(r"(.*?)(\d{1,9})")
_TAPER = re.compile(r"(\d{1,3}):(\d{1,6}(?:\.\d{1,6})?)")
_LINK = re.compile(r"([^:=]+):([^:=]+)(?:=(.+))?")


@dataclass(frozen=True)
class Changes:
    """Changes, made in this order.

    Parameters
    ----------
    add_switches
        Names of new switches.
    add_spines
        Number of copies of the switches of the highest level, one after another.
    add_links
        New cables, ``A:B`` or ``A:B=rate``.
    remove_links
        Cables, ``A:B`` for one and ``A:B=all`` for all of two switches.
    remove_switches
        Names of switches; their adapters go with them.
    tapers
        ``LEVEL:RATIO``: switches of a level keep one cable up for so many down.
    """

    add_switches: Sequence[str] = ()
    add_spines: int = 0
    add_links: Sequence[str] = ()
    remove_links: Sequence[str] = ()
    remove_switches: Sequence[str] = ()
    tapers: Sequence[str] = ()


def edited(fabric: Fabric, changes: Changes) -> Fabric:
    """Return a fabric with changes.

    Parameters
    ----------
    fabric
        The fabric.
    changes
        The changes.

    Raises
    ------
    UserError
        A switch or link is not there, a name is taken, or no hosts are left.
    """
    if not any(vars(changes).values()):
        raise UserError("machines edit: no changes", allowed="--add-spines, --remove-link, ...")
    editor = _Editor(fabric)
    for name in changes.add_switches:
        editor.add_switch(name)
    editor.add_spines(changes.add_spines)
    for text in changes.add_links:
        editor.add_link(text)
    for text in changes.remove_links:
        editor.remove_link(text)
    for name in changes.remove_switches:
        editor.remove_switch(editor.number(name, "--remove-switch"))
    for text in changes.tapers:
        editor.taper(text)
    return editor.fabric()


def levels_of(fabric: Fabric) -> list[int]:
    """Return the level of each switch; -1: no cables lead to it from adapters.

    Parameters
    ----------
    fabric
        The fabric.
    """
    beside: list[list[int]] = [[] for _ in fabric.switches]
    for cable in fabric.cables:
        beside[cable.a].append(cable.b)
        beside[cable.b].append(cable.a)
    level = [-1] * len(fabric.switches)
    waiting = deque(sorted({adapter.switch for adapter in fabric.adapters}))
    for leaf in waiting:
        level[leaf] = 0
    while waiting:
        at = waiting.popleft()
        for other in beside[at]:
            if level[other] < 0:
                level[other] = level[at] + 1
                waiting.append(other)
    return level


def parts_with_hosts(fabric: Fabric) -> list[tuple[list[str], list[str]]]:
    """Return switches and hosts of each part whose switches reach each other, the largest first.

    Parameters
    ----------
    fabric
        The fabric.
    """
    root = list(range(len(fabric.switches)))

    def find(at: int) -> int:
        while root[at] != at:
            root[at] = root[root[at]]
            at = root[at]
        return at

    for cable in fabric.cables:
        root[find(cable.a)] = find(cable.b)
    parts: dict[int, tuple[list[str], list[str]]] = {}
    for number, switch in enumerate(fabric.switches):
        parts.setdefault(find(number), ([], []))[0].append(switch.name)
    for adapter in fabric.adapters:
        parts[find(adapter.switch)][1].append(adapter.host)
    found = [(switches, list(dict.fromkeys(hosts))) for switches, hosts in parts.values()]
    return sorted(found, key=lambda part: (-len(part[1]), -len(part[0])))


class _Editor:
    """A fabric that is being changed; switches keep their numbers until the end."""

    def __init__(self, fabric: Fabric) -> None:
        self._fabric = fabric
        self._switches = list(fabric.switches)
        self._cables = list(fabric.cables)
        self._kinds = dict(fabric.kinds)
        self._gone: set[int] = set()
        self._number = {switch.name: n for n, switch in enumerate(fabric.switches)}
        self._last_port = [0] * len(fabric.switches)
        for adapter in fabric.adapters:
            self._use(adapter.switch, adapter.port)
        for cable in fabric.cables:
            self._use(cable.a, cable.a_port)
            self._use(cable.b, cable.b_port)

    def number(self, name: str, option: str) -> int:
        """Return the number of a switch."""
        if name not in self._number:
            near = near_miss(name, self._number)
            raise UserError(f"{option}: no such switch", value=name, near=near)
        return self._number[name]

    def add_switch(self, name: str) -> int:
        """Add a switch without cables."""
        if name in self._number:
            raise UserError("--add-switch: the name is taken", value=name)
        if not _NAME.fullmatch(name):
            allowed = "letters, digits, '.', '_' and '-', at most 128"
            raise UserError("--add-switch: not a name", value=name, allowed=allowed)
        self._number[name] = len(self._switches)
        self._switches.append(Switch(name))
        self._last_port.append(0)
        return self._number[name]

    def add_spines(self, count: int) -> None:
        """Add copies of the switches of the highest level."""
        if not count:
            return
        if not 0 < count <= MOST_SPINES:
            raise UserError("--add-spines", value=count, allowed=f"1 to {MOST_SPINES}")
        levels = levels_of(self._fabric)
        top = [number for number, level in enumerate(levels) if level == max(levels)]
        if max(levels) == 0:
            raise UserError("--add-spines: every switch has adapters, none is a spine")
        for at in range(count):
            spine = top[at % len(top)]
            copy = self.add_switch(self._next_name(self._switches[spine].name))
            for cable in self._fabric.cables:
                if spine in (cable.a, cable.b):
                    below = cable.b if cable.a == spine else cable.a
                    self._join(below, copy, cable.kind)

    def add_link(self, text: str) -> None:
        """Add a cable."""
        a, b, rate = self._ends(text, "--add-link")
        if a == b:
            raise UserError("--add-link: both ends are the same switch", value=text)
        self._join(a, b, self._kind(rate) if rate else self._usual_kind(a, b))

    def remove_link(self, text: str) -> None:
        """Remove the last cable of two switches, or all."""
        a, b, which = self._ends(text, "--remove-link")
        if which not in ("", "all"):
            raise UserError("--remove-link: how many", value=text, allowed="A:B, or A:B=all")
        between = [c for c in self._cables if {c.a, c.b} == {a, b}]
        if not between:
            beside = self._beside(a)
            near = ", ".join(beside[:8]) + (", ..." if len(beside) > 8 else "")
            raise UserError("--remove-link: no such link", value=text, allowed=f"to {near}")
        for cable in between if which else between[-1:]:
            self._cables.remove(cable)

    def remove_switch(self, number: int) -> None:
        """Remove a switch, its cables and adapters."""
        self._gone.add(number)
        self._cables = [c for c in self._cables if number not in (c.a, c.b)]

    def taper(self, text: str) -> None:
        """Remove cables up of a level, and switches above that have no cable down then."""
        found = _TAPER.fullmatch(text)
        if found is None or float(found[2]) <= 0:
            allowed = "LEVEL:RATIO such as 0:2, two cables down for one up"
            raise UserError("--taper: not a taper", value=text, allowed=allowed)
        level, ratio = int(found[1]), float(found[2])
        levels = self._levels()
        if not 0 <= level < max(levels):
            allowed = f"levels 0 to {max(levels) - 1}" if max(levels) else "a machine with levels"
            raise UserError("--taper: no such level", value=text, allowed=allowed)
        down = Counter(adapter.switch for adapter in self._fabric.adapters)
        down.update(upper for upper, _ in self._pairs(levels))
        for number, its in enumerate(levels):
            if its == level:
                self._keep_up(number, levels, max(1, ceil(down[number] / ratio)))
        self._remove_idle(levels)

    def fabric(self) -> Fabric:
        """Return the fabric."""
        kept = [number for number in range(len(self._switches)) if number not in self._gone]
        new = {number: at for at, number in enumerate(kept)}
        adapters = tuple(
            replace(a, switch=new[a.switch]) for a in self._fabric.adapters if a.switch in new
        )
        if not adapters:
            raise UserError("machines edit: no adapters are left")
        cables = tuple(replace(c, a=new[c.a], b=new[c.b]) for c in self._cables)
        switches = tuple(self._switches[number] for number in kept)
        return Fabric(switches, adapters, cables, self._kinds)

    def _use(self, switch: int, port: int) -> None:
        self._last_port[switch] = max(self._last_port[switch], port)

    def _join(self, a: int, b: int, kind: str) -> None:
        ports = []
        for end in (a, b):
            self._last_port[end] += 1
            if self._last_port[end] > MOST_PORT:
                name = self._switches[end].name
                raise UserError(
                    "machines edit: no port is left", value=name, allowed=str(MOST_PORT)
                )
            ports.append(self._last_port[end])
        self._cables.append(Cable(a, ports[0], b, ports[1], kind))

    def _next_name(self, name: str) -> str:
        """Return a name for a copy: the next number behind the same letters."""
        found = _NUMBERED.fullmatch(name)
        begin, digits = (found[1], len(found[2])) if found else (f"{name}-", 1)
        numbered = (_NUMBERED.fullmatch(other) for other in self._number)
        taken = [int(each[2]) for each in numbered if each and each[1] == begin]
        return f"{begin}{max(taken, default=0) + 1:0{digits}d}"

    def _ends(self, text: str, option: str) -> tuple[int, int, str]:
        found = _LINK.fullmatch(text)
        if found is None:
            raise UserError(f"{option}: not a link", value=text, allowed="A:B, two switches")
        a, b = (self.number(found[end].strip(), option) for end in (1, 2))
        return a, b, (found[3] or "").strip()

    def _beside(self, switch: int) -> list[str]:
        others = {c.b if c.a == switch else c.a for c in self._cables if switch in (c.a, c.b)}
        return sorted(self._switches[other].name for other in others)

    def _usual_kind(self, a: int, b: int) -> str:
        """Return the kind of most cables between two switches, of either, or of all."""
        for ends in ({a, b}, {a}, {b}):
            counts = Counter(c.kind for c in self._cables if ends <= {c.a, c.b})
            if counts:
                return counts.most_common(1)[0][0]
        counts = Counter(c.kind for c in self._cables)
        if not counts:
            raise UserError("--add-link: no cable to copy the rate of", allowed="A:B=rate")
        return counts.most_common(1)[0][0]

    def _kind(self, text: str) -> str:
        """Return the kind of a rate: a class of links, a width and speed, or a new one."""
        used = {cable.kind for cable in self._cables}
        if text in used:
            return text
        made = kind_of(text) if is_infiniband(text) else LinkKind(text, "--add-link", "assumed")
        rate = parse_rate(made.rate, what="--add-link")
        same = [kind for kind in sorted(used) if rate_of(self._kinds[kind]) == rate]
        if same:
            return same[0]
        name = text if is_infiniband(text) else re.sub(r"[^A-Za-z0-9]+", "", format_rate(rate))
        self._kinds[name] = made
        return name

    def _levels(self) -> list[int]:
        cables = tuple(self._cables)
        return levels_of(replace(self._fabric, switches=tuple(self._switches), cables=cables))

    def _pairs(self, levels: Sequence[int]) -> list[tuple[int, Cable]]:
        """Return the upper switch of each cable between two levels, and the cable."""
        ends = [((c.a, c.b) if levels[c.a] > levels[c.b] else (c.b, c.a), c) for c in self._cables]
        return [(upper, cable) for (upper, lower), cable in ends if levels[upper] > levels[lower]]

    def _keep_up(self, number: int, levels: Sequence[int], keep: int) -> None:
        """Remove cables up of a switch, first of the upper switch with most of them, then last."""
        pairs = self._pairs(levels)
        up = [(upper, c) for upper, c in pairs if number in (c.a, c.b) and upper != number]
        while len(up) > keep:
            counts = Counter(upper for upper, _ in up)
            last = max(range(len(up)), key=lambda at: (counts[up[at][0]], up[at][0], at))
            self._cables.remove(up.pop(last)[1])

    def _remove_idle(self, levels: Sequence[int]) -> None:
        """Remove switches above adapters that have no cable down."""
        while True:
            busy = {upper for upper, _ in self._pairs(levels)}
            idle = [
                number
                for number, level in enumerate(levels)
                if level > 0 and number not in busy | self._gone
            ]
            if not idle:
                return
            for number in idle:
                self.remove_switch(number)
