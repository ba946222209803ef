"""Derived datatypes in messages, packing, and what a datatype says of itself."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
right, left = (rank + 1) % size, (rank - 1) % size


def say(*words):
    print(" ".join(map(str, (rank, *words))) + "\n", end="", flush=True)


types = {
    "contiguous": MPI.INT.Create_contiguous(3),
    "vector": MPI.INT.Create_vector(3, 2, 4),
    "hvector": MPI.INT.Create_hvector(3, 2, 20),
    "indexed": MPI.INT.Create_indexed([1, 3, 2], [0, 2, 8]),
    "hindexed": MPI.INT.Create_hindexed([1, 2], [4, 24]),
    "indexed_block": MPI.INT.Create_indexed_block(2, [0, 5, 3]),
    "hindexed_block": MPI.INT.Create_hindexed_block(2, [0, 20]),
    "subarray": MPI.INT.Create_subarray([4, 5], [2, 3], [1, 1]),
    "subarray F": MPI.INT.Create_subarray([4, 5], [2, 3], [1, 1], order=MPI.ORDER_F),
    "darray": MPI.INT.Create_darray(
        4, rank % 4, [6, 6], [MPI.DISTRIBUTE_BLOCK, MPI.DISTRIBUTE_CYCLIC], [3, 1], [2, 2]
    ),
    "resized": MPI.INT.Create_resized(0, 12),
    "struct": MPI.Datatype.Create_struct([2, 1], [0, 16], [MPI.INT, MPI.DOUBLE]),
    "nested": MPI.INT.Create_vector(2, 1, 3).Create_contiguous(2).Create_hvector(2, 1, 80),
    "dup": MPI.DOUBLE.Dup(),
}
for name, t in types.items():
    t.Commit()
    say(name, t.Get_size(), t.Get_extent(), t.Get_true_extent())
    envelope = t.Get_envelope()
    say(name, envelope[:3])
    data = np.arange(200, dtype="i") + 1000 * rank
    into = np.full(200, -1, "i")
    count = 2
    status = MPI.Status()
    comm.Sendrecv([data, count, t], right, 1, [into, count, t], left, 1, status)
    say(name, status.Get_count(t), status.Get_elements(MPI.INT), into[into >= 0].tolist())
    flat = np.zeros(t.Get_size() * count // 4, "i")
    comm.Sendrecv([data, count, t], right, 2, flat, left, 2)
    say(name, flat.tolist())
    packed = bytearray(t.Pack_size(count, comm))
    length = count * t.Get_extent()[1]
    end = t.Pack(data.view("b")[:length], packed, 0, comm)
    unpacked = np.full(200, -1, "i")
    t.Unpack(packed, 0, unpacked.view("b")[:length], comm)
    say(name, end, unpacked[unpacked >= 0].tolist())
    if name == "struct":  # MPICH 5.0 crashes when it packs one for exchange
        continue
    external = bytearray(t.Pack_external_size("external32", count))
    t.Pack_external("external32", data.view("b")[:length], external, 0)
    say(name, external[:12].hex())
for t in types.values():
    t.Free()

column = MPI.DOUBLE.Create_vector(4, 1, 4).Create_resized(0, 8).Commit()
matrix = np.arange(16, dtype="d").reshape(4, 4) + 100 * rank
gathered = np.zeros((size, 4, 4))
comm.Allgather([matrix, 4, column], [gathered, 16, MPI.DOUBLE])
say("transposed", gathered[:, 0].tolist())
comm.Bcast([matrix, 4, column], size - 1)
say("bcast", matrix.sum())
say("partial", MPI.INT.Get_name(), MPI.DOUBLE.Get_size(), MPI.Get_address(matrix) != 0)
short = np.zeros(10, "i")
comm.Sendrecv(np.arange(4, dtype="i"), right, 3, short, left, 3, status)
say("short", status.Get_count(MPI.INT), status.Get_elements(MPI.INT), short.tolist())
