"""Collectives that bring nothing to some ranks, between looks at the clock.

A rank that gets nothing is through in simulated time before the others come; it must not wait for
them in real time either, since they may wait for the simulator.
"""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
places = [0] * size


def say(*words):
    print(" ".join(map(str, (rank, *words))) + "\n", end="", flush=True)


few = [int(i == 0) for i in range(size)]
mine = np.full(few[rank], 1.0 + rank)
for _ in range(3):
    MPI.Wtime()
    share = np.zeros(few[rank])
    comm.Reduce_scatter(np.arange(1.0) + rank, share, few)
    MPI.Wtime()
    every = np.zeros(1)
    comm.Allgatherv(mine, [every, few, places, MPI.DOUBLE])
    MPI.Wtime()
    root = np.zeros(1)
    comm.Gatherv(mine, [root, few, places, MPI.DOUBLE], size - 1)
    MPI.Wtime()
    part = np.zeros(few[rank])
    comm.Scatterv(
        [np.ones(1), few, places, MPI.DOUBLE] if rank == size - 1 else None, part, size - 1
    )
    MPI.Wtime()
    to = [int(i == (rank + 1) % size and rank % 2 == 0) for i in range(size)]
    come = [int(i == (rank - 1) % size and i % 2 == 0) for i in range(size)]
    got = np.zeros(sum(come))
    comm.Alltoallv(
        [np.full(sum(to), float(rank)), to, places, MPI.DOUBLE], [got, come, places, MPI.DOUBLE]
    )
    MPI.Wtime()
    nothing = np.zeros(0)
    comm.Allreduce(nothing, nothing.copy())
    comm.Bcast(nothing, 0)
    comm.Scan(nothing, nothing.copy())
    say(share, every, root if rank == size - 1 else "", part, got)
    comm.Barrier()
