"""Study files: a template, and the study that a command with commas stands for."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from odonata.cli.axes import (
    parse_collectives,
    split,
    split_allocations,
    split_changes,
    split_faults,
    split_machines,
    whole_number,
)
from odonata.cli.in_process import OUTPUTS, QUIET, InProcess
from odonata.errors import UserError
from odonata.study.file import command_of, parse_study

__all__ = ["TEMPLATE", "of_line"]

TEMPLATE = """\
# A study: odonata study run study.toml -o FOLDER
# makes one run of the command for each combination of the axes and each seed.

command = "simulate allgather --ranks 128"

# Options without their dashes. A list, or a range: { from = 64, to = 1024, factor = 2 } or
# { from = 0.1, to = 0.9, step = 0.2 }. false leaves an option out, true is an option without value.
[axes]
machine = ["eos", "theta"]
bytes = { from = "1KiB", to = "64KiB", factor = 8 }
# "set.node.cores" = [4, 8]

# Options whose values change together:
# [[together]]
# operation = ["allgather", "alltoall"]
# algorithm = ["ring", "pairwise"]

# Combinations that are left out: where all conditions of a table are met.
# [[without]]
# machine = "theta"
# bytes = "> 8KiB"

[seeds]
number = 5
# or until the median of a number is known to 2 % (95 % confidence, so 6 seeds at least):
# until = "2%"
# of = "time_seconds"
# at_most = 40

[keep]
files = false  # true keeps the result file of each run
# results = ["time_seconds", "packets"]  # all numbers and texts, if left out
"""

_ONE_VALUE = ("pack",)
"""Options whose commas do not separate runs."""

_WITH_COMMAS = ("simulate", "replay")
"""Commands whose options list values."""

_ORDER = (
    *("machine", "allocation", "set", "fail", "slow", "mapping", "engine", "routing", "bias"),
    *("packet-bytes", "background", "busy", "busy-with", "algorithm", "bytes", "ranks", "load"),
)
"""Order of the axes of a comparison; others follow."""


def of_line(line: str) -> str:
    """Return the text of the study file that a command with commas stands for.

    Parameters
    ----------
    line
        The command; options of its output are left out.

    Raises
    ------
    UserError
        It is no command of a study, or an option is unknown.

    Examples
    --------
    >>> print(of_line("simulate bcast --machine eos,theta --ranks 8 --seed 1,2"))
    command = "simulate bcast --ranks 8"
    <BLANKLINE>
    [axes]
    machine = ["eos", "theta"]
    <BLANKLINE>
    [seeds]
    values = [1, 2]
    <BLANKLINE>
    """
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UserError(f"command: {error}", value=line) from error
    return of_words(words[1:] if words[:1] == ["odonata"] else words)


def of_words(words: Sequence[str], *, files: bool = False) -> str:
    """Return the text of the study file that the words of a command stand for.

    Parameters
    ----------
    words
        The command without ``odonata``.
    files
        Whether the study keeps the files of its runs.
    """
    command = command_of(words)
    if words[0] == "mpirun":  # the words of the program are not ours
        return _written(words, {}, [], files=files)
    found = _Words([*command])
    for option, word, value in _options(words[len(command) :], InProcess().options_of(command)):
        found.take(option, word, value, lists=words[0] in _WITH_COMMAS)
    in_order = sorted(found.axes.items(), key=lambda axis: _place(axis[0]))
    return _written(found.kept, dict(in_order), found.seeds, files=files)


def _options(
    words: Sequence[str], options: Mapping[str, Any]
) -> Iterator[tuple[Any, str, str | None]]:
    """Yield option, name and value of each word; no option: an argument of the command."""
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        option = options.get(name)
        if option is None:
            yield None, word, None
        elif option.is_flag:
            yield option, word, None
        else:
            yield option, name, value if equals else next(rest, "")


@dataclass
class _Words:
    """Words of a command, sorted into fixed ones, axes and seeds."""

    kept: list[str]
    axes: dict[str, Sequence[str]] = field(default_factory=dict)
    seeds: list[int] = field(default_factory=list)

    def take(self, option: Any, word: str, value: str | None, *, lists: bool) -> None:
        """Sort in an option, whose values are a list in some commands."""
        if word in (*OUTPUTS, *QUIET):
            return
        if value is None:
            self.kept.append(word)
            return
        name = max(option.opts, key=len).removeprefix("--")
        if name == "seed":
            self.seeds = [whole_number("seed", one) for one in split("seed", value)]
            return
        found = _axis(name, value) if lists and name not in _ONE_VALUE else {}
        several = {axis: values for axis, values in found.items() if len(values) > 1}
        if several.keys() & self.axes.keys():
            raise UserError("study: lists of an option twice", value=f"--{name}")
        self.axes |= several
        self.kept += [] if several else [word, value]


def _place(axis: str) -> int:
    """Return the place of an axis in a comparison: the last one changes from run to run."""
    name = axis.partition(".")[0]
    return _ORDER.index(name) if name in _ORDER else len(_ORDER)


def _axis(name: str, value: str) -> dict[str, Sequence[str]]:
    """Return the axis that an option with its values stands for."""
    if name == "machine":
        return {name: split_machines(value)}
    if name == "allocation":
        return {name: split_allocations(value)}
    if name == "set":
        key = value.partition("=")[0]
        return {f"set.{key}": [one[0].partition("=")[2] for one in split_changes([value])]}
    if name in ("fail", "slow"):
        return {name: [one[0] for one in split_faults(f"--{name}", [value])]}
    if name == "collective":
        ((operation, algorithms),) = parse_collectives([value]).items()
        return {f"collective.{operation}": split(f"--collective {operation}", algorithms)}
    return {name: split(name, value)}


def _written(
    words: Sequence[str], axes: dict[str, Sequence[str]], seeds: Sequence[int], *, files: bool
) -> str:
    lines = [f"command = {_text(shlex.join(words))}", ""]
    if axes:
        lines += ["[axes]"]
        lines += [f"{_key(name)} = {_list(values)}" for name, values in axes.items()] + [""]
    if seeds:
        lines += ["[seeds]", f"values = [{', '.join(map(str, seeds))}]", ""]
    if files:
        lines += ["[keep]", "files = true", ""]
    text = "\n".join(lines)
    parse_study(text, "study file")
    return text


def _list(values: Sequence[str]) -> str:
    return f"[{', '.join(_text(value) for value in values)}]"


def _key(name: str) -> str:
    return _text(name) if "." in name else name


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
