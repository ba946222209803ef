"""What a machine file may say: every key, what kind of value it has, and its limits.

Keys are dotted: ``links.local.bandwidth`` is ``bandwidth`` of the table ``[links.local]``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from odonata.errors import UserError, near_miss
from odonata.units import (
    format_bytes,
    format_time,
    parse_bytes,
    parse_rate,
    parse_time,
    parse_time_per_byte,
)

__all__ = ["EDGES", "FAMILIES", "LINK_CLASSES", "STATUSES", "Kind", "Value", "keys_of"]

Value = int | float | str | tuple[object, ...]

STATUSES = ("published", "site", "measured", "assumed")
"""Where a number comes from: print, the machine's operators, a measurement of ours, or a guess."""

FAMILIES = ("dragonfly", "aries", "star", "graph")

LINK_CLASSES: Mapping[str, tuple[str, ...]] = {
    "dragonfly": ("injection", "ejection", "local", "global"),
    "aries": ("injection", "ejection", "green", "black", "blue"),
    "star": ("injection", "ejection"),
    "graph": ("injection", "ejection"),  # and those of the file
}

EDGES = "lines 'node <n> router <r>' and 'link <from> <to> <class>', both directions"
"""Form of the file that ``shape.edges`` names."""

MOST_LISTED = 1_000_000
"""Entries of a list."""


@dataclass(frozen=True)
class Kind:
    """A key: how its value is read, what it means, and whether a file may leave it out.

    Parameters
    ----------
    read
        Called with the value as given, the name of the key and ``file:line:key``; returns the
        value in base units or raises UserError.
    allowed
        Range or form of the value, in words.
    required
        Whether every file of the family must have it.
    meaning
        A sentence without its full stop.
    default
        What a new file says, as it is written; None if it leaves the key out.
    """

    read: Callable[[object, str, str], Value]
    allowed: str
    required: bool = True
    meaning: str = ""
    default: object = None

    def optional(self) -> Kind:
        """Return the same key as one that may be left out."""
        return replace(self, required=False)

    def means(self, meaning: str, default: object = None) -> Kind:
        """Return the same key with its meaning and what a new file says."""
        return replace(self, meaning=meaning, default=default)


def _integer(given: object, what: str, where: str) -> int:
    if not isinstance(given, int) or isinstance(given, bool):
        raise UserError(f"{what}: not a whole number", value=given, where=where)
    return given


def _count(low: int, high: int) -> Kind:
    allowed = f"{low} to {high}"

    def read(given: object, what: str, where: str) -> int:
        number = _integer(given, what, where)
        if not low <= number <= high:
            raise UserError(f"{what}: out of range", value=given, allowed=allowed, where=where)
        return number

    return Kind(read, allowed)


def _choice(*names: str) -> Kind:
    allowed = ", ".join(names)

    def read(given: object, what: str, where: str) -> str:
        if given not in names:
            near = near_miss(str(given), names)
            raise UserError(
                f"{what}: unknown", value=given, allowed=allowed, near=near, where=where
            )
        return str(given)

    return Kind(read, allowed)


def _file() -> Kind:
    def read(given: object, what: str, where: str) -> str:
        if not isinstance(given, str) or not given or "\0" in given:
            raise UserError(f"{what}: not a text", value=given, where=where)
        return given

    return Kind(read, "the path of a file, from the folder of this one")


def _time(most_ps: int = 10**12) -> Kind:
    allowed = f"0 ps to {format_time(most_ps)}"

    def read(given: object, what: str, where: str) -> int:
        time = parse_time(given, what=what, where=where)
        if time > most_ps:
            raise UserError(f"{what}: out of range", value=given, allowed=allowed, where=where)
        return time

    return Kind(read, allowed)


def _size(low: int, high: int) -> Kind:
    allowed = f"{format_bytes(low)} to {format_bytes(high)}"

    def read(given: object, what: str, where: str) -> int:
        size = parse_bytes(given, what=what, where=where)
        if not low <= size <= high:
            raise UserError(f"{what}: out of range", value=given, allowed=allowed, where=where)
        return size

    return Kind(read, allowed)


def _rate() -> Kind:
    return Kind(
        lambda given, what, where: parse_rate(given, what=what, where=where), "1 MB/s to 1 TB/s"
    )


def _per_byte() -> Kind:
    return Kind(
        lambda given, what, where: parse_time_per_byte(given, what=what, where=where),
        "0 ps/B to 1 us/B",
    )


def _factor(most: float) -> Kind:
    """Return the kind of a number above 0 without a unit."""
    allowed = f"a number above 0, up to {most:g}"

    def read(given: object, what: str, where: str) -> float:
        try:
            factor = float(given) if isinstance(given, (int, float, str)) else float("nan")
        except ValueError:
            factor = float("nan")
        if isinstance(given, bool) or not 0 < factor <= most:
            raise UserError(f"{what}: out of range", value=given, allowed=allowed, where=where)
        return factor

    return Kind(read, allowed)


