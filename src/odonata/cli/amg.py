"""Options and notation of times that ``odonata predict amg`` and ``odonata fit amg`` share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from odonata.cli.options import OUT
from odonata.errors import UserError
from odonata.units import Written

__all__ = [
    "CoarsestOption",
    "LinksOption",
    "PlotOption",
    "RelaxationOrderOption",
    "RestrictRowsOption",
    "milliseconds",
    "parse_points",
    "percent",
]

LinksOption = Annotated[
    str | None,
    typer.Option(
        help="Links with contention: paper (default on Aries), wiring (default elsewhere)."
    ),
]
RestrictRowsOption = Annotated[
    str, typer.Option(help="Rows that restriction works on: paper, operator.")
]
CoarsestOption = Annotated[
    str, typer.Option(help="Interpolation from the coarsest level: interp, none.")
]
RelaxationOrderOption = Annotated[
    str,
    typer.Option(
        help="Order of a sweep: lexicographic, cf (coarse points, then fine ones: two exchanges)."
    ),
]
PlotOption = Annotated[
    Path | None,
    typer.Option(
        help="Figure of the levels: .png, .svg or .pdf.", dir_okay=False, rich_help_panel=OUT
    ),
]


def milliseconds(seconds: float) -> str:
    """Write a time of a level [s] in ms, as all of a table.

    Parameters
    ----------
    seconds
        The time.
    """
    return Written(f"{seconds * 1e3:.3f}", seconds * 1e3, "ms")


def percent(share: float) -> str:
    """Write a share of one in per cent, as all of a table.

    Parameters
    ----------
    share
        The share.
    """
    return Written(f"{share:.1%}", 100 * share, "%")


def parse_points(text: str) -> tuple[int, int, int]:
    """Read ``50x50x25``.

    Parameters
    ----------
    text
        Three positive whole numbers with an x between.

    Raises
    ------
    UserError
        It is something else.
    """
    sides = text.strip().lower().split("x")
    if len(sides) != 3 or not all(s.isascii() and s.isdigit() and 0 < len(s) < 7 for s in sides):
        raise UserError("points: not three sides", value=text, allowed="50x50x25")
    x, y, z = (int(side) for side in sides)
    if 0 in (x, y, z):
        raise UserError("points: a side is 0", value=text, allowed="1 or more")
    return x, y, z
