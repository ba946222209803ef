"""Programs in C print the same with each ABI, those in Fortran what they print under Open MPI."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from odonata.errors import UserError
from odonata.live import ABIS, detect
from odonata.live.abi import library

PROGRAMS = Path(__file__).parent / "programs"
BIN = Path(sys.executable).parent
EOS = ["--machine", "eos", "--compute", "none"]


def compilers(name):
    """Return the compilers of this name that are Open MPI's."""
    folders = [f for f in os.environ["PATH"].split(":") if Path(f) != BIN]
    for each in (f"{name}.openmpi", name):
        found = shutil.which(each, path=":".join(folders))
        if found is None:
            continue
        asked = subprocess.run([found, "--showme:version"], capture_output=True, text=True)
        if "Open MPI" in asked.stdout + asked.stderr:
            return [found]
    return []


def build(compiler, source, program):
    subprocess.run([compiler, source, "-o", program], check=True, cwd=program.parent)
    try:
        library(detect(program))
    except UserError as error:
        pytest.skip(str(error))
    return program


def said(mpirun, ranks, program):
    done = mpirun("-n", ranks, *EOS, "--", program)
    assert done.returncode == 0, done.stderr
    return sorted(done.stdout.splitlines())


@pytest.fixture(scope="module")
def mpich_program(tmp_path_factory):
    compiler = BIN / "mpicc"
    if not compiler.exists() or shutil.which("cc") is None:
        pytest.skip("needs a C compiler and the mpich wheel")
    program = tmp_path_factory.mktemp("mpich") / "each_abi"
    return build(compiler, PROGRAMS / "each_abi.c", program)


@pytest.mark.parametrize("abi", ["standard", "openmpi"])
def test_each_abi_gives_the_same(mpirun, mpich_program, tmp_path, abi):
    found = compilers("mpicc") if abi == "openmpi" else [BIN / "mpicc_abi"]
    if not found or not Path(found[0]).exists():
        pytest.skip(f"needs a compiler for the {abi} ABI")
    program = build(found[0], PROGRAMS / "each_abi.c", tmp_path / "each_abi")
    assert detect(program) is ABIS[abi]
    assert detect(mpich_program) is ABIS["mpich"]
    for ranks in (1, 7):
        lines = said(mpirun, ranks, program)
        assert len(lines) == 12 * ranks
        assert lines == said(mpirun, ranks, mpich_program)


@pytest.fixture(scope="module")
def fortran_program(tmp_path_factory):
    found = compilers("mpif90")
    if not found:
        pytest.skip("needs Open MPI's mpif90")
    return build(found[0], PROGRAMS / "fortran.f90", tmp_path_factory.mktemp("f90") / "fortran")


@pytest.mark.parametrize("ranks", [1, 2, 7])
def test_fortran_prints_what_it_prints_under_open_mpi(
    mpirun, under_open_mpi, fortran_program, ranks
):
    real = under_open_mpi(ranks, fortran_program)
    assert said(mpirun, ranks, fortran_program) == sorted(real.splitlines())


@pytest.mark.parametrize("family", ["mpich", "openmpi"])
def test_programs_of_fortran_2008_run(mpirun, tmp_path, family):
    compiler = shutil.which(f"mpif90.{family}")
    if compiler is None:
        pytest.skip(f"needs mpif90.{family}")
    program = build(compiler, PROGRAMS / "modern.f90", tmp_path / "modern")
    assert detect(program) is ABIS[family]
    assert said(mpirun, 4, program) == [
        "rank 0: 3 from 3, sum 6, place 1",
        "rank 1: 0 from 0, sum 6, place 1",
        "rank 2: 1 from 1, sum 6, place 0",
        "rank 3: 2 from 2, sum 6, place 0",
    ]


def test_what_is_absent_is_named_from_fortran_too(mpirun, tmp_path):
    found = compilers("mpif90")
    if not found:
        pytest.skip("needs Open MPI's mpif90")
    source = tmp_path / "absent.f90"
    source.write_text(
        "program absent\nuse mpi\ninteger :: win, error\ncall MPI_Init(error)\n"
        "call MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win, error)\n"
        "call MPI_Finalize(error)\nend program\n"
    )
    done = mpirun("-n", 1, *EOS, "--", build(found[0], source, tmp_path / "absent"))
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert len(lines) == 1
    assert "MPI_Win_create_dynamic is not supported" in lines[0]
