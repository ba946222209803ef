"""Our libraries have the names of functions that the real ones have.

Programs and mpi4py ask by weak symbols which functions there are, and take an older one where a
function does not exist. A stub, which only says that the function is absent, may therefore not have
a name that no release of the real library has. Stubs are weak symbols.
"""

import importlib.metadata
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .compilers import EOS, of_open_mpi, our_library

OPEN_MPI_5 = {  # stubs of functions that Open MPI 5.0 has, and 4.1 has not
    *(f"Session_{what}_errhandler" for what in ("call", "create", "get", "set")),
    *(f"Session_{what}" for what in ("init", "finalize", "get_info", "c2f", "f2c")),
    *(f"Session_get_{what}" for what in ("nth_pset", "num_psets", "pset_info")),
    *("Comm_create_from_group", "Group_from_session_pset", "Intercomm_create_from_groups"),
    *("Parrived", "Pready", "Pready_list", "Pready_range", "Precv_init", "Psend_init"),
    *("Status_c2f08", "Status_f082c", "Status_f082f", "Status_f2f08"),
}
MPICH_5 = {  # the same of MPICH 5.0 and 4.0
    *("Abi_get_fortran_booleans", "Abi_set_fortran_booleans", "Abi_set_fortran_info"),
    *(f"Session_{what}_buffer" for what in ("attach", "detach", "flush", "iflush")),
    *("Session_attach_buffer_c", "Session_detach_buffer_c"),
}
MISSING = {"T_PVAR_ALL_HANDLES", "Session_set_info"}  # an object of MPICH; of Open MPI 5.0 alone


def in_the_wheel(name):
    for file in importlib.metadata.files("mpich") or ():
        if file.name == name:
            return Path(file.locate())
    return None


def of_the_system(pattern):
    return next(iter(sorted(Path("/").glob(pattern))), None)


def of_open_mpis_compiler(name):
    found = of_open_mpi("mpicc")
    if not found:
        return None
    folders = subprocess.check_output([found[0], "--showme:libdirs"], text=True).split()
    return next((Path(f) / name for f in folders if (Path(f) / name).exists()), None)


REAL = {
    "mpich": lambda: in_the_wheel("libmpi.so.12"),
    "mpich of Debian": lambda: of_the_system("usr/lib/*/libmpich.so.12"),
    "standard": lambda: in_the_wheel("libmpi_abi.so.1"),
    "openmpi": lambda: of_open_mpis_compiler("libmpi.so"),
}


def functions(path):
    """Return the functions of MPI that a library exports, with the letter that nm has for each."""
    listed = subprocess.check_output(["nm", "-D", "--defined-only", path], text=True)
    symbols = (line.split()[1:] for line in listed.splitlines())
    found = {name.partition("@")[0]: kind for kind, name in symbols}
    return {
        name.removeprefix("MPI_"): kind
        for name, kind in found.items()
        if name.startswith("MPI_") and not (name.isupper() or name.startswith("MPI_F08_"))
    }


@pytest.mark.parametrize("which", REAL)
def test_stubs_have_names_of_the_real_library(which):
    real = REAL[which]()
    if real is None or shutil.which("nm") is None:
        pytest.skip(f"needs the library of {which}")
    ours, theirs = functions(our_library(which.partition(" ")[0])), functions(real)
    stubs = {name for name, kind in ours.items() if kind == "W"}
    assert stubs - theirs.keys() <= {"mpich of Debian": MPICH_5, "openmpi": OPEN_MPI_5}.get(
        which, set()
    )
    assert "Win_fence" in stubs
    assert theirs.keys() - ours.keys() <= MISSING


SUMS = """
from array import array
from mpi4py import MPI
world = MPI.COMM_WORLD
mine, sums = array("d", [1.0]), array("d", [0.0])
world.Allreduce(mine, sums)
size, extent = MPI.DOUBLE.Get_size(), MPI.DOUBLE.Get_extent()[1]
print(f"{size} {extent} {sums[0]}\\n", end="", flush=True)  # in one write
"""


def test_mpi4py_takes_what_open_mpi_has(mpirun, tmp_path):
    our_library("openmpi")
    (tmp_path / "sums.py").write_text(SUMS)
    done = mpirun("-n", 2, *EOS, "--abi", "openmpi", "--", sys.executable, tmp_path / "sums.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:2] == ["8 8 2.0"] * 2
