"""`.ci/run` installs what is missing, says what it can't, and cleans up."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CI = ROOT / ".ci" / "run"
STAGES = sorted(path.name for path in (ROOT / ".ci" / "stages").iterdir())
LISTED = re.search(r"\nstages=\(\n(.*?)\n\)\n", CI.read_text(), re.DOTALL)[1]
RUN = [line.split()[0] for line in LISTED.splitlines()]

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
    tests = CI.parent / "stages" / "tests"
    assert f"\n{lines[2]} || exit 1\n" in tests.read_text()


def test_every_stage_is_run_and_documented():
    assert sorted(RUN) == STAGES
    contributing = (ROOT / "CONTRIBUTING.md").read_text()
    for stage in STAGES:
        assert f"`.ci/stages/{stage}`" in contributing
        assert os.access(CI.parent / "stages" / stage, os.X_OK)


def test_presets_of_stages_are_there():
    presets = json.loads((ROOT / "CMakePresets.json").read_text())
    for kind, command in (("configure", "cmake"), ("build", "cmake --build"), ("test", "ctest")):
        names = {preset["name"] for preset in presets[f"{kind}Presets"]}
        for stage in STAGES:
            text = (CI.parent / "stages" / stage).read_text()
            assert set(re.findall(rf"^{command} --preset (\S+)", text, re.MULTILINE)) <= names


@pytest.fixture
def staged(tmp_path):
    """Run it where each stage only says its name, and some fail; status, stdout and stderr."""
    bin_folder, ci = tmp_path / "bin", tmp_path / "checkout" / ".ci"
    (ci / "stages").mkdir(parents=True)
    bin_folder.mkdir()
    shutil.copy(CI, ci / "run")
    bodies = {
        bin_folder / "dpkg-query": "printf installed",
        bin_folder / "python3": 'mkdir -p "$3/bin"; echo : > "$3/bin/activate"',
    }
    for path, body in bodies.items():
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def call(*failing, first=None):
        for stage in STAGES:
            path = ci / "stages" / stage
            before = (first or {}).get(stage, "")
            path.write_text(
                f"#!/bin/sh\n{before}\necho here is {stage}\nexit {int(stage in failing)}\n"
            )
            path.chmod(0o755)
        given = {k: v for k, v in os.environ.items() if k != "PYTHON"}
        given["PATH"] = f"{bin_folder}{os.pathsep}/usr/bin{os.pathsep}/bin"
        done = subprocess.run(["bash", ci / "run"], env=given, capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines(), done.stderr

    return call


def test_each_stage_says_its_name_and_how_it_ended(staged):
    status, lines, stderr = staged()
    assert (status, stderr) == (0, "")
    assert [line.split()[2] for line in lines if line.startswith("here is")] == RUN
    for stage in RUN:
        assert f".ci/run: {stage}" in lines
        assert any(re.fullmatch(rf"\.ci/run: {stage} passed in \d+ s", line) for line in lines)


def test_a_stage_that_fails_stops_no_other_and_fails_the_run(staged):
    status, lines, stderr = staged("tests", "clang")
    assert status == 1
    assert stderr == ".ci/run: failed: tests clang\n"
    assert sum(line.startswith("here is") for line in lines) == len(RUN)
    assert any(re.fullmatch(r"\.ci/run: clang failed after \d+ s", line) for line in lines)


def test_clang_tidy_runs_beside_the_tests(staged, tmp_path):
    begun = tmp_path / "begun"
    wait = f"for i in $(seq 600); do test -e {begun} && break; sleep 0.1; done; test -e {begun}"
    status, lines, _ = staged(first={"clang-tidy": f"touch {begun}", "tests": f"{wait} || exit 1"})
    assert status == 0
    assert [line.split()[2] for line in lines if line.startswith("here is")] == RUN


def test_clang_tidy_is_told_to_fail_like_any_other(staged):
    status, lines, stderr = staged("clang-tidy")
    assert (status, stderr) == (1, ".ci/run: failed: clang-tidy\n")
    assert "here is clang-tidy" in lines
