"""Output of ranks survives their death and stays in order."""

import shutil
import subprocess
import sys

import pytest

from .compilers import PROGRAMS
from .conftest import MPICC

EOS = ["--machine", "eos", "--compute", "none"]
FIBERS = pytest.mark.parametrize("fibers", [False, True], ids=["processes", "fibers"])


@FIBERS
@pytest.mark.parametrize("to_file", [False, True], ids=["pipe", "file"])
@pytest.mark.parametrize("how", ["crash", "abort", "exit", "deadlock"])
def test_lines_of_ranks_that_die_are_there(mpirun, compiled, tmp_path, how, to_file, fibers):
    options = ["--fibers"] if fibers else []
    file = tmp_path / "said.txt"
    if to_file:
        options += ["--program-output", file]
    program = compiled("go_wrong", shared=fibers)
    done = mpirun("-n", 4, *EOS, *options, "--", program, how, "loudly")
    assert done.returncode != 0
    said = file.read_text() if to_file else done.stdout
    assert sorted(said.splitlines()) == [f"rank {rank} is about to {how}" for rank in range(4)]


def test_lines_of_c_and_fortran_keep_their_order(mpirun, tmp_path):
    fortran = shutil.which("gfortran")
    if fortran is None or not MPICC.exists():
        pytest.skip("needs gfortran and the mpich wheel")
    main = tmp_path / "main.o"
    subprocess.run([fortran, "-c", PROGRAMS / "says.f90", "-o", main], check=True)
    program = tmp_path / "says"
    subprocess.run([MPICC, PROGRAMS / "says.c", main, "-lgfortran", "-o", program], check=True)
    done = mpirun(*EOS, "--", program)
    assert done.returncode == 134
    assert done.stdout.splitlines() == [
        line for i in (1, 2, 3) for line in (f"C {i}", f"Fortran {i} and  {i}.0")
    ]


@pytest.mark.parametrize("quiet", [[], ["-q"]])
def test_csv_has_standard_output_for_itself(mpirun, quiet):
    program = "from mpi4py import MPI; print('said')"
    done = mpirun("-n", 2, *EOS, "--csv", *quiet, "--", sys.executable, "-c", program)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("what,value,unit of value\nengine,")
    assert "said" in done.stderr
    assert ("No link was used" in done.stderr) == (not quiet)
