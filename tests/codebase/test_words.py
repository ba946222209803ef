"""Who may use whom: the words of the architecture, in C++ and in Python."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CPP = ROOT / "cpp" / "odonata"
PYTHON = ROOT / "src" / "odonata"

MAY_USE = {
    "units": [],
    "random": [],
    "event": ["units"],
    "machine": ["units"],
    "placement": ["machine"],
    "engine": ["event", "machine"],
    "mpi": ["engine"],
    "trace": ["units"],
    "live": ["trace"],
    "workload": ["mpi", "placement", "trace"],
    "simulate": ["workload", "engine", "placement"],
    "result": ["units"],
    "model": ["machine"],
    "amg": ["machine"],
    "measure": ["trace", "machine"],
    "profile": ["trace", "machine"],
    "decide": ["result", "model", "placement", "workload"],
    "report": ["machine", "result"],
}
"""What a word may use; also whatever that one may, `random` and itself."""

PYTHON_MAY_ALSO_USE = {
    "simulate": ["result"],  # its one entry returns a Result
    "reference": ["units"],  # readable twins stand alone
    "testing": [*MAY_USE],  # strategies for machines, placements and workloads
    "live": ["simulate", "result"],  # what its programs call is played, and gives a Result
    "cli": [*MAY_USE],
    "__main__": ["cli"],  # the command from its first moment on
}
ANY_PYTHON_MAY_USE = {"errors", "files", "lazy", "_core", ""}  # "" is the package, for its version


def closure(word: str, rules: dict[str, list[str]]) -> set[str]:
    """Return every word that may be used by one."""
    reached = {word, "random"}
    waiting = [word]
    while waiting:
        for other in rules.get(waiting.pop(), []):
            if other not in reached:
                reached.add(other)
                waiting.append(other)
    return reached


def cpp_includes(path: Path) -> set[str]:
    """Return the words that a C++ source includes; what is not a word is returned as it stands."""
    names = re.findall(
        r'^\s*#\s*include\s+"([^"]+)"', path.read_text(encoding="utf-8"), re.MULTILINE
    )
    names += re.findall(
        r"^\s*#\s*include\s+<(odonata/[^>]+)>", path.read_text(encoding="utf-8"), re.MULTILINE
    )
    return {name.split("/")[1] if name.startswith("odonata/") else name for name in names}


def python_imports(path: Path) -> set[str]:
    """Return the words of odonata that a Python module imports, wherever in it."""
    words = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            words |= {word_of(alias.name) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            words |= {word_of(name) for name in imported_names(node, path)}
    return words - {None}


def imported_names(node: ast.ImportFrom, path: Path) -> list[str]:
    """Return the absolute names that a from-import may mean."""
    package = ("odonata", *path.relative_to(PYTHON).parts)[: -node.level] if node.level else ()
    base = ".".join([*package, *([node.module] if node.module else [])])
    if base != "odonata":
        return [base]
    return [f"odonata.{alias.name}" if is_module(alias.name) else "odonata" for alias in node.names]


def is_module(name: str) -> bool:
    return name == "_core" or (PYTHON / name).is_dir() or (PYTHON / f"{name}.py").exists()


def word_of(name: str) -> str | None:
    """Return the word of an absolute module name, None if it is not ours."""
    first, *rest = name.split(".")
    return (rest[0] if rest else "") if first == "odonata" else None


def python_word(path: Path) -> str:
    return path.relative_to(PYTHON).parts[0].removesuffix(".py")


CPP_FILES = sorted([*CPP.rglob("*.cpp"), *CPP.rglob("*.hpp")])
PYTHON_FILES = sorted(path for path in PYTHON.rglob("*.py") if path != PYTHON / "__init__.py")
PYTHON_RULES = {
    word: MAY_USE.get(word, []) + PYTHON_MAY_ALSO_USE.get(word, [])
    for word in [*MAY_USE, *PYTHON_MAY_ALSO_USE]
}


@pytest.mark.parametrize("path", CPP_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_cpp_includes_only_what_its_word_may(path):
    word = path.relative_to(CPP).parts[0]
    assert word in MAY_USE, f"{word} is not a word of the architecture"
    assert cpp_includes(path) <= closure(word, MAY_USE)


@pytest.mark.parametrize("path", PYTHON_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_python_imports_only_what_its_word_may(path):
    word = python_word(path)
    if word in ANY_PYTHON_MAY_USE:
        allowed = {word, "errors"}
    else:
        assert word in PYTHON_RULES, f"{word} is not a word of the architecture"
        allowed = closure(word, PYTHON_RULES) | ANY_PYTHON_MAY_USE
    assert python_imports(path) <= allowed


def test_no_word_uses_itself_through_others():
    for word, used in PYTHON_RULES.items():
        assert all(word not in closure(other, PYTHON_RULES) for other in used if other != word)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("import odonata.result", {"result"}),
        ("from odonata.result.figures import x", {"result"}),
        ("from odonata import units, __version__", {"units", ""}),
        ("from ..units import parse_time", {"units"}),
        ("from . import failures", {"cli"}),
        ("def f():\n  import odonata.report", {"report"}),
        ("import numpy", set()),
    ],
)
def test_imports_are_found(line, words, tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "PYTHON", tmp_path)
    (tmp_path / "units.py").touch()
    (tmp_path / "cli").mkdir()
    path = tmp_path / "cli" / "module.py"
    path.write_text(line, encoding="utf-8")
    assert python_imports(path) == words
