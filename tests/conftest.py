"""Ways to run ``odonata``, a real MPI beside ours, and what holds for every test."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile

import hypothesis
import pytest

from odonata import cli

from .skips import check_skips

# How long an example takes says how busy the machine is.
hypothesis.settings.register_profile(
    "odonata", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("odonata")

# The environment of any user, with ranks that yield where there are more of them than cores.
OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
}


def pytest_configure(config):
    check_skips(config)
    if hasattr(config.option, "maxschedchunk"):  # workers of pytest-xdist end together
        config.option.maxschedchunk = 1


def pytest_collection_modifyitems(items):
    """Long tests come first, so that no worker begins one when the others are done."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture(scope="session", autouse=True)
def real_mpis():
    """Give each worker a folder for Open MPI: two programs that make the same one can collide.

    MPICH's wheel has UCX, which complains on standard output where there is no ``/sys``.
    """
    with tempfile.TemporaryDirectory(prefix="ompi-", ignore_cleanup_errors=True) as folder:
        os.environ.update(OMPI_MCA_orte_tmpdir_base=folder, UCX_LOG_LEVEL="fatal")
        yield


@pytest.fixture
def run_odonata(monkeypatch, capsys):
    """Run ``odonata`` in this process; status, stdout, stderr."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["odonata", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        said = capsys.readouterr()
        return left.value.code or 0, said.out, said.err

    return call


@pytest.fixture(scope="session")
def under_open_mpi():
    """Return what a program prints under the real Open MPI."""
    mpirun = shutil.which("mpirun.openmpi")
    if mpirun is None:
        pytest.skip("needs Open MPI's mpirun")

    def call(ranks, *program):
        done = subprocess.run(
            [str(word) for word in (mpirun, "-n", ranks, *program)],
            capture_output=True,
            text=True,
            timeout=300,
            env={**os.environ, **OPEN_MPI},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return call
