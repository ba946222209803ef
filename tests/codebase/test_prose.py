"""Prose of comments, docstrings, help texts and pages: the subject comes first and is a noun."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ["amg", "benchmarks", "cpp", "examples", "src", "tests", "validation"]
FRAGMENT = re.compile(r"(Of|As|What)\s")
"""Beginnings of a text without a subject."""
PRONOUN = re.compile(
    r"\b(?<!::)([Tt]hat of|[Tt]hose (of|that)|[Ww]hat (is|it|they|was|were)|[Tt]he one"
    r"|[Ss]omebody|[Nn]obody|(is|are) none|[Tt]here is not|[Gg]o(es)? on)\b".replace(" ", r"\s")
)
"""Pronouns, and verbs like them, that often stand where the field has a noun."""
MOST_PRONOUNS = 44
"""Number of pronouns in comments, strings and pages; may only fall."""


def sources(*suffixes: str, folders: Iterable[str] = FOLDERS) -> list[Path]:
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*")]
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


def c_prose(source: str) -> str:
    """Return comments and strings of C or C++, line by line; code is left out."""
    token = re.compile(
        r"""//[/!]?<?([^\n]*)|/\*(.*?)\*/|"((?:\\.|[^"\\\n])*)"|'\\?.'|\n""", re.DOTALL
    )
    parts = (
        match[0] if match[0] == "\n" else match[match.lastindex or 0]
        for match in token.finditer(source)
    )
    return " ".join(parts)


def python_prose(source: str) -> str:
    """Return comments of a Python file, line by line, and its strings."""
    lines = [""] * (source.count("\n") + 2)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            lines[token.start[0] - 1] = token.string.lstrip("#")
    nodes = (node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant))
    return "\n".join([*lines, *(f"{text}\n" for text in nodes if isinstance(text, str))])


def prose(path: Path) -> str:
    """Return the text of a file that people read; lines have no indentation."""
    text = path.read_text(encoding="utf-8")
    if path.suffix in {".c", ".cpp", ".h", ".hpp", ".inc"}:
        text = c_prose(text)
    elif path.suffix == ".py":
        text = python_prose(text)
    elif path.suffix == ".md":
        text = re.sub(r"^ *```.*?^ *```", "", text, flags=re.S | re.M)
    return re.sub(r" *\n *", "\n", re.sub(r"`[^`\n]*`", "", text))


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


def pronouns(path: Path) -> int:
    return sum(1 for _ in PRONOUN.finditer(prose(path)))


def test_pronouns_become_fewer():
    suffixes = [".c", ".cpp", ".h", ".hpp", ".inc", ".md", ".py", ".toml"]
    paths = [*ROOT.glob("*.md"), *sources(*suffixes, folders=[*FOLDERS, "docs"])]
    total = sum(map(pronouns, paths))
    assert total <= MOST_PRONOUNS, "write the noun in the place of a pronoun"
    assert total > MOST_PRONOUNS - 10, f"fewer than before: set MOST_PRONOUNS to {total}"


@pytest.mark.parametrize(
    ("file", "text", "number"),
    [
        ("a.cpp", '/// That\n/// of a\nint nobody;  // Nobody goes on\nf("is none", \'"\', 0);', 4),
        ("a.hpp", "/* those\nthat */ int a;  // that\n\n// of `that of`", 1),
        ("a.py", "# that\n# of\na = f'{b} is none' if b is None else ('what '\n'is')\nnobody", 3),
        ("a.md", "- that\n  of\n\n```\nthe one\n```\n\n`what is` is None\nthat\n\nof", 1),
    ],
)
def test_pronouns_are_counted(tmp_path, file, text, number):
    (tmp_path / file).write_text(text, encoding="utf-8")
    assert pronouns(tmp_path / file) == number
