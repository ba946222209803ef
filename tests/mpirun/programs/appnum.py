"""Each rank prints the number of its program in the run."""

import sys

from mpi4py import MPI

world = MPI.COMM_WORLD
mine = world.Get_attr(MPI.APPNUM)
together = world.Split(mine)
said = f"rank {world.rank} of {world.size}: {sys.argv[1]} {mine}, {together.size} of it"
sys.stdout.write(f"{said}\n")
