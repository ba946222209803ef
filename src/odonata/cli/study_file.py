"""Study files: a template, and the study that a command with commas stands for."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from typing import Any

from odonata.cli.axes import (
    parse_collectives,
    split,
    split_allocations,
    split_changes,
    split_machines,
    whole_number,
)
from odonata.cli.in_process import InProcess
from odonata.errors import UserError
from odonata.study.file import COMMANDS, parse_study

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

_ONE_VALUE = ("pack", "fail", "slow")
"""Options whose commas do not separate runs, or that may stand several times."""

_WITH_COMMAS = ("simulate", "replay")
"""Commands whose options list values."""

_OUTPUTS = ("-o", "--output", "--result", "--plot", "--json", "--csv", "--wide", "--quiet", "-q")


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
    command = next((c.split() for c in COMMANDS if [*words[: len(c.split())]] == c.split()), None)
    if command is None:
        value = " ".join(words[:2])
        raise UserError("command: not one of a study", value=value, allowed=", ".join(COMMANDS))
    if words[0] == "mpirun":  # the words of the program are not ours
        return _written(words, {}, [], files=files)
    options = InProcess().options_of(command)
    kept = [*command]
    axes: dict[str, Sequence[str]] = {}
    seeds: list[int] = []
    rest = [*words[len(command) :]]
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        option = options.get(name)
        if option is None:
            kept.append(word)
            continue
        if not option.is_flag and not equals:
            value = rest.pop(0) if rest else ""
        if name in _OUTPUTS:
            continue
        long = max(option.opts, key=len).removeprefix("--")
        if option.is_flag:
            kept.append(word)
        elif long == "seed":
            seeds = [whole_number("seed", one) for one in split("seed", value)]
        elif words[0] not in _WITH_COMMAS or long in _ONE_VALUE:
            kept += [name, value]
        else:
            found = _axis(long, value)
            several = {axis: values for axis, values in found.items() if len(values) > 1}
            axes |= several
            kept += [] if several else [name, value]
    return _written(kept, axes, seeds, files=files)


def _axis(name: str, value: str) -> dict[str, Sequence[str]]:
    """Return the axis that an option with its values stands for."""
    if name == "machine":
        return {name: split_machines(value)}
    if name == "allocation":
        return {name: split_allocations(value)}
    if name == "set":
        key = value.partition("=")[0]
        return {f"set.{key}": [one[0].partition("=")[2] for one in split_changes([value])]}
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
