"""Commands and printed output of the pages, as their code blocks have them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md")])
HEADS = {"odonata", "python", "pip", "apt", "srun", "mpirun", "mpiexec", "mpicc", "export"}
"""First words of a line that is a command."""

_FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
_INDENTED = re.compile(r"(?<=\n\n)((?: {4}.*\n)+)(?=\n)")
_COMMENT = re.compile(r"\s+#\s(.*)$")
_ASSIGNMENT = re.compile(r"^[A-Z_]+=\S+ ")
_OTHER_LANGUAGES = ("from ", "import ", "node 0 ", "MPI_", "odonata: ")


@dataclass
class Command:
    """A command of a page, and the comment behind it."""

    text: str
    comment: str = ""


@dataclass
class Step:
    """Commands of a block, and the blocks of output before the next commands."""

    commands: list[Command]
    printed: list[str] = field(default_factory=list)


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def steps(page: Path) -> list[Step]:
    """Return the commands of a page in their order."""
    found: list[Step] = []
    text = page.read_text(encoding="utf-8")
    for at, language, block in _blocks(text):
        commands = _commands(block) if language in ("", "indented") else []
        if commands:
            found.append(Step(commands))
        elif found and language == "" and _is_printed(block, text[:at]):
            found[-1].printed.append(block)
    return found


def _is_printed(block: str, before: str) -> bool:
    """Tell whether a block is output; a paragraph before it with options is of other runs."""
    paragraph = before.rstrip().rpartition("\n\n")[2]
    return not block.startswith(_OTHER_LANGUAGES) and "`" not in paragraph.replace("```", "")


def _blocks(text: str) -> list[tuple[int, str, str]]:
    """Return place, language and text of each block, ``indented`` for one without a fence."""
    fenced = [(match.start(), match[1], match[2]) for match in _FENCED.finditer(text)]
    without = _FENCED.sub(lambda match: re.sub(r"[^\n]", "x", match[0]), text)
    indented = [
        (match.start(), "indented", re.sub(r"(?m)^ {4}", "", match[1]))
        for match in _INDENTED.finditer(without)
    ]
    return sorted(fenced + indented)


def _commands(block: str) -> list[Command]:
    """Return the commands of a block whose lines are all commands; of any other block, nothing."""
    lines = re.sub(r"\\\n\s*", "", block).splitlines()
    made = []
    for line in filter(None, map(str.strip, lines)):
        comment = _COMMENT.search(line)
        text = line[: comment.start()] if comment else line
        if _ASSIGNMENT.sub("", text).split()[0] not in HEADS:
            return []
        made += [Command(part, comment[1] if comment else "") for part in text.split(" && ")]
    return made
