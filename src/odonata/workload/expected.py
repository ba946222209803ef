"""How many messages an algorithm sends: formulas, so that progress can be estimated."""

from __future__ import annotations

from collections.abc import Callable, Mapping

__all__ = ["expected_messages"]

_Formula = Callable[[int, int], int]


def expected_messages(
    operation: str, algorithm: str, ranks: int, size_bytes: int, root: int = 0
) -> int | None:
    """Return the messages of one run of an algorithm, None if there is no formula.

    Parameters
    ----------
    operation, algorithm
        Names.
    ranks
        Number of ranks.
    size_bytes
        Size of a block [B].
    root
        Rank at the root.

    Examples
    --------
    >>> expected_messages("allgather", "ring", 1024, 1024)
    1047552
    """
    name = f"{operation}/{algorithm}"
    formula = _FORMULAS.get(name)
    if formula is None:
        return None
    late = name == "reduce/reduce_scatter_gather" and root % 2 == 1 and root < 2 * _resting(ranks)
    return formula(ranks, size_bytes) + late


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


def _resting(n: int) -> int:
    """Ranks that the largest power of two leaves over."""
    return n - (1 << (n.bit_length() - 1))


def _folded(n: int, phases: int) -> int:
    """Exchanges of the largest power of two of ranks, and two messages of each other rank."""
    steps = n.bit_length() - 1
    return phases * (1 << steps) * steps + 2 * _resting(n)


def _halved_and_gathered(n: int, _size: int) -> int:
    """One message of each rank that rests, exchanges of the others and a tree of them."""
    active = n - _resting(n)
    return _resting(n) + active * (n.bit_length() - 1) + active - 1


def _exchanges(n: int, _size: int) -> int:
    """Those of ranks that differ in one bit, as far as there are both."""
    steps = range((n - 1).bit_length())
    return sum(n - min(n % (2 << k), (2 << k) - n % (2 << k)) for k in steps)


def _unless_empty(formula: _Formula) -> _Formula:
    """Nothing is sent for an empty block."""
    return lambda n, size: formula(n, size) if size > 0 else 0


def _chunks(n: int, size: int) -> int:
    """Pass each block to each other rank in chunks of 32 KiB."""
    return n * (n - 1) * -(-size // 2**15)


def _scatter_allgather(n: int, size: int) -> int:
    chunk = -(-size // n)
    return n * (n - 1) + (-(-size // chunk) - 1 if chunk else 0)


_FORMULAS: Mapping[str, _Formula] = {
    "allgather/ring": _pairs,
    "allgather/tar": _pairs,
    "allgather/bruck": _steps,
    "allgather/recursive_doubling": _doubling,
    "allgather/neighbor_exchange": _neighbours,
    "allgatherv/ring": _chunks,
    "allgatherv/bruck": _steps,
    "allgatherv/recursive_doubling": _doubling,
    "scatter/linear": _others,
    "scatter/binomial": _others,
    "scatter/glf": _others,
    "scatter/llf": _others,
    "scatterv/linear": _unless_empty(_others),
    "gather/linear": _others,
    "gather/binomial": _others,
    "gatherv/linear": _unless_empty(_others),
    "bcast/binomial": _others,
    "bcast/scatter_allgather": _scatter_allgather,
    "reduce/binomial": _others,
    "reduce/reduce_scatter_gather": _halved_and_gathered,
    "allreduce/recursive_doubling": lambda n, _: _folded(n, 1),
    "allreduce/reduce_scatter_allgather": lambda n, _: _folded(n, 2),
    "allreduce/ring": lambda n, _: 2 * n * (n - 1),
    "reduce_scatter/recursive_halving": _unless_empty(lambda n, _: _folded(n, 1)),
    "reduce_scatter/pairwise": _unless_empty(_pairs),
    "reduce_scatter_block/recursive_halving": _unless_empty(lambda n, _: _folded(n, 1)),
    "reduce_scatter_block/pairwise": _unless_empty(_pairs),
    "scan/recursive_doubling": _exchanges,
    "exscan/recursive_doubling": _exchanges,
    "alltoall/bruck": _steps,
    "alltoall/scattered": _pairs,
    "alltoall/pairwise": _pairs,
    "alltoallv/scattered": _unless_empty(_pairs),
    "alltoallv/pairwise": _pairs,
    "neighbor_allgather/linear": lambda n, _: 2 * n,
    "neighbor_alltoall/linear": lambda n, _: 2 * n,
    "barrier/dissemination": _steps,
    "pingpong/pairs": lambda n, _: 2 * (n // 2),
    "sendrecv/ring": lambda n, _: n,
    "exchange/ring": lambda n, _: 2 * n,
}
