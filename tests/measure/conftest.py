"""Ways to run ``odonata measure``: alone, under MPICH's mpiexec, on a simulated machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ODONATA = [sys.executable, "-c", "from odonata.cli import main; main()"]


@pytest.fixture
def alone():
    """Run it as one process, without a launcher."""

    def call(*arguments, **environment):
        return _run([*ODONATA, "measure", *arguments], environment)

    return call


@pytest.fixture
def under_mpiexec():
    """Run it on some ranks of MPICH, which let each other have the core."""
    mpiexec = Path(sys.executable).parent / "mpiexec.hydra"
    if not mpiexec.exists():
        pytest.skip("needs the mpich wheel")

    def call(ranks, *arguments):
        command = [mpiexec, "-n", ranks, *ODONATA, "measure", *arguments]
        return _run(
            command, {"MPIR_CVAR_ENABLE_HEAVY_YIELD": "1", "MPIR_CVAR_POLLS_BEFORE_YIELD": "16"}
        )

    return call


@pytest.fixture
def simulated():
    """Run it on a simulated machine."""

    def call(ranks, where, *arguments):
        mpirun = ["mpirun", "-n", ranks, "--compute", "none", *where, "--"]
        return _run([*ODONATA, *mpirun, *ODONATA, "measure", *arguments], {})

    return call


def _run(command, environment):
    return subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, **environment},
        check=False,
    )


@pytest.fixture(scope="session")
def mpi4py():
    """Skip where mpi4py isn't installed."""
    pytest.importorskip("mpi4py", reason="needs mpi4py: pip install 'odonata[measure]'")
    if shutil.which("mpiexec", path=str(Path(sys.executable).parent)) is None:
        pytest.skip("needs an MPI library")
