"""Price files: prices and power of the parts of a fabric, and the layout of its racks.

No number is Odonata's: a blank is an error. Numbers of the layout, and the lengths up to which a
kind of cable goes, have defaults, which are assumed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path

from odonata.errors import UserError, near_miss
from odonata.files import read_text
from odonata.machine.files import parse

__all__ = [
    "DEFAULT_KINDS",
    "DEFAULT_LAYOUT",
    "TEMPLATE",
    "CableKind",
    "Price",
    "Prices",
    "read_prices",
]

MOST_BYTES = 100_000
MOST_KINDS = 20
MOST = 1e12
"""Largest number of a price file."""

DEFAULT_KINDS: Mapping[str, float] = {"copper": 3, "optical": 1000}
"""Length [m] up to which the usual kinds of cables go."""

DEFAULT_LAYOUT: Mapping[str, float] = {
    "switches_per_rack": 4,
    "racks_per_row": 10,
    "rack_pitch": 0.6,
    "row_pitch": 2.4,
    "slack": 2,
}
"""Numbers of the layout; lengths in metres."""

DEFAULT_LENGTHS = (1.0, 2.0, 3.0, 5.0, 10.0, 15.0, 20.0, 30.0, 50.0, 100.0, 200.0, 500.0, 1000.0)
"""Lengths [m] in which cables are sold."""

TEMPLATE = """\
# Prices and power of the parts of a fabric, for odonata machines cost --prices.
# Every "" is yours to fill in; 0 is a number, too. Numbers behind # are assumed until you set them.

currency = ""           # such as "EUR"

[switch]
price = ""              # of one switch
power = ""              # W

[port]                  # a port of a switch with a cable: licence, transceiver
price = ""
power = ""              # W

[adapter]               # a port of a node
price = ""
power = ""              # W

[cable.copper]
# up_to = 3             # longest cable of this kind, m (assumed)
price = ""              # of one cable
price_per_metre = ""
power = ""              # W, of both ends together

[cable.optical]         # longer ones; further kinds may follow, each with its up_to
# up_to = 1000          # m (assumed)
price = ""
price_per_metre = ""
power = ""

