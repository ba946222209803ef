"""Study files: a command, axes, combinations that are left out, seeds and kept results.

.. code-block:: toml

    command = "simulate allgather --ranks 128"

    [axes]
    machine = ["eos", "theta"]
    bytes = { from = "1KiB", to = "1MiB", factor = 4 }

    [[together]]  # options whose values change together
    algorithm = ["ring", "bruck"]
    repetitions = [1, 4]

    [[without]]  # combinations that are left out
    machine = "theta"
    bytes = "> 64KiB"

    [seeds]
    number = 5
"""

from __future__ import annotations

import itertools
import math
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from odonata.errors import UserError, near_miss
from odonata.files import read_text
from odonata.study.seeds import Seeds
from odonata.study.values import Value, is_met, listed

__all__ = [
    "COMMANDS",
    "MOST_COMBINATIONS",
    "PYTHON",
    "StudyFile",
    "command_of",
    "parse_study",
    "read_study_file",
]

MOST_BYTES = 10_000_000
"""Longest study file [B]."""

MOST_COMBINATIONS = 10_000_000
"""Combinations before any is left out."""

MOST_SEEDS = 10_000

COMMANDS = {
    "simulate": "operation",
    "replay": "trace",
    "predict amg": None,
    "place map": None,
    "mpirun": None,
    "python": None,
}
"""Commands that a study may run, and the argument of each that can be an axis like an option."""

PYTHON = "python"
"""Command of a study whose runs are calls of a Python function, see `functions.make_cases`."""

_KEYS = ("command", "axes", "together", "without", "seeds", "keep")
_SEED_KEYS = ("first", "number", "values", "until", "at_most", "of")
_KEEP_KEYS = ("files", "results")


@dataclass(frozen=True)
class StudyFile:
    """The content of a study file.

    Parameters
    ----------
    file
        Its name in messages.
    text
        Its text.
    command
        Words of the command: ``("simulate",)`` or ``("place", "map")``.
    words
        Words of the base command behind these.
    groups
        Axes; each has options whose values change together, with as many values each.
    without
        Constraints: combinations that meet all conditions of one of them are left out.
    seeds
        The seeds of each combination.
    files
        Whether a file of each run is kept.
    results
        Names of the results that are kept; empty: all numbers and texts.
    """

    file: str
    text: str
    command: tuple[str, ...]
    words: tuple[str, ...]
    groups: tuple[Mapping[str, Sequence[Value]], ...]
    without: tuple[Mapping[str, Any], ...]
    seeds: Seeds
    files: bool
    results: tuple[str, ...]

    @property
    def options(self) -> tuple[str, ...]:
        """Return the options of all axes, without dashes."""
        return tuple(name for group in self.groups for name in group)

    def combinations(self) -> Iterator[tuple[Value, ...]]:
        """Yield the values of `options` of each combination, the last axis fastest."""
        options = self.options
        each = [[*zip(*group.values(), strict=True)] for group in self.groups]
        for parts in itertools.product(*each):
            values = tuple(itertools.chain.from_iterable(parts))
            if not (self.without and self._is_left_out(dict(zip(options, values, strict=True)))):
                yield values

    def where(self, *keys: str) -> str:
        """Return ``file:line:key`` of a key of the file.

        Parameters
        ----------
        *keys
            Names of a table and of a key in it, or of a key alone.
        """
        return _where(self.file, self.text, *keys)

    def _is_left_out(self, values: Mapping[str, Value]) -> bool:
        return any(
            all(is_met(values[name], condition) for name, condition in each.items())
            for each in self.without
        )


def read_study_file(path: str | Path) -> StudyFile:
    """Read a study file.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    UserError
        It is not TOML, a key is unknown or missing, or a value is wrong; says where.
    """
    return parse_study(read_text(path, MOST_BYTES, what="study file"), str(path))


def parse_study(text: str, file: str) -> StudyFile:
    r"""Return the study of a text.

    Parameters
    ----------
    text
        Content of a study file.
    file
        Its name in messages.

    Raises
    ------
    UserError
        As `read_study_file` does.

    Examples
    --------
    >>> text = 'command = "simulate bcast"\naxes.machine = ["eos", "theta"]'
    >>> found = parse_study(text, "study.toml")
    >>> list(found.combinations())
    [('eos',), ('theta',)]
    """
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        line = re.search(r"at line ([0-9]+)", str(error))
        where = f"{file}:{line[1]}" if line else file
        raise UserError(f"study file: not TOML: {error}", where=where) from error
    return _Reader(document, text, file).study()


