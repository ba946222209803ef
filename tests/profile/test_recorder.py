"""The recorder against programs whose calls are counted by hand, on the MPIs that are there."""

import json
import sys
from pathlib import Path

import pytest
from tables_of import counts, pairs

from odonata.profile import Views, compare_views, read

PROGRAMS = Path(__file__).parent / "programs"

# Calls and bytes of count.c on 4 ranks, all ranks together.
COUNTED = {
    "MPI_Init": (4, 0),
    "MPI_Finalize": (4, 0),
    "MPI_Comm_rank": (8, 0),
    "MPI_Comm_size": (4, 0),
    "MPI_Pcontrol": (8, 0),
    "MPI_Irecv": (12, 0),
    "MPI_Isend": (12, 12_000),  # 3 of 1000 B a rank
    "MPI_Waitall": (20, 0),
    "MPI_Allreduce": (12, 384),  # 3 of 4 doubles a rank
    "MPI_Comm_split": (4, 0),
    "MPI_Type_vector": (4, 0),
    "MPI_Type_commit": (4, 0),
    "MPI_Type_free": (4, 0),
    "MPI_Send": (5, 80),  # 2 columns of 10 ints, and 4 to MPI_PROC_NULL
    "MPI_Recv": (1, 0),
    "MPI_Send_init": (4, 0),
    "MPI_Recv_init": (4, 0),
    "MPI_Startall": (8, 512),  # 2 of 8 doubles a rank
    "MPI_Request_free": (8, 0),
    "MPI_Sendrecv": (4, 260),
    "MPI_Bcast": (4, 1200),
    "MPI_Gatherv": (4, 10),
    "MPI_Allgatherv": (4, 10),
    "MPI_Alltoall": (4, 28),
    "MPI_Comm_free": (4, 0),
}
# From each rank to the next: 3 of 1000, 2 of 64, 1 of 65 B. In the turned communicator rank 3 is
# the first and rank 2 the second.
MATRIX = {(rank, (rank + 1) % 4): (6, 3193) for rank in range(4)} | {(3, 2): (1, 80)}
# Bcast: 3 x 300. Gatherv: 2 + 3 + 4. Allgatherv: 3 x 10. Allreduce: 3 times 32 B x 2 x 3.
# Alltoall: 7 x 12.
MOVED = {"bcast": 900, "gatherv": 9, "allgatherv": 30, "allreduce": 576, "alltoall": 84}


def test_a_program_in_c_is_counted_as_by_hand(mpi, build, odonata, tmp_path):
    program = build(mpi.cc, "count.c")
    run = tmp_path / "run"
    odonata("profile", "--depth", "trace", "-o", run, "--", *mpi.launcher, "-n", 4, program)
    traced = Views(read(run / "trace"))
    assert (counts(traced), pairs(traced)) == (COUNTED, MATRIX)
    odonata("profile", "-o", run, "--", *mpi.launcher, "-n", 4, program)
    assert not (run / "trace").exists()
    views = Views(read(run))
    assert counts(views) == COUNTED
    assert pairs(views) == MATRIX
    assert {name: of.bytes for name, of in views.collectives.items()} == MOVED
    assert views.total_bytes == 4 * 3193 + 80 + sum(MOVED.values())
    assert views.profile.complete
    # Phases: none, 7 with the exchanges, 8 with the rest.
    assert [matrix.phase.name for matrix in views.matrices] == ["7", "8"]
    assert views.matrices[0].bytes.sum() == 12_000
    # Time in MPI is a part of the wall on each rank.
    assert (views.mpi_seconds > 0).all()
    assert (views.mpi_seconds < views.wall_seconds).all()
    # 65 B are in the bin from 65 to 256 of the paper, 64 B are not.
    bins = {bin.most: bin.messages for bin in views.paper_sizes("MPI_Sendrecv")}
    assert (bins[64], bins[256]) == (0, 4)
    bins = {bin.most: bin.messages for bin in views.paper_sizes("MPI_Startall")}
    assert (bins[64], bins[256]) == (8, 0)

    simulated = tmp_path / "simulated"
    command = ("mpirun", "-n", 4, "--machine", "eos", "--compute", "none")
    odonata(*command, "--profile", simulated, "--record", tmp_path / "trace", "--", program)
    assert compare_views(views, Views(read(simulated)))["same"]
    assert compare_views(views, Views(read(tmp_path / "trace")))["same"]