[layout]
# switches_per_rack = 4     # assumed, and so are all below
# racks_per_row = 10
# rack_pitch = 0.6          # from a rack to the next of its row, m
# row_pitch = 2.4           # from a row to the next, m
# slack = 2                 # of each cable, beyond the way along and across the rows, m
# lengths = [1, 2, 3, 5, 10, 15, 20, 30, 50, 100, 200, 500, 1000]    # as sold, m
# boards = ["injection"]    # classes of links that run on boards, without cables
"""
"""A price file whose numbers are blank."""


@dataclass(frozen=True)
class Price:
    """Price and power of a part.

    Parameters
    ----------
    price
        Price of one, in the file's currency.
    power
        Its power [W].
    per_metre
        Price of a metre.
    """

    price: float
    power: float
    per_metre: float = 0


@dataclass(frozen=True)
class CableKind:
    """A kind of cable.

    Parameters
    ----------
    name
        Its name.
    up_to
        Longest cable of this kind [m].
    price
        Its price; None: counted alone.
    is_assumed
        Whether the length is a default.
    """

    name: str
    up_to: float
    price: Price | None = None
    is_assumed: bool = True


def _default_kinds() -> tuple[CableKind, ...]:
    return tuple(CableKind(name, up_to) for name, up_to in DEFAULT_KINDS.items())


@dataclass(frozen=True)
class Prices:
    """Contents of a price file; without a file, the assumed numbers alone.

    Parameters
    ----------
    currency
        Its name.
    parts
        Price of a switch, a port and an adapter, by these names; empty: no prices.
    kinds
        Kinds of cables, the shortest first.
    layout
        Numbers of the layout; lengths in metres.
    lengths
        Lengths that are sold [m], in order.
    boards
        Classes of links without cables; None: the usual ones of the machine's family.
    given
        Keys of the layout that the file has.
    """

    currency: str = ""
    parts: Mapping[str, Price] = field(default_factory=dict)
    kinds: tuple[CableKind, ...] = field(default_factory=_default_kinds)
    layout: Mapping[str, float] = field(default_factory=lambda: DEFAULT_LAYOUT)
    lengths: tuple[float, ...] = DEFAULT_LENGTHS
    boards: tuple[str, ...] | None = None
    given: frozenset[str] = frozenset()


def read_prices(path: Path) -> Prices:
    """Read a price file.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    UserError
        A number is blank, missing or wrong, or a key is unknown; says file, line and key.
    """
    return _Reader(read_text(path, MOST_BYTES, what="price file"), str(path)).prices()


class _Reader:
    """A price file while it is read."""

    def __init__(self, text: str, file: str) -> None:
        self._document = parse(text, file, what="price file")
        entries = self._document.entries
        parts = (key.split(".") for key in entries if key.startswith("cable."))
        self._kinds = list(dict.fromkeys(part[1] for part in parts if len(part) == 3))
        cable = ("up_to", "price", "price_per_metre", "power")
        known = [f"{part}.{key}" for part in _PARTS for key in ("price", "power")]
        known += [f"cable.{kind}.{key}" for kind in self._kinds for key in cable]
        known += [f"layout.{key}" for key in (*DEFAULT_LAYOUT, "lengths", "boards")]
        known += ["currency"]
        for key, value in entries.items():
            if key not in known and value != {}:
                where = self._document.where(key)
                raise UserError(f"{key}: unknown key", near=near_miss(key, known), where=where)
        if not 1 <= len(self._kinds) <= MOST_KINDS:
            number = len(self._kinds)
            allowed = f"1 to {MOST_KINDS} tables [cable.<kind>]"
            raise UserError("cable: kinds", value=number, allowed=allowed, where=file)

    def prices(self) -> Prices:
        """Return the contents."""
        currency = self._text("currency")
        parts = {part: Price(*self._pair(part)) for part in _PARTS}
        kinds = sorted(map(self._kind, self._kinds), key=lambda kind: kind.up_to)
        layout = dict(DEFAULT_LAYOUT)
        given = {key.partition(".")[2] for key in self._document.entries if "layout." in key}
        for key in DEFAULT_LAYOUT:
            if key in given:
                is_count = key.endswith(("_rack", "_row"))
                layout[key] = self._number(f"layout.{key}", least=1 if is_count else 0)
                if is_count and layout[key] != int(layout[key]):
                    raise self._wrong(f"layout.{key}", "not a whole number", "1 or more")
        return Prices(
            currency,
            parts,
            tuple(kinds),
            layout,
            self._lengths() if "lengths" in given else DEFAULT_LENGTHS,
            self._boards() if "boards" in given else None,
            frozenset(given),
        )

    def _pair(self, part: str) -> tuple[float, float]:
        return self._number(f"{part}.price"), self._number(f"{part}.power")

    def _kind(self, name: str) -> CableKind:
        key = f"cable.{name}"
        price = Price(*self._pair(key), self._number(f"{key}.price_per_metre"))
        is_assumed = f"{key}.up_to" not in self._document.entries and name in DEFAULT_KINDS
        up_to = DEFAULT_KINDS[name] if is_assumed else self._number(f"{key}.up_to")
        return CableKind(name, up_to, price, is_assumed)

    def _value(self, key: str) -> object:
        if key not in self._document.entries:
            where = self._document.where(key.rpartition(".")[0])
            raise UserError(f"{key}: missing", where=where)
        value = self._document.entries[key]
        if value == "":
            raise self._wrong(key, "blank", "a value of yours; no price is assumed")
        return value

    def _text(self, key: str) -> str:
        value = self._value(key)
        if not isinstance(value, str) or len(value) > 20 or not value.isprintable():
            raise self._wrong(key, "not a text", "up to 20 letters")
        return value

    def _number(self, key: str, least: float = 0) -> float:
        return self._checked(key, self._value(key), least)

    def _checked(self, key: str, value: object, least: float = 0) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._wrong(key, "not a number", f"{least:g} to {MOST:g}")
        if not isfinite(value) or not least <= value <= MOST:
            raise self._wrong(key, "out of range", f"{least:g} to {MOST:g}")
        return value

    def _lengths(self) -> tuple[float, ...]:
        key = "layout.lengths"
        value = self._value(key)
        if not isinstance(value, list) or not 1 <= len(value) <= 100:
            raise self._wrong(key, "not a list of lengths", "1 to 100 numbers")
        return tuple(sorted(self._checked(key, each) for each in value))

    def _boards(self) -> tuple[str, ...]:
        value = self._value("layout.boards")
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise self._wrong("layout.boards", "not a list of classes", '["injection"]')
        return tuple(value)

    def _wrong(self, key: str, problem: str, allowed: str) -> UserError:
        value = self._document.entries[key]
        shown = None if value == "" else value
        where = self._document.where(key)
        return UserError(f"{key}: {problem}", value=shown, allowed=allowed, where=where)


_PARTS = ("switch", "port", "adapter")
