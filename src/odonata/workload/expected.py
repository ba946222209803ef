"""How many messages an algorithm sends: formulas, so that progress can be estimated."""

from __future__ import annotations

from collections.abc import Callable, Mapping

__all__ = ["expected_messages"]


def expected_messages(operation: str, algorithm: str, ranks: int, size_bytes: int) -> int | None:
    """Return the messages of one run of an algorithm, None if there is no formula.

    Parameters
    ----------
    operation, algorithm
        Names.
    ranks
        Number of ranks.
    size_bytes
        Size of a block [B].

    Examples
    --------
    >>> expected_messages("allgather", "ring", 1024, 1024)
    1047552
    """
    formula = _FORMULAS.get(f"{operation}/{algorithm}")
    return None if formula is None else formula(ranks, size_bytes)


def _pairs(n: int, _size: int) -> int:
    return n * (n - 1)


def _steps(n: int, _size: int) -> int:
    return n * (n - 1).bit_length()


def _others(n: int, _size: int) -> int:
    return n - 1


def _neighbours(n: int, _size: int) -> int:
    return n * n // 2 if n % 2 == 0 else n * (n - 1)


def _doubling(n: int, _size: int) -> int:
    """One message a rank and step, but for ranks whose subtree has no sibling."""
    messages = 0
    half = 1
    while half < n:
        rest = n % (2 * half)
        messages += n - (rest if rest <= half else 0)
        half *= 2
    return messages


def _folded(n: int, phases: int) -> int:
    """Exchanges of the largest power of two of ranks, and two messages of each other rank."""
    steps = n.bit_length() - 1
    active = 1 << steps
    return phases * active * steps + 2 * (n - active)


def _scatter_allgather(n: int, size: int) -> int:
    chunk = -(-size // n)
    return n * (n - 1) + (-(-size // chunk) - 1 if chunk else 0)


_FORMULAS: Mapping[str, Callable[[int, int], int]] = {
    "allgather/ring": _pairs,
    "allgather/tar": _pairs,
    "allgather/bruck": _steps,
    "allgather/recursive_doubling": _doubling,
    "allgather/neighbor_exchange": _neighbours,
    "scatter/linear": _others,
    "scatter/binomial": _others,
    "scatter/glf": _others,
    "scatter/llf": _others,
    "gather/binomial": _others,
    "bcast/binomial": _others,
    "bcast/scatter_allgather": _scatter_allgather,
    "reduce/binomial": _others,
    "allreduce/recursive_doubling": lambda n, _: _folded(n, 1),
    "allreduce/reduce_scatter_allgather": lambda n, _: _folded(n, 2),
    "alltoall/bruck": _steps,
    "alltoall/scattered": _pairs,
    "alltoall/pairwise": _pairs,
    "barrier/dissemination": _steps,
    "pingpong/pairs": lambda n, _: 2 * (n // 2),
    "sendrecv/ring": lambda n, _: n,
    "exchange/ring": lambda n, _: 2 * n,
}
