"""Poisson solver by FFT: a cube of points, transposed by alltoalls in sub-communicators."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from odonata import _core
from odonata.errors import UserError
from odonata.machine import Machine
from odonata.placement import Placement
from odonata.units import format_bytes, parse_bytes, parse_time, parse_time_per_byte
from odonata.workload.build import Built, Field, Workload
from odonata.workload.collective import MOST_REPETITIONS
from odonata.workload.halo import by_sides, whole_numbers
from odonata.workload.names import check_algorithm, select

__all__ = ["FLOP_TIME", "TRANSPOSES", "Fft"]

FLOP_TIME = "1.7 ns"
"""Time of a floating-point operation: the Darter paper has 1,413.81 s for 4,000 solves of 384^3
points on 512 processes. Less the 103 ms of communication and copies by the packet engine, a solve
leaves this time for each of a process's 149 million operations. Assumed to hold for every
machine."""

TRANSPOSES = ("pillar", "slab", "stack")
"""Kinds of communicators: m, m^2 and m of m^3 ranks."""

MOST_POINTS = 1 << 20
REAL, COMPLEX = 8, 16  # [B]


@dataclass(frozen=True)
class Fft(Workload):
    """Solves of Poisson's equation for an isolated system, as PSPFFT does them.

    The points lie in bricks on m x m x m ranks. A solve moves them into pillars along x, with an
    alltoall of real numbers among the m ranks of a line; then come, with the padding to twice the
    length that an isolated system needs, FFTs along x, an alltoall of complex numbers among the m
    x m ranks of a slab, FFTs along y, one among the m ranks of a stack, FFTs along z, the product
    with the transform of Green's function, and everything backwards.

    Parameters
    ----------
    points
        Points of the source along x, y, z: ``768`` or ``"768x768x768"``.
    ranks
        Number of ranks, m^3; m^2 must divide the points along x, y, z.
    flop_time
        Time of a floating-point operation; an FFT of N complex numbers has 5 N log2 N.
    pack
        Time to copy a byte into the buffer of an alltoall, and out of it; None: the machine's
        ``mpi.copy_per_byte``.
    algorithm
        Algorithm of the alltoalls; ``auto`` is the choice of the machine's MPI for each.
    repetitions
        Number of solves.

    Raises
    ------
    UserError
        A name is unknown, a number out of range, or the ranks don't divide the points.

    Notes
    -----
    Communicators and sizes are taken from PSPFFT [1]_ (its source on GitHub, reubendb/PSPFFT),
    which explains why the study [2]_ has 512 and 4,096 processes: they are cubes. The transform of
    Green's function is computed once and is no part of a solve.

    References
    ----------
    .. [1] Budiardja, Cardall, Comput. Phys. Commun. 182 (2011) 2265.
    .. [2] Budiardja, Crosby, You, Effect of rank placement on Cray XC30 communication cost (2013).

    Examples
    --------
    >>> Fft(768, ranks=4096).block_bytes
    [55296, 13824, 442368]
    """

    points: str | int | Sequence[int]
    ranks: int
    flop_time: str = FLOP_TIME
    pack: str | None = None
    algorithm: str = "auto"
    repetitions: int = 1

    def __post_init__(self) -> None:
        points = whole_numbers("points", self.points, MOST_POINTS)
        if len(points) == 1:
            points *= 3
        if len(points) != 3:
            allowed = "one number or three, as in 768 or 768x768x384"
            raise UserError("points: not three", value=by_sides(points), allowed=allowed)
        object.__setattr__(self, "points", points)
        self._check_ranks()
        check_algorithm("alltoall", self.algorithm)
        parse_time(self.flop_time, what="flop time")
        if self.pack is not None:
            parse_time_per_byte(self.pack, what="pack")
        if not 1 <= self.repetitions <= MOST_REPETITIONS:
            allowed = f"1 to {MOST_REPETITIONS}"
            raise UserError("repetitions: out of range", value=self.repetitions, allowed=allowed)
        for size in self.block_bytes:
            parse_bytes(size, bare=True, what="bytes of a block")

    @property
    def side(self) -> int:
        """Ranks along a side of the cube of bricks, m."""
        return round(math.pow(self.ranks, 1 / 3))

    @property
    def grid(self) -> list[int]:
        """Points along x, y, z."""
        assert isinstance(self.points, tuple)  # the constructor has made one of whatever was given
        return [int(n) for n in self.points]

    @property
    def sizes(self) -> list[int]:
        """Ranks of the communicators, by `TRANSPOSES`."""
        return [self.side, self.side**2, self.side]

    @property
    def block_bytes(self) -> list[int]:
        """Bytes from each rank to each in the alltoalls, by `TRANSPOSES` [B]."""
        (nx, ny, _), (_, by, bz), m = self.grid, self.brick, self.side
        real = math.prod(self.brick) // m * REAL
        along_x = 2 * nx // m**2 * (by // m) * bz * COMPLEX
        along_y = 2 * ny // m * bz * (2 * self.brick[0] // m) * COMPLEX
        return [real, along_x, along_y]

    @property
    def brick(self) -> list[int]:
        """Points of a rank along x, y, z."""
        return [n // self.side for n in self.grid]

    @property
    def flops(self) -> list[float]:
        """Operations of a rank: its FFTs along x, y, z in one direction, and the product."""
        (bx, by, bz), m = self.brick, self.side
        lines = [by // m * bz, bz * 2 * bx // m, 4 * bx // m * by]
        transforms = [
            5 * count * 2 * n * math.log2(2 * n) for count, n in zip(lines, self.grid, strict=True)
        ]
        return [*transforms, 6 * lines[2] * 2 * self.grid[2]]

    @property
    def flops_ps(self) -> list[int]:
        """Times of `flops` [ps]."""
        time = parse_time(self.flop_time)
        return [round(count * time) for count in self.flops]

    def pack_ps(self, machine: Machine) -> float:
        """Return the time to copy a byte of an alltoall on a machine [ps/B]."""
        if self.pack is None:
            return float(str(machine.value("mpi.copy_per_byte")))
        return parse_time_per_byte(self.pack)

    def algorithms(self, machine: Machine) -> list[str]:
        """Return the algorithms of the alltoalls on a machine, by `TRANSPOSES`."""
        return [
            select(machine, "alltoall", self.algorithm, ranks, size)
            for ranks, size in zip(self.sizes, self.block_bytes, strict=True)
        ]

    def build(self, placement: Placement, *, seed: int) -> Built:
        """Make the rank program: see `odonata.workload.build`."""
        if self.ranks != placement.ranks:
            what = "fft: another number of ranks than the job has"
            raise UserError(what, value=self.ranks, allowed=f"{placement.ranks}")
        machine = placement.machine
        names, blocks, times = self.algorithms(machine), self.block_bytes, self.flops_ps
        pack = self.pack_ps(machine)
        program = _core.fft(
            self.ranks,
            self.side,
            blocks,
            names,
            times[:3],
            times[3],
            pack,
            self.repetitions,
            "fft",
        )
        fields: dict[str, Field] = {
            "operation": "fft",
            "algorithm": "+".join(dict.fromkeys(names)),
            "requested_algorithm": self.algorithm,
            "points": by_sides(self.grid),
            "block_bytes_of_transposes": " ".join(map(str, blocks)),
            "compute_ps": 2 * sum(times[:3]) + times[3],
            "pack_ps_per_byte": f"{pack:g}",
            "repetitions": self.repetitions,
        }
        times_run = 2 * self.repetitions
        messages = sent = 0
        for name, size, block in zip(names, self.sizes, blocks, strict=True):
            each = _core.sent_by("alltoall", name, size, block, 0)
            messages += self.ranks // size * each[0] * times_run
            sent += self.ranks // size * each[1] * times_run
        return Built(program, "fft", fields, messages, max(blocks), sent)

    def __str__(self) -> str:
        times = f"{self.repetitions} × " if self.repetitions > 1 else ""
        blocks = ", ".join(map(format_bytes, self.block_bytes))
        return f"{times}fft {by_sides(self.grid)} on {self.ranks} ranks, blocks of {blocks}"

    def _check_ranks(self) -> None:
        if self.ranks < 1 or self.side**3 != self.ranks:
            near = max(1, round(math.pow(max(1, self.ranks), 1 / 3)))
            allowed = f"cubes: ..., {near**3}, {(near + 1) ** 3}, ..."
            raise UserError("ranks: not a cube", value=self.ranks, allowed=allowed)
        if any(n % self.side**2 for n in self.grid):
            what = f"points: {self.ranks} ranks do not divide them"
            allowed = f"multiples of {self.side**2}, the square of {self.side} ranks a side"
            raise UserError(what, value=by_sides(self.grid), allowed=allowed)
