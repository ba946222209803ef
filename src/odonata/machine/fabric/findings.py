"""Facts about a fabric for its administrators: missing, slow and cut off parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from odonata.machine.fabric.fabric import Cable, Fabric
from odonata.machine.fabric.rates import WIDTHS, is_infiniband, rate_of

__all__ = ["Findings", "find"]

MOST_LISTED = 1_000
"""Most findings of a kind that are listed."""


@dataclass(frozen=True)
class Findings:
    """Facts about a fabric.

    Parameters
    ----------
    hosts, adapters, switches, switch_links
        Numbers; cables between switches.
    adapters_of_hosts
        Number of hosts by their number of adapters.
    link_kinds
        Number of cables by kind, adapters' and switches' together.
    few_uplinks
        Leaves with fewer cables to other switches than most leaves: name, cables, cables of most.
    slow_links
        Cables below the fastest cable to a switch of both of their ends, by rate: both ends as
        ``name[port]``, the kind, and the fastest kind.
    parts
        Switches of each part that cannot reach the others, the largest first; one part: empty.
    duplicate_names
        Names that several adapters or switches have.
    """

    hosts: int
    adapters: int
    switches: int
    switch_links: int
    adapters_of_hosts: dict[int, int]
    link_kinds: dict[str, int]
    few_uplinks: list[tuple[str, int, int]]
    slow_links: list[tuple[str, str, str, str]]
    parts: list[list[str]]
    duplicate_names: list[str]

    def to_dict(self) -> dict[str, Any]:
        """Return the facts as plain data."""
        return asdict(self)


def find(fabric: Fabric) -> Findings:
    """Return the facts about a fabric.

    Parameters
    ----------
    fabric
        The fabric.
    """
    of_hosts = Counter(fabric.ports_of_hosts())
    kinds = Counter([a.kind for a in fabric.adapters] + [c.kind for c in fabric.cables])
    return Findings(
        hosts=sum(of_hosts.values()),
        adapters=len(fabric.adapters),
        switches=len(fabric.switches),
        switch_links=len(fabric.cables),
        adapters_of_hosts=dict(sorted(of_hosts.items())),
        link_kinds=dict(kinds.most_common()),
        few_uplinks=_few_uplinks(fabric),
        slow_links=_slow_links(fabric)[:MOST_LISTED],
        parts=_parts(fabric),
        duplicate_names=_duplicates(fabric)[:MOST_LISTED],
    )


def _few_uplinks(fabric: Fabric) -> list[tuple[str, int, int]]:
    leaves = sorted({adapter.switch for adapter in fabric.adapters})
    uplinks = Counter(end for cable in fabric.cables for end in (cable.a, cable.b))
    if not leaves or not fabric.cables:
        return []
    usual = Counter(uplinks[leaf] for leaf in leaves)
    most = max(usual, key=lambda number: (usual[number], number))
    few = [(fabric.switches[leaf].name, uplinks[leaf], most) for leaf in leaves]
    return [each for each in few if each[1] < most]


def _slow_links(fabric: Fabric) -> list[tuple[str, str, str, str]]:
    rank = {kind: _rank(kind, fabric.kinds) for kind in {cable.kind for cable in fabric.cables}}
    best: dict[int, str] = {}
    for cable in fabric.cables:
        for end in (cable.a, cable.b):
            if end not in best or rank[best[end]] < rank[cable.kind]:
                best[end] = cable.kind
    slow = []
    for cable in fabric.cables:
        fastest = min(best[cable.a], best[cable.b], key=lambda kind: rank[kind])
        if rank[cable.kind] < rank[fastest]:
            slow.append((*_shown(fabric, cable), cable.kind, fastest))
    return slow


def _rank(kind: str, kinds: Mapping[str, Any]) -> tuple[int, int]:
    """Return the order of a kind: by rate, then by width."""
    width = int(kind.split("x")[0]) if is_infiniband(kind) else WIDTHS[-1]
    known = kinds.get(kind)
    return (rate_of(known) if known is not None and known.rate else 0, width)


def _shown(fabric: Fabric, cable: Cable) -> tuple[str, str]:
    a, b = fabric.switches[cable.a].name, fabric.switches[cable.b].name
    return f"{a}[{cable.a_port}]", f"{b}[{cable.b_port}]"


def _parts(fabric: Fabric) -> list[list[str]]:
    root = list(range(len(fabric.switches)))

    def find_root(at: int) -> int:
        while root[at] != at:
            root[at] = root[root[at]]
            at = root[at]
        return at

    for cable in fabric.cables:
        root[find_root(cable.a)] = find_root(cable.b)
    parts: dict[int, list[str]] = {}
    for number, switch in enumerate(fabric.switches):
        parts.setdefault(find_root(number), []).append(switch.name)
    found = sorted(parts.values(), key=lambda part: -len(part))
    return found if len(found) > 1 else []


def _duplicates(fabric: Fabric) -> list[str]:
    """Return the names of adapters that several have, and of switches told apart by GUIDs."""
    names = Counter(f"{a.host} {a.label}" for a in fabric.adapters)
    switches = Counter(
        switch.name.removesuffix(f"-{switch.guid:016x}") for switch in fabric.switches
    )
    return [name for counter in (names, switches) for name, times in counter.items() if times > 1]