def command_of(words: Sequence[str], where: str | None = None) -> tuple[str, ...]:
    """Return the words of the command with which a line begins.

    Parameters
    ----------
    words
        The line, without ``odonata``.
    where
        ``file:line:key`` of the line.

    Raises
    ------
    UserError
        The command is not one of `COMMANDS`.

    Examples
    --------
    >>> command_of(["place", "map", "--machine", "eos"])
    ('place', 'map')
    """
    for known in COMMANDS:
        command = tuple(known.split())
        if tuple(words[: len(command)]) == command:
            return command
    began = " ".join(words[:2])
    raise UserError(
        "command: not one of a study",
        value=began,
        allowed=", ".join(name for name in COMMANDS if name != PYTHON),
        near=near_miss(began, COMMANDS) if words else None,
        where=where,
    )


class _Reader:
    """Makes a study of a decoded file."""

    def __init__(self, document: dict[str, Any], text: str, file: str) -> None:
        self._document = document
        self._text = text
        self._file = file

    def study(self) -> StudyFile:
        self._check_keys(self._document, _KEYS)
        command, words = self._command()
        groups = self._groups(seeds_are_axes=command == (PYTHON,))
        options = [name for group in groups for name in group]
        keep = self._table("keep")
        self._check_keys(keep, _KEEP_KEYS, "keep")
        seeds, results = self._seeds(), self._texts(keep, "results")
        if seeds.until is not None and results and seeds.of not in results:
            where = self._where("keep", "results")
            raise UserError("results: without the number of [seeds]", value=seeds.of, where=where)
        return StudyFile(
            file=self._file,
            text=self._text,
            command=command,
            words=words,
            groups=groups,
            without=self._without(options),
            seeds=seeds,
            files=self._is(keep, "files"),
            results=tuple(results),
        )

    def _where(self, *keys: str) -> str:
        return _where(self._file, self._text, *keys)

    def _check_keys(self, table: Mapping[str, Any], known: Sequence[str], *path: str) -> None:
        for key in table:
            if key not in known:
                raise UserError(
                    "study file: unknown key",
                    value=key,
                    allowed=", ".join(known),
                    where=self._where(*path, key),
                    near=near_miss(key, known),
                )

    def _table(self, name: str) -> dict[str, Any]:
        table = self._document.get(name, {})
        if not isinstance(table, dict):
            raise UserError(f"{name}: not a table", value=table, where=self._where(name))
        return table

    def _tables(self, name: str) -> list[dict[str, Any]]:
        tables = self._document.get(name, [])
        if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
            raise UserError(f"{name}: not tables", allowed=f"[[{name}]]", where=self._where(name))
        return tables

    def _command(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        line = self._document.get("command")
        if not isinstance(line, str):
            allowed = 'a text such as "simulate allgather"'
            raise UserError("command: missing", allowed=allowed, where=self._where("command"))
        try:
            words = shlex.split(line)
        except ValueError as error:
            where = self._where("command")
            raise UserError(f"command: {error}", value=line, where=where) from error
        words = words[1:] if words[:1] == ["odonata"] else words
        command = command_of(words, self._where("command"))
        return command, tuple(words[len(command) :])

    def _groups(self, *, seeds_are_axes: bool) -> tuple[dict[str, list[Value]], ...]:
        axes = {
            name: listed(given, self._where("axes", name))
            for name, given in _flat(self._table("axes")).items()
        }
        groups = [{name: values} for name, values in axes.items()]
        groups += [self._together(table) for table in self._tables("together")]
        names = [name for group in groups for name in group]
        for at, name in enumerate(names):
            if name in names[:at]:
                raise UserError("axis: there twice", value=name, where=self._where("axes", name))
            if name == "seed" and not seeds_are_axes:
                allowed = "the table [seeds]"
                where = self._where("axes", name)
                raise UserError("axis: seeds are no axis", value=name, allowed=allowed, where=where)
        number = math.prod(len(next(iter(group.values()))) for group in groups)
        if number > MOST_COMBINATIONS:
            allowed = f"at most {MOST_COMBINATIONS}"
            raise UserError("combinations: too many", value=number, allowed=allowed)
        return tuple(groups)

    def _together(self, table: Mapping[str, Any]) -> dict[str, list[Value]]:
        given = _flat(table)
        where = self._where("together")
        if not given:
            raise UserError("together: no options", where=where)
        # The same value may stand several times here: only all of them together differ.
        group = {}
        for name, values in given.items():
            if not isinstance(values, list):
                raise UserError(f"{name}: not a list", value=values, where=where)
            group[name] = [listed([value], where)[0] for value in values]
        if len({len(values) for values in group.values()}) != 1 or not next(iter(group.values())):
            lengths = {name: len(values) for name, values in group.items()}
            allowed = "lists of the same length"
            raise UserError("together: lengths differ", value=lengths, allowed=allowed, where=where)
        return group

    def _without(self, options: Sequence[str]) -> tuple[dict[str, Any], ...]:
        found = []
        for table in self._tables("without"):
            given = _flat(table)
            for name in given:
                if name not in options:
                    raise UserError(
                        "without: not an axis",
                        value=name,
                        allowed=", ".join(options),
                        near=near_miss(name, options),
                        where=self._where("without", name),
                    )
            if not given:
                where = self._where("without")
                raise UserError("without: no conditions", where=where)
            found.append(given)
        return tuple(found)

    def _seeds(self) -> Seeds:
        table = self._table("seeds")
        self._check_keys(table, _SEED_KEYS, "seeds")
        if not table:
            return Seeds()
        until = table.get("until")
        listed_seeds = table.get("values")
        if isinstance(listed_seeds, list):
            values = tuple(self._whole(one, "values") for one in listed_seeds)
        elif listed_seeds is not None:
            raise UserError("values: not a list", value=listed_seeds, where=self._where("seeds"))
        else:
            first = self._whole(table.get("first", 1), "first")
            key = "at_most" if until is not None else "number"
            values = tuple(range(first, first + self._whole(table.get(key), key, least=1)))
        if len(set(values)) < len(values) or not 1 <= len(values) <= MOST_SEEDS:
            allowed = f"1 to {MOST_SEEDS} different seeds"
            raise UserError("seeds: not seeds", allowed=allowed, where=self._where("seeds"))
        of = table.get("of", "time_seconds")
        if not isinstance(of, str):
            raise UserError("of: not a text", value=of, where=self._where("seeds", "of"))
        return Seeds(values, None if until is None else self._share(until), of)

    def _whole(self, given: object, key: str, least: int = 0) -> int:
        if isinstance(given, bool) or not isinstance(given, int) or not least <= given < 2**63:
            what = "missing" if given is None else "out of range"
            raise UserError(
                f"{key}: {what}",
                value=given,
                allowed=f"whole numbers from {least} on",
                where=self._where("seeds", key),
            )
        return given

    def _share(self, given: object) -> float:
        text = str(given).strip()
        try:
            share = float(text.rstrip("%")) / (100 if text.endswith("%") else 1)
        except ValueError:
            share = 0
        if not 0 < share < 1:
            where = self._where("seeds", "until")
            raise UserError("until: not a share", value=given, allowed='such as "2%"', where=where)
        return share

    def _is(self, table: Mapping[str, Any], key: str) -> bool:
        value = table.get(key, False)
        if not isinstance(value, bool):
            where = self._where("keep", key)
            raise UserError(f"{key}: neither true nor false", value=value, where=where)
        return value

    def _texts(self, table: Mapping[str, Any], key: str) -> list[str]:
        values = table.get(key, [])
        if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
            where = self._where("keep", key)
            raise UserError(f"{key}: not a list of texts", value=values, where=where)
        return values


def _flat(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return dotted names of nested tables; a range is a value: set.node.cores = [4, 8]."""
    found: dict[str, Any] = {}
    for name, given in table.items():
        if isinstance(given, dict) and "from" not in given:
            found |= {f"{name}.{inner}": value for inner, value in _flat(given).items()}
        else:
            found[name] = given
    return found


def _where(file: str, text: str, *keys: str) -> str:
    """Return ``file:line:key``; the line is the first below the table that begins with the key."""
    lines = [line.replace('"', "").replace(" ", "") for line in text.splitlines()]
    table, key = ".".join(keys[:-1]), keys[-1]
    start = next((at for at, line in enumerate(lines) if line.strip("[]") == table), 0)
    name = ".".join(keys)
    begins = (f"{key}=", f"{name}=", f"[{name}]", f"[[{name}]]")
    at = next((at for at, line in enumerate(lines) if at >= start and line.startswith(begins)), -1)
    return f"{file}:{at + 1}:{name}" if at >= 0 else f"{file}:{name}"
