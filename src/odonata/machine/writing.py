"""Writing machine files: another file with some of its numbers changed, each with its source."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from odonata.errors import InternalError
from odonata.machine.files import FILE_KEYS, Description, lasting_name
from odonata.machine.schema import keys_of

__all__ = ["NewNumber", "kept", "number_text", "quoted", "table_lines", "write_text"]


@dataclass(frozen=True)
class NewNumber:
    """A number that replaces the number of a file.

    Parameters
    ----------
    value
        As it is written: a text with a unit, a number, or a list of these.
    source
        Document, site or reason.
    status
        One of `odonata.machine.schema.STATUSES`.
    interval
        Two values between which it is, written as it is; None: not known.
    """

    value: object
    source: str
    status: str = "measured"
    interval: tuple[object, object] | None = None


def write_text(
    base: Description,
    changes: Mapping[str, NewNumber],
    *,
    name: str,
    description: str,
    without: Sequence[str] = (),
    comments: Sequence[str] = (),
) -> str:
    """Return the text of a machine file.

    Parameters
    ----------
    base
        The file whose numbers are kept where they are not changed; files that it names are named
        by their whole paths.
    changes
        Numbers by dotted key.
    name, description
        Of the new machine.
    without
        Keys that are left out.
    comments
        Lines at the beginning.

    Raises
    ------
    InternalError
        A key is not one of the family's, or its value can't be read back.

    Examples
    --------
    >>> from odonata.machine.files import find, read
    >>> eos = read(find("eos"))
    >>> faster = {"node.latency": NewNumber("100 ns", "a ping-pong")}
    >>> text = write_text(eos, faster, name="mine", description="Eos, with faster nodes.")
    >>> 'latency = { value = "100 ns", source = "a ping-pong", status = "measured" }' in text
    True
    """
    known = keys_of(base.family, base.link_classes)
    for key, number in changes.items():
        if key not in known:
            raise InternalError(f"{key}: not a key of the family {base.family}")
        known[key].read(number.value, key, "measured")
    numbers = {key: kept(base, key) for key in base.numbers} | dict(changes)
    lines = [f"# {line}" for line in comments]
    lines += [f"name = {quoted(name)}", f'family = "{base.family}"']
    lines += [f"description = {quoted(description)}"]
    ordered = [key for key in known if key in numbers and key not in without]
    lines += table_lines({key: numbers[key] for key in ordered})
    return "\n".join(lines) + "\n"


def table_lines(numbers: Mapping[str, NewNumber]) -> list[str]:
    """Return the lines of the tables of a file.

    Parameters
    ----------
    numbers
        Numbers by dotted key; keys of a table follow each other.
    """
    lines: list[str] = []
    for table, keys in groupby(numbers, key=lambda key: key.rpartition(".")[0]):
        lines += ["", f"[{table}]"]
        lines += [f"{key.rpartition('.')[2]} = {number_text(numbers[key])}" for key in keys]
    return lines


def kept(base: Description, key: str) -> NewNumber:
    """Return a number of a file to be written to another; a path of a file is made whole.

    Parameters
    ----------
    base
        The file.
    key
        Dotted key.
    """
    number = base.numbers[key]
    entry = base.document.entries.get(key)
    value = entry["value"] if isinstance(entry, dict) else number.value
    if key in FILE_KEYS:
        value = lasting_name(base.folder, str(value))
    interval = entry.get("interval") if isinstance(entry, dict) else None
    return NewNumber(value, number.source, number.status, tuple(interval) if interval else None)


def number_text(number: NewNumber) -> str:
    """Return a number as a file has it: its value, source and status.

    Parameters
    ----------
    number
        The number.
    """
    fields = (quoted(number.value), quoted(number.source), quoted(number.status))
    interval = "" if number.interval is None else f", interval = {quoted(list(number.interval))}"
    return "{{ value = {}, source = {}, status = {}{} }}".format(*fields, interval)


def quoted(value: object) -> str:
    """Return a text, a number or a list as TOML has it: JSON's form of these is TOML's too.

    Parameters
    ----------
    value
        The value.
    """
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
