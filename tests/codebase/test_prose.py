"""Prose of comments, docstrings and help texts: the subject comes first and is a noun."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ["benchmarks", "cpp", "examples", "src", "tests", "validation"]
FRAGMENT = re.compile(r"(Of|As|What)\s")
"""Beginnings of a text without a subject."""


def sources(*suffixes: str) -> list[Path]:
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*")]
    return sorted(path for path in paths if path.suffix in suffixes)


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def comment_starts(lines: list[str], mark: str) -> Iterator[tuple[int, str]]:
    """Yield line numbers and texts of the first lines of comments that have lines of their own."""
    inside = False
    for number, line in enumerate(lines, 1):
        text = line.lstrip()
        if text.startswith(mark) and not inside:
            yield number, text.lstrip(mark + "!<").lstrip()
        inside = text.startswith(mark)


def python_texts(source: str) -> Iterator[tuple[int, str]]:
    """Yield line numbers and texts of the strings of a program, questions apart."""
    for node in ast.walk(ast.parse(source)):
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and not text.endswith("?"):
            yield node.lineno, text.lstrip()


def own_line_comments(source: str) -> Iterator[tuple[int, str]]:
    """Yield the comments of a Python file that begin a line, without those inside of strings."""
    lines = [""] * (source.count("\n") + 2)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not token.line[: token.start[1]].strip():
            lines[token.start[0] - 1] = token.string
    yield from comment_starts(lines, "#")


def fragments(texts: Iterator[tuple[int, str]]) -> list[str]:
    return [f"line {number}: {text[:60]}" for number, text in texts if FRAGMENT.match(text)]


@pytest.mark.parametrize("path", sources(".c", ".cpp", ".hpp", ".inc"), ids=name)
def test_comments_begin_with_a_noun(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert fragments(comment_starts(lines, "//")) == []


@pytest.mark.parametrize("path", sources(".py"), ids=name)
def test_docstrings_helps_and_labels_begin_with_a_noun(path):
    source = path.read_text(encoding="utf-8")
    assert fragments(python_texts(source)) == []
    assert fragments(own_line_comments(source)) == []


def test_fragments_are_found():
    cpp = ["/// Of a packet.", "int a;  // of b", "// A link that", "// What waits is no start."]
    assert fragments(comment_starts(cpp, "//")) == ["line 1: Of a packet."]
    python = ["'As it is.'", "a = 1", "'Of a.'", "f(help='What x', b='What?')", "b = '# Of b'"]
    source = "\n".join([*python, "# As c"])
    assert [text[:7] for text in fragments(python_texts(source))] == [
        "line 1:",
        "line 3:",
        "line 4:",
    ]
    assert fragments(own_line_comments(source)) == ["line 6: As c"]
