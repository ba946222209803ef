"""Reading machine files: TOML in which every number says where it comes from."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from odonata.errors import UserError, near_file, near_miss
from odonata.files import read_text
from odonata.machine.families import Family, family_named
from odonata.machine.schema import STATUSES, keys_of
from odonata.machine.values import Kind, Value

__all__ = ["Description", "Number", "find", "names", "read"]

SHIPPED = Path(__file__).parents[1] / "data" / "machines"
"""Files of the machines that come with Odonata."""

MOST_BYTES = 4 * 2**20
"""Largest size of a machine file [B]."""

MOST_DOTS = 100
"""Most dots in a key of a machine file: longer keys would take tomllib minutes."""

FILE_KEYS = (
    "checked.rows",
    "shape.edges",
    "shape.wiring",
    "shape.blue_wiring",
    "shape.node_map",
    "shape.fabric",
    "shape.routes",
)
"""Keys whose values are paths of other files."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_ERROR_LINE = re.compile(r"at line (\d+)")
_WORD = re.compile(r"[^=,#{}\[\]\r\n]+")
_FIELDS = ("value", "source", "status")
_TEXTS = ("name", "family", "description")


@dataclass(frozen=True)
class Number:
    """A number of a machine and where it comes from.

    Parameters
    ----------
    key
        Dotted key.
    value
        In base units: ps, B, B/s, ps/B; counts and names as they are.
    text
        As it was written.
    source
        Document, site or reason.
    status
        One of `odonata.machine.schema.STATUSES`.
    where
        ``file:line:key``.
    meaning
        A sentence without its full stop.
    unit
        Base unit of a quantity; empty: a count, a name or a list.
    interval
        Values between which it is, with a probability of 90 %; None if that is not known.
    """

    key: str
    value: Value
    text: str
    source: str
    status: str
    where: str
    meaning: str
    unit: str = ""
    interval: tuple[Value, Value] | None = None


@dataclass(frozen=True)
class Description:
    """Contents of a machine file, checked key by key.

    Parameters
    ----------
    name, family, description
        As in the file.
    link_classes
        Classes of links, first the family's own.
    numbers
        Every number by its dotted key.
    folder
        Where the file is; other files that it names are looked up there.
    document
        The decoded file, to be read again with changes.
    """

    name: str
    family: str
    description: str
    link_classes: tuple[str, ...]
    numbers: Mapping[str, Number]
    folder: Path
    document: _Document

    def path(self, name: str) -> Path:
        """Return the path of a file that this file names; Odonata's own are found from anywhere.

        Parameters
        ----------
        name
            Its path from the folder of this file.
        """
        path, shipped = self.folder / name, SHIPPED / Path(name).name
        return shipped if not path.exists() and shipped.exists() and name == path.name else path


@dataclass(frozen=True)
class _Document:
    """A TOML document flattened to dotted keys, with the line of each."""

    file: str
    entries: Mapping[str, object]
    lines: Mapping[str, int]

    def plain(self, folder: Path) -> dict[str, object]:
        """Return the entries as plain data; files that they name are named by whole paths."""
        return {key: _with_whole_path(key, entry, folder) for key, entry in self.entries.items()}

    def where(self, key: str) -> str:
        """Return ``file:line:key``, with the line of the nearest table that has one."""
        parts = key.split(".")
        for size in range(len(parts), 0, -1):
            line = self.lines.get(".".join(parts[:size]))
            if line is not None:
                return f"{self.file}:{line}:{key}"
        return f"{self.file}:{key}"


def from_plain(entries: Mapping[str, object]) -> _Document:
    """Return the document of entries that are plain data, see `_Document.plain`."""
    return _Document("machine", entries, {})


def _with_whole_path(key: str, entry: object, folder: Path) -> object:
    if key not in FILE_KEYS or not isinstance(entry, dict):
        return entry
    return entry | {"value": lasting_name(folder, str(entry["value"]))}


def lasting_name(folder: Path, name: str) -> str:
    """Return the name of a file for documents that are read elsewhere.

    Parameters
    ----------
    folder
        Folder of the machine file that names it.
    name
        Its path from there.

    Returns
    -------
    str
        The whole path; of a file that comes with Odonata its name alone, see `Description.path`.
    """
    whole = (folder / name).resolve()
    return whole.name if whole.parent == SHIPPED.resolve() else str(whole)


