"""Clocks that programs read themselves show simulated time."""

import sys

import pytest

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
