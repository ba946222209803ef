"""The list of mutants fits the code: each can be made, and has tests that could kill it."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LIST = ROOT / "validation" / "mutation" / "mutants.toml"
MUTANTS = tomllib.loads(LIST.read_text(encoding="utf-8"))["mutant"]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant["name"])
def test_the_text_that_a_mutant_changes_is_there_once(mutant):
    text = (ROOT / mutant["file"]).read_text(encoding="utf-8")
    assert text.count(mutant["old"]) == 1
    assert mutant["old"] != mutant["new"]
    assert len(mutant["why"].splitlines()) == 1


def test_every_mutant_has_a_name_of_its_own_and_tests_that_there_are():
    assert len({mutant["name"] for mutant in MUTANTS}) == len(MUTANTS) >= 60
    sources = (ROOT / "cpp" / "tests").rglob("*.cpp")
    cpp = re.findall(r'^TEST\("([^"]+)"', "\n".join(p.read_text() for p in sources), re.MULTILINE)
    for test in {test for mutant in MUTANTS for test in mutant["tests"]}:
        prefix = test.removeprefix("cpp:")
        if prefix == test:
            assert (ROOT / test.partition("::")[0]).is_file(), test
        else:
            assert any(name.startswith(prefix) for name in cpp), test


@pytest.mark.parametrize("part", ["odonata/model", "odonata/measure", "libmpi", "odonata/engine"])
def test_every_part_has_mutants(part):
    assert sum(part in mutant["file"] for mutant in MUTANTS) >= 8


@pytest.fixture(scope="module")
def script():
    """Return the module that makes the mutants."""
    spec = importlib.util.spec_from_file_location("mutation_run", LIST.with_name("run.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_mutants_are_made_in_the_order_of_the_patterns_and_once(script):
    found = [mutant.name for mutant in script.chosen(["knee-*", "mean-of-all-links", "knee-p*"])]
    knees = [mutant["name"] for mutant in MUTANTS if mutant["name"].startswith("knee-")]
    assert found == [*knees, "mean-of-all-links"]
    assert len(script.chosen(["*"])) == len(MUTANTS)
    with pytest.raises(SystemExit, match="no mutant's name matches 'nee-"):
        script.chosen(["knee-*", "nee-*"])


def test_a_file_is_as_before_whatever_ends_its_change(script, tmp_path):
    path = tmp_path / "some.py"
    path.write_text("if x < 1:\n")
    copy = object.__new__(script.Copy)
    copy.tree, copy.stale = tmp_path, False

    def interrupted():
        with copy.changed("some.py", "if x <= 1:\n"):
            assert path.read_text() == "if x <= 1:\n"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == "if x < 1:\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_runs_ends_with_us(number):
    """A child that ignores the signal, and its own child, end with the script."""
    name = f"61.{os.getpid()}{number.value}"
    child = f"trap '' INT TERM; sleep {name} & wait"
    text = f"""
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
made = runpy.run_path({str(LIST.with_name("run.py"))!r}, run_name="other")
signal.signal(signal.SIGTERM, made["ended"])
made["run"](["sh", "-c", {child!r}])
"""
    process = subprocess.Popen([sys.executable, "-c", text], stderr=subprocess.DEVNULL)
    wait_until(lambda: sleeps(name))
    process.send_signal(number)
    assert process.wait(timeout=30) != 0
    wait_until(lambda: not sleeps(name))


def wait_until(true, seconds=30):
    """Wait for something to become true."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def sleeps(name):
    """Return whether a process sleeps for so many seconds."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes().split(b"\0")[:2] == [b"sleep", name.encode()]:
                return True
        except OSError:
            continue
    return False


@pytest.fixture
def interruptible():
    """Raise KeyboardInterrupt on SIGINT, also where the tests run in the background."""
    kept = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, kept)


@pytest.mark.usefixtures("interruptible")
def test_a_signal_that_comes_while_a_command_starts_is_raised_afterwards(script):
    done = []

    def started():
        with script.signals_held():
            signal.raise_signal(signal.SIGINT)
            done.append("started")

    with pytest.raises(KeyboardInterrupt):
        started()
    assert done == ["started"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
