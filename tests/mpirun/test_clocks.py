"""Clocks that programs read themselves show simulated time."""

import json
import sys

import pytest

from odonata.trace import summarize

from .compilers import PROGRAMS, build, mpif90

CLOCKS = 8
LATER = ["loop 1", "ends 1", "begins 1"]
PROGRAM = """
import time
from mpi4py import MPI
clocks = (time.time, time.monotonic, time.perf_counter, time.process_time, MPI.Wtime)
start = [clock() for clock in clocks]
time.sleep(0.25)
times = (round(1000 * (clock() - began)) for clock, began in zip(clocks, start))
print(" ".join(map(str, times)) + "\\n", end="")
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
    assert int(lines["7"]) == 2500  # MPI_Wtime: computing, and no sleep
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


WAITS = [
    *("poll", "ppoll", "select", "pselect", "epoll_wait", "epoll_pwait", "no_files"),
    *("sem_timedwait", "sem_clockwait", "cond_timedwait", "cond_clockwait", "cond_of_monotonic"),
]
QUICK = ["is_ready", "ended_by_thread"]


def test_waits_that_end_by_their_limit_take_simulated_time(mpirun, compiled):
    program = compiled("limited_waits", flags=("-pthread", "-D_GNU_SOURCE"))
    done = mpirun("-n", 2, "--machine", "eos", "--compute", "none", "--", program)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert sorted(line[1] for line in lines) == sorted(2 * (WAITS + QUICK))
    for _, name, code, simulated, real in lines:
        assert int(simulated) == (50 if name in WAITS else 0), name
        assert name not in WAITS or int(real) < 50, name  # 2 ms, on a busy machine some more
        assert (int(code) > 0) == (name.startswith(("sem", "cond")) or name == "is_ready"), name


def test_limits_are_real_where_clocks_are(mpirun, compiled):
    program = compiled("limited_waits", flags=("-pthread", "-D_GNU_SOURCE"))
    words = ["-n", 1, "--machine", "eos", "--compute", "none", "--clocks", "real"]
    done = mpirun(*words, "--", program)
    lines = [line.split() for line in done.stdout.splitlines()]
    assert all(int(real) >= 49 for _, name, *_, real in lines if name in WAITS)


def test_an_event_loop_sleeps(mpirun, tmp_path):
    program = tmp_path / "loop.py"
    program.write_text(
        "import asyncio, queue\n"
        "from mpi4py import MPI\n"
        "async def main():\n"
        "    await asyncio.gather(asyncio.sleep(3.5), asyncio.sleep(7))\n"
        "begin = MPI.Wtime()\n"
        "asyncio.run(main())\n"
        "try:\n"
        "    queue.Queue().get(timeout=2)\n"
        "except queue.Empty:\n"
        "    print(f'{MPI.Wtime() - begin:.2f}\\n', end='', flush=True)\n"
    )
    words = ["-n", 2, "--machine", "eos", "--compute", "none"]
    done = mpirun(*words, "--", sys.executable, program, timeout=30)
    assert done.returncode == 0, done.stderr
    assert [float(line) for line in done.stdout.split()] == [pytest.approx(9, abs=0.05)] * 2


@pytest.mark.parametrize("compute", ["none", "measured"])
def test_system_clocks_of_all_ranks_are_one_and_never_fall_back(mpirun, compiled, compute):
    program = compiled("many_clocks", flags=("-pthread",))
    done = mpirun("-n", 6, "--machine", "eos", "--compute", compute, "--", program)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert {line[2] for line in lines if line[1] == "back"} == {"0"}
    apart = [int(line[1]) for line in lines if line[1] != "back"]
    assert len(apart) == 6 * 6
    assert max(apart) < (10_000 if compute == "none" else 50_000_000)  # ns


@pytest.mark.parametrize("of_system", [0, 1])
def test_timers_take_no_simulated_time(mpirun, compiled, of_system):
    words = ["-n", 2, "--machine", "eos", "--compute", "none", "--", compiled("timers"), 50]
    plain, timed = (mpirun(*words, timers, of_system) for timers in (0, 5000))
    assert plain.returncode == timed.returncode == 0, timed.stderr
    assert plain.stdout.splitlines()[0] == timed.stdout.splitlines()[0]
    assert "again and again" not in timed.stderr


def test_a_loop_that_waits_for_a_time_is_told_once_and_ends(mpirun, tmp_path):
    program = tmp_path / "spin.py"
    program.write_text(
        "from mpi4py import MPI\n"
        "for _ in range(3):\n"
        "    begin = MPI.Wtime()\n"
        "    while MPI.Wtime() < begin + 0.01:\n"
        "        pass\n"
        "print(f'{MPI.Wtime() - begin:.3f}\\n', end='', flush=True)\n"
    )
    words = ["-n", 2, "--machine", "eos", "--compute", "none"]
    done = mpirun(*words, "--", sys.executable, program)
    assert done.returncode == 0, done.stderr
    assert [float(line) for line in done.stdout.split()[:2]] == [pytest.approx(0.01, rel=0.1)] * 2
    assert done.stderr.count("reads a clock again and again") == 1


@pytest.mark.parametrize("of_system", [0, 1])
def test_readings_are_counted_as_what_they_are(mpirun, compiled, tmp_path, of_system):
    """A clock of the system is no function of MPI; all readings of MPI_Wtime count."""
    trace = tmp_path / "run.trace"
    words = ["-n", 2, "--machine", "eos", "--compute", "none", "--json", "--record", trace]
    done = mpirun(*words, "--", compiled("timers"), 10, 64, of_system)
    assert done.returncode == 0, done.stderr
    calls = json.loads(done.stdout[done.stdout.index("{") :])["mpi_calls"]
    wanted = 3 if of_system else 3 + 2 * 640  # rank 0 reads twice, rank 1 once besides
    assert calls["MPI_Wtime"] == wanted
    assert summarize(trace).functions["MPI_Wtime"].calls == wanted


@pytest.mark.parametrize("how", [[], ["--fibers"]])
def test_the_system_names_the_simulated_node(mpirun, compiled, how):
    program = compiled("hosts", shared=bool(how))
    done = mpirun(*("-n", 4, "--ranks-per-node", 2, "--machine", "eos"), *how, "--", program)
    assert done.returncode == 0, done.stderr
    names = [line.split() for line in done.stdout.splitlines() if line.startswith("host")]
    assert len(names) == 4
    assert all(len(set(line[1:])) == 1 for line in names), names
    assert len({line[1] for line in names}) == 2


def test_a_child_and_a_rank_that_has_not_started_mpi_know_their_node(mpirun, tmp_path):
    program = tmp_path / "where.py"
    program.write_text(
        "import os, socket, subprocess, sys\n"
        "names = [socket.gethostname(), os.uname().nodename]\n"
        "names.append(subprocess.run(['uname', '-n'], capture_output=True, text=True).stdout)\n"
        "from mpi4py import MPI\n"
        "names += [MPI.Get_processor_name(), socket.gethostname()]\n"
        "line = ' '.join({name.strip() for name in names})\n"
        "print(f'{line}\\n', end='', flush=True)\n"
    )
    done = mpirun("-n", 2, "--machine", "eos", "--", sys.executable, program)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()[:2]) == ["nid00012", "nid00013"]


OUTSIDE = """
import pathlib, sys, time
from mpi4py import MPI
flag = pathlib.Path(sys.argv[1])
MPI.COMM_WORLD.Barrier()
if MPI.COMM_WORLD.rank == 1:
    times = [MPI.Wtime()]  # the other rank waits for this one, in no call of MPI
    flag.write_text("")
    MPI.COMM_WORLD.Barrier()
    times.append(MPI.Wtime())
    print(*times)
