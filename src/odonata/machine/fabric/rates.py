"""Data rates of InfiniBand's links: lanes, speeds, and what the coding leaves of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import log

from odonata.errors import UserError
from odonata.machine.fabric.fabric import LinkKind
from odonata.units import parse_rate

__all__ = ["SPEEDS", "WIDTHS", "is_infiniband", "kind_of", "nearest", "rate_of"]

_LANES: dict[str, tuple[float, str]] = {
    "SDR": (2.0, "2.5 Gb/s a lane less 8b/10b"),
    "DDR": (4.0, "5 Gb/s a lane less 8b/10b"),
    "QDR": (8.0, "10 Gb/s a lane less 8b/10b"),
    "FDR10": (10.0, "10.3125 Gb/s a lane less 64b/66b"),
    "FDR": (13.6364, "14.0625 Gb/s a lane less 64b/66b"),
    "EDR": (25.0, "25.78125 Gb/s a lane less 64b/66b"),
    "HDR": (50.0, "53.125 Gb/s a lane less 256b/257b and RS(544,514)"),
    "NDR": (100.0, "106.25 Gb/s a lane less 256b/257b and RS(544,514)"),
    "XDR": (200.0, "212.5 Gb/s a lane less 256b/257b and RS(544,514)"),
}
"""Data rate of a lane [Gb/s] and where it comes from, by speed."""

SPEEDS = tuple(_LANES)
"""Names of the speeds of a lane."""

WIDTHS = (1, 2, 4, 8, 12)
"""Lanes of a link."""

SOURCE = "InfiniBand Architecture Specification, volume 2, and the IBTA's roadmap"

_NAME = re.compile(r"(\d{1,2})x([A-Z0-9]{3,5})")


def is_infiniband(name: str) -> bool:
    """Return whether a word is a width and a speed, such as ``4xNDR``.

    Parameters
    ----------
    name
        The word.
    """
    found = _NAME.fullmatch(name)
    return found is not None and int(found[1]) in WIDTHS and found[2] in _LANES


def kind_of(name: str, where: str | None = None) -> LinkKind:
    """Return the kind of links of a width and a speed.

    Parameters
    ----------
    name
        Width and speed.
    where
        ``file:line`` of the name.

    Raises
    ------
    UserError
        There is no such width or speed.

    Examples
    --------
    >>> kind_of("4xNDR").rate, kind_of("1xFDR").rate
    ('50 GB/s', '1.70455 GB/s')
    """
    if not is_infiniband(name):
        speeds, widths = ", ".join(_LANES), ", ".join(f"{w}x" for w in WIDTHS)
        allowed = f"{widths} before {speeds}"
        raise UserError("link: unknown width or speed", value=name, allowed=allowed, where=where)
    width, speed = name.split("x")
    rate, coding = _LANES[speed]
    return LinkKind(f"{int(width) * rate / 8:.6g} GB/s", f"{name}: {coding}; {SOURCE}", "published")


def rate_of(kind: LinkKind) -> int:
    """Return the rate of a kind of links [B/s].

    Parameters
    ----------
    kind
        The kind.
    """
    return parse_rate(kind.rate)


def nearest(rate: int, speeds: Iterable[str] = SPEEDS) -> str:
    """Return the width and speed whose rate is nearest by ratio; of equals four lanes, then fewest.

    Parameters
    ----------
    rate
        Data rate of a direction [B/s].
    speeds
        Speeds to choose from.

    Examples
    --------
    >>> nearest(25_000_000_000), nearest(5_250_000_000), nearest(125_000_000)
    ('4xHDR', '4xFDR10', '1xSDR')
    """
    names = [f"{width}x{speed}" for width in WIDTHS for speed in speeds]

    def distance(name: str) -> tuple[float, bool, int]:
        width = int(name.partition("x")[0])
        return round(abs(log(rate_of(kind_of(name)) / rate)), 9), width != 4, width

    return min(names, key=distance)
