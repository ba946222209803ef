"""The recorder where programs do what few do, and where the disk is full."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tables_of import counts, pairs

from odonata.errors import WriteError
from odonata.live import profiling
from odonata.profile import Views, read
from odonata.trace import Reader

PROGRAMS = Path(__file__).parent / "programs"
DEPTHS = pytest.mark.parametrize("depth", ["summary", "trace"])

EDGES = {
    "MPI_Init": (2, 0),
    "MPI_Comm_rank": (2, 0),
    "MPI_Comm_size": (2, 0),
    "MPI_Buffer_attach": (2, 0),
    "MPI_Bsend": (6, 600),  # 3 of 100 B a rank
    "MPI_Ibsend": (2, 400),
    "MPI_Bsend_init": (2, 0),
    "MPI_Start": (2, 600),
    "MPI_Waitall": (2, 0),
    "MPI_Request_free": (2, 0),
    "MPI_Recv": (10, 0),
    "MPI_Buffer_detach": (2, 0),
    "MPI_Win_create": (2, 0),
    "MPI_Win_fence": (4, 0),
    "MPI_Put": (2, 0),  # bytes of one-sided calls are not counted
    "MPI_Win_free": (2, 0),
    "MPI_File_open": (2, 0),
    "MPI_File_write_at": (2, 0),
    "MPI_File_close": (2, 0),
    "MPI_Barrier": (2, 0),
    "MPI_Finalize": (2, 0),
}


CALLBACKS = {
    **{f"MPI_Comm_{what}": 2 for what in ("create_keyval", "dup", "free", "delete_attr")},
    **{f"MPI_{what}": 2 for what in ("Init", "Op_create", "Op_free", "Finalize")},
    "MPI_Allreduce": 2,
    "MPI_Comm_set_attr": 4,
}


def test_real_and_simulated_profiles_count_callbacks_alike(mpi, build, odonata, tmp_path):
    """A call of a callback belongs to the call that has called it."""
    program = build(mpi.cc, "callbacks.c")
    real, simulated = tmp_path / "real", tmp_path / "simulated"
    odonata("profile", "-o", real, "--", *mpi.launcher, "-n", 2, program)
    odonata("mpirun", "-n", 2, "--machine", "eos", "--profile", simulated, "--", program)
    for folder in (real, simulated):
        found = counts(Views(read(folder)))
        assert {name: calls for name, (calls, _) in found.items()} == CALLBACKS


@DEPTHS
def test_buffered_one_sided_and_file_calls_are_counted(mpi, build, odonata, tmp_path, depth):
    program = build(mpi.cc, "edges.c")
    run = tmp_path / "run"
    command = (*mpi.launcher, "-n", 2, program, tmp_path / "file")
    odonata("profile", "--depth", depth, "-o", run, "--", *command)
    views = Views(read(run if depth == "summary" else run / "trace"))
    assert counts(views) == EDGES
    assert pairs(views) == {(0, 1): (5, 800), (1, 0): (5, 800)}  # 3 x 100, 200 and 300 B
    if depth == "trace":
        # A play has the five messages of each rank, and a barrier; the rest is local.
        played = json.loads(odonata("replay", run, "--machine", "eos", "--json").stdout)
        assert played["mpi_calls"]["MPI_Put"] == 2
        with Reader(run / "trace") as reader:
            modes = [
                call.view.mode
                for block in reader.blocks()
                for call in block.each(reader.header.functions)
                if call.function in ("MPI_Bsend", "MPI_Ibsend", "MPI_Start")
            ]
        assert len(modes) == 2 * 5
        assert len(set(modes)) == 1  # buffered


@DEPTHS
def test_threads_that_call_at_once_are_all_counted(mpi, build, odonata, tmp_path, depth):
    program = build(mpi.cc, "threads.c")
    run = tmp_path / "run"
    command = (*mpi.launcher, "-n", 2, program)
    done = odonata("profile", "--depth", depth, "-o", run, "--", *command)
    if "no threads" in done.stdout:
        pytest.skip("this MPI does not provide MPI_THREAD_MULTIPLE")
    views = Views(read(run if depth == "summary" else run / "trace"))
    found = counts(views)
    # 2 ranks x 4 threads x 500 steps; 8, 16, 24 and 32 B.
    assert found == {
        "MPI_Init_thread": (2, 0),
        "MPI_Comm_rank": (2, 0),
        "MPI_Comm_size": (2, 0),
        "MPI_Irecv": (4000, 0),
        "MPI_Isend": (4000, 2 * 500 * (8 + 16 + 24 + 32)),
        "MPI_Testall": (2000, 0),
        "MPI_Waitall": (4000, 0),
        "MPI_Barrier": (2, 0),
        "MPI_Finalize": (2, 0),
    }
    assert pairs(views) == {(0, 1): (2000, 500 * 80), (1, 0): (2000, 500 * 80)}
    assert views.profile.complete


# MPICH 4.0 of Debian hangs in this program half of the time, without a recorder too.
@pytest.mark.parametrize("mpi", ["mpich", "standard", "openmpi"], indirect=True)
def test_threads_that_wait_for_each_other_are_told_where_a_replay_is_stuck(
    mpi, build, odonata, tmp_path
):
    run = tmp_path / "run"
    command = (*mpi.launcher, "-n", 1, build(mpi.cc, "thread_pair.c"))
    done = odonata("profile", "--depth", "trace", "-o", run, "--", *command)
    if "no threads" in done.stdout:
        pytest.skip("this MPI does not provide MPI_THREAD_MULTIPLE")
    said = odonata("replay", run, "--machine", "eos", status=3).stderr
    assert "deadlock: 1 ranks wait" in said
    assert "calls of rank 0 began before the call before them had ended, in another thread" in said


@pytest.fixture
def full_disk(tmp_path, monkeypatch):
    """Let files of the recorder end at some bytes."""

    def call(bytes_):
        library = tmp_path / "full_disk.so"
        source = PROGRAMS / "full_disk.c"
        subprocess.run(["cc", "-shared", "-fPIC", source, "-o", library, "-ldl"], check=True)
        monkeypatch.setenv("LD_PRELOAD", str(library))
        monkeypatch.setenv("MOST_BYTES", str(bytes_))

    return call


def test_a_log_on_a_full_disk_ends_and_the_program_goes_on(
    mpi, build, odonata, tmp_path, full_disk
):
    program = build(mpi.cc, "many.c")
    full_disk(5 << 20)  # one window of 4 MiB and not two
    run = tmp_path / "run"
    command = (*mpi.launcher, "-n", 2, program)
    done = odonata("profile", "--depth", "trace", "-o", run, "--", *command, status=7)
    assert "to the end" in done.stdout
    lines = [line for line in done.stderr.splitlines() if line.startswith("odonata")]
    said = "odonata profile: {}/rank-{}.odl: no more calls are recorded: No space left on device"
    assert sorted(lines)[:2] == [said.format(run, rank) for rank in (0, 1)]
    views = Views(read(run))  # the counters had their place
    assert counts(views)["MPI_Send"] == (80_000, 320_000)
    shown = odonata("profile", "show", run).stdout
    assert "calls found no room on the disk and are not in the trace." in shown
    assert "its end is missing" in odonata("replay", run, "--machine", "eos", status=2).stderr


def test_a_disk_that_is_full_at_once_stops_nothing(mpi, build, odonata, tmp_path, full_disk):
    program = build(mpi.cc, "many.c")
    full_disk(0)
    run = tmp_path / "run"
    command = (*mpi.launcher, "-n", 2, program)
    done = odonata("profile", "-o", run, "--", *command, status=7)
    assert "to the end" in done.stdout
    lines = [line for line in done.stderr.splitlines() if "No space left" in line]
    assert len(lines) == 2  # one a rank
    assert "nothing was recorded" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(run.glob("rank-*"))


def test_a_trace_that_finds_no_place_keeps_the_status(monkeypatch, tmp_path, capfd):
    """The logs stay, and the next command that reads the folder makes the trace of them."""

    def fail(folder):
        raise WriteError(errno.ENOSPC, os.strerror(errno.ENOSPC), f"{folder}/trace")

    def run(words, variables):
        Path(variables["ODONATA_PROFILE"], "rank-0.odp").touch()
        return 7

    monkeypatch.setattr("odonata.trace.logs.find_trace", fail)
    monkeypatch.setattr(profiling, "_run", run)
    words = [sys.executable]
    assert profiling.record_profile(words, tmp_path / "run", depth="trace") == 7
    error, where = capfd.readouterr().err.splitlines()
    assert where.startswith("odonata: profile in ")
    assert error.startswith("odonata: ")
    assert "No space left on device" in error
