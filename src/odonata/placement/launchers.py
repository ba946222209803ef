"""Files that tell launchers where ranks go, in the formats of `FORMATS`.

Every format is written from the host of each rank, and read back to the same. Two of them list
ranks instead of hosts: ``mpich-order`` and ``order`` are relative to `Slots`, the places that the
launcher would fill in turn.

>>> hosts = ["nid00012", "nid00013", "nid00012"]
>>> print(text_of("openmpi", hosts), end="")
rank 0=nid00012 slot=0
rank 1=nid00013 slot=0
rank 2=nid00012 slot=1
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import groupby, islice
from pathlib import Path
from types import MappingProxyType

from odonata.errors import UserError, near_miss
from odonata.files import read_bytes, write_whole
from odonata.placement.hostlist import MOST_HOSTS, check_host, expand, words_of
from odonata.placement.order import check_order

__all__ = [
    "FORMATS",
    "Format",
    "Slots",
    "format_named",
    "hosts_in",
    "read_hosts",
    "text_of",
    "write_hosts",
]

MOST_BYTES = 2**26
"""Largest file for a launcher [B]."""

_RANK_LINE = re.compile(r"rank\s+([0-9]{1,9})\s*=\s*(\S+)\s+slots?\s*=\s*(\S+)")
_COUNT = re.compile(r"[*:]([0-9]{1,9})\Z")
_RANKS = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
_NUMBERS = re.compile(r"[0-9]+|[^0-9]+")


@dataclass(frozen=True)
class Slots:
    """Places for ranks, in the order in which a launcher fills them.

    Parameters
    ----------
    hosts
        The hosts in the launcher's order, each once.
    ranks_per_host
        Places of each host.

    Raises
    ------
    UserError
        A host is listed twice or is no host name, or there are none.
    """

    hosts: tuple[str, ...]
    ranks_per_host: int = 1

    def __post_init__(self) -> None:
        if not self.hosts:
            raise UserError("hosts: none listed")
        if self.ranks_per_host < 1:
            raise UserError(
                "ranks per node: out of range", value=self.ranks_per_host, allowed=">= 1"
            )
        seen: set[str] = set()
        for host in map(check_host, self.hosts):
            if host in seen:
                raise UserError("hosts: a host is listed twice", value=host, allowed="each once")
            seen.add(host)

    def take(self, ranks: int) -> list[str]:
        """Return the hosts of the first places.

        Parameters
        ----------
        ranks
            Number of places.

        Raises
        ------
        UserError
            There are fewer.
        """
        there = len(self.hosts) * self.ranks_per_host
        if ranks > there:
            raise UserError(
                f"slots: too few for {ranks} ranks",
                value=there,
                allowed=f"{ranks} or more; there are {len(self.hosts)} hosts with "
                f"{self.ranks_per_host} each",
            )
        return [self.hosts[at // self.ranks_per_host] for at in range(ranks)]


@dataclass(frozen=True)
class Line:
    """A line of a file that is not empty, without its comment.

    Parameters
    ----------
    text
        The line.
    where
        ``file:line``.
    """

    text: str
    where: str


@dataclass(frozen=True)
class Format:
    """A format of files for launchers.

    Parameters
    ----------
    name
        Name of the format.
    meaning
        Contents of a file, in a sentence without its full stop.
    use
        How the launcher is told of the file.
    write
        Function from the host of each rank, and the slots, to the lines.
    read
        Function from the lines, and the slots, to the host of each rank.
    slots
        Whether its files list ranks, and mean nothing without the slots.
    """

    name: str
    meaning: str
    use: str
    write: Callable[[Sequence[str], Slots | None], Iterator[str]]
    read: Callable[[Sequence[Line], Slots | None], list[str]]
    slots: bool = False


def write_hosts(
    path: str | Path, format: str, hosts: Sequence[str], slots: Slots | None = None
) -> None:
    """Write a file for a launcher.

    Parameters
    ----------
    path
        The file.
    format
        Name of its format, one of `FORMATS`.
    hosts
        Host of each rank.
    slots
        Places that the launcher fills; None: as many on each host as the fullest has, hosts by
        their numbers.

    Raises
    ------
    UserError
        The format is unknown, a host is no host name, or the launcher could not place ranks so.
    """
    write_whole(path, text_of(format, hosts, slots).encode())


def text_of(format: str, hosts: Sequence[str], slots: Slots | None = None) -> str:
    """Return the text of a file for a launcher; parameters and errors as for `write_hosts`."""
    form = format_named(format)
    if not hosts:
        raise UserError("hosts: no ranks")
    for host in hosts:
        check_host(host)
    return "".join(f"{line}\n" for line in form.write(hosts, slots))


def read_hosts(path: str | Path, format: str, slots: Slots | None = None) -> list[str]:
    """Return the host of each rank from a file for a launcher.

    Parameters
    ----------
    path
        The file.
    format
        Name of its format, one of `FORMATS`.
    slots
        Places that the launcher fills; needed where the format lists ranks.

    Raises
    ------
    UserError
        The file cannot be read or is too long, a line is not understood, or a rank is missing or
        listed twice; says where.
    """
    content = read_bytes(path, MOST_BYTES, what=format)
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise UserError(f"{format}: not UTF-8 text", where=str(path)) from error
    return hosts_in(format, text, slots, where=str(path))


def hosts_in(format: str, text: str, slots: Slots | None = None, *, where: str = "") -> list[str]:
    """Return the host of each rank from the text of a file; errors as for `read_hosts`.

    Parameters
    ----------
    format
        Name of the format.
    text
        The text.
    slots
        Places that the launcher fills.
    where
        Name of the file in errors.

    Examples
    --------
    >>> hosts_in("mpich-order", "1,0,3,2", Slots(("a", "b"), 2))
    ['a', 'a', 'b', 'b']
    """
    form = format_named(format)
    lines = list(islice(_lines(text, where), MOST_HOSTS + 1))
    if len(lines) > MOST_HOSTS:
        raise UserError(f"{format}: too many lines", allowed=f"at most {MOST_HOSTS}", where=where)
    if not lines:
        raise UserError(f"{format}: no ranks in the file", where=where)
    if form.slots and slots is None:
        raise UserError(
            f"{format}: lists ranks, not hosts", allowed="a file of this format with its hosts"
        )
    return form.read(lines, slots)


def format_named(name: str) -> Format:
    """Return a format.

    Parameters
    ----------
    name
        Name of the format.

    Raises
    ------
    UserError
        It is unknown.
    """
    if name not in FORMATS:
        near = near_miss(name, FORMATS)
        raise UserError("format: unknown", value=name, allowed=", ".join(FORMATS), near=near)
    return FORMATS[name]


def _lines(text: str, where: str) -> Iterator[Line]:
    for at, line in enumerate(StringIO(text), start=1):
        stripped = line.partition("#")[0].strip()
        if stripped:
            yield Line(stripped, f"{where}:{at}")


def _usual(hosts: Sequence[str], what: str) -> Slots:
    """Return as many places on each host as the fullest has, hosts by their numbers."""
    ranks = Counter(hosts)
    names = sorted(ranks, key=_natural)
    full = max(ranks.values())
    short = next((name for name in names[:-1] if ranks[name] < full), None)
    if short is not None:
        raise UserError(
            f"{what}: {short} has {ranks[short]} ranks",
            allowed=f"{full} on every host but the last, as the launcher fills them",
        )
    return Slots(tuple(names), full)


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a key that sorts numbers inside of names as numbers."""
    return [
        (int(part), part) if part.isdecimal() else (-1, part) for part in _NUMBERS.findall(name)
    ]


