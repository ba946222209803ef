"""Links of any network as a table: ``a,b,rate,count,latency``.

The first line has the names of the columns, in any order; ``rate``, ``count`` and ``latency`` may
be left out or empty::

    a,b,rate,count,latency
    leaf-1,node17,200 Gb/s,1,
    leaf-1,spine-1,4xNDR,2,50 ns

A rate has a unit, or is a width and speed of InfiniBand. A name with links to one other name alone
is a host, any other a switch; ``host:`` or ``switch:`` before a name says otherwise. A host with
several links has as many adapters. Ports are numbered in the order of the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from odonata.errors import UserError
from odonata.machine.fabric.fabric import USUAL, Adapter, Cable, Fabric, LinkKind, Switch
from odonata.machine.fabric.rates import is_infiniband, kind_of
from odonata.machine.fabric.raw_lines import raw_lines
from odonata.machine.hostlist import check_host
from odonata.units import format_rate, format_time, parse_rate, parse_time

__all__ = ["is_links_csv", "read_links_csv"]

COLUMNS = ("a", "b", "rate", "count", "latency")

MOST_CABLES = 300_000
"""Most cables of a file."""

MOST_KINDS = 120
"""Most pairs of a rate and a latency."""

MOST_COUNT = 10_000
"""Most links of a line."""

SOURCE = "the table of links that was imported"


@dataclass(frozen=True, slots=True)
class _Row:
    """A line."""

    a: str
    b: str
    kind: str
    count: int
    where: str


def is_links_csv(head: str) -> bool:
    """Return whether the beginning of a file is one of a table of links."""
    first = next((line for line in head.splitlines() if line.strip()), "")
    return {"a", "b"} <= {word.strip().lower() for word in first.split(",")}


def read_links_csv(path: Path) -> Fabric:
    """Read a table of links.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    UserError
        A line is not understood, or a name is host and switch.
    """
    kinds: dict[str, LinkKind] = {}
    rows = list(_rows(path, kinds))
    hosts = _hosts(rows, path)
    names = dict.fromkeys(name for row in rows for name in (row.a, row.b))
    switches = sorted(name for name in names if name not in hosts)
    numbers = {name: number for number, name in enumerate(switches)}
    last = dict.fromkeys(numbers, 0)
    adapters: list[Adapter] = []
    cables: list[Cable] = []

    def port(name: str) -> int:
        last[name] += 1
        return last[name]

    for row in rows:
        host, switch = (row.a, row.b) if row.a in hosts else (row.b, row.a)
        for _ in range(row.count):
            if host in hosts:
                place = numbers[switch], port(switch)
                adapters.append(Adapter(host, f"port-{place[1]}", *place, row.kind))
            else:
                a, b = row.a, row.b
                cables.append(Cable(numbers[a], port(a), numbers[b], port(b), row.kind))
    adapters.sort(key=lambda adapter: (adapter.host, adapter.switch, adapter.port))
    if not adapters or not switches:
        raise UserError("links: no hosts or no switches in the file", where=str(path))
    return Fabric(tuple(Switch(name) for name in switches), tuple(adapters), tuple(cables), kinds)


def _rows(path: Path, kinds: dict[str, LinkKind]) -> Iterator[_Row]:
    columns: list[str] = []
    known: dict[tuple[str, str], str] = {}
    links = 0
    for number, line in raw_lines(path, what="links"):
        where = f"{path}:{number}"
        content = line.partition("#")[0].strip()
        if not content:
            continue
        cells = [cell.strip() for cell in content.split(",")]
        if not columns:
            columns = [cell.lower() for cell in cells]
            unknown = [name for name in columns if name not in COLUMNS]
            if unknown or not {"a", "b"} <= set(columns) or len(set(columns)) < len(columns):
                allowed = ",".join(COLUMNS)
                raise UserError("links: columns", value=content, allowed=allowed, where=where)
            continue
        if len(cells) > len(columns):
            allowed = ",".join(columns)
            raise UserError("links: too many cells", value=content, allowed=allowed, where=where)
        named = dict(zip(columns, cells, strict=False))
        speed = named.get("rate", ""), named.get("latency", "")
        if speed not in known:
            known[speed] = _kind(*speed, kinds, where)
        row = _row(named, known[speed], where)
        links += row.count
        if links > MOST_CABLES:
            raise UserError("links: too many", allowed=f"up to {MOST_CABLES}", where=where)
        yield row


def _row(cells: dict[str, str], kind: str, where: str) -> _Row:
    count = cells.get("count", "") or "1"
    if not count.isdecimal() or not 1 <= int(count) <= MOST_COUNT:
        allowed = f"1 to {MOST_COUNT}"
        raise UserError("links: count out of range", value=count, allowed=allowed, where=where)
    a, b = cells.get("a", ""), cells.get("b", "")
    for end in (a, b):
        name = end.removeprefix("host:").removeprefix("switch:")
        check_host(name, what="links: name", where=where)
    if _bare(a) == _bare(b):
        raise UserError("links: the link leads back to its own end", value=a, where=where)
    return _Row(a, b, kind, int(count), where)


def _kind(rate: str, latency: str, kinds: dict[str, LinkKind], where: str) -> str:
    """Return the kind of links of this rate and latency, which is then known."""
    if not rate and not latency:
        return USUAL
    given = kind_of(rate, where) if is_infiniband(rate) else None
    text = given.rate if given else ""
    if rate and not given:
        text = format_rate(parse_rate(rate, what="links: rate", where=where))
    wire = format_time(parse_time(latency, what="links: latency", where=where)) if latency else ""
    wanted = LinkKind(
        text, given.source if given else SOURCE, given.status if given else "site", wire
    )
    for name, known in kinds.items():
        if known == wanted:
            return name
    if len(kinds) >= MOST_KINDS:
        allowed = f"{MOST_KINDS} pairs of a rate and a latency"
        raise UserError("links: too many kinds of links", allowed=allowed, where=where)
    name = rate if given and not latency else f"kind{len(kinds)}"
    kinds[name] = wanted
    return name


def _bare(name: str) -> str:
    return name.removeprefix("host:").removeprefix("switch:")


def _hosts(rows: list[_Row], path: Path) -> set[str]:
    """Return the names of hosts, and take the words before names away."""
    said: dict[str, str] = {}
    neighbours: dict[str, set[str]] = {}
    for at, row in enumerate(rows):
        for end, other in ((row.a, row.b), (row.b, row.a)):
            word, found, _ = end.partition(":")
            name = _bare(end)
            if found and said.setdefault(name, word) != word:
                raise UserError("links: host and switch", value=name, where=row.where)
            neighbours.setdefault(name, set()).add(_bare(other))
        rows[at] = _Row(_bare(row.a), _bare(row.b), row.kind, row.count, row.where)
    hosts = {
        name
        for name, others in neighbours.items()
        if said.get(name, "host" if len(others) == 1 else "switch") == "host"
    }
    for row in rows:
        if row.a in hosts and row.b in hosts:
            raise UserError(
                "links: a link between hosts",
                value=f"{row.a},{row.b}",
                allowed="'switch:' before the name of a switch with links to one other alone",
                where=row.where,
            )
    return hosts
