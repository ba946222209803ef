"""Habits that every file keeps: short, documented, and at home on any machine."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = [".ci", "amg", "benchmarks", "cpp", "docs", "examples", "src", "tests", "validation"]
SOURCES = {".cpp", ".hpp", ".py"}
TEXTS = SOURCES | {"", ".cmake", ".json", ".md", ".toml", ".yaml"}
LONGEST = 600  # lines
HOMES = ["home", "media", "mnt", "root", "scratch", "tmp", "Users", "work", "workspace"]
MACHINE_PATH = re.compile(r"(?<![\w.})\]>*])/(?:" + "|".join(HOMES) + ")/")


def files(suffixes: set[str]) -> list[Path]:
    inside = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*")]
    return sorted(
        path
        for path in [*inside, *(path for path in ROOT.glob("*") if path.name != ".git")]
        if path.is_file() and path.suffix in suffixes and "__pycache__" not in path.parts
    )


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", files(SOURCES), ids=name)
def test_no_source_is_long(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST


def test_no_file_knows_the_machine_it_was_written_on():
    found = [
        name(path) for path in files(TEXTS) if MACHINE_PATH.search(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize("path", sorted((ROOT / "src").rglob("*.py")), ids=name)
def test_what_is_public_is_documented(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree), "the module has no docstring"
    assert [node.name for node in public(tree) if not ast.get_docstring(node)] == []


def public(node: ast.Module | ast.ClassDef) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    """Yield the public functions, classes and methods."""
    for child in node.body:
        if not isinstance(child, (ast.AsyncFunctionDef, ast.ClassDef, ast.FunctionDef)):
            continue
        if child.name.startswith("_"):
            continue
        yield child
        if isinstance(child, ast.ClassDef):
            yield from public(child)
