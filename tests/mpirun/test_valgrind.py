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


PROGRAMS = [  # name, ranks, words
    ("ahead", 5, ()),
    ("answers", 3, ()),
    ("benchmarks", 4, ()),
    ("copies", 4, ("copy",)),
    ("copies", 4, ("reverse",)),
    ("each_abi", 4, ()),
    ("mpi4", 4, ()),
    ("pass_round", 4, ()),
    ("polls", 2, ()),
    ("probes", 4, ()),
    ("sends", 2, (5,)),
    ("waits", 2, ()),
    ("works", 2, ()),
]


pytestmark = pytest.mark.skipif(shutil.which("valgrind") is None, reason="needs valgrind")


@pytest.fixture(scope="module")
def program(compiled, tmp_path_factory):
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


@pytest.mark.parametrize(("name", "ranks", "words"), PROGRAMS)
def test_our_library_causes_no_report(mpirun, compiled, name, ranks, words):
    checked = compiled(name, flags=("-g",))
    done = mpirun("-n", ranks, *EOS, "--", *MEMCHECK, checked, *words)
    assert done.returncode == 0, done.stderr
    assert "==" not in done.stderr
