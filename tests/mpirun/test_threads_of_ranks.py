"""Ranks with threads of their own: their compute time, and calls beside another thread's."""

import json

import pytest

from odonata.trace import summarize

LEAST, MOST = 0.3, 0.8  # of one thread's time that two take: half, and what a busy machine adds


@pytest.mark.parametrize("policy", [None, "active"])
def test_two_threads_share_the_work_of_one(mpirun, compiled, monkeypatch, policy):
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    if policy is not None:
        monkeypatch.setenv("OMP_WAIT_POLICY", policy)
    program = compiled("share", flags=("-fopenmp",))
    done = mpirun("-n", 1, "--machine", "eos", "--", program)
    assert done.returncode == 0, done.stderr
    one, two, said = done.stdout.split()
    assert said == (policy or "passive")
    if policy is None:  # threads that spin on shared cores compute for all we know
        assert LEAST < int(two) / int(one) < MOST


@pytest.fixture
def local_calls(mpirun, compiled):
    program = compiled("local_calls", flags=("-pthread",))

    def run(what, *options):
        options = ("-n", 2, "--machine", "eos", "--compute", "none", *options)
        return mpirun(*options, "--", program, what)

    return run


def test_local_calls_run_beside_the_call_of_another_thread(local_calls, tmp_path):
    trace = tmp_path / "calls.trace"
    done = local_calls("plain", "--json", "--record", trace)
    assert done.returncode == 0, done.stderr
    assert "received 42, wrong 0, beside 1" in done.stderr  # beside --json
    calls = json.loads(done.stdout)["mpi_calls"]
    assert calls["MPI_Comm_size"] == calls["MPI_Unpack"] == 1000  # all rounds
    assert calls["MPI_Wtime"] == 1000 + 1  # and one of the main thread
    assert summarize(trace).functions["MPI_Comm_size"].calls == 1000


@pytest.mark.parametrize(
    ("what", "code", "said"),
    [
        ("abort", 7, "rank 0 called MPI_Abort with code 7"),
        ("wrong", 0, "rank 0: MPI_Comm_size: MPI_ERR_COMM: the communicator is MPI_COMM_NULL"),
        ("callback", 1, "MPI_Barrier was called while another thread is in MPI_Recv"),
    ],
)
def test_a_call_beside_another_ends_the_run(local_calls, what, code, said):
    done = local_calls(what)
    assert said in done.stderr
    assert done.returncode == code or (code == 0 and done.returncode not in (0, 3, 4))


NEEDS = """#include <mpi.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char** argv) {
  int provided, asked = strcmp(argv[1], "serialized") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED;
  MPI_Init_thread(&argc, &argv, asked, &provided);
  if (!strcmp(argv[2], "later")) MPI_Barrier(MPI_COMM_WORLD);
  if (!strcmp(argv[2], "exits")) exit(1);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
"""
LEVELS = "it asked for MPI_THREAD_MULTIPLE, and MPI_THREAD_SERIALIZED is provided"


@pytest.mark.parametrize("fibers", [False, True])
@pytest.mark.parametrize(
    ("asked", "how", "told"),
    [
        ("multiple", "exits", True),
        ("multiple", "aborts", True),
        ("multiple", "later", False),  # MPI_Abort after the program has communicated
        ("serialized", "exits", False),
    ],
)
def test_the_level_that_was_not_provided_is_named(
    mpirun, compiled, tmp_path, asked, how, told, fibers
):
    (tmp_path / "needs.c").write_text(NEEDS)
    program = compiled("needs", folder_of_source=tmp_path, shared=fibers)
    words = ("-n", 2, "--machine", "eos", *(["--fibers"] if fibers else []))
    done = mpirun(*words, "--", program, asked, how)
    assert done.returncode == 1
    assert (LEVELS in done.stderr) == told
