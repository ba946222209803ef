"""Kinds of values in a machine file: how each is read, and its range."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from odonata.errors import UserError, near_miss
from odonata.units import (
    format_bytes,
    format_time,
    parse_bytes,
    parse_rate,
    parse_time,
    parse_time_per_byte,
)

__all__ = [
    "Kind",
    "Value",
    "choice",
    "count",
    "factor",
    "file",
    "fit",
    "list_of",
    "per_byte",
    "rate",
    "size",
    "text",
    "time",
    "wire",
]

Value = int | float | str | tuple[object, ...]

MOST_LISTED = 1_000_000
"""Entries of a list."""


@dataclass(frozen=True)
class Kind:
    """A key: how its value is read, its meaning, and whether a file may leave it out.

    Parameters
    ----------
    read
        Called with the value as given, the name of the key and ``file:line:key``; returns the
        value in base units or raises UserError.
    allowed
        Range or form of the value, in words.
    required
        Whether every file of the family must have it.
    meaning
        A sentence without its full stop.
    default
        Value in a new file, as it is written; None if it leaves the key out.
    unit
        Base unit of a quantity; empty: a count, a name or a list.
    """

    read: Callable[[object, str, str], Value]
    allowed: str
    required: bool = True
    meaning: str = ""
    default: object = None
    unit: str = ""

    def optional(self) -> Kind:
        """Return the same key as one that may be left out."""
        return replace(self, required=False)

    def means(self, meaning: str, default: object = None) -> Kind:
        """Return the same key with its meaning and its value in a new file."""
        return replace(self, meaning=meaning, default=default)


def _integer(given: object, what: str, where: str) -> int:
    if not isinstance(given, int) or isinstance(given, bool):
        raise UserError(f"{what}: not a whole number", value=given, where=where)
    return given


def count(low: int, high: int) -> Kind:
    """Return the kind of a whole number from `low` to `high`."""
    allowed = f"{low} to {high}"

    def read(given: object, what: str, where: str) -> int:
        number = _integer(given, what, where)
        if not low <= number <= high:
            raise UserError(f"{what}: out of range", value=given, allowed=allowed, where=where)
        return number

    return Kind(read, allowed)


def choice(*names: str) -> Kind:
    """Return the kind of one of some names."""
    allowed = ", ".join(names)

    def read(given: object, what: str, where: str) -> str:
        if given not in names:
            near = near_miss(str(given), names)
            raise UserError(
                f"{what}: unknown", value=given, allowed=allowed, near=near, where=where
            )
        return str(given)

    return Kind(read, allowed)


def file() -> Kind:
    """Return the kind of a path."""

    def read(given: object, what: str, where: str) -> str:
        if not isinstance(given, str) or not given or "\0" in given:
            raise UserError(f"{what}: not a text", value=given, where=where)
        return given

    return Kind(read, "the path of a file, from the folder of this one")


def letters(most: int) -> Kind:
    """Return the kind of a word of letters."""
    allowed = f"1 to {most} letters"

    def read(given: object, what: str, where: str) -> str:
        if not isinstance(given, str) or not re.fullmatch(f"[A-Za-z]{{1,{most}}}", given):
            raise UserError(f"{what}: not a word", value=given, allowed=allowed, where=where)
        return given

    return Kind(read, allowed)


def text(most: int) -> Kind:
    """Return the kind of a text of at most `most` characters."""
    allowed = f"a text of at most {most} characters"

    def read(given: object, what: str, where: str) -> str:
        if not isinstance(given, str) or len(given) > most:
            raise UserError(f"{what}: not a text", value=given, allowed=allowed, where=where)
        return given

    return Kind(read, allowed)


def time(most_ps: int = 10**12) -> Kind:
    """Return the kind of a time from 0 to `most_ps`, with its unit."""
    allowed = f"0 ps to {format_time(most_ps)}"

    def read(given: object, what: str, where: str) -> int:
        picoseconds = parse_time(given, what=what, where=where)
        if picoseconds > most_ps:
            raise UserError(f"{what}: out of range", value=given, allowed=allowed, where=where)
        return picoseconds

    return Kind(read, allowed, unit="ps")


def size(low: int, high: int) -> Kind:
    """Return the kind of a number of bytes from `low` to `high`, with its unit."""
    allowed = f"{format_bytes(low)} to {format_bytes(high)}"

    def read(given: object, what: str, where: str) -> int:
        num_bytes = parse_bytes(given, what=what, where=where)
        if not low <= num_bytes <= high:
            raise UserError(f"{what}: out of range", value=given, allowed=allowed, where=where)
        return num_bytes

    return Kind(read, allowed, unit="B")


def rate() -> Kind:
    """Return the kind of a rate, with its unit."""
    return Kind(
        lambda given, what, where: parse_rate(given, what=what, where=where),
        "1 MB/s to 1 TB/s",
        unit="B/s",
    )


def per_byte() -> Kind:
    """Return the kind of a time a byte, with its unit."""
    return Kind(
        lambda given, what, where: parse_time_per_byte(given, what=what, where=where),
        "0 ps/B to 1 us/B",
        unit="ps/B",
    )


def factor(most: float) -> Kind:
    """Return the kind of a number above 0 without a unit."""
    allowed = f"a number above 0, up to {most:g}"

    def read(given: object, what: str, where: str) -> float:
        try:
            factor = float(given) if isinstance(given, (int, float, str)) else float("nan")
        except ValueError:
            factor = float("nan")
        if isinstance(given, bool) or not 0 < factor <= most:
            raise UserError(f"{what}: out of range", value=given, allowed=allowed, where=where)
        return factor

    return Kind(read, allowed)


def list_of(kind: Kind) -> Kind:
    """Return the kind of a list whose entries are of one kind; a text alone is a list of one."""

    def read(given: object, what: str, where: str) -> tuple[object, ...]:
        if isinstance(given, str):
            given = [given]
        if not isinstance(given, list):
            raise UserError(f"{what}: not a list", value=given, where=where)
        if len(given) > MOST_LISTED:
            allowed = f"at most {MOST_LISTED}"
            raise UserError(f"{what}: too long", value=len(given), allowed=allowed, where=where)
        return tuple(kind.read(item, f"{what}[{i}]", where) for i, item in enumerate(given))

    return Kind(read, f"a list, each {kind.allowed}")


def wire(most: int) -> Kind:
    """Return the kind of ``[from, to, class]``, between routers from 0 to `most`."""
    form = '[from, to, "class"]'

    def read(given: object, what: str, where: str) -> tuple[object, ...]:
        if not isinstance(given, list) or len(given) != 3 or not isinstance(given[2], str):
            raise UserError(f"{what}: not a link", value=given, allowed=form, where=where)
        ends = (count(0, most).read(end, what, where) for end in given[:2])
        return (*ends, given[2])

    return Kind(read, form)


def fit() -> Kind:
    """Return the kind of ``[mix, scenario, cores, accuracy]``: a fit of the AMG model."""
    form = '["16x1", "scenario", cores, accuracy]'

    def read(given: object, what: str, where: str) -> tuple[object, ...]:
        if not isinstance(given, list) or len(given) != 4 or not _is_mix(given[0]):
            raise UserError(f"{what}: not a fit", value=given, allowed=form, where=where)
        mix, scenario, cores, accuracy = given
        if not isinstance(scenario, str):
            raise UserError(f"{what}, scenario: not a text", value=scenario, where=where)
        return (
            mix,
            scenario,
            count(1, 10**9).read(cores, f"{what}, cores", where),
            factor(1).read(accuracy, f"{what}, accuracy", where),
        )

    return Kind(read, form)


def _is_mix(given: object) -> bool:
    return isinstance(given, str) and bool(re.fullmatch(r"[1-9][0-9]{0,5}x[1-9][0-9]{0,5}", given))
