"""A machine file of a fabric: its text, the file of the fabric, and the file of its routes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from odonata.errors import UserError
from odonata.machine.fabric.fabric import USUAL, Adapter, Fabric, LinkKind, write_fabric
from odonata.machine.fabric.ibnetdiscover import is_ibnetdiscover, read_ibnetdiscover
from odonata.machine.fabric.links_csv import is_links_csv, read_links_csv
from odonata.machine.fabric.names import plain
from odonata.machine.fabric.raw_lines import raw_lines
from odonata.machine.fabric.slurm_topology import (
    CABLE,
    is_slurm_conf,
    is_slurm_yaml,
    read_slurm_conf,
    read_slurm_yaml,
)
from odonata.machine.schema import keys_of
from odonata.machine.values import Kind
from odonata.machine.writing import NewNumber, quoted, table_lines

__all__ = [
    "FORMATS",
    "Assumed",
    "format_of",
    "machine_text",
    "names_hosts",
    "read_any",
    "with_usual",
]

MOST_PORTS = 64
"""Most adapters of a host."""

DEFAULT = "a default of Odonata for a cluster: put yours in its place"
LATENCY = "50 ns"
LENGTH = "assumed: 10 m of fibre or copper at 5 ns/m"


@dataclass(frozen=True)
class Assumed:
    """Facts that a file does not say.

    Parameters
    ----------
    rate
        Rate of links without one, as a machine file has it.
    links
        Links of each pair of switches that are joined.
    port
        The adapter of each host that is kept, counted from 1; None: all.
    """

    rate: str = "25 GB/s"
    links: int = 1
    port: int | None = None

    @property
    def kind(self) -> LinkKind:
        """The kind of links without a rate."""
        return LinkKind(self.rate, "assumed: the file has no rate; --rate gives one", "assumed")


@dataclass(frozen=True)
class _Format:
    """A format: how a file of it begins, and its reader."""

    recognise: Callable[[str], bool]
    read: Callable[[Path, Assumed], Fabric]


FORMATS: Mapping[str, _Format] = {
    "ibnetdiscover": _Format(is_ibnetdiscover, lambda path, _: read_ibnetdiscover(path)),
    "slurm-conf": _Format(
        is_slurm_conf, lambda path, assumed: read_slurm_conf(path, assumed.kind, assumed.links)
    ),
    "slurm-yaml": _Format(
        is_slurm_yaml, lambda path, assumed: read_slurm_yaml(path, assumed.kind, assumed.links)
    ),
    "links-csv": _Format(is_links_csv, lambda path, _: read_links_csv(path)),
}
"""Formats of fabrics by name."""


def format_of(path: Path) -> str:
    """Return the format of a file by its beginning.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    UserError
        It begins as none does.
    """
    lines = []
    for number, line in raw_lines(path, what="fabric"):
        lines.append(line[:1000])
        if number >= 200:
            break
    head = "\n".join(lines)
    for name, one in FORMATS.items():
        if one.recognise(head):
            return name
    allowed = f"{', '.join(FORMATS)}; --from names one"
    raise UserError("fabric: unknown format", allowed=allowed, where=str(path))


def read_any(path: Path, form: str | None, assumed: Assumed) -> Fabric:
    """Read a fabric.

    Parameters
    ----------
    path
        The file.
    form
        Name of its format; None: by its beginning.
    assumed
        Facts that files do not say.

    Raises
    ------
    UserError
        The file is of no known format, or wrong; says where.
    """
    fabric = FORMATS[form or format_of(path)].read(path, assumed)
    fabric = _without_loops(_with_few_ports(fabric, path))
    return fabric if assumed.port is None else _one_each(fabric, assumed.port)


def _with_few_ports(fabric: Fabric, path: Path) -> Fabric:
    """Refuse hosts with more adapters than a node may have, which share a default name."""
    host, most = Counter(a.host for a in fabric.adapters).most_common(1)[0]
    if most > MOST_PORTS:
        raise UserError(
            f"fabric: host {host} has too many adapters",
            value=most,
            allowed=f"up to {MOST_PORTS}",
            where=str(path),
        )
    return fabric


def _without_loops(fabric: Fabric) -> Fabric:
    """Leave out cables from a switch to itself."""
    return replace(fabric, cables=tuple(c for c in fabric.cables if c.a != c.b))


def _one_each(fabric: Fabric, port: int) -> Fabric:
    """Keep one adapter of each host: the first of a host that has fewer."""
    kept: list[Adapter] = []
    for _, its in groupby(fabric.adapters, key=lambda adapter: adapter.host):
        adapters = list(its)
        kept.append(adapters[port - 1 if port <= len(adapters) else 0])
    return replace(fabric, adapters=tuple(kept))


def with_usual(fabric: Fabric, assumed: Assumed) -> Fabric:
    """Return the fabric with the kind of most adapters as the usual one, and every kind known.

    Parameters
    ----------
    fabric
        The fabric.
    assumed
        Facts that its file does not say.
    """
    counts = Counter(adapter.kind for adapter in fabric.adapters)
    usual = counts.most_common(1)[0][0]
    kinds = dict(fabric.kinds)
    unknown = any(cable.kind == USUAL for cable in fabric.cables)
    if unknown or (usual != USUAL and USUAL in counts):
        kinds["assumed"] = assumed.kind
    kinds[USUAL] = kinds.get(usual, kinds.get(CABLE, assumed.kind))
    other = {USUAL: "assumed", usual: USUAL} if usual != USUAL else {}
    adapters = tuple(replace(a, kind=other.get(a.kind, a.kind)) for a in fabric.adapters)
    cables = tuple(replace(c, kind="assumed") if c.kind == USUAL else c for c in fabric.cables)
    return replace(fabric, adapters=adapters, cables=cables, kinds=kinds)


def machine_text(
    fabric: Fabric,
    *,
    name: str,
    source: str,
    assumed: Assumed,
    files: Mapping[str, str],
    changes: Mapping[str, object],
) -> tuple[str, str]:
    """Return the texts of the machine file and of the file of the fabric.

    Parameters
    ----------
    fabric
        The fabric.
    name
        Name of the machine.
    source
        Name of the file that it was read from.
    assumed
        Facts that this file does not say.
    files
        Names of the other files by key: ``shape.fabric``, perhaps ``shape.routes``.
    changes
        Values by dotted key in the place of defaults.

    Raises
    ------
    UserError
        A change is of no key.
    """
    fabric = with_usual(fabric, assumed)
    classes, numbers = _link_numbers(fabric)
    numbers |= {
        key: NewNumber(file, f"imported from {source}", "site") for key, file in files.items()
    }
    if names_hosts(fabric):
        numbers["names.scheme"] = NewNumber("hosts", f"imported from {source}", "site")
    numbers |= {
        key: NewNumber(value, "given at the import", "assumed") for key, value in changes.items()
    }
    known = keys_of("graph", ("injection", "ejection", *classes))
    for key in changes:
        if key not in known:
            raise UserError(f"{key}: unknown key", where="set")
    counts = f"{len(fabric.switches)} switches, {len(fabric.adapters)} adapters"
    lines = [
        f"# Imported from {plain(source) or 'a file'}. Numbers marked assumed are defaults.",
        f"name = {quoted(name)}",
        'family = "graph"',
        f"description = {quoted(f'A fabric of {counts}, imported from {source}.')}",
        *table_lines(_numbers(known, numbers)),
    ]
    return "\n".join(lines) + "\n", write_fabric(fabric)


def names_hosts(fabric: Fabric) -> bool:
    """Return whether all hosts of a fabric have names by which nodes may be called.

    Parameters
    ----------
    fabric
        The fabric.
    """
    return all(_is_host(host) for host in fabric.hosts())


def _is_host(name: str) -> bool:
    return bool(name) and name[0].isalnum() and all(c.isalnum() or c in "._-" for c in name)


def _numbers(known: Mapping[str, Kind], given: Mapping[str, NewNumber]) -> dict[str, NewNumber]:
    """Return the numbers of all tables: given ones, and defaults of required ones."""
    return {
        key: given.get(key) or NewNumber(kind.default, DEFAULT, "assumed")
        for key, kind in known.items()
        if key in given or kind.required
    }


def _link_numbers(fabric: Fabric) -> tuple[list[str], dict[str, NewNumber]]:
    """Return the file's own classes of links, and the numbers of all."""
    of_switches = dict.fromkeys(cable.kind for cable in fabric.cables)
    of_adapters = dict.fromkeys(a.kind for a in fabric.adapters if a.kind != USUAL)
    classes = {name: name for name in of_switches}
    for name in of_adapters:
        classes |= {f"injection-{name}": name, f"ejection-{name}": name}
    numbers: dict[str, NewNumber] = {}
    for link, name in {"injection": USUAL, "ejection": USUAL, **classes}.items():
        kind = fabric.kinds[name]
        wire = NewNumber(kind.latency or LATENCY, kind.source if kind.latency else LENGTH, "site")
        if not kind.latency:
            wire = replace(wire, status="assumed")
        numbers[f"links.{link}.latency"] = wire
        rate = kind.rate or Assumed().rate
        status = kind.status if kind.rate else "assumed"
        numbers[f"links.{link}.bandwidth"] = NewNumber(rate, kind.source, status)
    return list(classes), numbers
