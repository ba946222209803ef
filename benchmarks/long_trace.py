"""A long trace for benchmarks: rounds of a halo exchange and a reduction, with times.

python benchmarks/long_trace.py 100000000 long.trace
odonata profile show long.trace --json
"""

import sys

import numpy as np

from odonata.trace import Header, Writer, function_names
from odonata.trace.calls import CALL, OPERATIONS, OUTCOME, Block
from odonata.trace.views import COLLECTIVES, NOBODY

RANKS = 1024
ROUND = 6  # calls of a rank: two receives, two sends, a wait for them, a reduction
ROUNDS = 10  # of all ranks, in a block: 61,440 calls
ROUND_NS = 20_000


def rounds(functions):
    """Return a block of some rounds that begin at time 0, rank by rank."""
    n = RANKS * ROUNDS
    calls = np.zeros((RANKS, ROUNDS, ROUND), dtype=CALL)
    ranks = np.arange(RANKS)
    peers = [(ranks + step) % RANKS for step in (-1, 1)]
    names = ("MPI_Irecv", "MPI_Irecv", "MPI_Isend", "MPI_Isend", "MPI_Waitall", "MPI_Allreduce")
    operations = ("irecv", "irecv", "isend", "isend", "wait", "collective")
    for at, (name, operation) in enumerate(zip(names, operations, strict=True)):
        calls["function"][:, :, at] = functions.index(name)
        calls["operation"][:, :, at] = OPERATIONS.index(operation)
    for at, peer in enumerate(peers):
        calls["request"][:, :, at] = at + 1
        calls["request"][:, :, at + 2] = at + 3
        calls["receive"]["source"][:, :, at] = peer[:, None]
        calls["receive"]["bytes"][:, :, at] = 8192
        calls["send"]["to"][:, :, at + 2] = peer[:, None]
        calls["send"]["bytes"][:, :, at + 2] = 1000 * (at + 1)
    calls["num_words"][:, :, 4] = 4
    calls["collective"]["bytes"][:, :, 5] = 8
    calls["collective"]["root"][:, :, 5] = NOBODY
    calls["collective"]["operation"][:, :, 5] = COLLECTIVES.index("allreduce")
    calls["compute"] = 500
    # A rank is late by a time of its own, of up to 2 us; the others wait for it.
    late = np.random.default_rng(7).integers(0, 2000, size=(RANKS, ROUNDS))
    begins = np.arange(ROUNDS)[None, :, None] * ROUND_NS + late[:, :, None]
    begins = begins + np.array([0, 600, 1200, 1800, 2400, 10_000])
    ends = begins + np.array([50, 50, 50, 50, 7000, 6000])
    times = np.stack([begins.reshape(-1), ends.reshape(-1)], axis=1)
    return Block(
        ranks=np.repeat(ranks, ROUNDS * ROUND).astype(np.int32),
        calls=calls.reshape(-1),
        words=np.tile(np.arange(1, 5, dtype=np.uint64), n),
        found=np.zeros(n * ROUND, dtype=np.uint8),
        num_outcomes=np.zeros(n * ROUND, dtype=np.uint32),
        outcomes=np.empty(0, dtype=OUTCOME),
        times=times,
    )


def main():
    """Write the trace."""
    wanted, path = int(sys.argv[1]), sys.argv[2]
    functions = function_names()
    block = rounds(functions)
    with Writer(path, Header(ranks=RANKS, program="benchmarks/long_trace.py")) as writer:
        for _ in range(max(1, wanted // len(block))):
            writer.write(block)
            block.times[:] += ROUNDS * ROUND_NS


main()
