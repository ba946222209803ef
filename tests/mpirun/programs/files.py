"""A file written before a barrier or a message is complete for other ranks after it."""

import os
import sys
import tempfile
import time
from pathlib import Path

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
path = Path(comm.bcast(tempfile.mkdtemp() if rank == 0 else None)) / "shared.txt"
for step in range(3):
    if rank == step % size:
        time.sleep(0.05)
        path.write_text(f"step {step}")
    comm.Barrier() if step < 2 else comm.Ibarrier().Wait()
    print(f"{rank} read {path.read_text()}\n", end="", flush=True)
    comm.Barrier()
if rank == 0:
    path.unlink()
    os.rmdir(path.parent)
sys.stdout.flush()
