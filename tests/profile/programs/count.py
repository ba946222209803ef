"""Calls of MPI that tests/profile/test_recorder.py counts by hand."""

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
buffer = bytearray(1000)
if rank == 0:
    for to in range(1, size):
        world.Send([buffer, 100 * to, MPI.BYTE], dest=to)
else:
    world.Recv([buffer, 1000, MPI.BYTE], source=0)
world.Allreduce(MPI.IN_PLACE, [bytearray(24), 3, MPI.DOUBLE])
world.Barrier()
