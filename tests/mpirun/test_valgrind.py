"""Programs under memcheck: reports of the program's mistakes, and none that our libraries cause."""

import shutil

import pytest

from .compilers import EOS

PROGRAM = """#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  int rank, sum = 0, *word = malloc(sizeof *word);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  *word = rank;
  MPI_Allreduce(word, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  free(word);
  if (argc > 1 && rank == 1) sum += *(volatile int*)word;
  if (sum == 3) printf("right\\n");
  return MPI_Finalize();
}
"""
MEMCHECK = ("valgrind", "-q", "--leak-check=full", "--error-exitcode=9")


@pytest.fixture(scope="module")
def program(compiled, tmp_path_factory):
    if shutil.which("valgrind") is None:
        pytest.skip("needs valgrind")
    folder = tmp_path_factory.mktemp("valgrind")
    (folder / "checked.c").write_text(PROGRAM)
    return compiled("checked", flags=("-g",), folder_of_source=folder)


def test_a_right_program_has_no_report(mpirun, program):
    done = mpirun("-n", 3, *EOS, "--", *MEMCHECK, program)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:3] == ["right"] * 3
    assert "==" not in done.stderr


def test_a_read_of_freed_memory_is_reported(mpirun, program):
    done = mpirun("-n", 3, *EOS, "--", "env", "A=B", *MEMCHECK, program, "wrong")
    assert done.returncode == 9
    assert done.stderr.count("Invalid read of size 4") == 1