def _seats(hosts: Sequence[str], slots: Slots, what: str) -> list[int]:
    """Return the place of each rank; ranks of a host take its places in order."""
    free = {host: deque[int]() for host in slots.hosts}
    for at, host in enumerate(slots.take(len(hosts))):
        free[host].append(at)
    seats = []
    for rank, host in enumerate(hosts):
        if host not in free:
            allowed = "the hosts of the launcher"
            raise UserError(f"{what}: rank {rank} is on another host", value=host, allowed=allowed)
        if not free[host]:
            filled = Counter(slots.take(len(hosts)))[host]
            raise UserError(
                f"{what}: {host} has more ranks than the launcher puts there",
                value=Counter(hosts)[host],
                allowed=f"{filled} of {len(hosts)}: hosts are filled in turn, "
                f"{slots.ranks_per_host} on each",
            )
        seats.append(free[host].popleft())
    return seats


def _write_plain(hosts: Sequence[str], slots: Slots | None) -> Iterator[str]:
    yield from hosts


def _read_plain(lines: Sequence[Line], slots: Slots | None) -> list[str]:
    """Return hosts that are listed rank by rank, also several in a line and with counts."""
    hosts: list[str] = []
    for line in lines:
        for item in words_of(line.text, what="host", where=line.where):
            hosts += _repeated(item, line.where, len(hosts))
    return hosts


