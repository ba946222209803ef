"""The check of the cyclomatic complexity of C++ functions."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / ".ci" / "complexity.py"
BRANCHES = "".join(f"  if (x == {i}) return {i};\n" for i in range(10))


@pytest.fixture(scope="module")
def complexity():
    """Return the module of the check."""
    spec = importlib.util.spec_from_file_location("complexity", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("found", "listed", "said"),
    [
        ({"a.cpp f": 12}, {"a.cpp f": 12}, []),
        ({"a.cpp f": 11}, {}, ["a.cpp f: complexity 11; allowed: 10"]),
        ({"a.cpp f": 13}, {"a.cpp f": 12}, ["a.cpp f: complexity 13; allowed: 12, as before"]),
        (
            {"a.cpp f": 11},
            {"a.cpp f": 12},
            ["a.cpp f: complexity 11; write 11 for 12 in complex-functions.txt"],
        ),
        (
            {},
            {"a.cpp f": 12},
            ["a.cpp f: at most 10 now, or gone; remove its line from complex-functions.txt"],
        ),
    ],
)
def test_functions_may_not_grow_and_the_list_must_shrink(complexity, found, listed, said):
    assert complexity.compare(found, listed) == said


def test_entries_are_read_without_comments(complexity):
    text = "# a list\n\na.cpp odonata::f 12\nb.cpp ~T 11  # why\n"
    assert complexity.read_list(text) == {"a.cpp odonata::f": 12, "b.cpp ~T": 11}


def test_functions_above_the_limit_are_found(complexity, tmp_path):
    pytest.importorskip("lizard")
    body = f"(int x) {{\n{BRANCHES}  return -1;\n}}\n"  # ten conditions: complexity 11
    (tmp_path / "cpp").mkdir()
    (tmp_path / "cpp" / "a.cpp").write_text(
        f"namespace n {{\nint f{body}int g(int x) {{ return x > 0 ? x : 0; }}\n}}\n",
        encoding="utf-8",
    )
    (tmp_path / "cpp" / "b.py").write_text("", encoding="utf-8")
    assert complexity.measure(tmp_path, ["cpp"]) == {"cpp/a.cpp n::f": 11}
