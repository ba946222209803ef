"""The machine families, as each declares itself in its folder of ``cpp/odonata/machine``."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from odonata import _core
from odonata.errors import UserError, near_miss
from odonata.machine.values import Kind, choice, count, file, list_of, wire

__all__ = ["FAMILIES", "Family", "LinkClass", "Policy", "class_colours", "family_named"]


@dataclass(frozen=True)
class LinkClass:
    """A class of links that every machine of a family has.

    Parameters
    ----------
    name
        Name of its table: ``[links.<name>]``.
    meaning
        Which links they are.
    colour
        Colour in figures, ``#rrggbb``.
    """

    name: str
    meaning: str
    colour: str


@dataclass(frozen=True)
class Policy:
    """A routing policy of a family.

    Parameters
    ----------
    name
        Name, as ``--routing`` has it.
    meaning
        Choice of a packet's way, in one sentence without its full stop.
    oblivious
        Whether it sends the same part of the traffic over each link whatever its load.
    aliases
        Other names.
    """

    name: str
    meaning: str
    oblivious: bool
    aliases: tuple[str, ...]


@dataclass(frozen=True)
class Family:
    """A machine family.

    Parameters
    ----------
    name
        Name, as ``family`` of a machine file has it.
    summary
        Description of the machines, in one sentence without its full stop.
    shape
        Keys of the table ``[shape]``.
    link_classes
        Classes of links that all its machines have; injection and ejection first.
    own_classes
        Classes that a new machine file has besides; empty if a file may have none.
    policies
        Routing policies, the plain one first.
    """

    name: str
    summary: str
    shape: Mapping[str, Kind]
    link_classes: tuple[LinkClass, ...]
    own_classes: tuple[str, ...]
    policies: tuple[Policy, ...]

    def to_dict(self) -> dict[str, object]:
        """Return the family as JSON has it."""
        return {
            "name": self.name,
            "summary": self.summary,
            "shape": {
                key: {
                    "allowed": kind.allowed,
                    "required": kind.required,
                    "meaning": kind.meaning,
                    "start": kind.default,
                }
                for key, kind in self.shape.items()
            },
            "links": {
                c.name: {"meaning": c.meaning, "colour": c.colour} for c in self.link_classes
            },
            "own_links": bool(self.own_classes),
            "routing": {
                p.name: {
                    "meaning": p.meaning,
                    "oblivious": p.oblivious,
                    "aliases": list(p.aliases),
                }
                for p in self.policies
            },
        }

    @property
    def class_names(self) -> tuple[str, ...]:
        """Names of the classes that all its machines have."""
        return tuple(c.name for c in self.link_classes)


_KINDS: Mapping[str, Callable[[_core.Parameter], Kind]] = {
    "count": lambda p: count(p.low, p.high),
    "choice": lambda p: choice(*p.choices),
    "counts": lambda p: list_of(count(p.low, p.high)),
    "wires": lambda p: list_of(wire(p.high)),
    "file": lambda _: file(),
}


def _kind(parameter: _core.Parameter) -> Kind:
    start = json.loads(parameter.start) if parameter.start else None
    kind = _KINDS[parameter.kind](parameter).means(parameter.meaning, start)
    return kind if parameter.required else kind.optional()


def _family(declared: _core.Family) -> Family:
    return Family(
        declared.name,
        declared.summary,
        {parameter.name: _kind(parameter) for parameter in declared.parameters},
        tuple(LinkClass(c.name, c.meaning, c.colour) for c in declared.classes),
        tuple(declared.own_classes),
        tuple(Policy(p.name, p.meaning, p.oblivious, tuple(p.aliases)) for p in declared.policies),
    )


FAMILIES: Mapping[str, Family] = {declared.name: _family(declared) for declared in _core.families()}
"""All families by name."""


def family_named(name: str, *, where: str | None = None) -> Family:
    """Return a family.

    Parameters
    ----------
    name
        Its name.
    where
        Place of the name in a file, for the error.

    Raises
    ------
    UserError
        There is no such family.

    Examples
    --------
    >>> family_named("star").class_names
    ('injection', 'ejection')
    """
    if name not in FAMILIES:
        near, allowed = near_miss(name, FAMILIES), ", ".join(FAMILIES)
        raise UserError("family: unknown", value=name, allowed=allowed, near=near, where=where)
    return FAMILIES[name]


def class_colours() -> dict[str, str]:
    """Return the colour of each class of links that some family has, by name."""
    every = (c for family in FAMILIES.values() for c in family.link_classes)
    return {c.name: c.colour for c in every}
