"""``odonata mpirun``: its contract, twice the same, and how it fails."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import odonata
from odonata.errors import UserError
from odonata.result import Result

EOS = ["--machine", "eos", "--compute", "none"]
FIBERS = pytest.mark.parametrize("fibers", [False, True], ids=["processes", "fibers"])


def command(compiled, name, fibers):
    return (["--fibers"] if fibers else []), compiled(name, shared=fibers)


def test_one_document_is_printed_and_output_goes_to_stderr(mpirun, compiled):
    done = mpirun("-n", 8, *EOS, "--json", "--", compiled("pass_round"), 3)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["ranks"] == 8
    assert document["abi"] == "mpich"
    assert document["mpi_calls"]["MPI_Sendrecv"] == 24
    assert document["mpi_calls"]["MPI_Finalize"] == 8
    assert document["messages"] == 24 + 24
    said = sorted(line for line in done.stderr.splitlines() if line.startswith("rank "))
    assert [line.split(",")[0] for line in said] == [
        f"rank {rank} of 8 has {(rank - 3) % 8}" for rank in range(8)
    ]


def test_output_goes_to_a_file_or_to_stdout(mpirun, compiled, tmp_path):
    file = tmp_path / "said.txt"
    mpirun("-n", 2, *EOS, "--json", "--program-output", file, "--", compiled("pass_round"))
    assert len(file.read_text().splitlines()) == 2
    done = mpirun("-n", 2, *EOS, "--", compiled("pass_round"))
    assert len(done.stdout.splitlines()) == 2
    assert "pass_round on eos" in done.stderr


def test_tagged_lines_begin_with_their_rank(mpirun, compiled):
    done = mpirun("-n", 4, *EOS, "--tag-output", "--", compiled("pass_round"))
    lines = sorted(done.stdout.splitlines())
    assert [line.split(" of")[0] for line in lines] == [f"[{r}] rank {r}" for r in range(4)]


def test_twice_the_same_also_as_fibers(mpirun, compiled):
    def digest(fibers):
        how, program = command(compiled, "pass_round", fibers)
        done = mpirun("-n", 16, *EOS, "--digest", "--json", *how, "--", program, 20)
        return json.loads(done.stdout)["digest"]

    assert len({digest(False), digest(False), digest(True)}) == 1


def test_several_programs_are_one_world(mpirun, compiled):
    program = compiled("pass_round")
    done = mpirun("-n", 2, *EOS, "--", program, ":", "-n", 3, "--", program)
    assert sorted(line.split(" has")[0] for line in done.stdout.splitlines()) == [
        f"rank {rank} of 5" for rank in range(5)
    ]


@pytest.mark.parametrize(("spare", "fit"), [(-1, 1), (0, 2), (99, 2)])
def test_a_buffered_message_takes_its_overhead_as_well(mpirun, compiled, spare, fit):
    """A buffer of twice 100 bytes and MPI_BSEND_OVERHEAD has room for two messages of 100 bytes."""
    done = mpirun("-n", 1, *EOS, "--", compiled("buffered"), spare)
    assert done.stdout == f"{fit} fit, then MPI_ERR_BUFFER\n", done.stderr


@FIBERS
def test_between_groups_no_rank_waits_for_those_of_its_own(mpirun, compiled, fibers):
    """Ranks 3 and 4 have their data before rank 2 has come, which waits for the time."""
    where, program = command(compiled, "ahead", fibers)
    done = mpirun("-n", 5, "--machine", "dragonfly-5256", *where, "--", program)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@FIBERS
@pytest.mark.parametrize(
    ("how", "status", "said"),
    [
        ("no-init", 4, "no rank called MPI_Init"),
        ("early", 3, "rank 0 ended before MPI_Init, exit code 3"),
        ("crash", 139, "rank 2 was ended by signal 11"),
        ("abort", 9, "rank 1 called MPI_Abort with code 9"),
        ("exit", 1, "rank 1 ended without MPI_Finalize, exit code 0"),
        ("exit-5", 5, "rank 1 ended without MPI_Finalize, exit code 5"),
        ("late", 7, ""),
        ("deadlock", 3, "rank 0 of job 0 in MPI_Recv waits for rank 1 tag 42"),
        ("truncate", 14, "rank 1: MPI_Recv: MPI_ERR_TRUNCATE: message of 40 bytes from rank 0"),
        ("count", 2, "rank 3: MPI_Send: MPI_ERR_COUNT: the count is -1"),
        ("tag", 4, "rank 3: MPI_Send: MPI_ERR_TAG: the tag is -5"),
    ],
)
def test_one_line_says_which_rank_and_why(mpirun, compiled, how, status, said, fibers):
    where, program = command(compiled, "go_wrong", fibers)
    done = mpirun("-n", 4, *EOS, "--json", *where, "--", program, how)
    assert done.returncode == status
    lines = [re.sub(r" on nid\d{5}", "", line) for line in done.stderr.splitlines()]
    assert len(lines) == (1 if said else 0)
    assert all(said in line for line in lines)


@FIBERS
def test_ranks_that_disagree_are_named(mpirun, compiled, fibers):
    where, program = command(compiled, "go_wrong", fibers)
    done = mpirun("-n", 4, *EOS, "--json", *where, "--", program, "root")
    assert done.returncode == 7
    lines = done.stderr.splitlines()  # of each that notices before the run is over
    assert 1 <= len(lines) <= 4
    assert all("MPI_ERR_ROOT: MPI_Bcast with root" in line for line in lines)


@FIBERS
@pytest.mark.parametrize(
    ("operation", "said"),
    [
        ("bcast", "40 bytes from rank 0 into a buffer of 20"),
        ("scatter", "8 bytes from rank 0 into a buffer of 4"),
        ("allreduce", "contributed"),
    ],
)
def test_counts_that_differ_are_found_by_the_rank(mpirun, compiled, operation, said, fibers):
    where, program = command(compiled, "go_wrong", fibers)
    done = mpirun("-n", 4, *EOS, "--json", *where, "--", program, operation)
    assert done.returncode == 14
    lines = done.stderr.splitlines()
    assert 1 <= len(lines) <= 4
    assert all(f"MPI_{operation.capitalize()}: MPI_ERR_TRUNCATE: " in line for line in lines)
    assert all(said in line for line in lines)


def test_requests_that_nobody_frees_end_with_the_process(mpirun, compiled):
    done = mpirun("-n", 2, *EOS, "--json", "--", compiled("unfreed"))
    assert (done.returncode, done.stderr) == (0, "")


def test_a_full_stack_is_named(mpirun, compiled):
    program = compiled("go_wrong", shared=True)
    done = mpirun("-n", 4, *EOS, "--fibers", "--json", "--", program, "deep")
    assert done.returncode == 139
    assert "rank 1" in done.stderr
    assert "--stack" in done.stderr
    done = mpirun("-n", 4, *EOS, "--fibers", "--stack", "2MiB", "--json", "--", program, "deep")
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--", "no-such-program"], "program: not found"),
        (["--", __file__], "not executable"),
        (["--", "."], "is a folder"),
        (["--collective", "allgather=rin", "--", "true"], "did you mean 'ring'"),
        (["--collective", "allgathr=ring", "--", "true"], "did you mean 'allgather'"),
        (["--compute", "no", "--", "true"], "compute: unknown"),
        (["--abi", "mpitch", "--", "true"], "did you mean 'mpich'"),
        (["-n", "0", "--", "true"], "ranks: out of range"),
        (["-n", "745", "--", "true"], "ranks: 745"),
        (["--", "true", ":", "true"], "-n RANKS"),
        (["--fibers", "--stack", "1KiB", "--", "true"], "stack: out of range"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(mpirun, options, said):
    done = mpirun(*EOS, *options)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert said in done.stderr


def test_the_result_file_has_the_same_name_everywhere(mpirun, compiled, tmp_path):
    words = ["-n", 2, *EOS, "--json"]
    done = mpirun(*words, "--output", tmp_path / "run.nc", "--", compiled("pass_round"))
    assert done.returncode == 0
    assert Result.load(tmp_path / "run.nc").summary["ranks"] == 2
    done = mpirun(*words, "--output", tmp_path / "said.txt", "--", compiled("pass_round"))
    assert done.returncode == 2
    assert "standard output goes to --program-output" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["run.nc"]


def test_python_has_the_same_names(compiled, tmp_path):
    program, said, kept = compiled("pass_round"), tmp_path / "said.txt", tmp_path / "run.nc"
    how = {"ranks": 2, "compute": "none", "seed": 7, "digest": True}
    result = odonata.mpirun([str(program)], **how, program_output=said, output=kept)
    assert said.read_text() != ""
    assert Result.load(kept).summary == result.summary
    assert (result.summary["seed"], result.summary["digest"] is None) == (7, False)
    said.unlink()
    with pytest.raises(UserError, match="standard output goes to program_output"):
        odonata.mpirun([str(program)], **how, output=said)
    assert not said.exists()


def processes(program: Path) -> list[str]:
    """Return the processes that run this program."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if os.fspath(program) in process.joinpath("cmdline").read_text():
                found.append(process.name)
        except OSError:
            continue
    return [number for number in found if int(number) != os.getpid()]


ENDS = {signal.SIGKILL: -9, signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


@pytest.mark.parametrize("number", ENDS)
@pytest.mark.parametrize(("how", "ranks"), [("hang", 4), ("spin", 64)])
def test_nothing_is_left_when_the_controller_is_ended(compiled, number, how, ranks):
    program = compiled("go_wrong")
    words = [*EOS, "-n", str(ranks), "--", program, how]
    code = "from odonata.cli import main; main()"
    running = subprocess.Popen(
        [sys.executable, "-c", code, "mpirun", *words],
        stderr=subprocess.DEVNULL,
        preexec_fn=restore_interrupts,
    )
    deadline = time.monotonic() + 60
    while len(processes(program)) < ranks + 1 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(processes(program)) == ranks + 1
    running.send_signal(number)
    assert running.wait(30) == ENDS[number]
    while processes(program) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert processes(program) == []


def restore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
