"""Parts of a fabric with their numbers, and with a price file their cost and power."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from odonata.errors import UserError
from odonata.machine.fabric.fabric import Fabric
from odonata.machine.fabric.of_machine import fabric_of
from odonata.machine.fabric.prices import CableKind, Price, Prices
from odonata.machine.fabric.racks import Place, Places, places_of
from odonata.machine.machine import Machine

__all__ = ["Cost", "Part", "cost_of"]

SWITCHES_OF_CABINETS = {"aries": 48, "gemini": 48}
"""Routers of a cabinet of a Cray: three chassis of 16."""


@dataclass(frozen=True)
class Part:
    """Parts of a kind.

    Parameters
    ----------
    name
        ``switch``, ``port``, ``adapter``, or the kind of a cable.
    number
        Number of parts.
    length
        Length of each cable [m]; 0 for others.
    price, power
        Price and power [W] of all of them; None: no price file.
    """

    name: str
    number: int
    length: float = 0
    price: float | None = None
    power: float | None = None


@dataclass(frozen=True)
class Cost:
    """Parts of a machine, their cost and power.

    Parameters
    ----------
    machine
        Its name.
    rule
        Origin of the places of racks.
    currency
        Currency; empty: no price file.
    parts
        Switches, ports with cables, adapters, then cables by kind and length.
    links_on_boards
        Links of adapters or between switches without a cable.
    assumed
        Assumed numbers of the layout, by key.
    """

    machine: str
    rule: str
    currency: str
    parts: tuple[Part, ...]
    links_on_boards: int
    assumed: dict[str, Any]

    @property
    def price(self) -> float | None:
        """Price of all parts; None: no price file."""
        return sum(part.price or 0 for part in self.parts) if self.currency else None

    @property
    def power(self) -> float | None:
        """Power of all parts [W]; None: no price file."""
        return sum(part.power or 0 for part in self.parts) if self.currency else None

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data."""
        cables = [part for part in self.parts if part.length]
        counted = {part.name: _plain(part) for part in self.parts if not part.length}
        return {
            "machine": self.machine,
            "places": self.rule,
            "assumed": self.assumed,
            **counted,
            "cables": [
                {"kind": part.name, "metres": part.length, **_plain(part)} for part in cables
            ],
            "links_on_boards": self.links_on_boards,
            "currency": self.currency or None,
            "price": self.price,
            "power_watts": self.power,
        }


def _plain(part: Part) -> dict[str, Any]:
    return {"number": part.number, "price": part.price, "power_watts": part.power}


def cost_of(machine: Machine, prices: Prices, racks: Path | None = None) -> Cost:
    """Return the parts of a machine, with their cost if there are prices.

    Parameters
    ----------
    machine
        The machine.
    prices
        Contents of a price file, or the assumed numbers alone.
    racks
        File of the places of switches; None: by names of nodes, or by the rule ``rows``.

    Raises
    ------
    UserError
        A class of links is unknown, or a cable is longer than all that are sold.
    """
    fabric = fabric_of(machine)
    if "switches_per_rack" not in prices.given and machine.family in SWITCHES_OF_CABINETS:
        usual = {"switches_per_rack": SWITCHES_OF_CABINETS[machine.family]}
        prices = replace(prices, layout={**prices.layout, **usual})
    boards = prices.boards if prices.boards is not None else _usual_boards(machine)
    for name in boards:
        if name not in machine.link_classes:
            allowed = ", ".join(machine.link_classes)
            raise UserError("layout.boards: no such class", value=name, allowed=allowed)
    places = places_of(machine, fabric, prices.layout, racks)
    counts: Counter[tuple[str, float]] = Counter()
    ports = links = 0
    for ends, (there, back), kind in _links(fabric, places):
        if kind in boards:
            links += 1
            continue
        ports += ends
        way = abs(there[0] - back[0]) + abs(there[1] - back[1]) + prices.layout["slack"]
        counts[_cable(prices, places, round(way, 6))] += 1
    numbers = {"switch": len(fabric.switches), "port": ports, "adapter": len(fabric.adapters)}
    parts = [_part(name, n, 0, prices.parts.get(name)) for name, n in numbers.items()]
    for sold in prices.kinds:
        lengths = sorted(length for name, length in counts if name == sold.name)
        parts += [_part(sold.name, counts[sold.name, m], m, sold.price) for m in lengths]
    assumed = _assumed(prices, places, list(boards))
    return Cost(machine.name, places.rule, prices.currency, tuple(parts), links, assumed)


def _links(fabric: Fabric, places: Places) -> list[tuple[int, tuple[Place, Place], str]]:
    """Return ports at switches, places of both ends, and class of each link."""
    at = places.switches
    hosts = dict(places.hosts)
    for adapter in fabric.adapters:
        hosts.setdefault(adapter.host, at[adapter.switch])
    found = [(1, (hosts[a.host], at[a.switch]), a.kind) for a in fabric.adapters]
    return found + [(2, (at[c.a], at[c.b]), c.kind) for c in fabric.cables]


def _cable(prices: Prices, places: Places, way: float) -> tuple[str, float]:
    """Return kind and length of the cable for a way [m]."""
    at = bisect_left(prices.lengths, way)
    if at == len(prices.lengths):
        allowed = (
            f"up to {prices.lengths[-1]:g} m, by layout.lengths. The switches fill {places.number} "
            f"racks, {places.rule}; other places: --racks FILE, or [layout] of --prices"
        )
        raise UserError("cost: a cable is too long", value=f"{way:g} m", allowed=allowed)
    length = prices.lengths[at]
    kind: CableKind | None = next((k for k in prices.kinds if length <= k.up_to), None)
    if kind is None:
        last = prices.kinds[-1]
        allowed = f"up to {last.up_to:g} m, by cable.{last.name}.up_to"
        raise UserError("cost: a cable is too long", value=f"{length:g} m", allowed=allowed)
    return kind.name, length


def _part(name: str, number: int, length: float, price: Price | None) -> Part:
    if price is None:
        return Part(name, number, length)
    each = price.price + price.per_metre * length
    return Part(name, number, length, number * each, number * price.power)


def _assumed(prices: Prices, places: Places, boards: list[str]) -> dict[str, Any]:
    """Return the numbers that no file has, and that count."""
    known: dict[str, Any] = {**prices.layout, "lengths": list(prices.lengths), "boards": boards}
    found = {
        f"layout.{key}": value
        for key, value in known.items()
        if key not in prices.given and key not in places.unused
    }
    return found | {f"cable.{k.name}.up_to": k.up_to for k in prices.kinds if k.is_assumed}


def _usual_boards(machine: Machine) -> tuple[str, ...]:
    """Return the classes of links that run on boards in machines of a family."""
    if machine.family == "gemini":
        inside = [name for name in ("y", "z") if f"{name}-cable" in set(_used(machine))]
        return ("injection", *inside)
    return {"aries": ("injection", "green"), "torus": ("injection",)}.get(machine.family, ())


def _used(machine: Machine) -> list[str]:
    return [machine.link_classes[number] for number in sorted(set(machine.link_class.tolist()))]
