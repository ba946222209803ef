"""Names of operations and algorithms, and the choices of `auto`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from odonata import _core
from odonata.errors import UserError, near_miss
from odonata.machine import Machine

__all__ = [
    "LIBRARIES",
    "algorithms",
    "check_algorithm",
    "check_library",
    "check_operation",
    "check_root",
    "collectives",
    "operations",
    "point_to_point",
    "rooted",
    "select",
    "thresholds",
]

_THRESHOLDS = "mpi.collectives."

LIBRARIES = ("mpich", "openmpi", "openmpi-4.1", "openmpi-5.0")
"""Names of MPI libraries whose choices `auto` can make; the table of both Open MPIs is one."""


@cache
def algorithms() -> Mapping[str, Mapping[str, str]]:
    """Return every algorithm: a sentence on each, by operation and name.

    Examples
    --------
    >>> sorted(algorithms()["scan"])
    ['recursive_doubling']
    """
    table: dict[str, dict[str, str]] = {}
    for operation, name, summary in _core.algorithms():
        table.setdefault(operation, {})[name] = summary
    return MappingProxyType({key: MappingProxyType(value) for key, value in table.items()})


@cache
def collectives() -> Mapping[str, _core.CollectiveOperation]:
    """Return every collective operation, by name.

    Examples
    --------
    >>> collectives()["scatter"].block
    'what each rank gets'
    """
    return MappingProxyType({row.name: row for row in _core.collective_operations()})


@cache
def point_to_point() -> tuple[str, ...]:
    """Return the names of the patterns of messages between pairs of ranks.

    Examples
    --------
    >>> point_to_point()
    ('pingpong', 'sendrecv', 'exchange')
    """
    return tuple(name for name in operations() if name not in collectives())


def rooted(operation: str) -> bool:
    """Return whether an operation has a root.

    Parameters
    ----------
    operation
        Its name.

    Examples
    --------
    >>> rooted("scatter"), rooted("pingpong")
    (True, False)
    """
    return operation in collectives() and collectives()[operation].rooted


def operations() -> tuple[str, ...]:
    """Return the names of all operations.

    Examples
    --------
    >>> "allgather" in operations()
    True
    """
    return tuple(algorithms())


def check_operation(name: str) -> None:
    """Raise UserError, with the name that was probably meant, unless there is this operation."""
    if name not in algorithms():
        allowed = ", ".join(operations())
        raise UserError(
            "operation: unknown", value=name, allowed=allowed, near=near_miss(name, operations())
        )


def check_algorithm(operation: str, name: str) -> None:
    """Raise UserError unless the operation has this algorithm; ``auto`` is one of each.

    Parameters
    ----------
    operation
        Name of the operation.
    name
        Name of the algorithm, with or without a value of its parameter: ``k_bruck:4``.
    """
    check_operation(operation)
    known = ("auto", *algorithms()[operation])
    plain, colon, _ = name.partition(":")
    if plain not in known:
        near = near_miss(plain, known)
        what = f"algorithm of {operation}: unknown"
        raise UserError(what, value=name, allowed=", ".join(known), near=near)
    if colon:
        _core.check_algorithm(operation, name)


def check_library(name: str) -> None:
    """Raise UserError unless ``auto`` can make the choices of this MPI library."""
    if name not in LIBRARIES:
        near = near_miss(name, LIBRARIES)
        raise UserError("auto: unknown MPI", value=name, allowed=", ".join(LIBRARIES), near=near)


def check_root(operation: str, root: int) -> None:
    """Raise UserError unless the operation may have this root; those without have 0."""
    if root < 0 or (root > 0 and not rooted(operation)):
        allowed = "a rank" if rooted(operation) else f"0, {operation} has no root"
        raise UserError("root: out of range", value=root, allowed=allowed)


def select(machine: Machine, operation: str, name: str, ranks: int, size_bytes: int) -> str:
    """Return the name of an algorithm; ``auto`` becomes the choice of the machine's MPI.

    Parameters
    ----------
    machine
        Its ``mpi.library`` is MPICH, with the thresholds of ``[mpi.collectives]``, or Open MPI.
    operation, name
        Operation and name of the algorithm.
    ranks
        Number of ranks.
    size_bytes
        Size of a block [B].
    """
    if name != "auto":
        return name
    if operation in point_to_point():
        return next(iter(algorithms()[operation]))
    return str(_core.select_algorithm(thresholds(machine), operation, ranks, size_bytes))


def thresholds(machine: Machine, library: str | None = None) -> _core.Selection:
    """Return the MPI library whose choices count, and MPICH's sizes from ``[mpi.collectives]``.

    Parameters
    ----------
    machine
        The machine.
    library
        One of `LIBRARIES`; None: the machine's ``mpi.library``, else MPICH.
    """
    sizes = _core.Selection()
    own = machine.value("mpi.library") if "mpi.library" in machine.numbers else "mpich"
    sizes.choose_as(str(library or own))
    for key in machine.numbers:
        if key.startswith(_THRESHOLDS):
            setattr(sizes, key.removeprefix(_THRESHOLDS), machine.value(key))
    return sizes
