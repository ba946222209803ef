"""Communicators, groups, attributes, topologies and intercommunicators."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size


def say(*words):
    print(" ".join(map(str, (rank, *words))) + "\n", end="", flush=True)


# split, dup, create
parity = comm.Split(rank % 2, key=-rank)
say("split", parity.rank, parity.size, parity.allgather(rank))
say("compare", MPI.Comm.Compare(comm, parity) in (MPI.UNEQUAL, MPI.SIMILAR, MPI.CONGRUENT))
outside = comm.Split(0 if rank == 0 else MPI.UNDEFINED)
say("undefined", outside == MPI.COMM_NULL)
copy = comm.Dup()
say("dup", MPI.Comm.Compare(comm, copy) == MPI.CONGRUENT, copy.rank)
got = np.zeros(1, "i")
request = copy.Irecv(got, (rank - 1) % size, tag=1)
other = np.zeros(1, "i")
request2 = comm.Irecv(other, (rank - 1) % size, tag=1)
copy.Send(np.array([1], "i"), (rank + 1) % size, tag=1)
comm.Send(np.array([2], "i"), (rank + 1) % size, tag=1)
MPI.Request.Waitall([request, request2])
say("contexts", got[0], other[0])
later, request = comm.Idup()
request.Wait()
say("idup", later.allreduce(1))

world = comm.Get_group()
even = world.Incl(list(range(0, size, 2)))
odd = world.Excl(list(range(0, size, 2)))
say("groups", even.size, odd.size, even.rank == MPI.UNDEFINED)
union, common = MPI.Group.Union(odd, even), MPI.Group.Intersection(world, even)
say("sets", union.size, common.size, MPI.Group.Difference(world, odd).size)
say("translate", union.Translate_ranks(list(range(size)), world))
say("range", world.Range_incl([(0, size - 1, 2)]).size, world.Range_excl([(0, 0, 1)]).size)
say("similar", MPI.Group.Compare(world, union) in (MPI.IDENT, MPI.SIMILAR))
made = comm.Create(even)
say("create", made == MPI.COMM_NULL or made.allgather(rank))
if rank % 2 == 0:
    small = comm.Create_group(even, tag=5)
    say("create_group", small.allreduce(rank))
# rank 0 waits for the group, the others for its messages
data, status = np.zeros(1 << 16, "i"), MPI.Status()
for other in range(1, size):
    if rank == 0:
        comm.Recv(np.zeros(1, "i"), MPI.ANY_SOURCE, 3, status)
        comm.Send(np.full(1 << 16, other, "i"), status.source, 3)
    elif rank == other:
        comm.Send(np.zeros(1, "i"), 0, 3)
        comm.Probe(MPI.ANY_SOURCE, 3, status)
        comm.Recv(data, status.source, 3)
for _ in range(2):
    backwards = comm.Create_group(world.Incl(list(reversed(range(size)))), tag=6)
    say("backwards", backwards.rank, backwards.allreduce(int(data[0]) != 0))
named = MPI.Intracomm.Create_from_group(world.Incl(list(reversed(range(size)))), "backwards")
say("of a group", named.rank, named.allgather(rank), MPI.COMM_NULL.Get_name())
shared = comm.Split_type(MPI.COMM_TYPE_SHARED)
say("shared", shared.size >= 1)

# attributes
deleted = []
keyval = MPI.Comm.Create_keyval(
    copy_fn=lambda c, k, v: v + 1, delete_fn=lambda c, k, v: deleted.append(v)
)
copy.Set_attr(keyval, 41)
again = copy.Dup()
say("attribute", copy.Get_attr(keyval), again.Get_attr(keyval))
again.Free()
copy.Delete_attr(keyval)
say("deleted", deleted, copy.Get_attr(keyval))
say(
    "predefined", comm.Get_attr(MPI.TAG_UB) >= 32767, comm.Get_attr(MPI.WTIME_IS_GLOBAL) is not None
)
copy.Set_name("a copy")
say("name", copy.Get_name(), comm.Get_name())
info = MPI.Info.Create()
info.Set("key", "value")
say("info", info.Get("key"), info.Get_nkeys(), info.Get("none"))

# cartesian
for nodes, sides in [(72, 2), (504, 2), (1800, 4), (19152, 3), (10800, 3)]:
    say("dims", MPI.Compute_dims(nodes, sides))
dims = MPI.Compute_dims(size, 2)
cart = comm.Create_cart(dims, periods=[True, False])
say("cart", dims, cart.coords, cart.Shift(0, 1), cart.Shift(1, 1), cart.Get_cart_rank(cart.coords))
row = cart.Sub([False, True])
say("sub", row.size, row.allgather(rank))
halo = np.full(4, -1, "i")
cart.Neighbor_allgather(np.array([rank], "i"), halo)
say("neighbours", halo.tolist())
halo = np.full(4, -1, "i")
cart.Neighbor_alltoall(np.arange(4, dtype="i") + 10 * rank, halo)
say("neighbours", halo.tolist())

# graphs: a ring
index = [2 * (i + 1) for i in range(size)]
edges = [e for i in range(size) for e in ((i - 1) % size, (i + 1) % size)]
graph = comm.Create_graph(index, edges)
say("graph", graph.Get_neighbors(rank), graph.neighbors)
ring = comm.Create_dist_graph_adjacent([(rank - 1) % size], [(rank + 1) % size])
came = np.zeros(1, "i")
ring.Neighbor_allgather(np.array([rank], "i"), came)
say("dist graph", came[0], ring.Get_dist_neighbors_count())
ring.Ineighbor_allgather(np.array([rank + 1], "i"), came).Wait()
say("dist graph", came[0])
star = comm.Create_dist_graph([rank], [1], [0])
say("star", sorted(star.Get_dist_neighbors()[0]), star.Get_dist_neighbors()[1])

# intercommunicators
if size > 1:
    half = comm.Split(int(rank < size // 2))
    inter = half.Create_intercomm(0, comm, 0 if rank >= size // 2 else size // 2, tag=9)
    say("inter", inter.size, inter.remote_size, inter.Is_inter())
    if inter.rank < inter.remote_size:
        got = np.zeros(1, "i")
        request = inter.Isend(np.array([rank], "i"), inter.rank, tag=2)
        if inter.size > inter.rank:
            inter.Recv(got, inter.rank, tag=2)
        request.Wait()
        say("inter", got[0])
    say("inter", inter.allgather(rank), inter.allreduce(1))
    low = rank < size // 2
    say(
        "inter",
        inter.bcast(
            "hello" if low and inter.rank == 0 else None,
            root=(MPI.ROOT if inter.rank == 0 else MPI.PROC_NULL) if low else 0,
        ),
    )
    sides = world.Incl(list(range(size // 2))), world.Incl(list(range(size // 2, size)))
    ours, theirs = sides if low else reversed(sides)
    named = MPI.Intercomm.Create_from_groups(ours, 0, theirs, 0, "halves")
    say("inter of groups", named.size, named.remote_size, named.allgather(rank))
    merged = inter.Merge(high=low)
    say("merged", merged.rank, merged.allgather(rank))
    inter.Free()

# errors are returned as they should be
comm.Set_errhandler(MPI.ERRORS_RETURN)
for name, call in [
    ("rank", lambda: comm.Send(np.zeros(1), size + 3)),
    ("tag", lambda: comm.Send(np.zeros(1), 0, tag=-5)),
    ("root", lambda: comm.Bcast(np.zeros(1), size + 1)),
    ("truncate", lambda: comm.Sendrecv(np.zeros(4), rank, 1, np.zeros(2), rank, 1)),
    ("group", lambda: world.Incl([size + 2])),
]:
    try:
        call()
        say("no error", name)
    except MPI.Exception as error:
        say(
            "error",
            name,
            error.Get_error_class()
            in {MPI.ERR_RANK, MPI.ERR_TAG, MPI.ERR_ROOT, MPI.ERR_TRUNCATE, MPI.ERR_GROUP},
        )