# The folder of counters, or the trace of single calls alone.
@pytest.mark.parametrize(("depth", "shown"), [("summary", "."), ("trace", "trace")])
def test_a_program_in_python_is_counted_as_by_hand(odonata, tmp_path, depth, shown):
    pytest.importorskip("mpi4py")
    launcher = Path(sys.executable).parent / "mpiexec"
    if not launcher.exists():
        pytest.skip("needs the launcher of the mpich wheel")
    run = tmp_path / "run"
    command = (launcher, "-n", 3, sys.executable, PROGRAMS / "count.py")
    odonata("profile", "--depth", depth, "-o", run, "--", *command)
    shown = json.loads(odonata("profile", "show", run / shown, "--json").stdout)
    assert shown["ranks"] == 3
    # mpi4py calls the forms with large counts where the MPI has them.
    calls = {name.removesuffix("_c"): call for name, call in shown["calls"].items()}
    assert (calls["MPI_Send"]["count"], calls["MPI_Send"]["bytes"]) == (2, 300)
    assert (calls["MPI_Allreduce"]["count"], calls["MPI_Allreduce"]["bytes"]) == (3, 72)
    assert calls["MPI_Barrier"]["count"] == 3
    assert shown["matrix"] == [
        {"source": 0, "target": 1, "messages": 1, "bytes": 100},
        {"source": 0, "target": 2, "messages": 1, "bytes": 200},
    ]
    assert shown["total_bytes"] == 300 + 24 * 2 * 2


@pytest.mark.parametrize("source", ["count.f90", "count_f08.f90"])
@pytest.mark.parametrize("depth", ["summary", "trace"])
def test_a_program_in_fortran_is_counted_once(fortran, build, odonata, tmp_path, depth, source):
    program = build(fortran.compiler, source)
    run = tmp_path / "run"
    command = (*fortran.launcher, "-n", 3, program)
    odonata("profile", "--depth", depth, "-o", run, "--", *command)
    views = Views(read(run if depth == "summary" else run / "trace"))
    assert counts(views) == {
        "MPI_Init": (3, 0),
        "MPI_Comm_rank": (3, 0),
        "MPI_Comm_size": (3, 0),
        "MPI_Irecv": (15, 0),
        "MPI_Send": (15, 15 * 80),
        "MPI_Wait": (15, 0),
        "MPI_Send_init": (3, 0),
        "MPI_Recv_init": (3, 0),
        "MPI_Startall": (3, 3 * 16),
        "MPI_Waitall": (3, 0),
        "MPI_Request_free": (6, 0),
        "MPI_Allreduce": (3, 3 * 80),
        "MPI_Allgather": (3, 3 * 8),  # in place: bytes received from each
        "MPI_Iprobe": (3, 0),
        "MPI_Finalize": (3, 0),
    }
    assert pairs(views) == {(rank, (rank + 1) % 3): (6, 416) for rank in range(3)}
    assert views.calls["MPI_Iprobe"].nothing_found == 3


@pytest.mark.parametrize("depth", ["summary", "trace"])
def test_a_crash_keeps_what_was_recorded(build, odonata, tmp_path, depth):
    compiler = Path(sys.executable).parent / "mpicc"
    launcher = compiler.with_name("mpiexec")
    if not launcher.exists():
        pytest.skip("needs the mpich wheel")
    program = build(compiler, "crash.c")
    run = tmp_path / "run"
    command = (launcher, "-n", 2, program)
    odonata("profile", "--depth", depth, "-o", run, "--", *command, status=9)
    views = Views(read(run if depth == "summary" else run / "trace.part"))
    assert not views.profile.complete
    assert pairs(views) == {(0, 1): (100, 400)}
    assert "did not come to MPI_Finalize" in odonata("profile", "show", run).stdout
    if depth == "trace":
        done = odonata("replay", run, "--machine", "eos", status=2)
        assert "its end is missing" in done.stderr


def test_a_command_without_mpi_is_an_error(odonata, tmp_path):
    done = odonata("profile", "-o", tmp_path / "run", "--", "true", status=2)
    assert "nothing was recorded: no process called MPI_Init" in done.stderr
    assert not (tmp_path / "run").exists()


def test_a_folder_with_other_files_is_left_alone(odonata, tmp_path):
    (tmp_path / "thesis.tex").write_text("words")
    done = odonata("profile", "-o", tmp_path, "--", "true", status=2)
    assert "thesis.tex" in done.stderr
    assert (tmp_path / "thesis.tex").read_text() == "words"
