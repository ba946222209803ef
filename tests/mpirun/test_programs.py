"""Programs that no one here wrote run as they are; hypre gives what it gives under Open MPI."""

import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "programs"
EOS = ["--machine", "eos", "--compute", "none"]
OPENMPI = shutil.which("mpicc.openmpi")
HYPRE = Path("/usr/include/hypre/HYPRE.h")
BENCHMARKS = ["PingPong", "Sendrecv", "Exchange", "Allreduce", "Allgather", "Alltoall", "Bcast"]


@pytest.fixture(scope="module")
def imb(tmp_path_factory):
    """Intel's MPI benchmarks, from the package index."""
    folder = tmp_path_factory.mktemp("imb")
    pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--dest", folder]
    if subprocess.run([*pip, "impi-rt==2021.19.0"], check=False).returncode != 0:
        pytest.skip("impi-rt cannot be had")
    (wheel,) = folder.glob("impi_rt-*.whl")
    with zipfile.ZipFile(wheel) as packed:
        (name,) = [n for n in packed.namelist() if n.endswith("/bin/IMB-MPI1")]
        program = Path(packed.extract(name, folder))
    program.chmod(0o755)
    wheel.unlink()
    return program


@pytest.mark.slow
def test_intels_benchmarks_run_on_64_nodes(mpirun, imb):
    few = ["-msglog", "0:10", "-iter", 5, "-npmin", 64]
    done = mpirun("-n", 64, *EOS, "--json", "--", imb, *BENCHMARKS, "Barrier", *few, timeout=300)
    assert done.returncode == 0, done.stderr
    assert re.findall(r"Benchmarking (\w+)", done.stderr) == [*BENCHMARKS, "Barrier"]
    document = json.loads(done.stdout)
    assert document["abi"] == "mpich"
    pingpong = dict(re.findall(r"^ +(\d+) +5 +([\d.]+) +[\d.]+$", done.stderr, re.MULTILINE))
    assert list(pingpong)[:3] == ["0", "1", "2"]
    # half of there and back between two neighbours: overheads, wires and a router, then bytes
    assert 1.0 < float(pingpong["0"]) < float(pingpong["1024"]) < 2.0


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
    small = {"1000 ": "100 ", "80 ": "16 "}
    lines = Path("/usr/share/doc/hpcc/examples/_hpccinf.txt").read_text().splitlines()
    for start, less in small.items():
        lines = [less + line[len(start) :] if line.startswith(start) else line for line in lines]
    (tmp_path / "hpccinf.txt").write_text("\n".join(lines) + "\n")
    monkeypatch.chdir(tmp_path)
    done = mpirun("-n", 4, "--machine", "eos", "--", "hpcc", timeout=300)
    assert done.returncode == 0, done.stderr
    assert "Success=1" in (tmp_path / "hpccoutf.txt").read_text()
