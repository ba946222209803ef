"""Programs under memcheck: reports of the program's mistakes, and none that our libraries cause."""

import shlex
import shutil

import pytest

from odonata.live.command import Command

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


@pytest.mark.parametrize("shell", [(), ("sh",)], ids=["executed", "of a shell"])
def test_a_script_may_name_it(mpirun, program, tmp_path, shell):
    script = tmp_path / "run.sh"
    script.write_text(f"{'' if shell else '#!/bin/sh'}\nexec {shlex.join(MEMCHECK)} {program}\n")
    script.chmod(0o755)
    done = mpirun("-n", 3, *EOS, "--", *shell, script)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:3] == ["right"] * 3
    assert "==" not in done.stderr


def test_a_script_of_a_script_is_told_what_to_do(mpirun, program, tmp_path):
    inner, outer = tmp_path / "inner.sh", tmp_path / "outer.sh"
    inner.write_text(f"#!/bin/sh\nexec valgrind -q {program}\n")
    outer.write_text(f"#!/bin/sh\n# starts valgrind\nexec {inner}\n")
    for script in (inner, outer):
        script.chmod(0o755)
    done = mpirun("-n", 3, *EOS, "--", outer)
    assert done.returncode != 0
    lines = done.stderr.splitlines()
    assert all(line.startswith("odonata: ") for line in lines)
    assert "-- valgrind ./program" in lines[0]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("#!/bin/sh\nexec valgrind -q ./a.out", True),
        ("#!/bin/sh\nexec /opt/bin/valgrind ./a.out", True),
        ("#!/bin/sh\n# valgrind ./a.out\nexec ./a.out", False),
        ("#!/bin/sh\nexec ./my-valgrind.sh", False),
        ("valgrind ./a.out", False),  # no script
    ],
)
def test_scripts_that_name_it(tmp_path, text, named):
    (tmp_path / "run").write_text(text)
    assert Command((str(tmp_path / "run"),), 1).checks_memory is named


@pytest.mark.parametrize(("name", "ranks", "words"), PROGRAMS)
def test_our_library_causes_no_report(mpirun, compiled, name, ranks, words):
    checked = compiled(name, flags=("-g",))
    done = mpirun("-n", ranks, *EOS, "--", *MEMCHECK, checked, *words)
    assert done.returncode == 0, done.stderr
    assert "==" not in done.stderr