def _list_of(kind: Kind) -> Kind:
    def read(given: object, what: str, where: str) -> tuple[object, ...]:
        if not isinstance(given, list):
            raise UserError(f"{what}: not a list", value=given, where=where)
        if len(given) > MOST_LISTED:
            allowed = f"at most {MOST_LISTED}"
            raise UserError(f"{what}: too long", value=len(given), allowed=allowed, where=where)
        return tuple(kind.read(item, f"{what}[{i}]", where) for i, item in enumerate(given))

    return Kind(read, f"a list, each {kind.allowed}")


def _wire() -> Kind:
    """Return the kind of ``[from, to, class]``."""
    form = '[from, to, "class"]'

    def read(given: object, what: str, where: str) -> tuple[object, ...]:
        if not isinstance(given, list) or len(given) != 3 or not isinstance(given[2], str):
            raise UserError(f"{what}: not a link", value=given, allowed=form, where=where)
        ends = (_count(0, 500_000).read(end, what, where) for end in given[:2])
        return (*ends, given[2])

    return Kind(read, form)


def _fit() -> Kind:
    """Return the kind of ``[mix, scenario, cores, accuracy]``: a fit of the AMG model."""
    form = '["16x1", "scenario", cores, accuracy]'

    def read(given: object, what: str, where: str) -> tuple[object, ...]:
        if not isinstance(given, list) or len(given) != 4 or not _is_mix(given[0]):
            raise UserError(f"{what}: not a fit", value=given, allowed=form, where=where)
        mix, scenario, cores, accuracy = given
        if not isinstance(scenario, str):
            raise UserError(f"{what}, scenario: not a text", value=scenario, where=where)
        return (
            mix,
            scenario,
            _count(1, 10**9).read(cores, f"{what}, cores", where),
            _factor(1).read(accuracy, f"{what}, accuracy", where),
        )

    return Kind(read, form)


def _is_mix(given: object) -> bool:
    return isinstance(given, str) and bool(re.fullmatch(r"[1-9][0-9]{0,5}x[1-9][0-9]{0,5}", given))


_SHAPES: Mapping[str, Mapping[str, Kind]] = {
    "dragonfly": {
        "nodes_per_router": _count(1, 4096).means("Nodes of each router", 2),
        "routers_per_group": _count(1, 4096).means("Routers of a group, a link between any two", 4),
        "global_links_per_router": _count(0, 4096).means("Links of a router to other groups", 2),
        "groups": _count(1, 2048).means(
            "Groups; at most routers_per_group x global_links_per_router + 1", 9
        ),
        "arrangement": _choice("absolute", "relative", "circulant").means(
            "Which port leads to which group: see docs/concepts/machine.md", "relative"
        ),
        "links_per_group_pair": _count(1, 4096)
        .optional()
        .means("Links between two groups; left out: as many as the ports allow"),
    },
    "aries": {
        "groups": _count(1, 2048).means("Groups of rows x columns routers", 2),
        "rows": _count(1, 64).means("Chassis of a group", 6),
        "columns": _count(1, 64).means("Routers of a chassis", 16),
        "nodes_per_router": _count(1, 64).means("Nodes of each router", 4),
        "black_links": _count(1, 64).means("Links between two routers of a column", 3),
        "blue_links": _count(1, 4096)
        .optional()
        .means("Links between two groups, where blue_wiring is left out", 240),
        "blue_wiring": _file().optional().means("A Cray wiring file that lists the blue links"),
        "nodes": _count(1, 2_000_000)
        .optional()
        .means("Compute nodes, if some at the end are not there"),
        "service_routers": _list_of(_count(0, 500_000))
        .optional()
        .means("Routers whose nodes do not compute"),
    },
    "star": {"nodes": _count(1, 2_000_000).means("Nodes, all on one router", 16)},
    "graph": {
        "routers": _count(1, 500_000)
        .optional()
        .means("Routers, if the last of them have neither nodes nor links"),
        "node_router": _list_of(_count(0, 500_000))
        .optional()
        .means("Router of each node, where links are listed here", [0, 0, 1, 1]),
        "links": _list_of(_wire())
        .optional()
        .means(
            "Links of routers, both directions, each of a class that has a table [links.<class>]",
            [[0, 1, "cable"], [1, 0, "cable"]],
        ),
        "edges": _file().optional().means(f"Edge list instead of links and node_router: {EDGES}"),
        "wiring": _file().optional().means("A Cray wiring file instead of links and node_router"),
        "nodes_per_router": _count(1, 4096).optional().means("Nodes of each router of the wiring"),
    },
}

_LINK: Mapping[str, Kind] = {
    "bandwidth": _rate().means("Rate of a direction, seen by payload and headers", "10 GB/s"),
    "latency": _time().means("Time on the wire", "50 ns"),
    "buffer": _size(1, 2**30).means("Room of a virtual channel at the far end", "64 KiB"),
    "credit_delay": _time().means("Time that a credit takes back", "50 ns"),
}

