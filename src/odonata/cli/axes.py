"""Axes of a comparison: options that list several values, with commas between them.

In a list of allocations, a part that begins with a digit continues the list of nodes before it:
``random,0-15,32`` are two allocations. A semicolon always begins another allocation:
``0-15,32;16-31``. A comma inside of brackets or quotes belongs to a value of ``--set``.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from odonata.errors import UserError

__all__ = [
    "MOST_ROWS",
    "NO_FAULT",
    "combinations",
    "lists_nodes",
    "parse_collectives",
    "split",
    "split_allocations",
    "split_changes",
    "split_faults",
    "split_machines",
    "whole_number",
]

MOST_ROWS = 1000

NO_FAULT = "none"
"""Value of an option of faults without any."""

_NAMES = re.compile(r"[A-Za-z]+[\[0-9]")
"""Begins of hosts, cnames and xnames."""

_PART = re.compile(r"""((?:"[^"]*"|'[^']*'|\[[^\]]*\]|[^,])*),?""")
"""A value of a change up to its comma, in which quotes and brackets keep theirs."""


def combinations(axes: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return one value of each axis for each run of a comparison, the last axis fastest.

    Parameters
    ----------
    axes
        Values by name.

    Raises
    ------
    UserError
        There are more than `MOST_ROWS`.

    Examples
    --------
    >>> combinations({"machine": ["eos"], "seed": [1, 2]})
    [{'machine': 'eos', 'seed': 1}, {'machine': 'eos', 'seed': 2}]
    """
    runs = 1
    for values in axes.values():
        runs *= len(values)
    if runs > MOST_ROWS:
        raise UserError("comparison: too long", value=runs, allowed=f"{MOST_ROWS} runs")
    return [dict(zip(axes, row, strict=True)) for row in itertools.product(*axes.values())]


def split(what: str, text: str) -> list[str]:
    """Return the different values of a list with commas.

    Parameters
    ----------
    what
        Name of the option in errors.
    text
        The list.

    Raises
    ------
    UserError
        A value is empty or there twice.
    """
    parts = [part.strip() for part in text.split(",")]
    if what == "sides" and len(parts) > 1 and all(part.isdecimal() for part in parts):
        raise UserError(
            "sides: commas separate grids", value=text, allowed="4x4x4", near="x".join(parts)
        )
    if "" in parts or len(set(parts)) < len(parts):
        allowed = "different values with commas between them"
        raise UserError(f"{what}: not a list", value=text, allowed=allowed)
    return parts


def parse_collectives(choices: Sequence[str]) -> dict[str, str]:
    """Return the algorithms that ``--collective operation=algorithm`` options ask for.

    Parameters
    ----------
    choices
        Each ``operation=algorithm``.

    Raises
    ------
    UserError
        There is no ``=``, or an operation is given twice.

    Examples
    --------
    >>> parse_collectives(["allgather=ring", "bcast=binomial"])
    {'allgather': 'ring', 'bcast': 'binomial'}
    """
    chosen: dict[str, str] = {}
    for choice in choices:
        operation, equals, algorithm = (part.strip() for part in choice.partition("="))
        if not equals or not operation or not algorithm or operation in chosen:
            allowed = "OPERATION=ALGORITHM, each operation once"
            raise UserError("--collective: not understood", value=choice, allowed=allowed)
        chosen[operation] = algorithm
    return chosen


def split_allocations(text: str) -> list[str]:
    """Return the allocations of a list.

    Parameters
    ----------
    text
        Allocations with commas or semicolons between them. After a comma, a number or a name of a
        node continues the list of nodes before it.

    Raises
    ------
    UserError
        An allocation is empty or there twice.

    Examples
    --------
    >>> split_allocations("random,0-15,32,contiguous")
    ['random', '0-15,32', 'contiguous']
    >>> split_allocations("0-15,32;nid[00012,00020],nid00030")
    ['0-15,32', 'nid[00012,00020],nid00030']
    """
    found: list[str] = []
    for listed in text.split(";"):
        nodes = False  # whether the previous allocation is a list of nodes, which may continue
        for part in (part.strip() for part in listed.split(",")):
            if nodes and (lists_nodes(part) or "[" in found[-1].rpartition("]")[2]):
                found[-1] += f",{part}"
            else:
                found.append(part)
            nodes = lists_nodes(found[-1])
    if "" in found or len(set(found)) < len(found):
        allowed = "different allocations with commas between them, as in random,0-15,32"
        raise UserError("allocation: not a list", value=text, allowed=allowed)
    return found


def split_changes(settings: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the changes of a machine in each run, from ``--set KEY=VALUE,VALUE`` options.

    Parameters
    ----------
    settings
        Each a key and its values, with commas between them.

    Raises
    ------
    UserError
        A value is empty or there twice.

    Examples
    --------
    >>> split_changes(["node.cores=4,8", "shape.groups=9"])
    [('node.cores=4', 'shape.groups=9'), ('node.cores=8', 'shape.groups=9')]
    >>> split_changes(["shape.sides=[4,4,4]"])
    [('shape.sides=[4,4,4]',)]
    """
    each = []
    for setting in settings:
        key, equals, text = setting.partition("=")
        values = [part.strip() for part in _PART.findall(f"{text},")[:-1]]
        if len(values) > 1 and ("" in values or len(set(values)) < len(values)):
            allowed = "different values with commas between them"
            raise UserError(f"--set {key}: not a list", value=text, allowed=allowed)
        each.append([f"{key}{equals}{value}" for value in values])
    return [*itertools.product(*each)]


def split_faults(option: str, faults: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the faults of a machine in each run, from ``--fail`` or ``--slow`` options.

    Parameters
    ----------
    option
        Name of the option in errors.
    faults
        Each a fault, or several with commas between them; a speed alone is for the link before.

    Raises
    ------
    UserError
        A value is empty or there twice.

    Examples
    --------
    >>> split_faults("--fail", ["switch:leaf-1", "none,1%"])
    [('switch:leaf-1', 'none'), ('switch:leaf-1', '1%')]
    >>> split_faults("--slow", ["link:a:b=1x,0.5"])
    [('link:a:b=1x',), ('link:a:b=0.5',)]
    >>> split_faults("--slow", ["none,1%=1x"])
    [('none',), ('1%=1x',)]
    """
    each = []
    for fault in faults:
        values: list[str] = []
        what = ""
        for part in split(option, fault):
            of, equals, _ = part.rpartition("=")
            what = of + equals or what
            values.append(part if equals or part == NO_FAULT else what + part)
        each.append(values)
    return [*itertools.product(*each)]


def split_machines(text: str) -> list[str]:
    """Return the machines of a list; a file may have a comma in its name.

    Parameters
    ----------
    text
        Names or files, with commas between them.

    Raises
    ------
    UserError
        One is empty or there twice.
    """
    return [text] if Path(text).is_file() else split("machine", text)


def whole_number(what: str, text: str) -> int:
    """Return the whole number that a text stands for.

    Parameters
    ----------
    what
        Name of the number in errors.
    text
        The text.

    Raises
    ------
    UserError
        The text is not a list of whole numbers.
    """
    if not re.fullmatch(r"[+-]?[0-9]{1,20}", text):
        allowed = "whole numbers, with commas between them"
        raise UserError(f"{what}: not a number", value=text, allowed=allowed)
    return int(text)


def lists_nodes(text: str) -> bool:
    """Return whether a text begins as the number or the name of a node.

    Parameters
    ----------
    text
        An allocation.
    """
    return text[:1].isdecimal() or _NAMES.match(text) is not None
