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
    safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # 3.11.4 and later have it
    with tarfile.open(archive) as file:
        file.extractall(folder, **safe)
    return folder / f"mpi4py-{version}" / "test"


def run_modules(mpirun, folder, ranks, modules, *options):
    """Run modules on so many ranks; their reports, in which nothing has failed."""
    where = ["--machine", "dragonfly-5256", "--compute", "none", "--engine", "analytic"]
    program = [sys.executable, RUNNER, folder, LISTED, *modules]
    done = mpirun("-n", ranks, *where, *options, "--", *program, timeout=1200)
    assert done.returncode == 0, done.stderr[-4000:]
    reports = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert sorted(report["rank"] for report in reports) == list(range(ranks))
    for report in reports:
        assert report["failed"] == {}
        assert report["unused"] == []  # entries of the list that fit no test
    everywhere = set.intersection(*(set(report["passed"]) for report in reports))
    assert everywhere == set()  # entries of the list that are out of date
    return reports


def is_left_out(module, ranks):
    entries = tomllib.loads(LISTED.read_text())["left_out"]
    here = [entry["module"] for entry in entries if ranks in entry.get("ranks", [ranks])]
    return any(fnmatchcase(module, one) for one in here)


@pytest.mark.slow
@pytest.mark.parametrize(("ranks", "least"), [(2, 1500), (5, 800)])
def test_mpi4py_passes_its_own_tests(mpirun, mpi4py_tests, monkeypatch, ranks, least):
    monkeypatch.setenv("COVERAGE_RUN", "true")  # test_util_dtlib has fewer pairs of types then
    every = sorted(path.stem for path in mpi4py_tests.glob("test_*.py"))
    assert len(every) >= 64
    modules = [name for name in every if not is_left_out(name, ranks)]
    # It wants all operations that mpi4py has room for, and others keep theirs.
    modules.sort(key=lambda name: name != "test_op")
    for report in run_modules(mpirun, mpi4py_tests, ranks, modules):
        assert report["run"] > least


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [2, 5])
def test_pools_wait_for_real_time(mpirun, mpi4py_tests, ranks):
    options = ["--clocks", "real"]
    for report in run_modules(mpirun, mpi4py_tests, ranks, ["test_util_pool"], *options):
        assert report["run"] == 19


def test_what_cannot_pass_has_a_reason():
    listed = tomllib.loads(LISTED.read_text())
    patterns = [entry["pattern"] for entry in listed["test"]]
    assert len(patterns) == len(set(patterns))
    assert all(len(entry["why"]) > 10 for entries in listed.values() for entry in entries)
