"""New machine files: every key of a family with its range and a default, or another's file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from odonata.machine.families import family_named
from odonata.machine.files import check_name, find, read
from odonata.machine.kinds import Kind
from odonata.machine.schema import STATUSES, keys_of
from odonata.machine.writing import NewNumber, number_text, quoted

__all__ = ["copied", "template"]

SOURCE = "a default of Odonata: say here where yours comes from"


def copied(like: str, name: str | None = None) -> str:
    """Return the text of a machine's file.

    Parameters
    ----------
    like
        Name of a machine that comes with Odonata, or path of a ``.toml`` file.
    name
        Name in the place of its own.

    Raises
    ------
    UserError
        There is no such machine, its file is wrong, or the name is none.

    Examples
    --------
    >>> print(copied("theta", "mine").partition("family")[0].splitlines()[-1])
    name = "mine"
    """
    path = find(like)
    read(path)
    text = path.read_text(encoding="utf-8")
    if name is None:
        return text
    check_name(name)
    return re.sub(r"(?m)^name *=.*$", lambda _: f"name = {quoted(name)}", text, count=1)


def template(family: str, name: str = "mine") -> str:
    """Return the text of a new machine file, which loads as it is.

    Parameters
    ----------
    family
        Name of a family.
    name
        Name of the machine.

    Returns
    -------
    str
        TOML: every key with its meaning and range above it; keys that may be left out and have no
        default are comments.

    Raises
    ------
    UserError
        There is no such family, or the name is none.

    Examples
    --------
    >>> print(template("star").partition("[links")[0].rpartition("[shape]")[2].strip())
    # Nodes, all on one router: 1 to 2000000
    nodes = { value = 16, source = "a default of Odonata: say here where yours comes from", \
status = "assumed" }
    """
    about = family_named(family)
    check_name(name)
    keys = keys_of(family, about.class_names + about.own_classes)
    lines = [
        "# Every number is a default, marked assumed. Put yours in its place, and say in source",
        f"# where it comes from and in status what it is: {', '.join(STATUSES)}.",
        f"name = {quoted(name)}",
        f"family = {quoted(family)}",
        f"description = {quoted(f'A new {family} machine; its numbers are defaults.')}",
    ]
    for table, inside in groupby(keys, key=lambda key: key.rpartition(".")[0]):
        names = list(inside)
        heading = f"[{table}]"
        lines += ["", heading if any(_is_written(keys[key]) for key in names) else f"# {heading}"]
        for key in names:
            lines += _entry(key.rpartition(".")[2], keys[key])
    return "\n".join(lines) + "\n"


def _is_written(kind: Kind) -> bool:
    return kind.default is not None


def _entry(name: str, kind: Kind) -> Iterator[str]:
    """Yield the lines of a key."""
    optional = "" if kind.required else " (may be left out)"
    yield f"# {kind.meaning}: {kind.allowed}{optional}"
    if _is_written(kind):
        yield f"{name} = {number_text(NewNumber(kind.default, SOURCE, 'assumed'))}"
    else:
        yield f'# {name} = {{ value = , source = "", status = "" }}'