def _repeated(item: str, where: str, already: int) -> list[str]:
    """Return the hosts of ``nid00012``, ``nid[00012-00013]`` or ``nid00012*4``."""
    match = _COUNT.search(item)
    name, count = (item[: match.start()], int(match[1])) if match else (item, 1)
    names = expand(name, what="host", where=where)
    if not 1 <= count <= MOST_HOSTS or already + count * len(names) > MOST_HOSTS:
        allowed = f"1 to {MOST_HOSTS} together"
        raise UserError(
            "host: number of its ranks out of range", value=item, allowed=allowed, where=where
        )
    return [name for name in names for _ in range(count)]


def _write_counted(hosts: Sequence[str], slots: Slots | None) -> Iterator[str]:
    for host, ranks in groupby(hosts):
        yield f"{host}:{sum(1 for _ in ranks)}"


def _write_numbers(hosts: Sequence[str], slots: Slots | None) -> Iterator[str]:
    for rank, host in enumerate(hosts):
        if not host.isdecimal():
            allowed = "numbers of nodes; a machine is needed to number its names"
            raise UserError(f"nodes: rank {rank} is on a named host", value=host, allowed=allowed)
        yield host


def _read_numbers(lines: Sequence[Line], slots: Slots | None) -> list[str]:
    hosts = []
    for line in lines:
        if not re.fullmatch(r"[0-9]{1,9}", line.text):
            allowed = "the number of a node in each line"
            raise UserError("nodes: not a node", value=line.text, allowed=allowed, where=line.where)
        hosts.append(str(int(line.text)))
    return hosts


def _write_rankfile(hosts: Sequence[str], slots: Slots | None) -> Iterator[str]:
    taken = Counter[str]()
    for rank, host in enumerate(hosts):
        yield f"rank {rank}={host} slot={taken[host]}"
        taken[host] += 1


def _read_rankfile(lines: Sequence[Line], slots: Slots | None) -> list[str]:
    found: dict[int, tuple[str, str, str]] = {}
    for line in lines:
        match = _RANK_LINE.fullmatch(line.text)
        if match is None:
            raise UserError(
                "rankfile: line not understood",
                value=line.text,
                allowed="rank RANK=HOST slot=CORE",
                where=line.where,
            )
        rank = int(match[1])
        if rank >= len(lines) or rank in found:
            raise UserError(
                "rankfile: no such rank, or listed twice",
                value=rank,
                allowed=f"0 to {len(lines) - 1}, each once",
                where=line.where,
            )
        found[rank] = (check_host(match[2], where=line.where), match[3], line.where)
    taken = Counter[str]()
    for rank in range(len(lines)):
        host, slot, where = found[rank]
        if slot != str(taken[host]):
            raise UserError(
                f"rankfile: core of rank {rank} on {host}",
                value=slot,
                allowed=f"{taken[host]}; ranks of a host take its cores in order, from 0 on",
                where=where,
            )
        taken[host] += 1
    return [found[rank][0] for rank in range(len(lines))]


