"""`.ci/run` installs missing packages, says which it can't, and cleans up."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import time
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
    """Run it as far as the environment, with packages missing; status, stderr, calls."""
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


def test_it_runs_the_lines_of_the_readme():
    readme = (ROOT / "README.md").read_text()
    lines = re.search(r"```\n(pip install \. .*)\n(.*)\n```", readme)
    tests, bare = ((CI.parent / "stages" / stage).read_text() for stage in ("tests", "bare"))
    assert f"\n{lines[2]} || exit 1\n" in tests
    assert f"\n{lines[1]} || exit 1\n{lines[2]} || exit 1\n" in bare
    packages = re.search(r"`apt install ([^`]*)`", readme)[1].split()
    assert f" --include={','.join(packages)} " in bare


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


WITHOUT_HISTORY = [stage for stage in RUN if stage != "bare"]
"""Stages where git does not tell what has changed."""


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

    def call(*failing, first=None, named=()):
        for stage in STAGES:
            path = ci / "stages" / stage
            before = (first or {}).get(stage, "")
            path.write_text(
                f"#!/bin/sh\n{before}\necho here is {stage}\nexit {int(stage in failing)}\n"
            )
            path.chmod(0o755)
        given = {k: v for k, v in os.environ.items() if k != "PYTHON"}
        given["PATH"] = f"{bin_folder}{os.pathsep}/usr/bin{os.pathsep}/bin"
        command = ["bash", ci / "run", *named]
        done = subprocess.run(command, env=given, capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines(), done.stderr

    return call


def test_each_stage_says_its_name_and_how_it_ended(staged):
    status, lines, stderr = staged()
    assert (status, stderr) == (0, "")
    assert [line.split()[2] for line in lines if line.startswith("here is")] == WITHOUT_HISTORY
    for stage in WITHOUT_HISTORY:
        assert f".ci/run: {stage}" in lines
        assert any(re.fullmatch(rf"\.ci/run: {stage} passed in \d+ s", line) for line in lines)


def test_a_stage_that_fails_stops_no_other_and_fails_the_run(staged):
    status, lines, stderr = staged("tests", "clang")
    assert status == 1
    assert stderr == ".ci/run: failed: tests clang\n"
    assert sum(line.startswith("here is") for line in lines) == len(WITHOUT_HISTORY)
    assert any(re.fullmatch(r"\.ci/run: clang failed after \d+ s", line) for line in lines)


def test_clang_tidy_runs_beside_the_tests(staged, tmp_path):
    begun = tmp_path / "begun"
    wait = f"for i in $(seq 600); do test -e {begun} && break; sleep 0.1; done; test -e {begun}"
    status, lines, _ = staged(first={"clang-tidy": f"touch {begun}", "tests": f"{wait} || exit 1"})
    assert status == 0
    assert [line.split()[2] for line in lines if line.startswith("here is")] == WITHOUT_HISTORY


def test_clang_tidy_is_told_to_fail_like_any_other(staged):
    status, lines, stderr = staged("clang-tidy")
    assert (status, stderr) == (1, ".ci/run: failed: clang-tidy\n")
    assert "here is clang-tidy" in lines


def test_stages_can_be_named(staged):
    status, lines, stderr = staged("tests", named=["style", "bare"])
    assert (status, stderr) == (0, "")
    said = [line.split()[2] for line in lines if line.startswith("here is")]
    assert said == ["style", "bare"]


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_the_bare_stage_runs_where_something_that_matters_changed(staged, tmp_path):
    def git(*words):
        setting = ["-c", "user.name=a", "-c", "user.email=a@b"]
        command = ["git", "-C", tmp_path / "checkout", *setting, *words]
        subprocess.run(command, check=True, capture_output=True)

    def is_run(**how):
        status, lines, stderr = staged(**how)
        assert (status, stderr) == (0, "")
        left_out = any(line.startswith(".ci/run: bare is left out: nothing") for line in lines)
        assert left_out != ("here is bare" in lines)
        return not left_out

    staged()
    git("init")
    git("add", ".ci/stages/bare")
    assert not is_run()  # no history to compare with
    for _ in range(4):
        git("commit", "--allow-empty", "-m", "a change")
    assert not is_run()
    assert is_run(named=["bare"])
    for name in ("pyproject.toml", "cpp/CMakeLists.txt", "tests/a/conftest.py"):
        path = tmp_path / "checkout" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
        git("add", name)
        assert is_run(), name
        git("rm", "-f", name)
        assert not is_run()


def _heed_ctrl_c():
    """Heed SIGINT, which is ignored in whatever a shell has begun in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def bare(tmp_path):
    """Begin the stage in a folder for its files, with programs of ours in the place of others."""
    programs, scratch = tmp_path / "bin", tmp_path / "scratch"
    programs.mkdir()
    scratch.mkdir()
    for name in ("bash", "cat", "dirname", "mktemp", "mkdir", "pkill", "rm", "sleep", "unshare"):
        if found := shutil.which(name):
            (programs / name).symlink_to(found)

    def call(**bodies):
        for name, body in bodies.items():
            (programs / name).write_text(f"#!/bin/sh\n{body}\n")
            (programs / name).chmod(0o755)
        environment = {"PATH": str(programs), "TMPDIR": str(scratch)}
        return subprocess.Popen(
            [CI.parent / "stages" / "bare"],
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=_heed_ctrl_c,
        )

    yield call
    assert list(scratch.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="others than root are told so first")
def test_the_bare_stage_tells_what_it_needs(bare):
    stage = bare()
    _, stderr = stage.communicate(timeout=60)
    assert stage.returncode == 1
    assert stderr == ".ci/stages/bare: needs mmdebstrap: apt-get install mmdebstrap\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may do all")
def test_the_bare_stage_needs_root(bare):
    stage = bare(sudo="exit 1")
    _, stderr = stage.communicate(timeout=60)
    assert stage.returncode == 1
    assert stderr == ".ci/stages/bare: only root may mount, and enter another root\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_bare_stage_that_is_stopped_leaves_nothing(bare, tmp_path, number):
    begun = tmp_path / "begun"
    stage = bare(mmdebstrap=f'mkdir "$root"; echo > {begun}; sleep 600')
    while not begun.exists():
        assert stage.poll() is None, stage.stderr.read()
        time.sleep(0.01)
    stage.send_signal(number)
    stage.communicate(timeout=60)  # ends when no process is left that could write
    assert stage.returncode == 128 + number