else:
    while not flag.exists():
        time.sleep(0.001)
    MPI.COMM_WORLD.Barrier()
"""


def test_a_clock_is_read_while_another_rank_waits_outside_of_mpi(mpirun, tmp_path):
    words = ["-n", 2, "--machine", "eos", "--compute", "none", "--clocks", "real", "--"]
    flag = tmp_path / "flag"
    late = mpirun(*words, sys.executable, "-c", OUTSIDE, flag, timeout=60)
    soon = mpirun(*words, sys.executable, "-c", OUTSIDE, flag, timeout=60)  # the file is there
    assert late.returncode == soon.returncode == 0, late.stderr
    first, second = map(float, late.stdout.splitlines()[0].split())
    right, later = map(float, soon.stdout.splitlines()[0].split())
    assert 0 < first <= right  # how far the simulation has come, and not the second that it took
    assert second == later
    told = "rank 1 reads a clock while rank 0 waits outside of MPI"
    assert (late.stderr.count(told), soon.stderr.count(told)) == (1, 0)


def test_what_a_rank_has_computed_is_in_a_time_that_it_is_told_early(mpirun, tmp_path):
    spin = "began = time.process_time()\nwhile time.process_time() < began + 0.1: pass\n"
    program = OUTSIDE.replace("if MPI.COMM_WORLD.rank", spin + "if MPI.COMM_WORLD.rank")
    words = ["-n", 2, "--machine", "eos", "--clocks", "real", "--"]
    done = mpirun(*words, sys.executable, "-c", program, tmp_path / "flag", timeout=60)
    assert done.returncode == 0, done.stderr
    first, second = map(float, done.stdout.splitlines()[0].split())
    assert 0.09 < first <= second  # told, or known to the rank: it depends on which rank is first
