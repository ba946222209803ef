"""Groups of nodes by their place in the machine: rows, planes, levels, divisions with names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from odonata.errors import UserError, near_miss
from odonata.machine import Machine
from odonata.placement.blocks import Sizes, routers_of_block

__all__ = ["NODES_PER_ROUTER", "Group", "divided_by", "groups"]

NODES_PER_ROUTER = ("all", "1", "each")
"""Nodes of a router that a group has: all; the first; or one, and then there are further groups of
the second nodes, of the third and so on."""

Key = tuple[int, ...]


@dataclass(frozen=True)
class Group:
    """Nodes that belong together.

    Parameters
    ----------
    name
        Common property, such as ``x=0 z=3`` or ``chassis 5``.
    nodes
        The nodes by number.
    """

    name: str
    nodes: tuple[int, ...]


@dataclass(frozen=True)
class _Division:
    """A division of routers: the key of a router's block, None if it is in none, and its name."""

    key_of: Callable[[int], Key | None]
    name_of: Callable[[Key], str]


def groups(
    machine: Machine,
    by: str,
    *,
    block: Sizes | None = None,
    origin: Sizes | None = None,
    nodes_per_router: str = "all",
) -> list[Group]:
    """Return groups of nodes, each of which could be a communicator.

    Parameters
    ----------
    machine
        The machine.
    by
        ``row:y``: nodes whose routers differ in the coordinate y alone; ``plane:xz``: in x and z
        alone (``plane:row,column`` where names have several letters); ``level:chassis``, or
        ``chassis``: nodes of a block of a level; or another name of `divided_by`.
    block
        Routers along each axis of a block to which the groups are limited: ``"7x7x7"``.
    origin
        Least coordinates of the block, 0 by default.
    nodes_per_router
        One of `NODES_PER_ROUTER`.

    Returns
    -------
    list of Group
        In the order of their coordinates. No node is in two groups; groups without nodes are left
        out.

    Raises
    ------
    UserError
        The machine is not divided so, or the block doesn't fit it.

    Examples
    --------
    >>> from odonata import machine
    >>> blacks = groups(machine.load("eos"), "black", nodes_per_router="1")
    >>> len(blacks), blacks[3]
    (32, Group(name='black 3', nodes=(0, 64, 128, 192, 256, 320)))
    """
    if nodes_per_router not in NODES_PER_ROUTER:
        allowed = ", ".join(NODES_PER_ROUTER)
        raise UserError("nodes per router: unknown", value=nodes_per_router, allowed=allowed)
    division = _division(machine, by)
    among: Iterable[int] = range(machine.num_routers)
    if block is not None:
        among = routers_of_block(machine, block, origin)
    elif origin is not None:
        raise UserError("origin: there is no block that could begin there", value=origin)
    nodes_of = defaultdict(list)
    for node, router in enumerate(machine.core.node_router):
        nodes_of[router].append(node)
    found: dict[tuple[Key, int], list[int]] = defaultdict(list)
    for router in among:
        key = division.key_of(router)
        if key is None:
            continue
        for seat, node in enumerate(nodes_of[router]):
            if nodes_per_router != "1" or seat == 0:
                found[key, seat if nodes_per_router == "each" else 0].append(node)
    behind = ", node {} of each router" if nodes_per_router == "each" else ""
    return [
        Group(division.name_of(key) + behind.format(seat), tuple(sorted(nodes)))
        for (key, seat), nodes in sorted(found.items())
    ]


def divided_by(machine: Machine) -> list[str]:
    """Return the divisions of a machine into groups of nodes.

    Parameters
    ----------
    machine
        The machine.

    Examples
    --------
    >>> from odonata import machine
    >>> divided_by(machine.load("dragonfly-5256"))[-3:]
    ['plane:group,column', 'plane:row,column', 'level:group']
    """
    axes = machine.axes
    planes = combinations(axes, 2) if len(axes) > 2 else ()
    return [
        *(f"row:{axis}" for axis in axes),
        *(f"plane:{_joined(pair)}" for pair in planes),
        *(f"level:{name}" for name in machine.levels),
        *(division.name for division in machine.core.divisions),
    ]


def _division(machine: Machine, by: str) -> _Division:
    kind, colon, rest = by.partition(":")
    if kind in ("row", "plane") and colon:
        axes = _axes(machine, kind, rest)
        if axes is not None:
            return _along(machine, axes)
    named = {level.name: level for level in (*machine.core.levels, *machine.core.divisions)}
    name = rest if kind == "level" and rest in machine.levels else by
    if name in named:
        of_router = named[name].of_router
        return _Division(
            lambda router: (of_router[router],) if of_router[router] >= 0 else None,
            lambda key: f"{name} {key[0]}",
        )
    known = divided_by(machine)
    raise UserError(
        f"groups: {machine.name} is not divided by",
        value=by,
        allowed=", ".join(known) or "none: it has neither coordinates nor levels",
        near=near_miss(by, [*known, *named]),
    )


def _axes(machine: Machine, kind: str, text: str) -> set[str] | None:
    """Return the axes of a row or a plane, None if the machine doesn't have them."""
    listed = text.split(",") if "," in text or text in machine.axes else list(text)
    least, most = (1, 1) if kind == "row" else (2, len(machine.axes))
    different = set(listed)
    if len(different) < len(listed) or not different <= set(machine.axes):
        return None
    return different if least <= len(listed) <= most else None


def _along(machine: Machine, free: set[str]) -> _Division:
    """Return the division into routers that differ in these coordinates alone."""
    fixed = [at for at, axis in enumerate(machine.axes) if axis not in free]
    names = [machine.axes[at] for at in fixed]

    def key_of(router: int) -> Key:
        position = machine.core.position(router)
        return tuple(position[at] for at in fixed)

    def name_of(key: Key) -> str:
        where = zip(names, key, strict=True)
        return " ".join(f"{axis}={at}" for axis, at in where) or machine.name

    return _Division(key_of, name_of)


def _joined(axes: Sequence[str]) -> str:
    return ("" if all(len(axis) == 1 for axis in axes) else ",").join(axes)
