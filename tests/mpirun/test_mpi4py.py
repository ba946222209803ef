"""mpi4py's own tests, as its source package has them, on simulated ranks."""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
import tarfile
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

LISTED = Path(__file__).parent / "mpi4py_tests.toml"
RUNNER = Path(__file__).parent / "programs" / "mpi4py_suite.py"


@pytest.fixture(scope="session")
def mpi4py_tests(tmp_path_factory):
    """Get the tests of the mpi4py that is installed: the package from PyPI has none."""
    folder = tmp_path_factory.mktemp("mpi4py")
    version = importlib.metadata.version("mpi4py")
    get = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", "mpi4py"]
    subprocess.run([*get, "-d", folder, f"mpi4py=={version}"], check=True, timeout=600)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        file.extractall(folder, filter="data")
    return folder / f"mpi4py-{version}" / "test"


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [2, 5])
def test_mpi4py_passes_its_own_tests(mpirun, mpi4py_tests, ranks):
    every = sorted(path.stem for path in mpi4py_tests.glob("test_*.py"))
    assert len(every) >= 64
    left_out = [entry["module"] for entry in tomllib.loads(LISTED.read_text())["left_out"]]
    modules = [name for name in every if not any(fnmatchcase(name, one) for one in left_out)]
    options = ["-n", ranks, "--machine", "dragonfly-5256", "--compute", "none"]
    options += ["--engine", "analytic"]
    program = [sys.executable, RUNNER, mpi4py_tests, LISTED, *modules]
    done = mpirun(*options, "--", *program, timeout=1200)
    assert done.returncode == 0, done.stderr[-4000:]
    reports = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert sorted(report["rank"] for report in reports) == list(range(ranks))
    for report in reports:
        assert report["failed"] == {}
        assert report["unused"] == []  # entries of the list that fit no test
        assert report["run"] > 500
    everywhere = set.intersection(*(set(report["passed"]) for report in reports))
    assert everywhere == set()  # entries of the list that are out of date


def test_what_cannot_pass_has_a_reason():
    entries = tomllib.loads(LISTED.read_text())["test"]
    patterns = [entry["pattern"] for entry in entries]
    assert len(patterns) == len(set(patterns))
    assert all(len(entry["why"]) > 10 for entry in entries)
