"""The communicators of a DUMPI trace, from the calls that made them on all ranks."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import prod

from odonata import _core

__all__ = ["Creation", "Made", "creating_functions", "read_creations", "resolve"]

WORLD, SELF, NULL = 2, 3, 1
"""Numbers of communicators in a file."""

EMPTY_GROUP = 2

CREATING = (
    "Comm_dup",
    "Comm_create",
    "Comm_split",
    "Cart_create",
    "Cart_sub",
    "Graph_create",
    "Intercomm_create",
    "Intercomm_merge",
)
GROUPS = (
    "Comm_group",
    "Group_incl",
    "Group_excl",
    "Group_range_incl",
    "Group_range_excl",
    "Group_union",
    "Group_intersection",
    "Group_difference",
)


@cache
def creating_functions() -> dict[int, str]:
    """Return the functions that make communicators and groups, by their numbers."""
    return {
        number: name
        for number, (name, _) in enumerate(_core.dumpi_functions())
        if name in (*CREATING, *GROUPS, "Comm_free", "Comm_size")
    }


@dataclass(frozen=True)
class Creation:
    """One call that makes a communicator.

    Parameters
    ----------
    function
        Its name.
    parent
        Number of the communicator that it was called on, in the file.
    child
        Number of the new one; `NULL`: the rank is not in it.
    color, key
        Of a split.
    group
        Ranks of the world in the group of a create; None: not known.
    shape
        Dimensions of a grid; of a part of a grid, which of them it keeps; number of nodes of a
        graph.
    """

    function: str
    parent: int
    child: int
    color: int = 0
    key: int = 0
    group: tuple[int, ...] | None = None
    shape: tuple[int, ...] = ()


@dataclass
class Made:
    """Communicators of one rank.

    Parameters
    ----------
    created
        Communicators of its creating calls, in order: (number at the rank, identity, members); None
        where the call gave it none, or its members are unknown.
    assumed
        The same by number in the file, for communicators that no recorded call made.
    """

    created: list[tuple[int, int, tuple[int, ...]] | None] = field(default_factory=list)
    assumed: dict[int, tuple[int, int, tuple[int, ...]]] = field(default_factory=dict)


@dataclass
class _Group:
    """A communicator as all its members see it."""

    members: tuple[int, ...]
    dims: tuple[int, ...] = ()
    turns: dict[int, tuple[int, Creation]] = field(default_factory=dict)


def read_creations(calls: Sequence[tuple[int, list[int]]], rank: int, size: int) -> list[Creation]:
    """Return the creating calls of a rank.

    Parameters
    ----------
    calls
        Number of the function and fields of each call of `creating_functions`.
    rank, size
        The rank, and how many there are.
    """
    return list(_Rank(rank, size).read(calls))


class _Rank:
    """Follows the groups of one rank, as far as their members are known."""

    def __init__(self, rank: int, size: int) -> None:
        self._rank, self._size = rank, size
        self._groups: dict[int, tuple[int, ...] | None] = {EMPTY_GROUP: ()}

    def read(self, calls: Sequence[tuple[int, list[int]]]) -> Iterator[Creation]:
        names = creating_functions()
        for function, numbers in calls:
            name = names[function]
            if name in GROUPS:
                self._note_group(name, numbers)
            elif name in CREATING:
                yield self._creation(name, numbers)

    def _creation(self, name: str, n: list[int]) -> Creation:
        child = n[-1]
        if name == "Comm_split":
            return Creation(name, n[0], child, color=n[1], key=n[2])
        if name == "Comm_create":
            return Creation(name, n[0], child, group=self._groups.get(n[1]))
        if name == "Cart_create":
            return Creation(name, n[0], child, shape=tuple(n[3 : 3 + n[2]]))
        if name == "Cart_sub":
            return Creation(name, n[1], child, shape=tuple(n[3 : 3 + n[2]]))
        if name == "Graph_create":
            return Creation(name, n[1], child, shape=(n[2],))
        return Creation(name, n[0], child)

    def _note_group(self, name: str, n: list[int]) -> None:
        known = self._groups.get
        made: tuple[int, ...] | None = None
        old = known(n[0])
        if name == "Comm_group":
            made = {WORLD: tuple(range(self._size)), SELF: (self._rank,)}.get(n[0])
        elif name in ("Group_incl", "Group_excl") and old is not None:
            made = _chosen(old, n[3 : 3 + n[2]], keep=name == "Group_incl")
        elif name in ("Group_range_incl", "Group_range_excl") and old is not None:
            made = _chosen(old, _ranges(n[2:-1]), keep=name == "Group_range_incl")
        elif name in ("Group_union", "Group_intersection", "Group_difference"):
            made = _combined(name, old, known(n[1]))
        self._groups[n[-1]] = made


def _chosen(old: tuple[int, ...], ranks: Sequence[int], *, keep: bool) -> tuple[int, ...] | None:
    if any(not 0 <= rank < len(old) for rank in ranks):
        return None
    if keep:
        return tuple(old[rank] for rank in ranks)
    out = set(ranks)
    return tuple(member for rank, member in enumerate(old) if rank not in out)


def _ranges(numbers: Sequence[int]) -> list[int]:
    """Return the ranks of triples (first, last, step), as a record has them."""
    ranks: list[int] = []
    for at in range(1, len(numbers), 4):  # 1 is the number of triples, each has its length
        first, last, step = numbers[at + 1 : at + 4]
        if step == 0 or abs(last - first) // abs(step) > 2**20:
            return [-1]
        ranks += range(first, last + (1 if step > 0 else -1), step)
    return ranks


def _combined(
    name: str, one: tuple[int, ...] | None, two: tuple[int, ...] | None
) -> tuple[int, ...] | None:
    if one is None or two is None:
        return None
    if name == "Group_union":
        return one + tuple(rank for rank in two if rank not in set(one))
    inside = set(two)
    wanted = name == "Group_intersection"
    return tuple(rank for rank in one if (rank in inside) == wanted)


def resolve(creations: Sequence[Sequence[Creation]]) -> list[Made]:
    """Find out who is in each communicator.

    The k-th creating call on a communicator is the same on all its members: they make one or, in a
    split, several of them together. If a member has no such call, the communicator is unknown on
    all members.

    Parameters
    ----------
    creations
        The creating calls of each rank, in order.
    """
    return _Resolution(creations).run()


class _Resolution:
    def __init__(self, creations: Sequence[Sequence[Creation]]) -> None:
        size = len(creations)
        self._creations = creations
        self._made = [Made(created=[None] * len(own)) for own in creations]
        self._next = [0] * size
        self._numbers = [2] * size
        self._groups = [_Group(tuple(range(size))), *(_Group((rank,)) for rank in range(size))]
        self._handles = [{WORLD: 0, SELF: 1 + rank} for rank in range(size)]
        self._queue = deque(range(size))

    def run(self) -> list[Made]:
        while self._queue:
            self._advance(self._queue.popleft())
        return self._made

    def _advance(self, rank: int) -> None:
        """Take the rank's next call to its communicator, where it waits for the other members."""
        if self._next[rank] >= len(self._creations[rank]):
            return
        number = self._next[rank]
        creation = self._creations[rank][number]
        self._next[rank] += 1
        identity = self._handles[rank].get(creation.parent)
        if identity is None:  # the members of its parent are unknown
            self._handles[rank].pop(creation.child, None)
            self._queue.append(rank)
            return
        group = self._groups[identity]
        group.turns[rank] = (number, creation)
        if len(group.turns) == len(group.members):
            self._make(group)

    def _make(self, group: _Group) -> None:
        turns, group.turns = group.turns, {}
        parts = _parts(group, {rank: creation for rank, (_, creation) in turns.items()})
        for members, dims in parts:
            self._groups.append(_Group(members, dims))
            for rank in members:
                number, creation = turns[rank]
                if creation.child in (NULL, 0):
                    continue
                own = self._numbers[rank]
                self._numbers[rank] += 1
                self._made[rank].created[number] = (own, len(self._groups) - 1, members)
                self._handles[rank][creation.child] = len(self._groups) - 1
        self._queue.extend(turns)


