"""Clocks that programs read themselves show simulated time."""

import sys

import pytest

from .compilers import PROGRAMS, build, mpif90

CLOCKS = 8
LATER = ["loop 1", "ends 1", "begins 1"]
PROGRAM = """
import time
from mpi4py import MPI
clocks = (time.time, time.monotonic, time.perf_counter, time.process_time, MPI.Wtime)
start = [clock() for clock in clocks]
time.sleep(0.25)
print(*(round(1000 * (clock() - began)) for clock, began in zip(clocks, start)))
"""


@pytest.mark.parametrize("fibers", [False, True])
def test_clocks_show_simulated_time(mpirun, compiled, fibers):
    words = ["--fibers"] if fibers else []
    program = compiled("clocks", shared=fibers)
    done = mpirun("-n", 3, "--machine", "eos", "--compute", "none", *words, "--", program)
    assert done.returncode == 0, done.stderr
    for rank in range(3):
        lines = [
            line.split(" ", 1)[1]
            for line in done.stdout.splitlines()
            if line.startswith(f"{rank} ")
        ]
        # 2.5 ms of computing and 1.5 ms of sleep; clocks have whole microseconds or better.
        taken = [int(line.split()[1]) for line in lines[:CLOCKS]]
        assert all(4000 <= time <= 4001 for time in taken), lines
        assert lines[CLOCKS:] == LATER


def times_of(done):
    """Return the times that each rank's line says, a name and a number in turn."""
    assert done.returncode == 0, done.stderr
    lines = sorted(line.split() for line in done.stdout.splitlines())
    return {
        int(rank): dict(zip(rest[::2], map(int, rest[1::2]), strict=True)) for rank, *rest in lines
    }


@pytest.mark.parametrize("fibers", [False, True])
def test_clocks_of_cpp(mpirun, compiled, fibers):
    words = ["--machine", "eos", "--compute", "none", *["--fibers"][: int(fibers)]]
    done = mpirun("-n", 2, *words, "--", compiled("chrono", shared=fibers))
    times = times_of(done)
    assert sorted(times) == [0, 1]
    for each in times.values():
        assert sorted(each) == ["finest", "steady", "system"]
        assert all(4000 <= time <= 4001 for time in each.values()), times


def test_clocks_of_fortran(mpirun, tmp_path):
    program = build(mpif90("openmpi"), PROGRAMS / "clocks.f90", tmp_path / "clocks")
    times = times_of(mpirun("-n", 2, "--machine", "eos", "--compute", "none", "--", program))
    assert sorted(times) == [0, 1]
    for each in times.values():  # a sleep of 2 s; dates have whole milliseconds
        assert 2_000_000 <= each["system_clock"] <= 2_000_001, times
        assert 2_000_000 <= each["cpu_time"] <= 2_000_001, times
        assert each["date_and_time"] == 2000, times


def test_real_clocks_stay_real(mpirun, compiled):
    words = ["--machine", "eos", "--compute", "none", "--clocks", "real"]
    done = mpirun("-n", 1, *words, "--", compiled("clocks"))
    assert done.returncode == 0, done.stderr
    lines = dict(line.split(" ", 2)[1:] for line in done.stdout.splitlines())
    assert int(lines["7"]) == 2500  # MPI_Wtime: what was computed, and no sleep
    assert int(lines["3"]) < 2500  # the processor's clock: next to nothing


def test_clocks_of_python(mpirun, tmp_path):
    program = tmp_path / "clocks.py"
    program.write_text(PROGRAM)
    done = mpirun("-n", 2, "--machine", "eos", "--compute", "none", "--", sys.executable, program)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["250 250 250 250 250"] * 2


def test_an_unknown_kind_of_clocks_is_refused(mpirun, compiled):
    done = mpirun("-n", 1, "--machine", "eos", "--clocks", "reel", "--", compiled("clocks"))
    assert done.returncode == 2
    assert "clocks: unknown" in done.stderr
    assert "real" in done.stderr


def test_an_interpreter_reads_clocks_without_a_wait(mpirun, tmp_path):
    """CPython reads a clock for every lock: an import of NumPy does so 2,440 times in a row."""
    program = tmp_path / "reads.py"
    program.write_text(
        "import time\n"
        "from mpi4py import MPI\n"
        "start = time.monotonic()\n"
        "for _ in range(5000):\n"
        "    now = time.monotonic()\n"
        "print(now - start, flush=True)\n"
    )
    done = mpirun("-n", "1", "--machine", "eos", "--compute", "none", "--", sys.executable, program)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "0.0"


@pytest.mark.parametrize("compute", ["none", "measured"])
def test_a_thread_reads_clocks_beside_the_calls_of_another(mpirun, compiled, compute):
    """Questions of the main thread for the time give way to calls, and calls wait for questions."""
    ranks, rounds = 3, 50 if compute == "measured" else 500
    program = compiled("clock_beside_calls", flags=("-pthread",))
    words = ["--machine", "dragonfly-5256", "--engine", "analytic", "--compute", compute]
    done = mpirun("-n", ranks, *words, "--", program, rounds)
    assert done.returncode == 0, done.stderr
    sums = [sum(round_ + rank for round_ in range(rounds)) for rank in range(ranks)]
    assert sorted(map(int, done.stdout.split())) == sums
