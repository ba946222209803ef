"""A real program takes the time of the same rank program, to the picosecond."""

import pytest

from odonata import machine, placement, simulate, workload

REPETITIONS = 3


def benchmarks(times):
    """Return the rank program that says what programs/benchmarks.c does."""

    def program(rank):
        right, left = (rank.index + 1) % rank.size, (rank.index - 1) % rank.size
        for size in (0, 8, 1024, 8192, 65536):
            for what in range(7):
                yield rank.barrier()
                begin = rank.now
                for _ in range(REPETITIONS):
                    if what == 0 and rank.index == 0:
                        yield rank.send(1, size, 1)
                        yield rank.recv(1, size, 1)
                    elif what == 0 and rank.index == 1:
                        yield rank.recv(0, size, 1)
                        yield rank.send(0, size, 1)
                    elif what == 1:
                        yield rank.sendrecv(right, size, left, size, 2)
                    elif what == 2:
                        requests = [rank.irecv(left, size, 3), rank.irecv(right, size, 3)]
                        requests += [rank.isend(right, size, 3), rank.isend(left, size, 3)]
                        yield rank.wait_all(requests)
                    elif what > 2:
                        name = ["allreduce", "allgather", "alltoall", "bcast"][what - 3]
                        yield getattr(rank, name)(size)
                times[size, what, rank.index] = round((rank.now - begin) * 1e12)

    return program


@pytest.mark.parametrize("engine", ["packet", "analytic"])
@pytest.mark.parametrize("ranks", [2, 7, 16])
def test_benchmarks_take_the_time_of_their_rank_program(mpirun, compiled, ranks, engine):
    times = {}
    eos = machine.load("eos")
    where = placement.place(eos, ranks, allocation="random", seed=3)
    job = simulate.Job(workload.Program(benchmarks(times)), where)
    simulate.simulate(eos, [job], engine=engine, seed=3)
    place = ["--machine", "eos", "--allocation", "random", "--seed", 3, "--engine", engine]
    done = mpirun("-n", ranks, *place, "--compute", "none", "--", compiled("benchmarks"))
    assert done.returncode == 0, done.stderr
    for line in done.stdout.splitlines():
        size, what, rank, time = map(int, line.split())
        assert times.pop((size, what, rank)) == time, (size, what, rank)
    assert not times


@pytest.mark.parametrize("scale", [1, 2])
def test_a_program_says_how_long_it_computed(mpirun, compiled, scale):
    changes = ["--set", f"node.compute_scale={scale}"]
    place = ["--machine", "eos", "--compute", "none", *changes, "--", compiled("computes")]
    done = mpirun("-n", 3, *place, "2.5e-6")
    assert done.returncode == 0, done.stderr
    found = dict(map(int, line.split()) for line in done.stdout.splitlines())
    assert found == {rank: scale * 3 * 2500 * (rank + 1) for rank in range(3)}


@pytest.mark.parametrize("seconds", ["-1", "nan", "2e6"])
def test_no_program_computes_for_less_than_nothing(mpirun, compiled, seconds):
    done = mpirun("-n", 1, "--machine", "eos", "--", compiled("computes"), seconds)
    assert done.returncode != 0
    assert "the compute time is out of range" in done.stderr