def _parts(
    group: _Group, calls: dict[int, Creation]
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield the members and grids of the communicators that one call of all members makes."""
    functions = {call.function for call in calls.values()}
    if len(functions) > 1:
        return
    first = calls[group.members[0]]
    inside = [rank for rank in group.members if calls[rank].child not in (NULL, 0)]
    if first.function == "Comm_dup":
        yield group.members, group.dims
    elif first.function == "Comm_split":
        colors: dict[int, list[int]] = {}
        for rank in inside:
            colors.setdefault(calls[rank].color, []).append(rank)
        for members in colors.values():  # the sort is stable: by rank where keys are equal
            yield tuple(sorted(members, key=lambda rank: calls[rank].key)), ()
    elif first.function == "Comm_create":
        yield from _created(inside, calls)
    elif first.function in ("Cart_create", "Graph_create"):
        yield from _first_members(group, first)
    elif first.function == "Cart_sub":
        yield from _slices(group, first.shape)


def _first_members(
    group: _Group, call: Creation
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield the first ranks of a communicator, as many as a grid or graph has."""
    count = prod(call.shape)
    if 0 < count <= len(group.members):
        yield group.members[:count], call.shape if call.function == "Cart_create" else ()


def _created(
    inside: list[int], calls: dict[int, Creation]
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    known = [calls[rank].group for rank in inside]
    if inside and known[0] is not None and sorted(known[0]) == sorted(inside):
        yield known[0], ()
    elif inside:  # members without their order: the parent's order
        yield tuple(inside), ()


def _slices(
    group: _Group, kept: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    if not group.dims or len(kept) != len(group.dims):
        return
    parts: dict[tuple[int, ...], list[int]] = {}
    for place, rank in enumerate(group.members):
        rest, coordinates = place, []
        for extent in reversed(group.dims):
            coordinates.append(rest % extent)
            rest //= extent
        coordinates.reverse()
        fixed = tuple(c for c, keep in zip(coordinates, kept, strict=True) if not keep)
        parts.setdefault(fixed, []).append(rank)
    dims = tuple(extent for extent, keep in zip(group.dims, kept, strict=True) if keep)
    for members in parts.values():
        yield tuple(members), dims
