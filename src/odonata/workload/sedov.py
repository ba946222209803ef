"""Sedov-Taylor blast wave: an explicit step on a grid of cells, with ghost exchanges."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from odonata import _core
from odonata.errors import UserError
from odonata.placement import Placement
from odonata.units import parse_bytes, parse_time
from odonata.workload.build import Built, Field, Workload
from odonata.workload.halo import MOST_CELLS, MOST_DIMENSIONS, Halo, by_sides, whole_numbers
from odonata.workload.names import check_algorithm, select

__all__ = ["CELL_TIME", "Sedov", "squarest"]

CELL_TIME = "6.98 us"
"""Time of a cell in a step: the Darter paper's 571.908 s for 5,000 steps of 128 x 128 cells a
process, on 256 processes. Its communication is in it, so that it is an upper limit."""

MOST_EXCHANGES = 1000
MOST_RANKS = 1_000_000


@dataclass(frozen=True)
class Sedov(Workload):
    """Time steps of a Sedov-Taylor blast wave, as GenASiS takes them.

    A step is an allreduce of one number, the length of the step, and as many substeps as there
    are ghost exchanges: an equal share of the work on the cells of a rank, then the exchange of
    ghost cells with the neighbours in the process grid.

    Parameters
    ----------
    cells
        Cells of the whole grid along x, y: ``"8192x8192"``; one number stands for a square.
    ranks
        Number of ranks; None if there are `sides`.
    sides
        Ranks along x, y: ``"64x64"``; None: those whose boxes of cells have the smallest
        surface, see `squarest`.
    exchanges
        Ghost exchanges of a step: one for each substep of a Runge-Kutta method of second order.
    ghosts
        Layers of ghost cells.
    cell_bytes
        Bytes of a cell that are exchanged [B], or text: five fields of 8 B, which are density,
        three velocities and energy.
    cell_time
        Time that a rank works on a cell in a step.
    algorithm
        Algorithm of the allreduce; ``auto`` is the choice of the machine's MPI.
    distribution, pack, periodic
        Places of the ranks in the process grid, time to copy a byte of a face, and whether the
        last rank of a line is a neighbour of the first: as in `Halo`.
    repetitions
        Number of steps.

    Raises
    ------
    UserError
        A name is unknown, a number out of range, or the process grid doesn't divide the cells.

    Notes
    -----
    Two exchanges, two layers, five fields, a periodic exchange whatever the boundary, and the order
    of the substeps are taken from the fluid dynamics examples of GenASiS Basics [1]_, whose grids
    of processes are squares as well. The paper of the study [2]_ has the sizes, and "several"
    exchanges a step.

    References
    ----------
    .. [1] Cardall, Budiardja, Comput. Phys. Commun. 196 (2015) 506, and its program.
    .. [2] Budiardja, Crosby, You, Effect of rank placement on Cray XC30 communication cost (2013).

    Examples
    --------
    >>> print(Sedov("8192x8192", ranks=4096))
    sedov 8192x8192 on 64x64, faces of 10 KiB
    """

    cells: str | int | Sequence[int]
    ranks: int | None = None
    sides: str | Sequence[int] | None = None
    exchanges: int = 2
    ghosts: int = 2
    cell_bytes: int | str = 40
    cell_time: str = CELL_TIME
    algorithm: str = "auto"
    distribution: str = "plain"
    pack: str | Sequence[str] | None = None
    periodic: bool = True
    repetitions: int = 1

    def __post_init__(self) -> None:
        cells = whole_numbers("cells", self.cells, MOST_CELLS)
        if len(cells) == 1:
            cells *= 2
        if len(cells) > MOST_DIMENSIONS:
            allowed = f"1 to {MOST_DIMENSIONS} dimensions, as in 8192x8192"
            raise UserError("cells: too many", value=self.cells, allowed=allowed)
        check_algorithm("allreduce", self.algorithm)
        parse_time(self.cell_time, what="cell time")
        size = parse_bytes(self.cell_bytes, bare=True, what="cell bytes")
        _within("exchanges", self.exchanges, MOST_EXCHANGES)
        _within("ghosts", self.ghosts, MOST_CELLS)
        object.__setattr__(self, "cells", cells)
        object.__setattr__(self, "cell_bytes", size)
        sides = self._sides()
        object.__setattr__(self, "sides", sides)
        object.__setattr__(self, "ranks", math.prod(sides))
        self._check_boxes()
        object.__setattr__(self, "pack", self.exchange.pack)

    @property
    def exchange(self) -> Halo:
        """A ghost exchange of all ranks; its cells have the bytes of all layers."""
        sides, cells = self.grid, self.whole
        return Halo(
            sides,
            self.distribution,
            cells=[n // side for n, side in zip(cells, sides, strict=True)],
            cell_bytes=int(self.cell_bytes) * self.ghosts,
            pack=self.pack,
            periodic=self.periodic,
            repetitions=self.repetitions,
        )

    @property
    def whole(self) -> list[int]:
        """Cells of the whole grid along x, y."""
        assert isinstance(self.cells, tuple)
        return [int(n) for n in self.cells]

    @property
    def grid(self) -> list[int]:
        """Ranks along x, y."""
        assert isinstance(self.sides, tuple)  # the constructor has made one of whatever was given
        return [int(side) for side in self.sides]

    @property
    def step_ps(self) -> int:
        """Time that a rank works in a step [ps]."""
        return parse_time(self.cell_time) * math.prod(self.exchange.box)

    def build(self, placement: Placement, *, seed: int) -> Built:
        """Make the rank program: see `odonata.workload.build`."""
        faces = self.exchange
        faces.check_ranks(placement)
        machine, pack = placement.machine, faces.pack_ps(placement.machine)
        name = select(machine, "allreduce", self.algorithm, faces.ranks, 8)
        program = _core.sedov(
            machine.core,
            placement.node_of,
            faces.grid,
            faces.face_bytes,
            pack,
            self.distribution,
            self.periodic,
            self.repetitions,
            self.exchanges,
            self.step_ps,
            name,
        )
        fields: dict[str, Field] = {
            "operation": "sedov",
            "algorithm": name,
            "requested_algorithm": self.algorithm,
            "distribution": self.distribution,
            "sides": by_sides(faces.grid),
            "cells": by_sides(self.whole),
            "cell_bytes": int(self.cell_bytes),
            "ghosts": self.ghosts,
            "exchanges": self.exchanges,
            "compute_ps": self.step_ps,
            "pack_ps_per_byte": " ".join(f"{time:g}" for time in pack),
            "periodic": self.periodic,
            "repetitions": self.repetitions,
        }
        # Counted before the run, so that one that is too large is refused at once.
        reductions, reduced = _core.sent_by("allreduce", name, faces.ranks, 8, 0)
        messages = (faces.messages * self.exchanges + reductions) * self.repetitions
        sent = (faces.sent_bytes * self.exchanges + reduced) * self.repetitions
        return Built(program, "sedov", fields, messages, max(faces.face_bytes), sent)

    def __str__(self) -> str:
        times = f"{self.repetitions} × " if self.repetitions > 1 else ""
        faces = str(self.exchange).rpartition(", ")[2]
        return f"{times}sedov {by_sides(self.whole)} on {by_sides(self.grid)}, {faces}"

    def _sides(self) -> tuple[int, ...]:
        cells = self.whole
        if self.sides is None:
            if self.ranks is None:
                allowed = "ranks, or the sides of a process grid such as 64x64"
                raise UserError("sedov: no number of ranks", allowed=allowed)
            return squarest(cells, self.ranks)
        sides = whole_numbers("sides", self.sides, MOST_RANKS)
        if len(sides) != len(cells):
            what = f"sides: another number of them than of cells, {by_sides(cells)}"
            raise UserError(what, value=by_sides(sides), allowed=f"{len(cells)} numbers")
        if self.ranks not in (None, math.prod(sides)):
            what = f"sides: another number of ranks than {self.ranks}"
            raise UserError(what, value=f"{by_sides(sides)} = {math.prod(sides)}")
        if any(n % side for n, side in zip(cells, sides, strict=True)):
            what = f"sides: they do not divide the cells, {by_sides(cells)}"
            raise UserError(what, value=by_sides(sides), allowed="divisors of the cells")
        return sides

    def _check_boxes(self) -> None:
        least = min(self.exchange.box)
        if least < self.ghosts:
            what = f"ghosts: more layers than a rank has cells, {by_sides(self.exchange.box)}"
            raise UserError(what, value=self.ghosts, allowed=f"1 to {least}")


def squarest(cells: Sequence[int], ranks: int) -> tuple[int, ...]:
    """Return the process grid whose boxes of cells have the smallest surface.

    Parameters
    ----------
    cells
        Cells along x, y, ...; each side divides them.
    ranks
        Places of the grid.

    Raises
    ------
    UserError
        No grid of so many places divides the cells.

    Examples
    --------
    >>> squarest([8192, 8192], 4096), squarest([64, 32], 8), squarest([64, 64], 8)
    ((64, 64), (4, 2), (4, 2))
    """
    _within("ranks", ranks, MOST_RANKS)

    def surface(sides: Sequence[int]) -> int:
        box = [n // side for n, side in zip(cells, sides, strict=True)]
        return sum(math.prod(box) // along for along in box)

    grids = list(_grids(cells, ranks))
    if not grids:
        what = f"ranks: no process grid of so many divides {by_sides(cells)} cells"
        raise UserError(what, value=ranks, allowed="a product of divisors of the cells")
    return min(grids, key=lambda sides: (surface(sides), tuple(-side for side in sides)))


def _grids(cells: Sequence[int], ranks: int) -> Iterator[tuple[int, ...]]:
    """Yield all grids of so many places whose sides divide the cells."""
    if not cells:
        if ranks == 1:
            yield ()
        return
    for side in range(1, min(ranks, cells[0]) + 1):
        if ranks % side == 0 and cells[0] % side == 0:
            for rest in _grids(cells[1:], ranks // side):
                yield (side, *rest)


def _within(what: str, number: int, most: int) -> None:
    if not 1 <= number <= most:
        raise UserError(f"{what}: out of range", value=number, allowed=f"1 to {most}")
