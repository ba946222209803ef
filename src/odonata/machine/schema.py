"""What a machine file may say: every key, what kind of value it has, and its limits.

Keys are dotted: ``links.local.bandwidth`` is ``bandwidth`` of the table ``[links.local]``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from odonata.errors import UserError
from odonata.units import parse_bytes, parse_rate, parse_time, parse_time_per_byte

__all__ = ["FAMILIES", "LINK_CLASSES", "STATUSES", "Kind", "Value", "keys_of"]

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

MOST_LISTED = 1_000_000
"""Entries of a list."""


@dataclass(frozen=True)
class Kind:
    """A kind of value: how it is read, and whether a file may leave it out.

    Parameters
    ----------
    read
        Called with the value as given, the name of the key and ``file:line:key``; returns the
        value in base units or raises UserError.
    required
        Whether every file of the family must have it.
    """

    read: Callable[[object, str, str], Value]
    required: bool = True

    def optional(self) -> Kind:
        """Return the same kind for a key that may be left out."""
        return Kind(self.read, required=False)


def _integer(given: object, what: str, where: str) -> int:
    if not isinstance(given, int) or isinstance(given, bool):
        raise UserError(f"{what}: not a whole number", value=given, where=where)
    return given


def _count(low: int, high: int) -> Kind:
    def read(given: object, what: str, where: str) -> int:
        number = _integer(given, what, where)
        if not low <= number <= high:
            allowed = f"{low} to {high}"
            raise UserError(f"{what}: out of range", value=given, allowed=allowed, where=where)
        return number

    return Kind(read)


def _choice(*names: str) -> Kind:
    def read(given: object, what: str, where: str) -> str:
        if given not in names:
            raise UserError(f"{what}: unknown", value=given, allowed=", ".join(names), where=where)
        return str(given)

    return Kind(read)


def _text() -> Kind:
    def read(given: object, what: str, where: str) -> str:
        if not isinstance(given, str) or not given or "\0" in given:
            raise UserError(f"{what}: not a text", value=given, where=where)
        return given

    return Kind(read)


def _time(most_ps: int = 10**12) -> Kind:
    def read(given: object, what: str, where: str) -> int:
        time = parse_time(given, what=what, where=where)
        if time > most_ps:
            allowed = f"0 to {most_ps} ps"
            raise UserError(f"{what}: out of range", value=given, allowed=allowed, where=where)
        return time

    return Kind(read)


def _size(low: int, high: int) -> Kind:
    def read(given: object, what: str, where: str) -> int:
        size = parse_bytes(given, what=what, where=where)
        if not low <= size <= high:
            allowed = f"{low} B to {high} B"
            raise UserError(f"{what}: out of range", value=given, allowed=allowed, where=where)
        return size

    return Kind(read)


def _rate() -> Kind:
    return Kind(lambda given, what, where: parse_rate(given, what=what, where=where))


def _per_byte() -> Kind:
    return Kind(lambda given, what, where: parse_time_per_byte(given, what=what, where=where))


def _factor(most: float) -> Kind:
    """Return the kind of a number above 0 without a unit."""

    def read(given: object, what: str, where: str) -> float:
        try:
            factor = float(given) if isinstance(given, (int, float, str)) else float("nan")
        except ValueError:
            factor = float("nan")
        if isinstance(given, bool) or not 0 < factor <= most:
            allowed = f"a number above 0, up to {most:g}"
            raise UserError(f"{what}: out of range", value=given, allowed=allowed, where=where)
        return factor

    return Kind(read)


def _list_of(kind: Kind) -> Kind:
    def read(given: object, what: str, where: str) -> tuple[object, ...]:
        if not isinstance(given, list):
            raise UserError(f"{what}: not a list", value=given, where=where)
        if len(given) > MOST_LISTED:
            allowed = f"at most {MOST_LISTED}"
            raise UserError(f"{what}: too long", value=len(given), allowed=allowed, where=where)
        return tuple(kind.read(item, f"{what}[{i}]", where) for i, item in enumerate(given))

    return Kind(read)


def _wire() -> Kind:
    """Return the kind of ``[from, to, class]``."""

    def read(given: object, what: str, where: str) -> tuple[object, ...]:
        if not isinstance(given, list) or len(given) != 3 or not isinstance(given[2], str):
            form = '[from, to, "class"]'
            raise UserError(f"{what}: not a link", value=given, allowed=form, where=where)
        ends = (_count(0, 500_000).read(end, what, where) for end in given[:2])
        return (*ends, given[2])

    return Kind(read)


_SHAPES: Mapping[str, Mapping[str, Kind]] = {
    "dragonfly": {
        "nodes_per_router": _count(1, 4096),
        "routers_per_group": _count(1, 4096),
        "global_links_per_router": _count(0, 4096),
        "groups": _count(1, 2048),
        "arrangement": _choice("absolute", "relative", "circulant"),
        "links_per_group_pair": _count(1, 4096).optional(),
    },
    "aries": {
        "groups": _count(1, 2048),
        "rows": _count(1, 64),
        "columns": _count(1, 64),
        "nodes_per_router": _count(1, 64),
        "black_links": _count(1, 64),
        "blue_links": _count(1, 4096).optional(),
        "blue_wiring": _text().optional(),
        "nodes": _count(1, 2_000_000).optional(),
        "service_routers": _list_of(_count(0, 500_000)).optional(),
    },
    "star": {"nodes": _count(1, 2_000_000)},
    "graph": {
        "routers": _count(1, 500_000).optional(),
        "node_router": _list_of(_count(0, 500_000)).optional(),
        "links": _list_of(_wire()).optional(),
        "edges": _text().optional(),
        "wiring": _text().optional(),
        "nodes_per_router": _count(1, 4096).optional(),
    },
}

_LINK: Mapping[str, Kind] = {
    "bandwidth": _rate(),
    "latency": _time(),
    "buffer": _size(1, 2**30),
    "credit_delay": _time(),
}

_SOFTWARE: Mapping[str, Kind] = {
    "router.delay": _time(),
    "node.cores": _count(1, 4096),
    "node.latency": _time(),
    "node.bandwidth": _rate(),
    "node.compute_scale": _factor(1e6).optional(),
    "nic.packet_bytes": _size(1, 2**24),
    "nic.header_bytes": _size(0, 2**16),
    "nic.window": _size(0, 2**40),
    "mpi.send_overhead": _time(),
    "mpi.send_overhead_per_byte": _per_byte(),
    "mpi.recv_overhead": _time(),
    "mpi.recv_overhead_per_byte": _per_byte(),
    "mpi.reduce_per_byte": _per_byte(),
    "mpi.copy_per_byte": _per_byte(),
    "mpi.eager_threshold": _size(0, 2**40),
    "mpi.control_bytes": _size(0, 2**16),
    "mpi.poll": _time().optional(),
    "mpi.collectives.allgather_doubling_total": _size(0, 2**40),
    "mpi.collectives.allgather_bruck_total": _size(0, 2**40),
    "mpi.collectives.alltoall_bruck_block": _size(0, 2**40),
    "mpi.collectives.alltoall_bruck_ranks": _count(0, 2**31 - 1),
    "mpi.collectives.alltoall_scattered_block": _size(0, 2**40),
    "mpi.collectives.allreduce_doubling": _size(0, 2**40),
    "mpi.collectives.allreduce_value": _size(1, 2**16),
    "mpi.collectives.reduce_binomial": _size(0, 2**40),
    "mpi.collectives.reduce_scatter_halving_total": _size(0, 2**40),
    "mpi.collectives.bcast_binomial": _size(0, 2**40),
    "mpi.collectives.bcast_binomial_ranks": _count(0, 2**31 - 1),
    "model.alpha": _time().optional(),
    "model.beta": _time().optional(),
    "model.gamma": _time().optional(),
    "model.t": _list_of(_time()).optional(),
    "model.memory_bandwidth": _list_of(_rate()).optional(),
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
