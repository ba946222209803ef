"""Every collective, blocking and not; prints results that do not depend on time."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
root = size - 1


def say(*words):
    print(" ".join(map(str, (rank, *words))) + "\n", end="", flush=True)


def both(name, *args, on=comm):
    """Call a collective and its nonblocking form; return once both are done."""
    getattr(on, name)(*args)
    yield name
    getattr(on, "I" + name.lower())(*args).Wait()
    yield "i" + name.lower()


mine = np.array([rank + 1, 10 * rank], "i")
doubles = np.array([0.1 * (rank + 1), 1.0 / (rank + 3), 1e16 if rank == 0 else 1.0])
counts = [i % 3 for i in range(size)]
places = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(int).tolist()
some = np.full(counts[rank], rank, "d")

for name in both("Barrier"):
    say(name)
data = mine.copy() if rank == root else np.zeros(2, "i")
for name in both("Bcast", data, root):
    say(name, data.tolist())
everything = np.zeros((size, 2), "i")
for name in both("Gather", mine, everything if rank == root else None, root):
    say(name, everything.tolist())
for name in both("Allgather", mine, everything):
    say(name, everything.tolist())
blocks = np.arange(2 * size, dtype="i") if rank == root else None
one = np.zeros(2, "i")
for name in both("Scatter", blocks, one, root):
    say(name, one.tolist())
outgoing = np.arange(size, dtype="i") + 100 * rank
incoming = np.zeros(size, "i")
for name in both("Alltoall", outgoing, incoming):
    say(name, incoming.tolist())

joined = np.zeros(sum(counts))
for name in both("Gatherv", some, [joined, counts, places, MPI.DOUBLE], root):
    say(name, joined.tolist())
for name in both("Allgatherv", some, [joined, counts, places, MPI.DOUBLE]):
    say(name, joined.tolist())
part = np.zeros(counts[rank])
source = [np.arange(sum(counts), dtype="d"), counts, places, MPI.DOUBLE] if rank == root else None
for name in both("Scatterv", source, part, root):
    say(name, part.tolist())

to = [(rank + i) % 3 for i in range(size)]
come = [(i + rank) % 3 for i in range(size)]
starts = lambda c: np.concatenate([[0], np.cumsum(c)[:-1]]).astype(int).tolist()  # noqa: E731
sent = np.arange(sum(to), dtype="d") + 1000 * rank
taken = np.zeros(sum(come))
for name in both(
    "Alltoallv", [sent, to, starts(to), MPI.DOUBLE], [taken, come, starts(come), MPI.DOUBLE]
):
    say(name, taken.tolist())
in_bytes = lambda c: [8 * i for i in starts(c)]  # noqa: E731
for name in both(
    "Alltoallw",
    [sent, to, in_bytes(to), [MPI.DOUBLE] * size],
    [taken, come, in_bytes(come), [MPI.DOUBLE] * size],
):
    say(name, taken.tolist())

total = np.zeros(3)
for op in [MPI.SUM, MPI.MAX, MPI.MIN, MPI.PROD]:
    for name in both("Reduce", doubles, total if rank == root else None, op, root):
        say(name, [v.hex() for v in total] if rank == root else "")
    for name in both("Allreduce", doubles, total, op):
        say(name, [v.hex() for v in total])
    for name in both("Scan", doubles, total, op):
        say(name, [v.hex() for v in total])
    total[:] = 0
    for name in both("Exscan", doubles, total, op):
        say(name, [v.hex() for v in total] if rank > 0 else "")
bits = np.array([rank, rank % 2], "i")
whole = np.zeros(2, "i")
for op in [MPI.LAND, MPI.LOR, MPI.LXOR, MPI.BAND, MPI.BOR, MPI.BXOR]:
    comm.Allreduce(bits, whole, op)
    say("bits", whole.tolist())
pair = np.array([((rank * 7) % 5, rank)], dtype=[("v", "d"), ("i", "i4")])
best = np.zeros_like(pair)
comm.Allreduce([pair, 1, MPI.DOUBLE_INT], [best, 1, MPI.DOUBLE_INT], MPI.MAXLOC)
say("maxloc", best["v"][0], best["i"][0])

long = np.arange(2 * size, dtype="d") + 0.1 * rank
share = np.zeros(2)
for name in both("Reduce_scatter_block", long, share):
    say(name, [v.hex() for v in share])
shares = [1 + i % 2 for i in range(size)]
varied = np.arange(sum(shares), dtype="d") * (rank + 1)
mine_only = np.zeros(shares[rank])
for name in both("Reduce_scatter", varied, mine_only, shares):
    say(name, [v.hex() for v in mine_only])
wide = np.full(5000, 0.1 * (rank + 1))
sums = np.zeros(5000)
comm.Allreduce(wide, sums)
say("wide", sums[0].hex(), sums[-1].hex())

# in place
value = doubles.copy()
comm.Allreduce(MPI.IN_PLACE, value)
say("in place", [v.hex() for v in value])
row = np.zeros((size, 2), "i")
row[rank] = mine
comm.Allgather(MPI.IN_PLACE, row)
say("in place", row.tolist())
swap = outgoing.copy()
comm.Alltoall(MPI.IN_PLACE, swap)
say("in place", swap.tolist())
value = doubles.copy()
comm.Reduce(MPI.IN_PLACE if rank == root else value, value if rank == root else None, root=root)
say("in place", [v.hex() for v in value] if rank == root else "")
value = doubles.copy()
comm.Scan(MPI.IN_PLACE, value)
say("in place", [v.hex() for v in value])


# operations of the user: 2x2 matrices, which do not commute
def multiply(a, b, _type):
    left = np.frombuffer(a, "d").reshape(-1, 2, 2)
    right = np.frombuffer(b, "d").reshape(-1, 2, 2)
    right[...] = left @ right


matrix = MPI.DOUBLE.Create_contiguous(4).Commit()
product = MPI.Op.Create(multiply, commute=False)
m = np.array([[1.0, rank], [0.5, 1.0]])
for name, out in [("Allreduce", np.zeros((2, 2))), ("Scan", np.zeros((2, 2)))]:
    getattr(comm, name)([m, 1, matrix], [out, 1, matrix], product)
    say("user", name, [v.hex() for v in out.ravel()])
out = np.zeros((2, 2))
comm.Reduce([m, 1, matrix], [out, 1, matrix], product, root)
say("user", [v.hex() for v in out.ravel()] if rank == root else "")
product.Free()
matrix.Free()

# several under way at once, completed in another order
sums = [np.zeros(1) for _ in range(4)]
requests = [comm.Iallreduce(np.array([float(rank + i)]), sums[i]) for i in range(4)]
MPI.Request.Waitall(requests[::-1])
say("overlapping", [s[0] for s in sums])
say("objects", comm.allgather(rank), comm.bcast("x" * 3, root), comm.allreduce(rank))
