"""Programs of others run unchanged; hypre gives the same as under Open MPI."""

import shutil
import subprocess
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "programs"
EOS = ["--machine", "eos", "--compute", "none"]
OPENMPI = shutil.which("mpicc.openmpi")
HYPRE = Path("/usr/include/hypre/HYPRE.h")

# Values of hpcc's input, a line each: one problem of 100 rows in blocks of 16 on 2 x 2 processes,
# threshold; factorization, recursion, broadcast and depth, one of each; swapping and layout.
HPL = [1, 100, 1, 16, 0, 1, 2, 2, 16.0, 1, 2, 1, 4, 1, 2, 1, 1, 1, 1, 1, 0, 2, 64, 0, 0, 1, 8]


@pytest.mark.skipif(not (OPENMPI and HYPRE.exists()), reason="needs Open MPI and hypre")
@pytest.mark.parametrize("ranks", [1, 2, 7, 8, 16])
def test_hypre_solves_as_under_open_mpi_to_the_last_digit(mpirun, under_open_mpi, ranks, tmp_path):
    program = tmp_path / "boomeramg"
    source = PROGRAMS / "boomeramg.c"
    flags = ["-O1", f"-I{HYPRE.parent}", "-lHYPRE", "-lm"]
    subprocess.run([OPENMPI, source, "-o", program, *flags], check=True)
    done = mpirun("-n", ranks, *EOS, "--", program, 6)
    assert done.returncode == 0, done.stderr
    assert "iterations" in done.stdout
    assert done.stdout == under_open_mpi(ranks, program, 6)


@pytest.mark.skipif(not shutil.which("hpcc"), reason="needs hpcc")
def test_hpcc_succeeds(mpirun, tmp_path, monkeypatch):
    values = ["HPL.out", 8, *HPL, "", 0, 1200, 0, 40]  # PTRANS: only the sizes of HPL
    lines = ["", "", *(f"{value}  " for value in values)]  # two lines of title
    (tmp_path / "hpccinf.txt").write_text("\n".join(lines) + "\n")
    monkeypatch.chdir(tmp_path)
    done = mpirun("-n", 4, "--machine", "eos", "--", "hpcc", timeout=300)
    assert done.returncode == 0, done.stderr
    assert "Success=1" in (tmp_path / "hpccoutf.txt").read_text()
