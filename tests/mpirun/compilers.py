"""Programs that the compilers of an MPI build, and their output on a simulated machine."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from odonata.errors import UserError
from odonata.live import ABIS
from odonata.live.abi import detect, library

PROGRAMS = Path(__file__).parent / "programs"
BIN = Path(sys.executable).parent
EOS = ["--machine", "eos", "--compute", "none"]


def of_open_mpi(name):
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


def mpif90(family):
    """Return the Fortran compiler of an MPI."""
    found = of_open_mpi("mpif90") if family == "openmpi" else [shutil.which(f"mpif90.{family}")]
    if not any(found):
        pytest.skip(f"needs mpif90.{family}")
    return found[0]


def our_library(family):
    """Return our library for the ABI of an MPI."""
    try:
        return library(ABIS[family])
    except UserError as error:
        pytest.skip(str(error))


def build(compiler, source, program, *flags):
    command = [compiler, source, *flags, "-o", program]
    subprocess.run(command, check=True, cwd=program.parent)
    try:
        library(detect(program))
    except UserError as error:
        pytest.skip(str(error))
    return program


def said(mpirun, ranks, program):
    done = mpirun("-n", ranks, *EOS, "--", program)
    assert done.returncode == 0, done.stderr
    return sorted(done.stdout.splitlines())
