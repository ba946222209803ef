"""Intel's MPI benchmarks run as they are, and take the time of the same rank program."""

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from odonata import machine, placement, simulate, workload

EOS = ["--machine", "eos", "--compute", "none"]
BENCHMARKS = ["PingPong", "Sendrecv", "Exchange", "Allreduce", "Allgather", "Alltoall", "Bcast"]


@pytest.fixture(scope="module")
def imb(tmp_path_factory):
    """Intel's MPI benchmarks, from the package index."""
    folder = tmp_path_factory.mktemp("imb")
    pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--dest", folder]
    if subprocess.run([*pip, "impi-rt==2021.19.0"], check=False).returncode != 0:
        pytest.skip("impi-rt cannot be had")
    (wheel,) = folder.glob("impi_rt-*.whl")
    with zipfile.ZipFile(wheel) as packed:
        (name,) = [n for n in packed.namelist() if n.endswith("/bin/IMB-MPI1")]
        program = Path(packed.extract(name, folder))
    program.chmod(0o755)
    wheel.unlink()
    return program


@pytest.mark.slow
def test_intels_benchmarks_run_on_64_nodes(mpirun, imb):
    few = ["-msglog", "0:10", "-iter", 5, "-npmin", 64]
    done = mpirun("-n", 64, *EOS, "--json", "--", imb, *BENCHMARKS, "Barrier", *few, timeout=300)
    assert done.returncode == 0, done.stderr
    assert re.findall(r"Benchmarking (\w+)", done.stderr) == [*BENCHMARKS, "Barrier"]
    document = json.loads(done.stdout)
    assert document["abi"] == "mpich"
    pingpong = dict(re.findall(r"^ +(\d+) +5 +([\d.]+) +[\d.]+$", done.stderr, re.MULTILINE))
    assert list(pingpong)[:3] == ["0", "1", "2"]
    # half of there and back between two neighbours: overheads, wires and a router, then bytes
    assert 1.0 < float(pingpong["0"]) < float(pingpong["1024"]) < 2.0


# ---- the same as a rank program


def ping_pong(rank, size):
    other = 1 - rank.index
    for step in (rank.send, rank.recv) if rank.index == 0 else (rank.recv, rank.send):
        yield step(other, size)


def sendrecv(rank, size):
    right, left = (rank.index + 1) % rank.size, (rank.index - 1) % rank.size
    yield rank.sendrecv(right, size, left, size)


def exchange(rank, size):
    right, left = (rank.index + 1) % rank.size, (rank.index - 1) % rank.size
    requests = [rank.isend(right, size), rank.isend(left, size)]
    yield rank.recv(left, size)
    yield rank.recv(right, size)
    yield rank.wait_all(requests)


def collective(name):
    def step(rank, size):
        yield getattr(rank, name)(size)

    return step


def barrier(rank, _):
    yield rank.barrier()


STEPS = {"PingPong": ping_pong, "Sendrecv": sendrecv, "Exchange": exchange, "Barrier": barrier}
AT_ONCE = tuple(STEPS)  # timed as a whole; others step by step, with barriers between


def counts_of_processes(name, size):
    """Return how many processes each run of a benchmark has: powers of two, then all."""
    if name == "PingPong":
        return [2]
    return [*(2**i for i in range(1, size.bit_length()) if 2**i < size), size]


def timed(rank, name, size, repetitions):
    """Run a benchmark and return its time [us], as it is printed."""
    step = STEPS.get(name, collective(name.lower()))
    for _ in range(2):
        yield from barrier(rank, 0)
    begin, taken = rank.now, 0.0
    for _ in range(repetitions):
        started = rank.now
        yield from step(rank, size)
        taken += rank.now - started
        if name not in AT_ONCE:
            yield from barrier(rank, 0)
    both_ways = 2 if name == "PingPong" else 1
    return 1e6 * (rank.now - begin if name in AT_ONCE else taken) / repetitions / both_ways


def say_hello(world):
    """Let every process tell the first one which benchmark it is in."""
    if world.index > 0:
        yield world.send(0, 4)
        return
    for other in range(1, world.size):
        yield world.recv(other, 4)


def intels(names, sizes, repetitions, times):
    """Return the rank program that says what IMB-MPI1 does.

    Its times come to `times` by benchmark, processes, bytes and rank.
    """

    def one_size(world, rank, name, size):
        if rank:  # to see how long it takes
            yield from timed(rank, name, size, repetitions)
        yield world.allreduce(4)
        if rank:  # once to warm up
            yield from timed(rank, name, size, repetitions)
            taken = yield from timed(rank, name, size, repetitions)
            times[name, rank.size, size, rank.index] = taken
        yield world.barrier()
        yield world.gather(8)

    def program(world):
        runs = [(name, n) for name in names for n in counts_of_processes(name, world.size)]
        for number, (name, processes) in enumerate(runs):
            yield world.allgather(8)  # MPI_Comm_split
            if processes < world.size:
                yield from say_hello(world)
            inside = world.index < processes
            rank = world.on(range(processes), 1 + number) if inside else None
            for size in [0] if name == "Barrier" else sizes:
                yield from one_size(world, rank, name, size)

    return program


def printed(text):
    """Return the times [us] in what IMB prints, by benchmark, processes and bytes."""
    found = {}
    for part in text.split("# Benchmarking ")[1:]:
        name = part.split()[0]
        processes = int(re.search(r"#processes = (\d+)", part)[1])
        for line in re.findall(r"^ +\d[\d. ]*$", part, re.MULTILINE):
            size, *rest = line.split() if name != "Barrier" else ["0", *line.split()]
            number = 1 if name == "PingPong" else 3
            found[name, processes, int(size)] = [float(word) for word in rest[1 : 1 + number]]
    return found


@pytest.mark.parametrize("ranks", [2, 7, 8])
def test_they_take_the_time_of_their_rank_program(mpirun, imb, tmp_path, ranks):
    names, sizes, times = [*BENCHMARKS, "Barrier"], [0, 8, 1024, 65536], {}
    eos = machine.load("eos")
    where = placement.place(eos, ranks, allocation="random", seed=3)
    job = simulate.Job(workload.Program(intels(names, sizes, 3, times)), where)
    expected = simulate.simulate(eos, [job], seed=3, digest=True).summary

    lengths = tmp_path / "lengths"
    lengths.write_text("".join(f"{size}\n" for size in sizes))
    place = [*EOS, "--allocation", "random", "--seed", 3, "--digest", "--json"]
    few = ["-iter", 3, "-iter_policy", "off", "-msglen", lengths]
    done = mpirun("-n", ranks, *place, "--", imb, *names, *few)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    for same in ("time_seconds", "messages", "bytes", "events", "digest"):
        assert document[same] == expected[same], same

    said = printed(done.stderr)
    assert set(said) == {key[:3] for key in times}
    for (name, processes, size), shown in said.items():
        each = [times[name, processes, size, rank] for rank in range(processes)]
        least_most_mean = [min(each), max(each), sum(each) / processes]
        most = [each[0]] if name == "PingPong" else least_most_mean
        assert shown == pytest.approx(most, abs=0.0051), (name, processes, size)
