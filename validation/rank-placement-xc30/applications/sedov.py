"""Sedov-Taylor blast wave on a grid of cells: a small program that sends what ``sedov`` models.

Finite volumes for the Euler equations in two dimensions: slopes limited by minmod, HLL fluxes, a
Runge-Kutta method of second order (Heun), periodic boundaries. A step is an allreduce of its
length, and two substeps that end with an exchange of two layers of ghost cells. The result has the
same bits on any number of ranks.

    mpiexec -n 4 python sedov.py --cells 64x64 --sides 2x2 --steps 20 -o blast
    odonata mpirun -n 4 --machine darter --compute none -- python sedov.py --cells 64x64 ...
"""

import argparse
import itertools
import math

import numpy as np
from mpi4py import MPI

GAMMA = 1.4
GHOSTS = 2
FIELDS = 5  # density, three momenta, energy
COURANT = 0.4
ENERGY = 1.0
RADIUS = 0.04  # of the blast, as the standard deviation of its energy
QUIET_ENERGY = 1e-3  # of the medium


class Grid:
    """The cells of a rank: a box of a periodic grid, with ghost cells around."""

    def __init__(self, comm, cells, sides):
        self.comm, self.cells, self.sides = comm, cells, sides
        self.place = comm.rank % sides[0], comm.rank // sides[0]
        self.box = tuple(n // side for n, side in zip(cells, sides, strict=True))
        self.first = tuple(at * n for at, n in zip(self.place, self.box, strict=True))
        self.width = tuple(1 / n for n in cells)

    def centres(self, axis):
        """Return the coordinates of all cells of the box, the ghost cells too."""
        number = np.arange(-GHOSTS, self.box[axis] + GHOSTS) + self.first[axis]
        return (number % self.cells[axis] + 0.5) * self.width[axis]

    def neighbour(self, axis, step):
        """Return the rank one step on or back along an axis."""
        at = list(self.place)
        at[axis] = (at[axis] + step) % self.sides[axis]
        return at[0] + self.sides[0] * at[1]

    def layers(self, axis, step, ghost):
        """Return the slices of the cells at a face: the ghost cells, or those inside."""
        n = self.box[axis]
        begin = {(-1, True): 0, (-1, False): GHOSTS, (1, True): n + GHOSTS, (1, False): n}
        slices = [slice(None), slice(GHOSTS, -GHOSTS), slice(GHOSTS, -GHOSTS)]
        slices[1 + axis] = slice(begin[step, ghost], begin[step, ghost] + GHOSTS)
        return tuple(slices)

    def exchange(self, state):
        """Fill the ghost cells: faces go to x down, x up, y down, y up."""
        faces = list(itertools.product((0, 1), (-1, 1)))
        swapped = [(axis, step) for axis, step in faces if self.sides[axis] > 1]
        # A face that comes from above was sent downwards: tags say which way it goes.
        came = sorted((2 * axis + (step < 0), axis, step) for axis, step in swapped)
        buffers = [np.empty_like(state[self.layers(axis, step, True)]) for _, axis, step in came]
        receives = [
            self.comm.Irecv(buffer, self.neighbour(axis, step), tag)
            for buffer, (tag, axis, step) in zip(buffers, came, strict=True)
        ]
        sends = []
        for axis, step in swapped:
            face = np.ascontiguousarray(state[self.layers(axis, step, False)])
            tag = 2 * axis + (step > 0)
            sends.append(self.comm.Isend(face, self.neighbour(axis, step), tag))
        for receive, buffer, (_, axis, step) in zip(receives, buffers, came, strict=True):
            receive.Wait()
            state[self.layers(axis, step, True)] = buffer
        MPI.Request.Waitall(sends)
        for axis, step in faces:
            if self.sides[axis] == 1:
                state[self.layers(axis, step, True)] = state[self.layers(axis, -step, False)]


def blast(grid):
    """Return the state at the beginning: a medium at rest, and energy in its middle."""
    x, y = grid.centres(0) - 0.5, grid.centres(1) - 0.5
    shape = np.exp(-(x[:, None] ** 2 + y[None, :] ** 2) / (2 * RADIUS**2))
    state = np.zeros((FIELDS, *shape.shape))
    state[0] = 1
    state[4] = QUIET_ENERGY + ENERGY / (2 * np.pi * RADIUS**2) * shape
    return state


def pressure(state):
    """Return the pressure."""
    kinetic = (state[1] ** 2 + state[2] ** 2 + state[3] ** 2) / state[0]
    return (GAMMA - 1) * (state[4] - 0.5 * kinetic)


def flux_along(state, axis):
    """Return the flux of all fields along an axis, and the velocity and speed of sound there."""
    p, velocity = pressure(state), state[1 + axis] / state[0]
    flux = state * velocity
    flux[1 + axis] += p
    flux[4] += p * velocity
    return flux, velocity, np.sqrt(GAMMA * p / state[0])


def hll(left, right, axis):
    """Return the flux between two states by Harten, Lax and van Leer."""
    (f_left, v_left, c_left), (f_right, v_right, c_right) = (
        flux_along(state, axis) for state in (left, right)
    )
    low = np.minimum(0, np.minimum(v_left - c_left, v_right - c_right))
    high = np.maximum(0, np.maximum(v_left + c_left, v_right + c_right))
    return (high * f_left - low * f_right + high * low * (right - left)) / (high - low)


def minmod(a, b):
    """Return the smaller of two slopes; 0 if they differ in sign."""
    return np.where(a * b > 0, np.where(np.abs(a) < np.abs(b), a, b), 0)


def change(grid, state):
    """Return the time derivative of the cells of the box."""
    parts = []
    for axis in (0, 1):
        inside = [slice(None), slice(GHOSTS, -GHOSTS), slice(GHOSTS, -GHOSTS)]
        inside[1 + axis] = slice(None)
        along = np.moveaxis(state[tuple(inside)], 1 + axis, 1)
        steps = np.diff(along, axis=1)
        half = 0.5 * minmod(steps[:, :-1], steps[:, 1:])
        cells = along[:, 1:-1]
        flux = hll((cells + half)[:, :-1], (cells - half)[:, 1:], axis)
        parts.append(np.moveaxis(-np.diff(flux, axis=1) / grid.width[axis], 1, 1 + axis))
    return parts[0] + parts[1]


def length_of_step(grid, state):
    """Return the largest stable step, which all ranks agree on."""
    inside = state[:, GHOSTS:-GHOSTS, GHOSTS:-GHOSTS]
    sound = np.sqrt(GAMMA * pressure(inside) / inside[0])
    rates = [(np.abs(inside[1 + axis] / inside[0]) + sound) / grid.width[axis] for axis in (0, 1)]
    mine, least = np.array([COURANT / np.max(rates[0] + rates[1])]), np.empty(1)
    grid.comm.Allreduce(mine, least, MPI.MIN)
    return least[0]


def take_step(grid, state):
    """Advance the state by a step; return its length."""
    inside = np.s_[:, GHOSTS:-GHOSTS, GHOSTS:-GHOSTS]
    length = length_of_step(grid, state)
    before = state[inside].copy()
    state[inside] += length * change(grid, state)
    grid.exchange(state)
    state[inside] = 0.5 * (before + (state[inside] + length * change(grid, state)))
    grid.exchange(state)
    return length


def write(grid, state, path):
    """Write the cells of the box to their place in a file of the whole grid, without messages."""
    shape = (FIELDS, *grid.cells)
    with open(path, "ab") as file:
        file.truncate(8 * math.prod(shape))
    whole = np.memmap(path, float, "r+", shape=shape)
    (x, y), (width, height) = grid.first, grid.box
    whole[:, x : x + width, y : y + height] = state[:, GHOSTS:-GHOSTS, GHOSTS:-GHOSTS]


def main():
    """Take some steps, and write the state if a file is named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", default="64x64", help="cells along x and y")
    parser.add_argument("--sides", required=True, help="ranks along x and y, such as 2x2")
    parser.add_argument("--steps", type=int, default=1)
    parser.add_argument("-o", "--output", help="file of the fields, numbers of 8 B")
    given = parser.parse_args()
    cells, sides = (tuple(map(int, text.split("x"))) for text in (given.cells, given.sides))
    comm = MPI.COMM_WORLD
    if math.prod(sides) != comm.size or any(
        n % side or n // side < GHOSTS for n, side in zip(cells, sides, strict=True)
    ):
        parser.error(f"{given.sides} ranks of {comm.size} do not divide {given.cells} cells")
    grid = Grid(comm, cells, sides)
    state = blast(grid)
    time = sum(take_step(grid, state) for _ in range(given.steps))
    if given.output:
        write(grid, state, given.output)
    if comm.rank == 0:
        print(f"{given.steps} steps to time {time:.6g}")


if __name__ == "__main__":
    main()
