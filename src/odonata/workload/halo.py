"""Halo exchange: each rank of a process grid swaps the faces of its cells with its neighbours."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from odonata import _core
from odonata.errors import UserError, near_miss
from odonata.machine import Machine
from odonata.placement import Placement
from odonata.units import format_bytes, parse_bytes, parse_time_per_byte
from odonata.workload.build import Built, Field, Workload
from odonata.workload.collective import MOST_REPETITIONS

__all__ = ["DISTRIBUTIONS", "Halo", "by_sides", "whole_numbers"]

T = TypeVar("T")

DISTRIBUTIONS: Mapping[str, str] = {
    "plain": "ranks take their places along x, then y, then z",
    "cart": "as MPI_Cart_create without reordering: the last coordinate runs fastest",
    "custom": "the process grid lies on the block of routers of the job",
}
"""Distributions of ranks over the process grid."""

MOST_DIMENSIONS = 3
MOST_CELLS = 2**31 - 1
MOST_SIDE = 1_000_000

_NUMBERS = re.compile(r"[0-9]{1,10}(?:x[0-9]{1,10})*")


@dataclass(frozen=True)
class Halo(Workload):
    """A halo exchange in one, two or three dimensions.

    Every rank has a box of cells. In each repetition it sends the cells at each face to the
    neighbour there, and receives its neighbour's; faces are packed before they are sent and
    unpacked when they have arrived.

    Parameters
    ----------
    sides
        Ranks along x, y, z: ``"4x4x4"`` or ``(4, 4, 4)``. Along a side of one there is no
        exchange.
    distribution
        One of `DISTRIBUTIONS`. ``custom`` needs a job on a block of routers, such as
        ``block:4x2x4`` (see `odonata.placement.place`); ranks of a router stand in a row along the
        only side that counts them and not routers.
    cells
        Cells of a rank along x, y, z: ``"1536x1536x1536"``, or a number for all.
    cell_bytes
        Size of a cell [B], or text such as ``"8 B"``.
    pack
        Time to pack or to unpack a byte of a face to the neighbours along x, y, z, such as
        ``("0.4 ns/B", "0.4 ns/B", "0.1 ns/B")``, or one text for all; None: the machine's
        ``mpi.copy_per_byte``.
    periodic
        Whether the last rank of a line is a neighbour of the first.
    repetitions
        How many times, one right after the other.

    Raises
    ------
    UserError
        A name is unknown, a number out of range, or a list of another length than `sides`.

    Examples
    --------
    >>> print(Halo("4x4x4", cells=64))
    halo/plain 4x4x4, faces of 32 KiB
    """

    sides: str | Sequence[int]
    distribution: str = "plain"
    cells: str | int | Sequence[int] = 64
    cell_bytes: int | str = 8
    pack: str | Sequence[str] | None = None
    periodic: bool = True
    repetitions: int = 1

    def __post_init__(self) -> None:
        sides = whole_numbers("sides", self.sides, MOST_SIDE)
        if len(sides) > MOST_DIMENSIONS:
            allowed = f"1 to {MOST_DIMENSIONS} dimensions, as in 4x4x4"
            raise UserError("sides: too many", value=self.sides, allowed=allowed)
        cells = _each("cells", whole_numbers("cells", self.cells, MOST_CELLS), len(sides))
        if self.distribution not in DISTRIBUTIONS:
            raise UserError(
                "distribution: unknown",
                value=self.distribution,
                allowed=", ".join(DISTRIBUTIONS),
                near=near_miss(self.distribution, DISTRIBUTIONS),
            )
        if not 1 <= self.repetitions <= MOST_REPETITIONS:
            allowed = f"1 to {MOST_REPETITIONS}"
            raise UserError("repetitions: out of range", value=self.repetitions, allowed=allowed)
        size = parse_bytes(self.cell_bytes, bare=True, what="cell bytes")
        object.__setattr__(self, "sides", sides)
        object.__setattr__(self, "cells", cells)
        object.__setattr__(self, "cell_bytes", size)
        for face in self.face_bytes:
            parse_bytes(face, bare=True, what="bytes of a face")
        if self.pack is not None:
            given = (self.pack,) if isinstance(self.pack, str) else tuple(self.pack)
            for text in given:
                parse_time_per_byte(text, what="pack")
            object.__setattr__(self, "pack", _each("pack", given, len(sides)))

    @property
    def grid(self) -> list[int]:
        """Ranks along x, y, z."""
        return _whole(self.sides)

    @property
    def box(self) -> list[int]:
        """Cells of a rank along x, y, z."""
        return _whole(self.cells)

    @property
    def ranks(self) -> int:
        """Ranks of the process grid."""
        return math.prod(self.grid)

    @property
    def face_bytes(self) -> list[int]:
        """Bytes to a neighbour along x, y, z [B]."""
        cells, size = self.box, int(self.cell_bytes)
        return [math.prod(cells[:at] + cells[at + 1 :]) * size for at in range(len(cells))]

    @property
    def messages(self) -> int:
        """Messages of all ranks in one repetition."""
        return int(_core.halo_messages(self.grid, self.periodic))

    @property
    def sent_bytes(self) -> int:
        """Bytes of these messages [B]."""
        lines = [(side, self.ranks // side) for side in self.grid]
        return sum(
            number * int(_core.halo_messages([side], self.periodic)) * face
            for (side, number), face in zip(lines, self.face_bytes, strict=True)
        )

    def pack_ps(self, machine: Machine) -> list[float]:
        """Return the time to pack a byte of the faces along x, y, z on a machine [ps/B]."""
        if self.pack is None:
            return [float(str(machine.value("mpi.copy_per_byte")))] * len(self.sides)
        return [parse_time_per_byte(text) for text in self.pack]

    def rank_at(self, placement: Placement) -> list[int]:
        """Return the rank at each place of the process grid, x first.

        Parameters
        ----------
        placement
            Node of each rank; only ``custom`` looks at it.

        Raises
        ------
        UserError
            The numbers of ranks and places differ, or the grid doesn't match the machine.

        Examples
        --------
        >>> from odonata import machine, placement
        >>> four = placement.place(machine.load("eos"), 4)
        >>> Halo("2x2").rank_at(four), Halo("2x2", "cart").rank_at(four)
        ([0, 1, 2, 3], [0, 2, 1, 3])
        """
        core, nodes = placement.machine.core, placement.node_of
        return list(_core.distribute(core, nodes, self.grid, self.distribution))

    def check_ranks(self, placement: Placement) -> None:
        """Fail if the job has another number of ranks.

        Parameters
        ----------
        placement
            Where the ranks are.

        Raises
        ------
        UserError
            It has.
        """
        if self.ranks != placement.ranks:
            what = "sides: another number of ranks than the job has"
            sides = f"{by_sides(self.grid)} = {self.ranks}"
            raise UserError(what, value=sides, allowed=f"{placement.ranks} in all")

    def build(self, placement: Placement, *, seed: int) -> Built:
        """Make the rank program: see `odonata.workload.build`."""
        self.check_ranks(placement)
        machine, pack = placement.machine, self.pack_ps(placement.machine)
        program = _core.halo(
            machine.core,
            placement.node_of,
            self.grid,
            self.face_bytes,
            pack,
            self.distribution,
            self.periodic,
            self.repetitions,
        )
        fields: dict[str, Field] = {
            "operation": "halo",
            "algorithm": self.distribution,
            "sides": by_sides(self.grid),
            "cells": by_sides(self.box),
            "cell_bytes": int(self.cell_bytes),
            "pack_ps_per_byte": " ".join(f"{time:g}" for time in pack),
            "periodic": self.periodic,
            "repetitions": self.repetitions,
        }
        messages = self.messages * self.repetitions
        sent = self.sent_bytes * self.repetitions
        name = f"halo/{self.distribution}"
        return Built(program, name, fields, messages, max(self.face_bytes), sent)

    def __str__(self) -> str:
        times = f"{self.repetitions} × " if self.repetitions > 1 else ""
        faces = ", ".join(dict.fromkeys(map(format_bytes, self.face_bytes)))
        return f"{times}halo/{self.distribution} {by_sides(self.grid)}, faces of {faces}"


def by_sides(numbers: Sequence[int]) -> str:
    """Return numbers with x between them."""
    return "x".join(map(str, numbers))


def whole_numbers(what: str, given: str | int | Sequence[int], most: int) -> tuple[int, ...]:
    """Return the numbers of a text such as ``4x4x4``, or of a list.

    Parameters
    ----------
    what
        Name of the numbers, for the message of an error.
    given
        Text, a number or a list.
    most
        Largest number allowed; the least is 1.

    Raises
    ------
    UserError
        They are no such numbers.
    """
    if isinstance(given, str):
        text = given.replace(" ", "")
    else:
        text = by_sides((given,) if isinstance(given, int) else given)
    if not _NUMBERS.fullmatch(text):
        allowed = "numbers with x between them, as in 4x4x4"
        raise UserError(f"{what}: not understood", value=given, allowed=allowed)
    numbers = tuple(map(int, text.split("x")))
    outside = next((number for number in numbers if not 1 <= number <= most), None)
    if outside is not None:
        raise UserError(f"{what}: out of range", value=outside, allowed=f"1 to {most}")
    return numbers


def _whole(checked: object) -> list[int]:
    assert isinstance(checked, tuple)  # the constructor has made one of whatever was given
    return [int(number) for number in checked]


def _each(what: str, given: tuple[T, ...], dimensions: int) -> tuple[T, ...]:
    """Return one value a dimension; one alone stands for all."""
    if len(given) == 1:
        return given * dimensions
    if len(given) != dimensions:
        allowed = f"1 or {dimensions}, as there are sides"
        raise UserError(f"{what}: wrong number of values", value=len(given), allowed=allowed)
    return given
