"""Drawn changes: which are drawn, and how the tests of a tiny folder judge some."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "validation" / "mutation" / "draw.py"

LEAST = """\
def least(a, b):
    return a if a < b else b
"""
TEST = """\
from pathlib import Path


def test_the_least_of_two():
    found = {}
    source = Path(__file__).parents[2] / "src" / "odonata" / "tiny" / "least.py"
    exec(source.read_text(), found)
    assert found["least"](1, 2) == 1
    assert found["least"](2, 1) == 1
"""
FILE = "src/odonata/tiny/least.py"


@pytest.fixture
def mutation(load_study):
    return load_study("mutation", "changes", "run", "draw")


@pytest.fixture
def copy(mutation, tmp_path):
    """Return a copy of a tiny checkout, whose tests this environment runs."""
    for name, text in {FILE: LEAST, "tests/tiny/test_least.py": TEST}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    made = object.__new__(mutation.run.Copy)
    made.tree, made.venv, made.build = tmp_path, Path(sys.prefix), tmp_path / "build"
    made.environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    made.timeout, made.stale = 60, False
    return made


def replacing(mutation, old, new):
    return mutation.changes.Change((2, 13), "by hand", lambda text: text.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "status"),
    [
        ("a < b", "a <= b", "survived"),  # of two equal numbers either is the least
        ("a < b", "a > b", "killed"),
        ("return a", "while True: pass\n    return a", "timed out"),
    ],
)
def test_the_tests_of_the_folder_judge_a_change(mutation, copy, old, new, status):
    (suite,) = mutation.draw.tests_of("src", "tiny", copy)
    suite.check(longest=None)
    if status == "timed out":
        suite.longest = 5
    outcome = mutation.draw.judge(copy, [suite], FILE, replacing(mutation, old, new))
    assert outcome.status == status
    assert (outcome.file, outcome.line) == (FILE, 2)
    assert outcome.was == "return a if a < b else b"
    assert (copy.tree / FILE).read_text() == LEAST
    if status == "killed":
        assert outcome.by == "tests/tiny/test_least.py::test_the_least_of_two"


@pytest.mark.parametrize("status", [2, 3, 4, 5, -9])
def test_only_failed_tests_kill(mutation, copy, status):
    """Pytest ends with 2 to 5 where it was interrupted, failed itself or found no tests."""
    program = f"import os, signal; {status} > 0 and os._exit({status}); os.kill(os.getpid(), 9)"
    suite = mutation.draw.Suite([sys.executable, "-c", program], copy)
    assert suite.run() == ("error", f"status {status}: ")


def test_a_crash_of_tests_in_one_process_kills(mutation, copy):
    crash = [sys.executable, "-c", "import os; os.abort()"]
    assert mutation.draw.Suite(crash, copy, crash_kills=True).run()[0] == "killed"


def test_tests_that_fail_on_the_code_as_it_is_judge_nothing(mutation, copy):
    (copy.tree / FILE).write_text(LEAST.replace("<", ">"))
    (suite,) = mutation.draw.tests_of("src", "tiny", copy)
    with pytest.raises(mutation.draw.Refusal, match="do not pass on the code as it is: killed"):
        suite.check(longest=None)


def test_a_part_without_tests_is_refused(mutation, copy):
    (copy.tree / "tests" / "tiny" / "test_least.py").unlink()
    with pytest.raises(mutation.draw.Refusal, match="no tests in tests/tiny or cpp/tests/tiny"):
        mutation.draw.tests_of("src", "tiny", copy)


def test_cpp_tests_are_those_of_the_part_and_go_first(mutation, copy):
    path = copy.tree / "cpp" / "tests" / "tiny" / "least.cpp"
    path.parent.mkdir(parents=True)
    path.write_text('TEST("least/of two") {}\nTEST("tiny/nothing") {}\n')
    cpp, python = mutation.draw.tests_of("cpp", "tiny", copy)
    assert cpp.command == [copy.build / "odonata-tests", "least/of two", "tiny/nothing"]
    assert (cpp.crash_kills, python.crash_kills) == (True, False)
    assert len(mutation.draw.tests_of("src", "tiny", copy)) == 1


def test_tests_that_are_named_judge_before_those_of_the_folder(mutation, copy):
    named, others = mutation.draw.tests_of("src", "tiny", copy, "tests/tiny/test_least.py")
    assert (named.command[-1], others.command[-1]) == ("tests/tiny/test_least.py", "tests/tiny")
    status = mutation.draw.judge(copy, [named, others], FILE, replacing(mutation, "<", ">")).status
    assert status == "killed"


def test_programs_with_mpirun_are_tests_of_libmpi(mutation, copy):
    folder = ROOT / "cpp" / "preload" / "libmpi" / "core"
    assert mutation.draw.part_of(str(folder)) == ("cpp", "libmpi")
    path = copy.tree / "tests" / "mpirun" / "test_programs.py"
    path.parent.mkdir(parents=True)
    path.write_text("")
    (python,) = mutation.draw.tests_of("cpp", "libmpi", copy)
    assert python.command[-1] == "tests/mpirun"


def test_a_change_that_does_not_build_is_neither_killed_nor_survived(mutation, copy, monkeypatch):
    said = "[1/2] least.cpp\nleast.cpp:1: error: no such name\nninja: stopped"
    monkeypatch.setattr(copy, "made", lambda *_: said, raising=False)
    suite = mutation.draw.Suite(["false"], copy, crash_kills=True)
    found = mutation.draw.fate(copy, [suite], compiled=True)
    assert found == ("did not build", "least.cpp:1: error: no such name")
    outcomes = [
        mutation.draw.Outcome(FILE, 1, "", "", "", status, "", 0.0)
        for status in ["did not build", "error", "killed", "timed out", "survived", "killed"]
    ]
    summary = "1 of 4 changes survived (25%); 1 timed out; 1 did not build; 1 error"
    assert mutation.draw.summary(outcomes) == summary


def test_places_are_drawn_and_then_a_change_at_each(mutation):
    at = [((line, 0), kind) for line in range(100) for kind in ("a", "b")]
    changes = {"f": [mutation.changes.Change(place, kind, str) for place, kind in at]}
    found = mutation.changes.drawn(changes, 40, 7)
    assert found == mutation.changes.drawn(changes, 40, 7)
    assert found != mutation.changes.drawn(changes, 40, 8)
    places = [change.place for _, change in found]
    assert places == sorted(set(places))
    assert len(places) == 40
    assert min(Counter(change.kind for _, change in found).values()) > 5  # of 20 expected
    assert len(mutation.changes.drawn(changes, 101, 7)) == 100


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["src/odonata/nowhere"], "src/odonata/nowhere: not a folder below src/odonata,"),
        (["src/odonata"], "src/odonata: not a folder below src/odonata, cpp/odonata or"),
        (["src/odonata/decide", "--count", "0"], "--count: 0; allowed: 1 or more"),
        (["src/odonata/decide", "--count", "many"], "argument --count: invalid int value: 'many'"),
        (["src/odonata/decide", "--tests", "no.py"], "--tests: no such file or folder: no.py"),
        (["src/odonata/decide", "--timeout", "0"], "--timeout: 0.0; allowed: more than 0"),
        (["src/odonata/decide", "--folder", "build"], "build: inside the checkout"),
    ],
)
def test_a_refusal_is_one_line(words, reason, tmp_path):
    command = [sys.executable, SCRIPT, *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"draw.py: {reason}")
    assert done.stderr.count("\n") == 1


def kinds_by_line(module, source):
    found = {}
    for change in module.changes_of(source):
        assert change.apply(source) != source
        found.setdefault(change.place[0], set()).add(change.kind.partition("_")[0])
    return found


def test_changes_of_python_are_of_what_runs(load_study):
    pytest.importorskip("cosmic_ray")
    module = load_study("mutation", "changes", "python_changes").python_changes
    source = """\
