"""Poisson's equation of an isolated system by FFT: a small program that sends what ``fft`` models.

The points lie in bricks on m x m x m ranks. Alltoalls make pillars along x of them (m ranks of a
line), along y (m x m ranks of a plane) and along z (m ranks across planes); each is padded with
zeros to twice the length and transformed. The transform of the source is multiplied by the
transform of Green's function, -1/(4 pi r), which every rank computes before, and the same steps
lead backwards.

    mpiexec -n 8 python fft.py --points 16 --solves 2 -o potential
    odonata mpirun -n 8 --machine darter --compute none -- python fft.py --points 16 --solves 2
"""

import argparse
import math

import numpy as np
from mpi4py import MPI

RADIUS = 0.3  # of a sphere of density 1 in the middle of a cube of side 1


class Cube:
    """The bricks, pillars and communicators of a rank."""

    def __init__(self, comm, points):
        self.comm, self.points = comm, points
        self.side = m = round(math.pow(comm.size, 1 / 3))
        self.brick = points // m
        self.place = comm.rank % m, comm.rank // m % m, comm.rank // m**2
        self.plane = m * m
        self.line = comm.Split(comm.rank // m, comm.rank)
        self.slab = comm.Split(comm.rank // self.plane, comm.rank)
        self.stack = comm.Split(comm.rank % self.plane, comm.rank)

    def coordinates(self, axis):
        """Return the coordinates of the points of the brick, in a cube of side 1."""
        first = self.place[axis] * self.brick
        return (np.arange(first, first + self.brick) + 0.5) / self.points

    def part_of_spectrum(self):
        """Return the slices of the transform that the rank has in its pillars along z."""
        x, y = 2 * self.points // self.plane, 2 * self.points // self.side
        i, k = self.comm.rank % self.plane, self.comm.rank // self.plane
        return slice(i * x, (i + 1) * x), slice(k * y, (k + 1) * y)


def transpose(comm, data, split, joined):
    """Split an axis among the ranks of a communicator, and join another one that was split."""
    pieces = np.ascontiguousarray(np.stack(np.split(data, comm.size, axis=split)))
    came = np.empty_like(pieces)
    comm.Alltoall(pieces, came)
    return np.concatenate(list(came), axis=joined)


def greens_function(points):
    """Return the transform of Green's function on twice the points along each axis."""
    distance = np.minimum(np.arange(2 * points), 2 * points - np.arange(2 * points)) / points
    x, y, z = np.meshgrid(distance, distance, distance, indexing="ij", sparse=True)
    r = np.sqrt(x**2 + y**2 + z**2)
    r[0, 0, 0] = 1 / points
    return np.fft.fftn(-1 / (4 * np.pi * r * points**3))


def solve(cube, source, green):
    """Return the potential of a source; both are bricks."""
    n = cube.points
    data = transpose(cube.line, source, split=1, joined=0).astype(complex)
    data = np.fft.fft(data, 2 * n, axis=0)
    data = np.fft.fft(transpose(cube.slab, data, split=0, joined=1), 2 * n, axis=1)
    data = np.fft.fft(transpose(cube.stack, data, split=1, joined=2), 2 * n, axis=2)
    data = np.fft.ifft(data * green, axis=2)[:, :, :n]
    data = transpose(cube.stack, data, split=2, joined=1)
    data = np.fft.ifft(data, axis=1)[:, :n]
    data = transpose(cube.slab, data, split=1, joined=0)
    data = np.fft.ifft(data, axis=0)[:n].real
    return transpose(cube.line, data, split=0, joined=1)


def sphere(cube):
    """Return a brick of the source: the sphere of density 1."""
    x, y, z = (cube.coordinates(axis) - 0.5 for axis in range(3))
    squares = x[:, None, None] ** 2 + y[None, :, None] ** 2 + z[None, None, :] ** 2
    return (squares < RADIUS**2).astype(float)


def write(cube, brick, path):
    """Write a brick to its place in a file of the whole cube, without messages."""
    shape = (cube.points,) * 3
    with open(path, "ab") as file:
        file.truncate(8 * math.prod(shape))
    whole = np.memmap(path, float, "r+", shape=shape)
    whole[tuple(slice(i * cube.brick, (i + 1) * cube.brick) for i in cube.place)] = brick


def main():
    """Solve for the potential of a sphere, and write it if a file is named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=16, help="points along each side")
    parser.add_argument("--solves", type=int, default=1)
    parser.add_argument("-o", "--output", help="file of the potential, numbers of 8 B")
    given = parser.parse_args()
    comm = MPI.COMM_WORLD
    cube = Cube(comm, given.points)
    if cube.side**3 != comm.size or given.points % cube.plane:
        parser.error(f"{comm.size} ranks are no cube whose square of the side divides the points")
    green = greens_function(given.points)[cube.part_of_spectrum()]
    source = sphere(cube)
    for _ in range(given.solves):
        potential = solve(cube, source, green)
    if given.output:
        write(cube, potential, given.output)
    if comm.rank == 0:
        print(f"{given.solves} solves of {given.points}^3 points")


if __name__ == "__main__":
    main()
