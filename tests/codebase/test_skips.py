"""A skip without a reason fails a run that asks for reasons."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import hypothesis
import pytest

ROOT = Path(__file__).parents[2]

TESTS = """\
import pytest

@pytest.mark.skipif(True, reason="no moon")
def test_moon(): ...

@pytest.mark.parametrize("n", ["a", "b[c]"])
def test_star(n):
    pytest.skip("no stars")

@pytest.mark.xfail(reason="a known fault")
def test_wrong(): assert 0

def test_sun(): ...
"""
MODULE = 'import pytest\npytest.skip("no sky", allow_module_level=True)\n'
ALL = "test_night.py::test_moon by day\ntest_night.py::test_star* by day\ntest_sky.py no sky\n"


@pytest.fixture
def run(tmp_path):
    """Run two files of tests that skip, with a list of allowed skips; return status and output."""

    def call(allowed, *options, more=""):
        (tmp_path / "test_night.py").write_text(TESTS)
        (tmp_path / "test_sky.py").write_text(MODULE)
        (tmp_path / "conftest.py").write_text("from skips import check_skips as pytest_configure\n")
        (tmp_path / "allowed.txt").write_text(allowed)
        (tmp_path / "more.txt").write_text(more)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
        environment |= {
            "ODONATA_ALLOWED_SKIPS": "allowed.txt:more.txt",
            "PYTHONPATH": str(ROOT / "tests"),
        }
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        return done.returncode, done.stdout + done.stderr

    return call


@pytest.mark.parametrize("options", [(), ("-n", "2")])
def test_every_skip_needs_a_reason(run, options):
    status, said = run("", *options)
    assert status == 1
    assert "test_night.py::test_moon may not be skipped: Skipped: no moon" in said
    assert "test_night.py::test_star[a] may not be skipped: Skipped: no stars" in said
    assert "test_night.py::test_star[b[c]] may not be skipped: Skipped: no stars" in said
    assert "test_sky.py may not be skipped: Skipped: no sky" in said
    assert "test_wrong may not" not in said
    status, said = run(ALL, *options)
    assert status == 0, said
    assert "may not be skipped" not in said
    assert "nothing was skipped" not in said


def test_entries_may_be_in_several_files(run):
    first, *rest = ALL.splitlines(keepends=True)
    assert run(first)[0] == 1
    status, said = run(first, more="".join(rest))
    assert status == 0, said
    assert "nothing was skipped" not in said


def test_an_entry_of_no_use_is_reported(run):
    status, said = run(f"# skips\n{ALL}test_night.py::test_mars far away\n")
    assert status == 0
    assert "allowed.txt:5: nothing was skipped that test_night.py::test_mars allows" in said


def test_an_entry_without_a_reason_is_refused(run):
    status, said = run("test_night.py::test_moon\n")
    assert status == 4
    assert "allowed.txt:1: no reason for skipping test_night.py::test_moon" in said


def test_a_skip_does_not_hide_a_failure(run):
    assert run(ALL, "--runxfail")[0] == 1


def test_entries_of_our_list_name_tests_that_there_are():
    lines = (ROOT / "tests" / "allowed-skips.txt").read_text().splitlines()
    for pattern in [line.split()[0] for line in lines if not line.startswith("#")]:
        file, _, test = pattern.partition("::")
        assert f"def {test.partition('[')[0]}(" in (ROOT / file).read_text(), pattern


def test_no_example_of_hypothesis_has_a_deadline():
    assert hypothesis.settings.default.deadline is None
    own = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "tests").rglob("*.py")
        if "deadline=" in path.read_text() and path != Path(__file__)
    ]
    assert own == ["tests/conftest.py"]