_SOFTWARE: Mapping[str, Kind] = {
    "router.delay": _time().means("From the head at an input to the start at an output", "100 ns"),
    "node.cores": _count(1, 4096).means("Cores, each for a rank", 16),
    "node.latency": _time().means("Between two ranks of a node", "300 ns"),
    "node.bandwidth": _rate().means("Between two ranks of a node", "5 GB/s"),
    "node.compute_scale": _factor(1e6)
    .optional()
    .means("How much longer programs compute there than here", 1),
    "nic.packet_bytes": _size(1, 2**24).means("Largest payload of a packet", "4 KiB"),
    "nic.header_bytes": _size(0, 2**16).means("Header of a packet", "0 B"),
    "nic.window": _size(0, 2**40).means("What a node may have in flight; 0 B: no limit", "0 B"),
    "mpi.send_overhead": _time().means("Processor time of a send", "200 ns"),
    "mpi.send_overhead_per_byte": _per_byte().means("The same, a byte", "0 ps/B"),
    "mpi.recv_overhead": _time().means("Processor time of a receive", "200 ns"),
    "mpi.recv_overhead_per_byte": _per_byte().means("The same, a byte", "0 ps/B"),
    "mpi.reduce_per_byte": _per_byte().means("Time of combining a byte in a reduction", "200 ps/B"),
    "mpi.copy_per_byte": _per_byte().means("Time of copying a byte in memory", "200 ps/B"),
    "mpi.eager_threshold": _size(0, 2**40).means("Larger messages ask first", "8 KiB"),
    "mpi.control_bytes": _size(0, 2**16).means("A message that asks or answers", "64 B"),
    "mpi.poll": _time().optional().means("A test or probe that finds nothing", "100 ns"),
    "mpi.collectives.allgather_doubling_total": _size(0, 2**40).means(
        "Allgather in all, below: recursive doubling on powers of two", "512 KiB"
    ),
    "mpi.collectives.allgather_bruck_total": _size(0, 2**40).means(
        "Allgather in all, below: Bruck; else ring", "80 KiB"
    ),
    "mpi.collectives.alltoall_bruck_block": _size(0, 2**40).means(
        "Alltoall block, up to: Bruck", "256 B"
    ),
    "mpi.collectives.alltoall_bruck_ranks": _count(0, 2**31 - 1).means(
        "Alltoall, from so many ranks on: Bruck", 8
    ),
    "mpi.collectives.alltoall_scattered_block": _size(0, 2**40).means(
        "Alltoall block, up to: scattered; else pairwise", "32 KiB"
    ),
    "mpi.collectives.allreduce_doubling": _size(0, 2**40).means(
        "Allreduce, up to: recursive doubling", "2 KiB"
    ),
    "mpi.collectives.allreduce_value": _size(1, 2**16).means(
        "An element of a reduction, as taken for its number", "8 B"
    ),
    "mpi.collectives.reduce_binomial": _size(0, 2**40).means(
        "Reduce, up to: binomial tree", "2 KiB"
    ),
    "mpi.collectives.reduce_scatter_halving_total": _size(0, 2**40).means(
        "Reduce-scatter in all, below: recursive halving", "512 KiB"
    ),
    "mpi.collectives.bcast_binomial": _size(0, 2**40).means(
        "Broadcast, below: binomial tree", "12 KiB"
    ),
    "mpi.collectives.bcast_binomial_ranks": _count(0, 2**31 - 1).means(
        "Broadcast to fewer ranks: binomial tree", 8
    ),
    "model.alpha": _time().optional().means("Latency of a message, for closed-form models"),
    "model.beta": _time().optional().means("Time of 8 bytes, for closed-form models"),
    "model.gamma": _time().optional().means("Time of a hop, for closed-form models"),
    "model.t": _list_of(_time()).optional().means("Time of a flop, by level"),
    "model.memory_bandwidth": _list_of(_rate())
    .optional()
    .means("Of a thread, with 1, 2, 4, ... threads a node"),
    "model.best_fit": _list_of(_fit())
    .optional()
    .means("Scenario of the AMG model that fits best, by mix and cores, and its accuracy"),
}


def keys_of(family: str, link_classes: tuple[str, ...]) -> dict[str, Kind]:
    """Return every key that a file of a family may have.

    Parameters
    ----------
    family
        One of `FAMILIES`.
    link_classes
        Classes of links, those of the family first.

    Examples
    --------
    >>> [key for key in keys_of("star", LINK_CLASSES["star"]) if key.startswith("links.ej")]
    ['links.ejection.bandwidth', 'links.ejection.latency']
    """
    keys = {f"shape.{key}": kind for key, kind in _SHAPES[family].items()}
    for name in link_classes:
        # A node takes everything that arrives: its links have no buffer and no credits.
        wanted = ("bandwidth", "latency") if name == "ejection" else tuple(_LINK)
        keys |= {f"links.{name}.{key}": _LINK[key] for key in wanted}
    return keys | dict(_SOFTWARE)
