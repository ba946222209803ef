"""Ranks of a grid exchange halos of one size; rank 0 prints the time.

halos.py reorder|keep [half]
"""

import sys

from mpi4py import MPI

world = MPI.COMM_WORLD
comm = world.Split(world.rank % 2, -world.rank) if "half" in sys.argv else world
dims = MPI.Compute_dims(comm.size, 2)
grid = comm.Create_cart(dims, [False, False], reorder=sys.argv[1] == "reorder")
neighbours = [peer for axis in (0, 1) for peer in grid.Shift(axis, 1) if peer != MPI.PROC_NULL]
halo, came = bytearray(65536), [bytearray(65536) for _ in neighbours]
world.Barrier()
begin = MPI.Wtime()
for _ in range(3):
    requests = [grid.Irecv(here, peer) for here, peer in zip(came, neighbours, strict=True)]
    requests += [grid.Isend(halo, peer) for peer in neighbours]
    MPI.Request.Waitall(requests)
world.Barrier()
if world.rank == 0:
    sys.stdout.write(f"{1e6 * (MPI.Wtime() - begin):.3f}\n")
