"""New machine files: every key of a family with its range and a default, or another's file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path

from odonata.machine.build import build
from odonata.machine.families import family_named
from odonata.machine.files import (
    FILE_KEYS,
    Description,
    check_name,
    describe,
    find,
    lasting_name,
    parse,
    read,
)
from odonata.machine.schema import STATUSES, keys_of
from odonata.machine.values import Kind
from odonata.machine.writing import NewNumber, number_text, quoted, write_text

__all__ = ["copied", "template"]

SOURCE = "a default of Odonata: say here where yours comes from"
GIVEN = "given by --set: say here where it comes from"


def copied(like: str, name: str | None = None, changes: Mapping[str, object] | None = None) -> str:
    """Return the text of a machine's file.

    Parameters
    ----------
    like
        Name of a machine that comes with Odonata, or path of a ``.toml`` file.
    name
        Name in the place of its own.
    changes
        Values by dotted key, as in a machine file; comments of the file are then left out.

    Raises
    ------
    UserError
        There is no such machine, or its file, the name or a change is wrong.

    Examples
    --------
    >>> print(copied("theta", "mine").partition("family")[0].splitlines()[-1])
    name = "mine"
    """
    path = find(like)
    base = read(path)
    if changes:
        return _changed(base, name or base.name, changes)
    text = _with_lasting_names(path.read_text(encoding="utf-8"), base)
    if name is None:
        return text
    check_name(name)
    return re.sub(r"(?m)^name *=.*$", lambda _: f"name = {quoted(name)}", text, count=1)


def _with_lasting_names(text: str, base: Description) -> str:
    """Return the text of a file, which names other files so that its copy finds them."""
    for key in FILE_KEYS:
        if key not in base.numbers:
            continue
        whole = quoted(lasting_name(base.folder, str(base.numbers[key].value)))
        entry = rf"(?m)^({key.rpartition('.')[2]} *= *\{{ *value *= *)(\"[^\"]*\"|'[^']*')"
        if found := re.search(entry, text):
            text = text[: found.start(2)] + whole + text[found.end(2) :]
    return text


def _changed(base: Description, name: str, changes: Mapping[str, object]) -> str:
    check_name(name)
    build(describe(base.document, base.folder, changes))
    numbers = {key: NewNumber(value, GIVEN, "assumed") for key, value in changes.items()}
    return write_text(base, numbers, name=name, description=base.description)


def template(family: str, name: str = "mine", changes: Mapping[str, object] | None = None) -> str:
    """Return the text of a new machine file, which loads as it is.

    Parameters
    ----------
    family
        Name of a family.
    name
        Name of the machine.
    changes
        Values by dotted key in the place of defaults.

    Returns
    -------
    str
        TOML: every key with its meaning and range above it; keys that may be left out and have no
        default are comments.

    Raises
    ------
    UserError
        There is no such family, or the name or a change is wrong.

    Examples
    --------
    >>> print(template("star").partition("[links")[0].rpartition("[shape]")[2].strip())
    # Nodes, all on one router: 1 to 2000000
    nodes = { value = 16, source = "a default of Odonata: say here where yours comes from", \
status = "assumed" }
    """
    about = family_named(family)
    check_name(name)
    changes = changes or {}
    if changes:
        build(describe(parse(template(family, name), f"a new {family}"), Path(), changes))
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
        written = any(_is_written(keys[key]) or key in changes for key in names)
        lines += ["", heading if written else f"# {heading}"]
        for key in names:
            lines += _entry(key, keys[key], changes)
    return "\n".join(lines) + "\n"


def _is_written(kind: Kind) -> bool:
    return kind.default is not None


def _entry(key: str, kind: Kind, changes: Mapping[str, object]) -> Iterator[str]:
    """Yield the lines of a key."""
    optional = "" if kind.required else " (may be left out)"
    name = key.rpartition(".")[2]
    yield f"# {kind.meaning}: {kind.allowed}{optional}"
    if key in changes:
        yield f"{name} = {number_text(NewNumber(changes[key], GIVEN, 'assumed'))}"
    elif _is_written(kind):
        yield f"{name} = {number_text(NewNumber(kind.default, SOURCE, 'assumed'))}"
    else:
        yield f'# {name} = {{ value = , source = "", status = "" }}'
