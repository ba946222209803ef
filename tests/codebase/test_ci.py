"""`.ci/run` installs what is missing, says what it can't, and cleans up."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CI = ROOT / ".ci" / "run"

PROGRAMS = {
    "dpkg-query": 'case " $MISSING " in *" $4 "*) exit 1 ;; *) printf installed ;; esac',
    "apt-get": 'echo "apt-get $*" >> "$SAID"; exit "$APT"',
    "sudo": 'shift; exec "$@"',
    "python3": 'echo "python3 $1 $2" >> "$SAID"; exit 9',  # and no further
}


@pytest.fixture
def ci(tmp_path):
    """Run it as far as the environment, with packages missing; status, stderr, what was called."""
    for name, body in PROGRAMS.items():
        (tmp_path / "bin").mkdir(exist_ok=True)
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / "bin" / name).chmod(0o755)

    def call(missing="", apt=0, sudo=True):
        if not sudo:
            (tmp_path / "bin" / "sudo").write_text("#!/bin/sh\nexit 1\n")
        said = tmp_path / "said"
        said.write_text("")
        (tmp_path / "scratch").mkdir(exist_ok=True)
        given = {"MISSING": missing, "APT": str(apt), "SAID": str(said), "CI": "true"}
        environment = {k: v for k, v in os.environ.items() if k != "PYTHON"} | given
        environment["PATH"] = f"{tmp_path / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin"
        environment["TMPDIR"] = str(tmp_path / "scratch")
        done = subprocess.run(
            ["bash", CI], env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL
        )
        assert list((tmp_path / "scratch").iterdir()) == []
        return done.returncode, done.stderr, said.read_text().splitlines()

    return call


def test_what_is_missing_is_installed(ci):
    status, _, said = ci("libhypre-dev hpcc")
    assert status == 9
    assert said == [
        "apt-get -q update",
        "apt-get -q install -y --no-install-recommends hpcc libhypre-dev",
        "python3 -m venv",
    ]


def test_nothing_is_installed_where_all_is_there(ci):
    assert ci() == (9, "", ["python3 -m venv"])


def test_what_cannot_be_installed_is_said(ci):
    status, stderr, said = ci("hpcc", apt=100)
    assert (status, said) == (1, ["apt-get -q update"])
    assert stderr == ".ci/run: apt-get update failed\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root needs no sudo")
def test_who_may_not_install_is_told_what_to_install(ci):
    status, stderr, said = ci("hpcc gfortran", sudo=False)
    assert (status, said) == (1, [])
    assert stderr == ".ci/run: install them as root first: apt-get install gfortran hpcc\n"


def test_it_runs_the_second_line_of_the_readme():
    lines = re.search(r"```\n(pip install \. .*)\n(.*)\n```", (ROOT / "README.md").read_text())
    assert f"\n{lines[2]} || exit 1\n" in CI.read_text()
