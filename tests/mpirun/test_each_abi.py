"""Programs in C print the same with each ABI."""

import shutil
from pathlib import Path

import pytest

from odonata.live import ABIS, detect

from .compilers import BIN, PROGRAMS, build, of_open_mpi, said


@pytest.fixture(scope="module")
def mpich_program(tmp_path_factory):
    compiler = BIN / "mpicc"
    if not compiler.exists() or shutil.which("cc") is None:
        pytest.skip("needs a C compiler and the mpich wheel")
    program = tmp_path_factory.mktemp("mpich") / "each_abi"
    return build(compiler, PROGRAMS / "each_abi.c", program)


@pytest.mark.parametrize("abi", ["standard", "openmpi"])
def test_each_abi_gives_the_same(mpirun, mpich_program, tmp_path, abi):
    found = of_open_mpi("mpicc") if abi == "openmpi" else [BIN / "mpicc_abi"]
    if not found or not Path(found[0]).exists():
        pytest.skip(f"needs a compiler for the {abi} ABI")
    program = build(found[0], PROGRAMS / "each_abi.c", tmp_path / "each_abi")
    assert detect(program) is ABIS[abi]
    assert detect(mpich_program) is ABIS["mpich"]
    for ranks in (1, 7):
        lines = said(mpirun, ranks, program)
        assert len(lines) == 12 * ranks
        assert lines == said(mpirun, ranks, mpich_program)
