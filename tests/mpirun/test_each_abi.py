"""Programs in C print the same with each ABI."""

import shutil
from pathlib import Path

import pytest

from odonata.live import ABIS
from odonata.live.abi import detect

from .compilers import BIN, PROGRAMS, build, of_open_mpi, said


def compiler_of(abi):
    wheel = {"mpich": BIN / "mpicc", "standard": BIN / "mpicc_abi"}
    found = of_open_mpi("mpicc") if abi == "openmpi" else [wheel[abi]]
    if not found or not Path(found[0]).exists() or shutil.which("cc") is None:
        pytest.skip(f"needs a compiler for the {abi} ABI")
    return found[0]


@pytest.fixture(scope="module")
def mpich_program(tmp_path_factory):
    program = tmp_path_factory.mktemp("mpich") / "each_abi"
    return build(compiler_of("mpich"), PROGRAMS / "each_abi.c", program)


@pytest.mark.parametrize("abi", ["standard", "openmpi"])
def test_each_abi_gives_the_same(mpirun, mpich_program, tmp_path, abi):
    program = build(compiler_of(abi), PROGRAMS / "each_abi.c", tmp_path / "each_abi")
    assert detect(program) is ABIS[abi]
    assert detect(mpich_program) is ABIS["mpich"]
    for ranks in (1, 7):
        lines = said(mpirun, ranks, program)
        assert len(lines) == 12 * ranks
        assert lines == said(mpirun, ranks, mpich_program)


FORTRAN_TYPES = {  # of MPI_Abi_get_fortran_info; what the standard says of a type's bytes
    **{f"LOGICAL{n}": n for n in (1, 2, 4, 8, 16)},
    **{f"INTEGER{n}": n for n in (1, 2, 4, 8, 16)},
    **{f"REAL{n}": n for n in (2, 4, 8, 16)},
    **{f"COMPLEX{n}": n for n in (4, 8, 16, 32)},
    "DOUBLE_COMPLEX": 16,
}
PLAIN_TYPES = {"LOGICAL": 4, "INTEGER": 4, "REAL": 4, "DOUBLE_PRECISION": 8}


@pytest.mark.parametrize("abi", ["mpich", "standard", "openmpi"])
def test_types_of_fortran_are_those_of_the_header(mpirun, tmp_path, abi):
    program = build(compiler_of(abi), PROGRAMS / "fortran_info.c", tmp_path / "fortran_info")
    lines = said(mpirun, 1, program)
    sizes = {**FORTRAN_TYPES, **PLAIN_TYPES}
    if abi == "openmpi":  # its header has what the Fortran compiler that it was built with has
        sizes = {
            name: size for name, size in sizes.items() if f"MPI_{name} has {size} bytes" in lines
        }
        assert set(FORTRAN_TYPES) - set(sizes) >= {"LOGICAL16", "REAL2", "COMPLEX4"}
    expected = [f"MPI_{name} has {size} bytes" for name, size in sizes.items()]
    expected += [f"mpi_{name.lower()}_size is {size}" for name, size in PLAIN_TYPES.items()]
    expected += [
        f"mpi_{name.lower()}_supported is {'true' if name in sizes else 'false'}"
        for name in FORTRAN_TYPES
    ]
    assert lines == sorted(expected)


@pytest.mark.parametrize("abi", ["mpich", "standard", "openmpi"])
def test_null_arguments_are_errors(mpirun, tmp_path, abi):
    source, program = PROGRAMS / "null_arguments.c", tmp_path / "null_arguments"
    build(compiler_of(abi), source, program, "-w")
    calls = 79 if abi == "openmpi" else 83  # four are of MPI-4 and MPI-5
    assert said(mpirun, 1, program) == [f"calls {calls}, not refused 0, messages left 0"]