if TYPE_CHECKING:
    import x
text: str | None = "ä"; n: int | str = 3
def f(a: int | None = 2, /, *, b: int) -> int | None:
    return a + 1 if a == n else None
"""
    changes = kinds_by_line(module, source)
    assert changes == {
        3: {"NumberReplacer"},
        4: {"NumberReplacer"},
        5: {"NumberReplacer", "ReplaceBinaryOperator", "ReplaceComparisonOperator", "AddNot"},
    }
    made = {change.apply(source).splitlines()[4] for change in module.changes_of(source)}
    assert "    return a - 1 if a == n else None" in made
    assert "    return a + 1 if a is n else None" not in made  # the interpreter's affair


def test_changes_of_cpp_are_of_what_runs(load_study):
    pytest.importorskip("tree_sitter_cpp")
    module = load_study("mutation", "changes", "cpp_changes").cpp_changes
    source = """\
#include <v1>
#define MOST 7
static_assert(sizeof(int) == 4);
std::array<int, 3> f(const T<5>& a) {  // 1 + 1
  assert(a.size() < 3 && "1 < 2");
  if (!a.empty() && a[0] < 2) throw Error("ä" + name(4));
  "ä"; total += a[1];
}
"""
    changes = kinds_by_line(module, source)
    assert changes == {
        6: {"! dropped", "&& to ||", "< to <=", "< to >=", "constant + 1", "constant - 1"}
        | {"condition negated", "statement dropped"},
        7: {"+= to -=", "+= to =", "constant + 1", "constant - 1", "statement dropped"},
    }
