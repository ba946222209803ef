"""Each rank prints its rank in topologies that may reorder ranks, and in one that must not."""

import sys

from mpi4py import MPI

world = MPI.COMM_WORLD
ring = [(world.rank - 1) % world.size, (world.rank + 1) % world.size]
index = list(range(2, 2 * world.size + 1, 2))
edges = [peer for r in range(world.size) for peer in ((r - 1) % world.size, (r + 1) % world.size)]
grid = world.Create_cart([world.size], [True], reorder=True)
half = world.Create_cart([world.size // 2], [True], reorder=True)
comms = {
    "cart": grid,
    "graph": world.Create_graph(index, edges, reorder=True),
    "adjacent": world.Create_dist_graph_adjacent(ring, ring, reorder=True),
    "dist": world.Create_dist_graph([world.rank], [2], ring, reorder=True),
    "fixed": world.Create_cart([world.size], [True], reorder=False),
    "half": half,
}
ranks = [f"{name} {-1 if comm == MPI.COMM_NULL else comm.rank}" for name, comm in comms.items()]
source, destination = grid.Shift(0, 1)
said = grid.sendrecv(world.rank, dest=destination, source=source)
sys.stdout.write(f"rank {world.rank}: {', '.join(ranks)}, left {said}\n")