def names() -> list[str]:
    """Return the names of the machines that come with Odonata.

    Examples
    --------
    >>> "eos" in names()
    True
    """
    return sorted(file.stem for file in SHIPPED.glob("*.toml"))


def find(name_or_path: str | Path) -> Path:
    """Return the file of a machine.

    Parameters
    ----------
    name_or_path
        Name of a machine that comes with Odonata, or path of a ``.toml`` file.

    Raises
    ------
    UserError
        There is no such machine or file.
    """
    text = str(name_or_path)
    if text.endswith(".toml") or isinstance(name_or_path, Path):
        path = Path(text)
        if "\0" in text or not path.is_file():
            raise UserError("machine file: no such file", value=text, near=near_file(text))
        return path
    if text not in names():
        allowed = ", ".join(names()) + ", or the path of a .toml file"
        near = near_miss(text, names())
        raise UserError("machine: unknown", value=text, allowed=allowed, near=near)
    return SHIPPED / f"{text}.toml"


def read(path: Path, changes: Mapping[str, object] | None = None) -> Description:
    """Read and check a machine file.

    Parameters
    ----------
    path
        The file.
    changes
        Values by dotted key that take the place of those in the file; their source is the user.

    Raises
    ------
    UserError
        The file is not TOML, a key is unknown or missing, or a value is wrong; says where.
    """
    text = read_text(path, MOST_BYTES, what="machine file")
    return describe(parse(text, str(path)), path.parent, changes or {})


def check_name(name: str, where: str | None = None) -> None:
    """Raise UserError, with the place of the name, unless it is one of a machine."""
    if not _NAME.fullmatch(name):
        allowed = "letters, digits, '.', '_' and '-', at most 64"
        raise UserError("name: not a name", value=name, allowed=allowed, where=where)


def describe(document: _Document, folder: Path, changes: Mapping[str, object]) -> Description:
    """Check a document with changes applied; parameters and errors as for `read`."""
    texts = {key: _text(document, key) for key in _TEXTS}
    check_name(texts["name"], document.where("name"))
    family = family_named(texts["family"], where=document.where("family"))
    classes = _link_classes(document, family)
    kinds = keys_of(texts["family"], classes)
    given = _numbers_given(document, kinds, changes)
    missing = [key for key, kind in kinds.items() if kind.required and key not in given]
    if missing:
        raise _missing(missing, kinds, document)
    numbers = {
        key: Number(
            key,
            kinds[key].read(value, key, where),
            str(value),
            source,
            status,
            where,
            kinds[key].meaning,
            kinds[key].unit,
            _interval(key, interval, kinds[key], where),
        )
        for key, (value, source, status, where, interval) in given.items()
    }
    return Description(
        **texts, link_classes=classes, numbers=numbers, folder=folder, document=document
    )


def _missing(keys: list[str], kinds: Mapping[str, Kind], document: _Document) -> UserError:
    """Return the error that names all missing keys, with their allowed values."""
    where = document.where(keys[0].rpartition(".")[0])
    if len(keys) == 1:
        return UserError(f"{keys[0]}: missing", allowed=kinds[keys[0]].allowed, where=where)
    listed = "; ".join(f"{key} ({kinds[key].allowed})" for key in keys)
    return UserError(f"{len(keys)} keys are missing: {listed}", where=where)


def parse(text: str, file: str, *, what: str = "machine file") -> _Document:
    """Return the document of a text; `file` is its name in errors, `what` its kind."""
    try:
        if any(word.count(".") > MOST_DOTS for word in _WORD.findall(_without_spaces(text))):
            raise UserError(f"{what}: a key with too many dots", where=file)
        entries = dict(_flatten(tomllib.loads(text)))
    except tomllib.TOMLDecodeError as error:
        line = _ERROR_LINE.search(str(error))
        where = f"{file}:{line[1]}" if line else f"{file}:{text.count(chr(10)) + 1}"
        raise UserError(f"{what}: not TOML: {error}", where=where) from error
    except (RecursionError, ValueError) as error:
        raise UserError(f"{what}: nested too deep or a number too long", where=file) from error
    return _Document(file, entries, _lines(text))


def _without_spaces(text: str) -> str:
    return text.replace(" ", "").replace("\t", "")


