"""Blocks of routers, on machines whose routers have coordinates."""

from __future__ import annotations

import re
from collections.abc import Sequence

from odonata.errors import UserError
from odonata.machine import Machine

__all__ = ["BLOCK", "allocated_block", "block_nodes", "routers_of_block"]

BLOCK = "block:"
"""Beginning of an allocation that is a block of routers: ``block:4x2x8``, ``block:4x2x8@0x2x0``."""

_SIZES = re.compile(r"[0-9]{1,9}(?:x[0-9]{1,9})*")

Sizes = str | Sequence[int]


def block_nodes(machine: Machine, block: Sizes, origin: Sizes | None = None) -> list[int]:
    """Return the nodes of a block of routers, by number.

    Parameters
    ----------
    machine
        The machine; its routers have coordinates.
    block
        Routers along each of its axes: ``"7x7x7"`` or ``(7, 7, 7)``.
    origin
        Least coordinates of the block, 0 by default.

    Raises
    ------
    UserError
        The block doesn't fit the machine.

    Examples
    --------
    >>> from odonata import machine
    >>> machine.load("eos").axes
    ('group', 'row', 'column')
    >>> block_nodes(machine.load("eos"), "1x2x1", "1x0x3")
    [372, 373, 374, 375, 436, 437, 438, 439]
    """
    inside = set(routers_of_block(machine, block, origin))
    return [node for node, router in enumerate(machine.core.node_router) if router in inside]


def allocated_block(machine: Machine, allocation: str) -> list[int]:
    """Return the nodes of an allocation that is a block.

    Parameters
    ----------
    machine
        The machine.
    allocation
        Such as ``block:4x2x8@0x2x0``: sizes, and the origin unless it is 0.

    Raises
    ------
    UserError
        The block doesn't fit the machine, or no node is in it.
    """
    block, at, origin = allocation.removeprefix(BLOCK).partition("@")
    nodes = block_nodes(machine, block, origin if at else None)
    if not nodes:
        raise UserError("allocation: no node is in the block", value=allocation)
    return nodes


def routers_of_block(machine: Machine, block: Sizes, origin: Sizes | None = None) -> list[int]:
    """Return the routers of a block, by number.

    Parameters
    ----------
    machine, block, origin
        The same as for `block_nodes`.
    """
    sizes = _sizes("block", block, machine)
    begin = _sizes("origin", origin, machine) if origin is not None else [0] * len(sizes)
    positions = [machine.core.position(router) for router in range(machine.num_routers)]
    for at, axis in enumerate(machine.axes):
        extent = 1 + max(position[at] for position in positions)
        _check_fits(machine, axis, extent, sizes[at], begin[at])
    return [
        router
        for router, position in enumerate(positions)
        if all(0 <= at - b < size for at, b, size in zip(position, begin, sizes, strict=True))
    ]


def _check_fits(machine: Machine, axis: str, extent: int, size: int, begin: int) -> None:
    has = f"{machine.name} has {extent} along {axis}"
    if begin >= extent:
        what = f"origin: out of range along {axis}"
        raise UserError(what, value=begin, allowed=f"0 to {extent - 1}, {has}")
    if not 1 <= size <= extent - begin:
        behind = f" from {begin} on" if begin else ""
        what = f"block: does not fit along {axis}{behind}"
        raise UserError(what, value=size, allowed=f"1 to {extent - begin}, {has}")


def _sizes(what: str, given: Sizes, machine: Machine) -> list[int]:
    axes = machine.axes
    if not axes:
        raise UserError(
            f"{what}: routers of {machine.name} have no coordinates", value=given, allowed="none"
        )
    text = given if isinstance(given, str) else "x".join(map(str, given))
    form = f"a number for each of {', '.join(axes)}, as in {'x'.join('2' for _ in axes)}"
    if not _SIZES.fullmatch(text):
        raise UserError(f"{what}: not understood", value=given, allowed=form)
    sizes = [int(part) for part in text.split("x")]
    if len(sizes) != len(axes):
        there = f"{len(sizes)} numbers, {machine.name} has {len(axes)} axes"
        raise UserError(f"{what}: {there}", value=given, allowed=form)
    return sizes
