"""Fibers have variables of their own: they print what the same ranks print as processes."""

import json
import os
import re
import shutil
import subprocess

import pytest

from .compilers import EOS, PROGRAMS, build, mpif90
from .conftest import MPICC

FIBERS = pytest.mark.parametrize("fibers", [False, True], ids=["processes", "fibers"])


def run(mpirun, ranks, program, *words, options=()):
    """Return the lines of a program, sorted, and the digest of its run."""
    told = ["--digest", "--json", "--program-output", program.with_suffix(".said")]
    done = mpirun("-n", ranks, *EOS, *told, *options, "--", program, *words)
    assert done.returncode == 0, done.stderr
    lines = program.with_suffix(".said").read_text().splitlines()
    return sorted(lines), json.loads(done.stdout)["digest"]


def both(mpirun, ranks, process, shared, *words):
    """Return the lines of a program, which must be the same in both ways."""
    expected = run(mpirun, ranks, process, *words)
    assert run(mpirun, ranks, shared, *words, options=["--fibers"]) == expected
    return expected[0]


@pytest.fixture(scope="module")
def with_library(tmp_path_factory):
    """Build a program in C with a library that has variables, as a program and a shared object."""
    if not MPICC.exists() or shutil.which("cc") is None:
        pytest.skip("needs a C compiler and the mpich wheel")
    folder = tmp_path_factory.mktemp("own")
    kept = folder / "libkept.so"
    subprocess.run(["cc", "-shared", "-fPIC", PROGRAMS / "kept.c", "-o", kept], check=True)
    made = []
    for name, flags in (("own", []), ("own.so", ["-shared", "-fPIC"])):
        command = [MPICC, "-O1", PROGRAMS / "own_variables.c", *flags, kept]
        subprocess.run([*command, f"-Wl,-rpath,{folder}", "-o", folder / name], check=True)
        made.append(folder / name)
    return made


def test_variables_buffers_and_the_state_of_the_c_library(mpirun, with_library):
    words = ["-ab", "x", "one", "--long", "-b", "y", "two"]
    lines = both(mpirun, 5, *with_library, *words)
    assert "3 begins a line and ends it" in lines
    assert "3 has 10 8 1, called 5, library 110" in lines
    assert "3 received 2000 and 2009" in lines
    assert [line for line in lines if line.startswith("4 option")] == [
        "4 option a ",
        "4 option b x",
        "4 option b y",
        "4 option l ",
    ]
    assert sum(line.endswith(("word one", "word two")) for line in lines) == 10
    assert "2 ends with 9" in lines
    assert "3 is 3 of 5, none set" in lines


def test_shared_globals_are_those_of_all_ranks(mpirun, compiled):
    program = compiled("own_pages", shared=True)
    assert mpirun("-n", 4, *EOS, "--fibers", "--", program).returncode == 0
    done = mpirun("-n", 4, *EOS, "--fibers", "--shared-globals", "--", program)
    assert done.returncode == 3  # a rank has found what another has written


def test_objects_of_cpp(mpirun, compiled):
    lines = both(mpirun, 4, compiled("own_objects"), compiled("own_objects", shared=True))
    assert "2 thrown 3 3003 3003 3000 zero with a text that is not short2 0.333" in lines
    assert sum(line.startswith("end of ") for line in lines) == 12


@pytest.mark.parametrize("family", ["mpich", "openmpi"])
def test_common_blocks_modules_and_units_of_fortran(mpirun, tmp_path, family, monkeypatch):
    monkeypatch.chdir(tmp_path)
    compiler, source = mpif90(family), PROGRAMS / "own_variables.f90"
    process = build(compiler, source, tmp_path / "own")
    shared = build(compiler, source, tmp_path / "own.so", "-shared", "-fPIC")
    lines = both(mpirun, 4, process, shared)
    assert lines[2] == "2 102 6 3 4 14 13 1 3  2.0"


