"""Collective operations and point-to-point patterns, each run by one registered algorithm."""

from __future__ import annotations

from dataclasses import dataclass

from odonata import _core
from odonata.errors import UserError
from odonata.placement import Placement
from odonata.units import format_bytes, parse_bytes
from odonata.workload.build import Built, Field, Workload
from odonata.workload.names import (
    check_algorithm,
    check_operation,
    check_root,
    point_to_point,
    select,
)

__all__ = ["Collective", "PointToPoint"]

MOST_REPETITIONS = 1_000_000


@dataclass(frozen=True)
class Collective(Workload):
    """A collective operation of all ranks of a job.

    Parameters
    ----------
    operation
        Such as ``allgather``; see `odonata.workload.operations`.
    algorithm
        Such as ``ring``; ``auto`` is the choice of the machine's MPI, `select`.
    bytes
        Size of a block [B], or text such as ``"1 KiB"``. ``odonata simulate --list`` lists the
        block of each operation; all blocks have this size, and the neighbours are those on a ring.
    root
        Rank at the root, in operations that have one.
    repetitions
        How many times, one right after the other.

    Raises
    ------
    UserError
        A name is unknown or a number out of range.

    Examples
    --------
    >>> print(Collective("bcast", bytes="1 MiB", repetitions=3))
    3 × bcast/auto 1 MiB
    """

    operation: str
    algorithm: str = "auto"
    bytes: int | str = 1024
    root: int = 0
    repetitions: int = 1

    def __post_init__(self) -> None:
        check_operation(self.operation)
        check_algorithm(self.operation, self.algorithm)
        object.__setattr__(self, "bytes", parse_bytes(self.bytes, bare=True))
        if not 1 <= self.repetitions <= MOST_REPETITIONS:
            allowed = f"1 to {MOST_REPETITIONS}"
            raise UserError("repetitions: out of range", value=self.repetitions, allowed=allowed)
        check_root(self.operation, self.root)

    @property
    def size_bytes(self) -> int:
        """Size of a block [B]."""
        return int(self.bytes)

    def build(self, placement: Placement, *, seed: int) -> Built:
        """Make the rank program: see `odonata.workload.build`."""
        ranks, size = placement.ranks, self.size_bytes
        if self.root >= ranks:
            raise UserError("root: out of range", value=self.root, allowed=f"0 to {ranks - 1}")
        if self.operation == "pingpong" and ranks % 2:
            what = "pingpong: an odd number of ranks, and each needs a partner"
            raise UserError(what, value=ranks, allowed="an even number")
        operation, root, repetitions = self.operation, self.root, self.repetitions
        name = select(placement.machine, operation, self.algorithm, ranks, size)
        messages, sent = _core.sent_by(operation, name, ranks, size, root)
        fields: dict[str, Field] = {
            "operation": operation,
            "algorithm": name,
            "requested_algorithm": self.algorithm,
            "bytes": size,
            "root": root,
            "repetitions": repetitions,
        }
        return Built(
            _core.repeat_algorithm(operation, name, size, root, repetitions),
            f"{operation}/{name}",
            fields,
            messages * repetitions,
            size,
            sent * repetitions,
        )

    def __str__(self) -> str:
        times = f"{self.repetitions} × " if self.repetitions > 1 else ""
        return f"{times}{self.operation}/{self.algorithm} {format_bytes(self.size_bytes)}"


class PointToPoint(Collective):
    """Messages between pairs of ranks, as the Intel MPI Benchmarks have them.

    Parameters
    ----------
    operation
        ``pingpong``: ranks i and i + n/2 send to each other in turn; ``sendrecv``: each sends to
        the next and receives from the previous rank; ``exchange``: with both neighbours.
    bytes
        Size of a message [B], or text such as ``"1 KiB"``.
    repetitions
        How many times, one right after the other.

    Examples
    --------
    >>> print(PointToPoint("pingpong", bytes=8))
    pingpong/auto 8 B
    """

    def __init__(self, operation: str, *, bytes: int | str = 1024, repetitions: int = 1) -> None:
        if operation not in point_to_point():
            allowed = ", ".join(point_to_point())
            raise UserError("point to point: unknown", value=operation, allowed=allowed)
        super().__init__(operation, bytes=bytes, repetitions=repetitions)
