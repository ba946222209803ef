"""Virtual tori of a job, folded into the six dimensions of a Tofu network.

A Tofu network has the dimensions X, Y, Z, A, B, C, of which the last three have 2, 3 and 2 routers:
the twelve nodes of a unit. A job sees a torus of up to three dimensions. Each of its axes is a ring
that goes along X and A, along Y and B, or along Z and C:

>>> ring(6, 2), ring(6, 3)
([(0, 0), (1, 0), (2, 0), (2, 1), (1, 1), (0, 1)], [(0, 0), (1, 0), (1, 1), (1, 2), (0, 2), (0, 1)])
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from math import prod

from odonata.errors import UserError
from odonata.machine import Machine

__all__ = ["folded_nodes", "ring"]

UNIT = (2, 3, 2)
"""Routers along A, B and C."""

_SIZES = re.compile(r"[1-9][0-9]{0,5}(?:x[1-9][0-9]{0,5}){0,2}")
_ORIGIN = re.compile(r"[0-9]{1,6}(?:x[0-9]{1,6}){2}")


def ring(length: int, rows: int) -> list[tuple[int, int]]:
    """Return the positions of a ring in a grid of some rows, of which each is a column and a row.

    Parameters
    ----------
    length
        Number of positions. Neighbours are adjacent, and so are the last and the first if the
        length is a multiple of the rows.
    rows
        2 or 3; the rows are a line of two, or a ring of three.

    Notes
    -----
    The way there is in row 0, the way back to and fro through the other rows.
    """
    columns = -(-length // rows)
    back = [
        (column, row)
        for at, column in enumerate(reversed(range(columns)))
        for row in (range(1, rows) if at % 2 == 0 else reversed(range(1, rows)))
    ]
    return [*((column, 0) for column in range(columns)), *back][:length]


def folded_nodes(machine: Machine, allocation: str) -> list[int]:
    """Return the nodes of a virtual torus; its first axis counts fastest.

    Parameters
    ----------
    machine
        A torus of six dimensions, the last three of 2, 3 and 2 routers.
    allocation
        Such as ``torus:4x4x4``, ``torus:64x64`` or ``torus:12``; ``torus:4x4x4@8x0x2`` begins at
        this unit along X, Y and Z.

    Raises
    ------
    UserError
        The machine is another one, or the torus does not fit it.

    Notes
    -----
    Whether an axis along Y and B has two rows or three, and that the second axis of a torus of two
    dimensions goes to and fro along Z and C while it goes along X and A, is assumed: the rank map
    of Fujitsu's software is not in print.
    """
    sizes = _sizes_of(machine, allocation)
    shape, begins, origin = allocation.partition(":")[2].partition("@")
    if _SIZES.fullmatch(shape) is None or (begins and _ORIGIN.fullmatch(origin) is None):
        allowed = "one to three sizes, as in torus:4x4x4, and an origin, as in torus:4x4x4@8x0x2"
        raise UserError("allocation: not understood", value=allocation, allowed=allowed)
    first = [int(part) for part in (origin or "0x0x0").split("x")]
    for axis, least, size in zip("XYZ", first, sizes, strict=False):
        if least >= size:
            allowed = f"0 to {size - 1}"
            raise UserError(f"allocation: origin along {axis}", value=least, allowed=allowed)
    axes = _axes([int(part) for part in shape.split("x")], sizes)
    strides = [prod(sizes[:d]) for d in range(6)]
    nodes = []
    for place in product(*reversed(axes)):
        at = [*first, 0, 0, 0]
        for pair, column, row in (step for steps in place for step in steps):
            at[pair], at[3 + pair] = (first[pair] + column) % sizes[pair], row
        nodes.append(sum(c * stride for c, stride in zip(at, strides, strict=True)))
    return nodes


_Place = tuple[tuple[int, int, int], ...]  # of an axis: pair of dimensions, column and row


def _sizes_of(machine: Machine, allocation: str) -> list[int]:
    """Return the sizes of a Tofu network with a node a router."""
    sizes = machine.value("shape.sizes") if machine.family == "torus" else ()
    known = isinstance(sizes, tuple) and tuple(sizes[3:]) == UNIT and len(sizes) == 6
    if not known or machine.num_nodes != machine.num_routers:
        raise UserError(
            f"allocation: {machine.name} has no virtual tori",
            value=allocation,
            allowed="a torus of six dimensions, the last ones of 2, 3 and 2 routers of one node",
        )
    assert isinstance(sizes, tuple)
    return [int(str(size)) for size in sizes]


def _axes(virtual: Sequence[int], sizes: Sequence[int]) -> list[list[_Place]]:
    """Return the places along each virtual axis."""
    if len(virtual) == 3:
        return [_along(pair, length, sizes) for pair, length in enumerate(virtual)]
    if len(virtual) == 2:
        return [_along(1, virtual[0], sizes), _to_and_fro(virtual[1], (0, 2), sizes)]
    (length,) = virtual
    first = max(d for d in range(1, length + 1) if length % d == 0 and d**3 <= length)
    rest = _to_and_fro(length // first, (2, 1), sizes)
    return [_snake(_along(0, first, sizes), rest)]


def _along(pair: int, length: int, sizes: Sequence[int]) -> list[_Place]:
    """Return the places of a ring in one of X and A, Y and B, Z and C."""
    two = length % UNIT[pair] != 0 and -(-length // 2) <= sizes[pair]
    rows = 2 if two else UNIT[pair]
    if -(-length // rows) > sizes[pair]:
        most = sizes[pair] * UNIT[pair]
        raise UserError(
            f"allocation: the torus is too long along {'XYZ'[pair]} and {'ABC'[pair]}",
            value=length,
            allowed=f"1 to {most}",
        )
    return [((pair, column, row),) for column, row in ring(length, rows)]


def _to_and_fro(length: int, pairs: tuple[int, int], sizes: Sequence[int]) -> list[_Place]:
    """Return the places of an axis that lies in two pairs of dimensions, as square as can be."""
    short = max(d for d in range(1, length + 1) if length % d == 0 and d * d <= length)
    slow, fast = pairs
    return _snake(_along(slow, short, sizes), _along(fast, length // short, sizes))


def _snake(slow: Sequence[_Place], fast: Sequence[_Place]) -> list[_Place]:
    """Return all pairs of places, so that neighbours differ by one step."""
    return [
        (*one, *other)
        for at, one in enumerate(slow)
        for other in (fast if at % 2 == 0 else fast[::-1])
    ]