@pytest.mark.parametrize("family", ["mpich", "openmpi"])
@pytest.mark.parametrize("name", ["modern", "fortran"])
def test_programs_of_fortran_as_fibers(mpirun, tmp_path, family, name):
    compiler, source = mpif90(family), PROGRAMS / f"{name}.f90"
    process = build(compiler, source, tmp_path / name)
    both(mpirun, 4, process, build(compiler, source, tmp_path / f"{name}.so", "-shared", "-fPIC"))


@pytest.mark.parametrize(
    ("name", "words"), [("benchmarks", []), ("each_abi", []), ("mpi4", []), ("sends", [5])]
)
def test_other_programs(mpirun, compiled, name, words):
    both(mpirun, 3, compiled(name), compiled(name, shared=True), *words)


def test_many_fibers_share_the_pages_that_none_writes_to(mpirun, compiled):
    """A thousand copies of 100 MB would not fit."""
    program = compiled("own_pages", shared=True)
    where = ["--machine", "dragonfly-5256", "--compute", "none", "--program-output", os.devnull]
    done = mpirun("-n", 1000, *where, "--json", "--fibers", "--", program)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["peak_memory_bytes"] < 1e9


def test_variables_of_an_outer_launcher_are_hidden(mpirun, with_library, monkeypatch):
    monkeypatch.setenv("OMPI_COMM_WORLD_RANK", "77")
    lines, _ = run(mpirun, 2, with_library[1], options=["--fibers", "--env-style", "none"])
    assert "1 is (null) of 2, none set" in lines


def test_each_run_of_a_process_begins_again(mpirun, compiled):
    program = compiled("own_objects", shared=True)
    options = ["-n", 3, "--machine", "eos", "--compute", "calibrated", "--fibers"]
    done = mpirun(*options, "--", program)
    assert done.returncode == 0, done.stderr
    assert "2 thrown 3 3003 3003 3000 zero with a text that is not short2 0.333" in done.stdout


def test_a_crash_in_fortran_names_the_rank(mpirun, tmp_path):
    source = tmp_path / "crash.f90"
    source.write_text(
        "program crash\nuse mpi\ninteger :: error, rank\ninteger, pointer :: nowhere\n"
        "call MPI_Init(error)\ncall MPI_Comm_rank(MPI_COMM_WORLD, rank, error)\n"
        "nullify(nowhere)\nif (rank == 1) nowhere = 3\ncall MPI_Finalize(error)\nend program\n"
    )
    program = build(mpif90("openmpi"), source, tmp_path / "crash.so", "-shared", "-fPIC")
    done = mpirun("-n", 2, *EOS, "--fibers", "--", program)
    assert done.returncode == 139
    assert done.stderr.splitlines()[-1] == "odonata: rank 1 was ended by signal 11 (SIGSEGV)"


# ---- parts that fibers share

THREAD = """
#include <mpi.h>
#include <pthread.h>
static void* nothing(void* given) { return given; }
int main(int count, char** words) {
  pthread_t thread;
  MPI_Init(&count, &words);
  pthread_create(&thread, 0, nothing, 0);
  pthread_join(thread, 0);
  MPI_Finalize();
}
"""
OPENS = """
#include <dlfcn.h>
#include <mpi.h>
int main(int count, char** words) {
  MPI_Init(&count, &words);
  dlopen(words[1], RTLD_NOW);
  MPI_Finalize();
}
"""


@pytest.mark.parametrize(("text", "said"), [(THREAD, "threads"), (OPENS, r"libkept\.so")])
def test_variables_that_fibers_share_are_told(mpirun, with_library, tmp_path, text, said):
    (tmp_path / "shares.c").write_text(text)
    command = [MPICC, "-shared", "-fPIC", tmp_path / "shares.c", "-o", tmp_path / "shares.so"]
    subprocess.run(command, check=True)
    kept = with_library[0].with_name("libkept.so")
    done = mpirun("-n", 2, *EOS, "--fibers", "--", tmp_path / "shares.so", kept)
    assert done.returncode == 0, done.stderr
    assert len(re.findall(rf"(?m)^odonata: warning: fibers: .*{said}", done.stderr)) == 1