def _flatten(table: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Yield dotted keys and values, down to the tables that are numbers."""
    for key, value in table.items():
        name = prefix + key
        if isinstance(value, dict) and not ("value" in value or _is_number_like(value)):
            if not value:
                yield name, value
            yield from _flatten(value, f"{name}.")
        else:
            yield name, value


def _is_number_like(table: Mapping[str, object]) -> bool:
    """Whether a table has only fields of a number, `value` left out."""
    return bool(table) and all(key in _FIELDS for key in table)


def _lines(text: str) -> dict[str, int]:
    """Return the line of every key, by its dotted name."""
    found: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), start=1):
        content = line.strip().replace('"', "")
        if content.startswith("["):
            table = content[1:].partition("]")[0].strip()
            found.setdefault(table, number)
        elif "=" in content:
            key = content.partition("=")[0].strip()
            found.setdefault(f"{table}.{key}" if table else key, number)
    return found


def _text(document: _Document, key: str) -> str:
    value = document.entries.get(key)
    if key not in document.entries:
        raise UserError(f"{key}: missing", where=document.file)
    if not isinstance(value, str) or not value:
        raise UserError(f"{key}: not a text", value=value, where=document.where(key))
    return value


def _link_classes(document: _Document, family: Family) -> tuple[str, ...]:
    """Return the family's classes, then further classes of the file, if the family allows them."""
    classes = list(family.class_names)
    if family.own_classes:
        parts = (key.split(".") for key in document.entries if key.startswith("links."))
        classes += [part[1] for part in parts if len(part) == 3]
    return tuple(dict.fromkeys(classes))


_Given = dict[str, tuple[object, str, str, str, object]]


def _numbers_given(
    document: _Document, known: Mapping[str, object], changes: Mapping[str, object]
) -> _Given:
    """Return value, source, status, place and interval of every number, changes applied."""
    given: _Given = {}
    for key, entry in document.entries.items():
        if key in _TEXTS or (entry == {} and _is_section(key, known)):
            continue
        _check_known(key, known, document.where(key))
        value, source, status = _fields(key, entry, document.where(key))
        interval = entry.get("interval") if isinstance(entry, dict) else None
        given[key] = (value, source, status, document.where(key), interval)
    for key, value in changes.items():
        _check_known(key, known, "set")
        given[key] = (value, "set by the user", "assumed", "set", None)
    return given


def _interval(key: str, given: object, kind: Kind, where: str) -> tuple[Value, Value] | None:
    """Return the two values of an interval."""
    if given is None:
        return None
    what = f"{key}.interval"
    if not isinstance(given, list) or len(given) != 2:
        raise UserError(f"{what}: not two values", value=given, allowed="[low, high]", where=where)
    low, high = (kind.read(value, what, where) for value in given)
    if not (isinstance(low, int | float) and isinstance(high, int | float) and low <= high):
        raise UserError(f"{what}: not in order", value=given, allowed="[low, high]", where=where)
    return low, high


def _is_section(name: str, known: Mapping[str, object]) -> bool:
    return any(key.startswith(f"{name}.") for key in known)


def _check_known(key: str, known: Mapping[str, object], where: str) -> None:
    if key in known:
        return
    near = near_miss(key, known)
    raise UserError(f"{key}: unknown key", near=near, where=where)


def _fields(key: str, entry: object, where: str) -> tuple[object, str, str]:
    """Return value, source and status of a number."""
    form = '{ value = ..., source = "...", status = "..." }'
    if not isinstance(entry, dict):
        raise UserError(f"{key}: without its source", value=entry, allowed=form, where=where)
    for field in entry:
        if field not in (*_FIELDS, "interval"):
            near = near_miss(field, (*_FIELDS, "interval"))
            raise UserError(f"{key}.{field}: unknown key", near=near, allowed=form, where=where)
    for field in _FIELDS:
        if field not in entry:
            raise UserError(f"{key}.{field}: missing", allowed=form, where=where)
    source, status = entry["source"], entry["status"]
    if not isinstance(source, str) or not source.strip():
        raise UserError(f"{key}.source: not a text", value=source, where=where)
    if status not in STATUSES:
        allowed = ", ".join(STATUSES)
        raise UserError(f"{key}.status: unknown", value=status, allowed=allowed, where=where)
    return entry["value"], source, str(status)
