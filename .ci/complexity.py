"""Compares the complexity of C++ functions with the list of functions above the limit."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("amg", "cpp")
LIST = Path(__file__).with_name("complex-functions.txt")
LIMIT = 10
"""Largest complexity without an entry in the list; ruff has the same for Python."""


def measure(root: Path, folders: Iterable[str] = FOLDERS) -> dict[str, int]:
    """Return the functions above the limit, as ``path name``, and their complexities.

    Functions of one name in one file, such as overloads, have one entry: the largest.
    """
    import lizard

    found: dict[str, int] = {}
    for file in lizard.analyze([str(root / folder) for folder in folders], lans=["cpp"]):
        path = Path(file.filename).relative_to(root)
        for function in file.function_list:
            if function.cyclomatic_complexity > LIMIT:
                key = f"{path} {function.name}"
                found[key] = max(found.get(key, 0), function.cyclomatic_complexity)
    return found


def read_list(text: str) -> dict[str, int]:
    """Return the entries of a list: ``path name complexity`` in each line, # for comments."""
    lines = (line.partition("#")[0].split() for line in text.splitlines())
    return {" ".join(words[:-1]): int(words[-1]) for words in lines if words}


def compare(found: Mapping[str, int], listed: Mapping[str, int]) -> list[str]:
    """Return a sentence for each function that grew, and for each entry that can shrink."""
    said = []
    for name in sorted({*found, *listed}):
        now, before = found.get(name), listed.get(name)
        if now is None:
            said.append(f"{name}: at most {LIMIT} now, or gone; remove its line from {LIST.name}")
        elif before is None:
            said.append(f"{name}: complexity {now}; allowed: {LIMIT}")
        elif now > before:
            said.append(f"{name}: complexity {now}; allowed: {before}, as before")
        elif now < before:
            said.append(f"{name}: complexity {now}; write {now} for {before} in {LIST.name}")
    return said


def main() -> int:
    """Print what differs from the list; 1 if something does."""
    said = compare(measure(ROOT), read_list(LIST.read_text(encoding="utf-8")))
    print(*said, sep="\n", end="\n" if said else "")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
