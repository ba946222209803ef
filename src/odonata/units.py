"""Quantities with units at the edge, whole numbers inside.

=============  =========================  ==============  ====================
quantity       as text                    inside          allowed
=============  =========================  ==============  ====================
time           ``"100 ns"``, ``"1.3 µs"``  int [ps]        0 to 1 day
bytes          ``"1 KiB"``, ``"64 B"``     int [B]         0 to 1 TiB
rate           ``"5.25 GB/s"``            int [B/s]       1 MB/s to 1 TB/s
time per byte  ``"0.1 ns/B"``             float [ps/B]    0 to 1 us/B
=============  =========================  ==============  ====================

Prefixes are taken from the SI (``k M G T``, powers of 1000) and IEC 80000-13 (``Ki Mi Gi Ti``,
powers of 1024); ``b`` and ``bit`` are bits, ``B`` is a byte. The ranges are such that the longest
message over the slowest link (13 days) fits the clock (106 days).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from odonata.errors import UserError, near_miss

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "Written",
    "exact_sum",
    "format_bytes",
    "format_rate",
    "format_time",
    "parse_bytes",
    "parse_rate",
    "parse_time",
    "parse_time_per_byte",
]

_DECIMAL = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
_PREFIXES = _DECIMAL | _BINARY

_TIME = {
    "ps": 1,
    "ns": 10**3,
    "us": 10**6,
    "µs": 10**6,  # micro sign
    "\N{GREEK SMALL LETTER MU}s": 10**6,
    "ms": 10**9,
    "s": 10**12,
}
_BYTES = {f"{prefix}B": factor for prefix, factor in _PREFIXES.items()}
_BITS_PER_SECOND = {
    f"{prefix}{bit}/s": Fraction(factor, 8)
    for prefix, factor in _PREFIXES.items()
    for bit in ("b", "bit")
}
_RATE = {f"{unit}/s": Fraction(factor) for unit, factor in _BYTES.items()} | _BITS_PER_SECOND
_TIME_PER_BYTE = {f"{unit}/B": factor for unit, factor in _TIME.items()}

_QUANTITY = re.compile(r"([+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,2})?)\s*(\S*)")
_LONGEST = 64  # characters of a quantity

_SPELLED_OUT = {
    "bytes?": "B",
    "bits?": "b",
    "seconds?|secs?": "s",
    "pico": "p",
    "nano": "n",
    "micro|[\u00b5\u03bc]": "u",
    "milli": "m",
    "(?<=b)ps$": "/s",
}
"""Words that people write for units, and the letters of the units."""


@dataclass(frozen=True)
class _Kind:
    """A kind of quantity: its units, its range, and their words in errors."""

    name: str
    units: Mapping[str, int | Fraction]
    least: int
    most: int
    allowed: str
    example: str
    why: str  # a bare number is refused


_TIMES = _Kind(
    "time", _TIME, 0, 86_400 * 10**12, "0 ps to 86400 s", "100 ns", "it could be ns, us or s"
)
_SIZES = _Kind("bytes", _BYTES, 0, 2**40, "0 B to 1 TiB", "1 KiB", "it could be B, kB or KiB")
_RATES = _Kind(
    "rate",
    _RATE,
    10**6,
    10**12,
    "1 MB/s to 1 TB/s",
    "5.25 GB/s",
    "the same figure 5.25 stands in print as GB/s, GiB/s and Gb/s",
)
_TIMES_PER_BYTE = _Kind(
    "time per byte",
    _TIME_PER_BYTE,
    0,
    10**6,
    "0 ps/B to 1 us/B",
    "0.1 ns/B",
    "it could be ps/B, ns/B or seconds for 8 bytes",
)


def parse_time(given: object, *, what: str = "time", where: str | None = None) -> int:
    """Return a time in picoseconds.

    Parameters
    ----------
    given
        Text such as ``"100 ns"``.
    what
        Name of the quantity, for the message of an error.
    where
        ``file:line:key`` it was read from, for the message of an error.

    Returns
    -------
    int
        The time [ps].

    Raises
    ------
    UserError
        No unit, an unknown one, out of range, or not a whole number of picoseconds.

    Examples
    --------
    >>> parse_time("1.3 us")
    1300000
    """
    return _whole(given, _read(given, _TIMES, what, where), "picoseconds", what, where)


def parse_bytes(
    given: object, *, bare: bool = False, what: str = "bytes", where: str | None = None
) -> int:
    """Return a number of bytes.

    Parameters
    ----------
    given
        Text such as ``"1 KiB"``.
    bare
        Whether a whole number without unit counts bytes, as on the command line.
    what, where
        Name and ``file:line:key`` of the quantity, for the message of an error.

    Returns
    -------
    int
        The size [B].

    Raises
    ------
    UserError
        No unit, an unknown one, out of range, or not a whole number of bytes.

    Examples
    --------
    >>> parse_bytes("1KiB"), parse_bytes("64", bare=True)
    (1024, 64)
    """
    if bare and type(given) is int and 0 <= given <= _SIZES.most:
        return given
    if bare and re.fullmatch(r"\s*[+-]?[0-9]+\s*", str(given)[:_LONGEST]):
        given = f"{given} B"
    return _whole(given, _read(given, _SIZES, what, where), "bytes", what, where)


def parse_rate(given: object, *, what: str = "rate", where: str | None = None) -> int:
    """Return a bandwidth in bytes a second, rounded to the nearest.

    Parameters
    ----------
    given
        Text such as ``"5.25 GB/s"`` or ``"10 Gb/s"`` (bits).
    what, where
        Name and ``file:line:key`` of the quantity, for the message of an error.

    Returns
    -------
    int
        The rate [B/s].

    Raises
    ------
    UserError
        No unit, an unknown one, or out of range.

    Examples
    --------
    >>> parse_rate("4.7 GiB/s"), parse_rate("10 Gb/s")
    (5046586573, 1250000000)
    """
    return round(_read(given, _RATES, what, where))


def parse_time_per_byte(
    given: object, *, what: str = "time per byte", where: str | None = None
) -> float:
    """Return a time per byte in picoseconds.

    Parameters
    ----------
    given
        Text such as ``"0.1 ns/B"``.
    what, where
        Name and ``file:line:key`` of the quantity, for the message of an error.

    Returns
    -------
    float
        The time per byte [ps/B].

    Raises
    ------
    UserError
        No unit, an unknown one, or out of range.

    Examples
    --------
    >>> parse_time_per_byte("0.1 ns/B")
    100.0
    """
    return float(_read(given, _TIMES_PER_BYTE, what, where))


class Written(str):
    """The text of a number in a table, which keeps the number and its unit.

    Parameters
    ----------
    text
        The printed name.
    value
        The number, in the unit.
    unit
        Such as ``s``, ``B`` or ``%``; empty: the number has none.

    Examples
    --------
    >>> time = Written("1.3 us", 1.3045e-06, "s")
    >>> time, time.value, time.unit
    ('1.3 us', 1.3045e-06, 's')
    """

    value: float
    unit: str

    def __new__(cls, text: str, value: float, unit: str = "") -> Written:
        """Make a text that keeps a number."""
        made = super().__new__(cls, text)
        made.value, made.unit = value, unit
        return made

    def __reduce__(self) -> tuple[type[Written], tuple[str, float, str]]:
        return Written, (str(self), self.value, self.unit)


def exact_sum(numbers: NDArray[np.integer[Any]]) -> int:
    """Return the sum of whole numbers, however large it is.

    Parameters
    ----------
    numbers
        Any shape; numpy's own sum of them would begin again at the least number behind 2^63 - 1.

    Examples
    --------
    >>> import numpy as np
    >>> exact_sum(np.array([2**62, 2**62])) == 2**63
    True
    """
    whole = numbers.astype("int64", copy=False)
    return (int((whole >> 32).sum()) << 32) + int((whole & 0xFFFFFFFF).sum())


def format_time(time_ps: float) -> str:
    """Write a time for people, with three significant digits.

    Parameters
    ----------
    time_ps
        The time [ps].

    Examples
    --------
    >>> format_time(1_304_500)
    '1.3 us'
    """
    units = {unit: Fraction(_TIME[unit]) for unit in ("ps", "ns", "us", "ms", "s")}
    return _written(Fraction(time_ps), units)


def format_bytes(size_bytes: float) -> str:
    """Write a size for people, with three significant digits and binary prefixes.

    Parameters
    ----------
    size_bytes
        The size [B].

    Examples
    --------
    >>> format_bytes(1536)
    '1.5 KiB'
    """
    units = {unit: Fraction(_BYTES[unit]) for unit in ("B", "KiB", "MiB", "GiB", "TiB")}
    return _written(Fraction(size_bytes), units)


def format_rate(bytes_per_second: float) -> str:
    """Write a rate for people, with three significant digits and decimal prefixes.

    Parameters
    ----------
    bytes_per_second
        The rate [B/s].

    Examples
    --------
    >>> format_rate(5_250_000_000)
    '5.25 GB/s'
    """
    units = {unit: _RATE[unit] for unit in ("B/s", "kB/s", "MB/s", "GB/s", "TB/s")}
    return _written(Fraction(bytes_per_second), units)


def _read(given: object, kind: _Kind, what: str, where: str | None) -> Fraction:
    """Return a quantity in the base unit of its kind, within its range."""
    if not isinstance(given, (str, int, float)) or isinstance(given, bool):
        raise UserError(f"{what}: not a {kind.name}", value=given, where=where)
    text = str(given).strip()
    match = _QUANTITY.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        form = f"a number and a unit, as in {kind.example!r}"
        raise UserError(f"{what}: not a {kind.name}", value=given, allowed=form, where=where)
    quantity = Fraction(match[1]) * _factor(match[2], given, kind, what, where)
    if not kind.least <= quantity <= kind.most:
        raise UserError(f"{what}: out of range", value=given, allowed=kind.allowed, where=where)
    return quantity


def _factor(unit: str, given: object, kind: _Kind, what: str, where: str | None) -> int | Fraction:
    factor = kind.units.get(unit)
    if factor is not None:
        return factor
    allowed = ", ".join(kind.units)
    if not unit:
        problem = f"{what}: a number without a unit ({kind.why})"
        raise UserError(problem, value=given, allowed=allowed, where=where)
    near = _near_unit(unit, kind.units)
    problem = f"{what}: unknown unit {unit!r}"
    raise UserError(problem, value=given, allowed=allowed, where=where, near=near)


def _near_unit(unit: str, units: Iterable[str]) -> str | None:
    """Return the unit that a misspelt one stands for, None if no unit has its magnitude.

    A ``b`` stays a bit and a ``B`` a byte; a prefix keeps its power, and one without a unit counts
    in powers of 1024, as it does for other programs. A missing ``/s`` or ``/B`` is added. Only
    sizes take ``kib`` for ``KiB``: they have no bits.
    """
    folded = _folded(unit)
    likely = [folded, *(folded + end for end in ("/s", "/B", "B"))]
    if folded.casefold() in ("k", "m", "g", "t"):
        likely.insert(0, f"{folded}iB")
    likely.append(folded.replace("ib", "iB"))
    likely += [f"M{text[1:]}" for text in likely if text.startswith("m")]
    for text in likely:
        known = [name for name in units if _folded(name) == text]
        if known:
            return near_miss(unit, known) or known[0]
    return None


def _folded(unit: str) -> str:
    """Return a unit with its words shortened, and in one case where that means nothing."""
    for word, short in _SPELLED_OUT.items():
        unit = re.sub(word, short, unit, flags=re.IGNORECASE)
    return "".join(c if c in "bBM" else c.casefold() for c in unit)


def _whole(given: object, quantity: Fraction, unit: str, what: str, where: str | None) -> int:
    if quantity.denominator != 1:
        raise UserError(f"{what}: not a whole number of {unit}", value=given, where=where)
    return int(quantity)


def _written(quantity: Fraction, units: Mapping[str, Fraction]) -> str:
    """Write a quantity in the largest unit of which it has at least one, after rounding."""
    sign = "-" if quantity < 0 else ""
    rounded = abs(quantity)
    shown = ""
    for unit, factor in units.items():
        if shown and rounded < factor:
            break
        number = _three_digits(abs(quantity) / factor)
        rounded = Fraction(number) * factor
        shown = f"{sign}{number} {unit}"
    return shown


def _three_digits(number: Fraction) -> str:
    """Write a number >= 0 with three significant digits, all digits before the point."""
    decimals = max((places for places in (0, 1, 2) if number < 10 ** (3 - places)), default=0)
    text = f"{float(round(number, decimals)):.{decimals}f}"
    return text.rstrip("0").rstrip(".") if decimals else text
