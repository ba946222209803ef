"""Every way to send a message; prints what depends on neither time nor scheduling."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
right, left = (rank + 1) % size, (rank - 1) % size


def say(*words):
    print(" ".join(map(str, (rank, *words))) + "\n", end="", flush=True)


# blocking, in a chain so that no mode can deadlock
value = np.arange(4, dtype="d") * (rank + 1)
for name, send in [("send", comm.Send), ("ssend", comm.Ssend)]:
    got = np.zeros(4)
    if rank % 2 == 0 and rank + 1 < size:
        send(value, rank + 1, tag=3)
    elif rank % 2 == 1:
        comm.Recv(got, rank - 1, tag=3)
    say(name, got.sum())

# buffered
MPI.Attach_buffer(bytearray(1 << 16))
got = np.zeros(4)
comm.Bsend(value, right, tag=4)
comm.Recv(got, left, tag=4)
MPI.Detach_buffer()
say("bsend", got.sum())

# ready: the receive is posted before a barrier
got = np.zeros(4)
request = comm.Irecv(got, left, tag=5)
comm.Barrier()
comm.Rsend(value, right, tag=5)
request.Wait()
say("rsend", got.sum())

# sendrecv, and replace
status = MPI.Status()
comm.Sendrecv(value, right, 6, got, left, 6, status)
say("sendrecv", got.sum(), status.source, status.tag, status.Get_count(MPI.DOUBLE))
exchanged = value.copy()
comm.Sendrecv_replace(exchanged, right, 7, left, 7)
say("replace", exchanged.sum())

# nonblocking, completed in several ways
for name, wait in [
    ("waitall", lambda rs: MPI.Request.Waitall(rs)),
    ("waitany", lambda rs: [MPI.Request.Waitany(rs) for _ in rs]),
    ("testall", lambda rs: [None for _ in iter(lambda: MPI.Request.Testall(rs), True)]),
]:
    into = np.zeros((size, 2))
    requests = [comm.Irecv(into[i], i, tag=8) for i in range(size)]
    requests += [comm.Isend(np.array([rank, i], "d"), i, tag=8) for i in range(size)]
    wait(requests)
    say(name, into[:, 0].tolist(), into[:, 1].tolist())

into = np.zeros((size, 1))
requests = [comm.Irecv(into[i], i, tag=9) for i in range(size)]
sends = [comm.Isend(np.array([float(rank)]), i, tag=9) for i in range(size)]
done = []
while len(done) < size:
    done += MPI.Request.Waitsome(requests) or []
MPI.Request.Waitall(sends)
say("waitsome", sorted(done), into.ravel().tolist())

# synchronous and nonblocking
request = comm.Issend(value, right, tag=10)
comm.Recv(got, left, tag=10)
request.Wait()
say("issend", got.sum())

# wildcards: the sum does not depend on who comes first
if rank == 0:
    total, sources, tags = 0.0, [], []
    for _ in range(size - 1):
        one = np.zeros(1)
        comm.Recv(one, MPI.ANY_SOURCE, MPI.ANY_TAG, status)
        total += one[0]
        sources.append(status.source)
        tags.append(status.tag)
    say("any", total, sorted(sources), sorted(tags))
else:
    comm.Send(np.array([float(rank)]), 0, tag=100 + rank)
comm.Barrier()

# a wildcard receive posted before named ones takes the first message of the source
if size == 1:
    a = comm.Irecv(np.zeros(1), MPI.ANY_SOURCE, tag=12)
    a.Cancel()
    a.Wait(status)
    say("cancelled", status.Is_cancelled())
elif rank == 0:
    first, second = np.zeros(1), np.zeros(1)
    a = comm.Irecv(first, MPI.ANY_SOURCE, tag=11)
    comm.Barrier()
    a.Wait(status)
    comm.Recv(second, status.source, tag=11)
    say("order", second[0] - first[0])
    for other in range(1, size):
        if other != status.source:
            comm.Recv(first, other, tag=11)
            comm.Recv(second, other, tag=11)
            say("order", second[0] - first[0])
else:
    comm.Barrier()
    comm.Send(np.array([1.0]), 0, tag=11)
    comm.Send(np.array([2.0]), 0, tag=11)
comm.Barrier()

# persistent
into = np.zeros(3)
outof = np.zeros(3)
pair = [comm.Send_init(outof, right, tag=13), comm.Recv_init(into, left, tag=13)]
for step in range(3):
    outof[:] = rank + step
    MPI.Prequest.Startall(pair)
    MPI.Request.Waitall(pair)
    say("persistent", step, into.tolist())
for request in pair:
    request.Free()

# probes
sent = comm.Isend(np.arange(rank + 1, dtype="i"), right, tag=14)
comm.Probe(left, 14, status)
say("probe", status.Get_count(MPI.INT), status.source)
while not comm.Iprobe(left, 14, status):
    pass
got = np.zeros(status.Get_count(MPI.INT), "i")
message = comm.Mprobe(left, 14)
message.Recv(got)
sent.Wait()
say("mprobe", got.tolist())
sent = comm.Isend(np.arange(2, dtype="i"), right, tag=15)
while (message := comm.Improbe(MPI.ANY_SOURCE, 15)) is None:
    pass
message.Irecv(got2 := np.zeros(2, "i")).Wait()
sent.Wait()
say("improbe", got2.tolist())

# MPI_PROC_NULL
comm.Send(value, MPI.PROC_NULL)
comm.Recv(got, MPI.PROC_NULL, status=status)
say("nobody", status.source == MPI.PROC_NULL, status.Get_count(MPI.BYTE))

# pickled objects, and large messages
say("object", comm.sendrecv({"rank": rank}, right, source=left))
big = np.full(300_000, rank, "d")
received = np.zeros(300_000)
comm.Sendrecv(big, right, 16, received, left, 16)
say("big", received.sum())
