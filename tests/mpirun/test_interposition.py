"""Our library is found in the place of any MPI, and profilers before it stay before it."""

import os
import shutil
import subprocess
import sys

import pytest

from odonata.live import ABIS
from odonata.live.abi import library

from .compilers import PROGRAMS, of_open_mpi
from .conftest import MPICC

EOS = ["--machine", "eos", "--compute", "none"]
FIBERS = pytest.mark.parametrize("fibers", [False, True], ids=["processes", "fibers"])


@pytest.fixture(scope="module")
def open_mpi(tmp_path_factory):
    """Compile a program with Open MPI's compiler and these flags."""
    found = of_open_mpi("mpicc")
    if not found or not library(ABIS["openmpi"]).is_file():
        pytest.skip("needs Open MPI's compiler, and a library for its ABI")
    folder = tmp_path_factory.mktemp("openmpi")

    def make(name, program, *flags):
        made = folder / program
        subprocess.run([*found, PROGRAMS / f"{name}.c", *flags, "-o", made], check=True)
        return made

    return make


def said(mpirun, *program, abi="openmpi", options=()):
    done = mpirun("-n", 2, *EOS, "--json", "--program-output", os.devnull, *options, "--", *program)
    assert done.returncode == 0, done.stderr
    assert f'"abi": "{abi}"' in done.stdout
    done = mpirun("-n", 2, *EOS, *options, "--", *program)
    return sorted(done.stdout.splitlines())


NODES = ["0 nid00012", "1 nid00013"]


def test_a_program_behind_a_wrapper_gets_its_own_abi(mpirun, open_mpi, tmp_path):
    program = open_mpi("whoami", "whoami")
    assert said(mpirun, "env", program) == NODES
    script = tmp_path / "run.sh"
    script.write_text(f"#!/bin/sh\nexec {program}\n")
    script.chmod(0o755)
    assert said(mpirun, script) == NODES


def test_a_program_that_is_opened_gets_its_own_abi(mpirun, open_mpi, compiled):
    program = open_mpi("whoami", "whoami.so", "-shared", "-fPIC")
    assert said(mpirun, compiled("opens"), program) == NODES


def test_a_program_that_says_where_its_library_is_gets_ours(mpirun, open_mpi):
    real = "/usr/lib/x86_64-linux-gnu/openmpi/lib"
    flags = ["-Wl,--disable-new-dtags", f"-Wl,-rpath,{real}"]
    assert said(mpirun, open_mpi("whoami", "whoami_rpath", *flags)) == NODES


def test_a_library_that_is_opened_by_its_path_is_ours(mpirun, open_mpi, tmp_path):
    program = open_mpi("whoami", "whoami")
    linked = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    path = next(line.split()[2] for line in linked.splitlines() if "libmpi.so.40" in line)
    (tmp_path / "libmpi.so").symlink_to(path)
    ask = "import ctypes, sys; m = ctypes.CDLL(sys.argv[1]); m.MPI_Init(None, None)"
    ask += "; n = ctypes.create_string_buffer(1000); m.MPI_Get_processor_name(n, n)"
    for library_path in (path, tmp_path / "libmpi.so"):
        code = f"{ask}; m.MPI_Finalize()"
        assert said(mpirun, sys.executable, "-c", code, library_path) == []


def test_a_program_of_another_abi_is_named(mpirun, compiled, tmp_path):
    program = tmp_path / "pass_round.so"
    include = subprocess.run(
        [MPICC, "-show"], capture_output=True, text=True, check=True
    ).stdout.split()
    flags = [word for word in include if word.startswith("-I")]
    source = PROGRAMS / "pass_round.c"
    subprocess.run(["cc", "-shared", "-fPIC", *flags, source, "-o", program], check=True)
    assert mpirun("-n", 2, *EOS, "--fibers", "--", program).returncode == 0
    done = mpirun("-n", 2, *EOS, "--fibers", "--abi", "standard", "--", program)
    assert done.returncode != 0
    assert "compiled for the MPI of the ABI mpich" in done.stderr
    assert "--abi mpich" in done.stderr


@pytest.fixture(scope="module")
def profiler(tmp_path_factory):
    """Build a profiler."""
    if not MPICC.exists() or shutil.which("cc") is None:
        pytest.skip("needs a C compiler and the mpich wheel")
    made = tmp_path_factory.mktemp("profiler") / "libprofiler.so"
    subprocess.run([MPICC, "-shared", "-fPIC", PROGRAMS / "profiler.c", "-o", made], check=True)
    return made


SENDS = ["rank 0 sent 5 messages", "rank 1 sent 0 messages"]


@FIBERS
def test_a_linked_profiler_comes_first(mpirun, profiler, tmp_path, fibers):
    program = tmp_path / ("sends.so" if fibers else "sends")
    flags = ["-shared", "-fPIC"] if fibers else []
    flags += [profiler, f"-Wl,-rpath,{profiler.parent}"]
    subprocess.run([MPICC, PROGRAMS / "sends.c", *flags, "-o", program], check=True)
    options = ["--fibers"] if fibers else []
    done = mpirun("-n", 2, *EOS, *options, "--", program, 5)
    lines = done.stdout.splitlines()
    assert len(lines) == 2, done.stderr
    assert sorted(lines) == SENDS


def test_a_preloaded_profiler_comes_first(mpirun, profiler, compiled):
    preload = f"LD_PRELOAD={profiler}"
    done = mpirun("-n", 2, *EOS, "--", "env", preload, compiled("sends"), 5)
    assert sorted(done.stdout.splitlines()) == SENDS, done.stderr


def test_a_profiler_that_is_preloaded_for_us_too_comes_first(
    mpirun, profiler, compiled, monkeypatch
):
    monkeypatch.setenv("LD_PRELOAD", str(profiler))
    done = mpirun("-n", 2, *EOS, "--", compiled("sends"), 5)
    assert sorted(done.stdout.splitlines()) == SENDS, done.stderr
