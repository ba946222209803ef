"""Compilers and launchers of the MPIs that are there, and programs that they build."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # the tests share tables_of

BIN = Path(sys.executable).parent
PROGRAMS = Path(__file__).parent / "programs"


def of_the_system(name):
    folders = [f for f in os.environ["PATH"].split(":") if Path(f) != BIN]
    return shutil.which(name, path=":".join(folders))


MPIS = {
    "mpich": (str(BIN / "mpicc"), None, [str(BIN / "mpiexec")]),  # the wheel has no Fortran
    "standard": (str(BIN / "mpicc_abi"), None, [str(BIN / "mpiexec")]),  # the ABI of MPI 5
    "mpich-debian": (
        of_the_system("mpicc.mpich"),
        of_the_system("mpif90.mpich"),
        [of_the_system("mpiexec.mpich")],
    ),
    "openmpi": (
        of_the_system("mpicc.openmpi"),
        of_the_system("mpif90.openmpi"),
        [of_the_system("mpiexec.openmpi"), "--allow-run-as-root", "--oversubscribe"],
    ),
}


@pytest.fixture(params=MPIS)
def mpi(request):
    """Return an MPI: its compiler and its launcher."""
    cc, _, launcher = MPIS[request.param]
    if cc is None or not Path(cc).exists() or launcher[0] is None:
        pytest.skip(f"needs the compiler and the launcher of {request.param}")
    return SimpleNamespace(cc=cc, launcher=launcher)


@pytest.fixture(params=[name for name in MPIS if MPIS[name][1] is not None])
def fortran(request):
    """Return an MPI: its compiler of Fortran and its launcher."""
    _, compiler, launcher = MPIS[request.param]
    if compiler is None or launcher[0] is None:
        pytest.skip(f"needs the Fortran compiler and the launcher of {request.param}")
    return SimpleNamespace(compiler=compiler, launcher=launcher)


@pytest.fixture
def odonata():
    """Run ``odonata`` in a process of its own."""

    def call(*arguments, status=0):
        command = [sys.executable, "-c", "from odonata.cli import main; main()"]
        done = subprocess.run(
            [*command, *map(str, arguments)], capture_output=True, text=True, timeout=120
        )
        assert done.returncode == status, done.stderr
        return done

    return call


@pytest.fixture
def build(tmp_path):
    """Compile a program."""

    def call(compiler, name):
        program = tmp_path / Path(name).stem
        command = [compiler, "-w", PROGRAMS / name, "-o", program]
        subprocess.run(command, check=True, cwd=tmp_path)
        return program

    return call
