"""Places of switches and hosts on the floor of a machine room, in metres."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from odonata.errors import UserError
from odonata.machine.fabric.fabric import Fabric
from odonata.machine.fabric.raw_lines import raw_lines
from odonata.machine.machine import Machine, has_names
from odonata.machine.node_names import Names

__all__ = ["Places", "places_of"]

Place = tuple[float, float]

MOST_NAMES = 2_000_000
MOST_METRES = 10_000

_CNAME = re.compile(r"c(\d+)-(\d+)")
_XNAME = re.compile(r"x(\d+)")


@dataclass(frozen=True)
class Places:
    """Places along and across the rows of racks.

    Parameters
    ----------
    rule
        Origin of the places, in words.
    switches
        Place of each switch [m].
    hosts
        Places of hosts [m]; others stand by their first switch.
    unused
        Numbers of the layout that do not count.
    """

    rule: str
    switches: Sequence[Place]
    hosts: Mapping[str, Place]
    unused: tuple[str, ...] = ()

    @property
    def number(self) -> int:
        """Number of different places of switches."""
        return len(set(self.switches))


def places_of(
    machine: Machine, fabric: Fabric, layout: Mapping[str, float], racks: Path | None
) -> Places:
    """Return the places: from a file, from the names of nodes, or by the rule ``rows``.

    Parameters
    ----------
    machine, fabric
        The machine and its fabric.
    layout
        Numbers of the layout; lengths in metres.
    racks
        File of lines ``name,x,y``; None: none.

    Raises
    ------
    UserError
        The file is wrong, or lacks a switch.

    Notes
    -----
    Names of Cray's nodes have the cabinet: cnames its place and row, xnames its number, in whose
    order cabinets fill the rows; a switch stands by its first node, and a switch without nodes with
    the switch before it. By the rule ``rows``, switches fill racks in the order of their numbers,
    each group of the machine begins a rack, and racks fill the rows.
    """
    if racks is not None:
        return _listed(fabric, racks)
    if has_names(machine):
        kind = next((kind for kind in Names(machine).kinds if kind in ("cname", "xname")), "")
        if kind:
            return _named(machine, fabric, layout, kind)
    return _in_rows(machine, len(fabric.switches), layout)


def _listed(fabric: Fabric, path: Path) -> Places:
    places: dict[str, Place] = {}
    for number, line in raw_lines(path, what="racks"):
        where = f"{path}:{number}"
        content = line.partition("#")[0].strip()
        cells = [cell.strip() for cell in content.split(",")]
        if not content or cells == ["name", "x", "y"]:
            continue
        if len(cells) != 3:
            raise UserError("racks: not a line", value=content, allowed="name,x,y", where=where)
        if cells[0] in places or len(places) >= MOST_NAMES:
            raise UserError("racks: a name too many", value=cells[0], where=where)
        places[cells[0]] = _metres(cells[1], where), _metres(cells[2], where)
    missing = next((each.name for each in fabric.switches if each.name not in places), None)
    if missing is not None:
        raise UserError("racks: a switch is missing", value=missing, where=str(path))
    switches = [places[each.name] for each in fabric.switches]
    unused = ("switches_per_rack", "racks_per_row", "rack_pitch", "row_pitch")
    return Places(f"by {path.name}", switches, places, unused)


def _metres(text: str, where: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = float("nan")
    if not isfinite(found) or abs(found) > MOST_METRES:
        allowed = f"metres, up to {MOST_METRES}"
        raise UserError("racks: not a place", value=text, allowed=allowed, where=where)
    return found


def _named(machine: Machine, fabric: Fabric, layout: Mapping[str, float], kind: str) -> Places:
    names = Names(machine)
    form = _CNAME if kind == "cname" else _XNAME
    cabinets = []
    for node in range(machine.num_nodes):
        found = form.match(names.of(node)[kind])
        cabinets.append(tuple(int(part) for part in found.groups()) if found else (0,))
    if kind == "xname":
        per_row = int(layout["racks_per_row"])
        order = {each: number for number, each in enumerate(sorted(set(cabinets)))}
        cabinets = [divmod(order[each], per_row)[::-1] for each in cabinets]
    at = [_place(along, row, layout) for along, row in cabinets]
    hosts = {names.host(node): place for node, place in enumerate(at)}
    first: dict[int, Place] = {}
    for adapter in fabric.adapters:
        first.setdefault(adapter.switch, hosts[adapter.host])
    switches, last = [], at[0]
    for number in range(len(fabric.switches)):
        last = first.get(number, last)
        switches.append(last)
    unused = ("switches_per_rack", "racks_per_row")[: 2 if kind == "cname" else 1]
    return Places(f"by {kind}s of nodes", switches, hosts, unused)


def _in_rows(machine: Machine, switches: int, layout: Mapping[str, float]) -> Places:
    groups = machine.router_group.tolist()[machine.num_adapters :]
    per_row, most = int(layout["racks_per_row"]), int(layout["switches_per_rack"])
    rack, room, places = -1, 0, []
    for number in range(switches):
        if not room or groups[number] != groups[number - 1]:
            rack, room = rack + 1, most
        room -= 1
        row, along = divmod(rack, per_row)
        places.append(_place(along, row, layout))
    return Places("rows: racks by groups, in the order of switches", places, {})


def _place(along: int, row: int, layout: Mapping[str, float]) -> Place:
    return along * layout["rack_pitch"], row * layout["row_pitch"]