def _write_mpich_order(hosts: Sequence[str], slots: Slots | None) -> Iterator[str]:
    slots = slots or _usual(hosts, "mpich-order")
    rank_at = {seat: rank for rank, seat in enumerate(_seats(hosts, slots, "mpich-order"))}
    for first in range(0, len(hosts), slots.ranks_per_host):
        last = min(first + slots.ranks_per_host, len(hosts))
        yield ",".join(str(rank_at[seat]) for seat in range(first, last))


def _read_mpich_order(lines: Sequence[Line], slots: Slots | None) -> list[str]:
    ranks: list[int] = []
    for line in lines:
        for word in line.text.replace(",", " ").split():
            match = _RANKS.fullmatch(word)
            first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
            if not first <= last < MOST_HOSTS or len(ranks) + last - first >= MOST_HOSTS:
                allowed = "ranks and ranges FIRST-LAST with commas between them"
                raise UserError(
                    "mpich-order: not a rank", value=word, allowed=allowed, where=line.where
                )
            ranks += range(first, last + 1)
    check_order(ranks, what="mpich-order", where=f"{lines[0].where.rpartition(':')[0]}:entry")
    assert slots is not None
    places = slots.take(len(ranks))
    hosts = [""] * len(ranks)
    for place, rank in zip(places, ranks, strict=True):
        hosts[rank] = place
    return hosts


def _write_order(hosts: Sequence[str], slots: Slots | None) -> Iterator[str]:
    yield from map(str, _seats(hosts, slots or _usual(hosts, "order"), "order"))


def _read_order(lines: Sequence[Line], slots: Slots | None) -> list[str]:
    words = [word for line in lines for word in line.text.split()]
    where = f"{lines[0].where.rpartition(':')[0]}:entry"
    order = check_order(words, what="order", where=where)
    assert slots is not None
    places = slots.take(len(order))
    return [places[at] for at in order]


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        form.name: form
        for form in (
            Format(
                "slurm",
                "Host of each rank, a line a rank",
                "SLURM_HOSTFILE=FILE srun --distribution=arbitrary",
                _write_plain,
                _read_plain,
            ),
            Format(
                "openmpi",
                "Host and core of each rank, a line a rank",
                "mpirun --rankfile FILE; from Open MPI 5 on --map-by rankfile:file=FILE",
                _write_rankfile,
                _read_rankfile,
            ),
            Format(
                "hydra",
                "Hosts with their number of successive ranks",
                "mpiexec -f FILE of MPICH",
                _write_counted,
                _read_plain,
            ),
            Format(
                "pals",
                "Host of each rank, a line a rank",
                "mpiexec --hostfile FILE --ppn 1 of HPE's PALS",
                _write_plain,
                _read_plain,
            ),
            Format(
                "mpich-order",
                "Ranks in the order of the places that they take, a line a host",
                "MPICH_RANK_ORDER in the working directory, MPICH_RANK_REORDER_METHOD=3",
                _write_mpich_order,
                _read_mpich_order,
                slots=True,
            ),
            Format(
                "order",
                "Place of each rank, a line a rank",
                "odonata mpirun --reorder FILE, odonata replay --reorder FILE",
                _write_order,
                _read_order,
                slots=True,
            ),
            Format(
                "nodes",
                "Number of each rank's node, a line a rank",
                "odonata itself",
                _write_numbers,
                _read_numbers,
            ),
        )
    }
)
"""Formats of files for launchers, by name."""
