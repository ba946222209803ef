"""Programs that are compiled for the tests, and a way to run them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

BIN = Path(sys.executable).parent
MPICC = BIN / "mpicc"
PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    """Compile a program in C or C++ with MPICH's header; as a shared object if asked."""
    if not MPICC.exists() or shutil.which("cc") is None:
        pytest.skip("needs a C compiler and the mpich wheel")
    folder = tmp_path_factory.mktemp("programs")

    def make(
        name: str,
        *,
        shared: bool = False,
        flags: Sequence[str] = (),
        folder_of_source: Path = PROGRAMS,
    ) -> Path:
        source = folder_of_source / f"{name}.c"
        compiler = [MPICC]
        if not source.exists():
            source, compiler = source.with_suffix(".cpp"), [BIN / "mpicxx", "-std=c++20"]
        program = folder / (f"{name}.so" if shared else name)
        if not program.exists():
            sharing = ["-shared", "-fPIC"] if shared else []
            subprocess.run([*compiler, "-O1", *flags, *sharing, source, "-o", program], check=True)
        return program

    return make


@pytest.fixture
def mpirun():
    """Run ``odonata mpirun`` in a process of its own."""

    def call(*arguments, timeout=120):
        command = [sys.executable, "-c", "from odonata.cli import main; main()", "mpirun"]
        return subprocess.run(
            [*command, *map(str, arguments)], capture_output=True, text=True, timeout=timeout
        )

    return call
