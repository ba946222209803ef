"""Names of operations and algorithms, and what `auto` stands for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from odonata import _core
from odonata.errors import UserError, near_miss
from odonata.machine import Machine

__all__ = [
    "POINT_TO_POINT",
    "ROOTED",
    "algorithms",
    "check_algorithm",
    "check_operation",
    "operations",
    "select",
    "thresholds",
]

POINT_TO_POINT = ("pingpong", "sendrecv", "exchange")
"""Operations between pairs of ranks."""

ROOTED = ("scatter", "scatterv", "gather", "gatherv", "bcast", "reduce")
"""Operations that have a root."""

_THRESHOLDS = "mpi.collectives."


@cache
def algorithms() -> Mapping[str, Mapping[str, str]]:
    """Return every algorithm: a sentence on each, by operation and name.

    Examples
    --------
    >>> sorted(algorithms()["scatter"])
    ['binomial', 'glf', 'linear', 'llf']
    """
    table: dict[str, dict[str, str]] = {}
    for operation, name, summary in _core.algorithms():
        table.setdefault(operation, {})[name] = summary
    return MappingProxyType({key: MappingProxyType(value) for key, value in table.items()})


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
    """Raise UserError unless the operation has this algorithm; ``auto`` is one of each."""
    check_operation(operation)
    known = ("auto", *algorithms()[operation])
    if name not in known:
        near = near_miss(name, known)
        what = f"algorithm of {operation}: unknown"
        raise UserError(what, value=name, allowed=", ".join(known), near=near)


def select(machine: Machine, operation: str, name: str, ranks: int, size_bytes: int) -> str:
    """Return the name of an algorithm; ``auto`` becomes what MPICH would choose.

    Parameters
    ----------
    machine
        The sizes at which MPICH changes its mind are its ``[mpi.collectives]``.
    operation, name
        Operation and name of the algorithm.
    ranks
        Number of ranks.
    size_bytes
        Size of a block [B].
    """
    if name != "auto":
        return name
    if operation in POINT_TO_POINT:
        return next(iter(algorithms()[operation]))
    return str(_core.select_algorithm(thresholds(machine), operation, ranks, size_bytes))


def thresholds(machine: Machine) -> _core.Selection:
    """Return the sizes at which MPICH changes its mind, from ``[mpi.collectives]``.

    Parameters
    ----------
    machine
        The machine.
    """
    sizes = _core.Selection()
    for key in machine.numbers:
        if key.startswith(_THRESHOLDS):
            setattr(sizes, key.removeprefix(_THRESHOLDS), machine.value(key))
    return sizes
