"""Files that a command reads, by their content: parts of the keys of runs."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from odonata.errors import ReadError

__all__ = ["Inputs"]

_BEFORE_FILES = ("@", "recorded:")
"""Words before the name of a file in the value of an option."""


class Inputs:
    """Contents of the files that words of a command name, each read once.

    A word names a file as it stands, behind ``=``, ``@`` or ``recorded:``. A machine file stands
    for the files that it names as well.

    Parameters
    ----------
    folder
        Folder that names of files are relative to.
    with_folders
        Whether a word may also name a folder, of a profile or a trace.
    """

    def __init__(self, folder: Path, with_folders: bool) -> None:
        self._folder = folder
        self._with_folders = with_folders
        self._known: dict[str, str] = {}

    @property
    def digests(self) -> dict[str, str]:
        """Digest of each word that names files."""
        return {word: text for word, text in self._known.items() if text}

    def of(self, words: Sequence[str]) -> list[str]:
        """Return what decides a result: each word, with the digest of its files if it names any.

        Parameters
        ----------
        words
            Words of a command.

        Raises
        ------
        ReadError
            A file cannot be read.
        """
        return [f"{word}\0{self._digest(word)}" for word in words]

    def _digest(self, word: str) -> str:
        if word not in self._known:
            total = hashlib.sha256()
            found = False
            for path in self._files_of(word):
                found = True
                total.update(_content(path))
            self._known[word] = total.hexdigest() if found else ""
        return self._known[word]

    def _files_of(self, word: str) -> Iterator[Path]:
        for name in _names_in(word):
            path = self._folder / name
            if path.is_file():
                yield from _with_named(path)
            elif self._with_folders and path.is_dir():
                yield from (inner for inner in sorted(path.rglob("*")) if inner.is_file())


def _names_in(word: str) -> list[str]:
    """Return the names of files that a word may have in it."""
    if "\0" in word or len(word) > 4000:
        return []
    names = [word, word.partition("=")[2]]
    for before in _BEFORE_FILES:
        names += [name.removeprefix(before) for name in names if name.startswith(before)]
    return [name for name in dict.fromkeys(names) if name not in ("", ".", "..", "/")]


def _with_named(path: Path) -> Iterator[Path]:
    """Yield a file, and the files that it names if it is a machine file."""
    yield path
    if path.suffix != ".toml":
        return
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):  # the command itself will refuse the file
        return
    for text in _texts(document):
        if len(text) < 1000 and "\0" not in text and (path.parent / text).is_file():
            yield path.parent / text


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def _content(path: Path) -> bytes:
    """Return the digest of a file's name and content."""
    try:
        with path.open("rb") as file:
            return (
                path.name.encode(errors="surrogateescape")
                + hashlib.file_digest(file, "sha256").digest()
            )
    except OSError as error:
        raise ReadError.of(error, path) from error
