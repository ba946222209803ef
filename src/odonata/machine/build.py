"""Construction of the engines' machine from the numbers of a machine file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import groupby
from math import prod
from typing import TypeVar

from odonata import _core, machine
from odonata.errors import UserError
from odonata.machine.families import family_named
from odonata.machine.files import Description
from odonata.machine.node_map import read_node_map
from odonata.machine.values import Value

__all__ = ["build"]

T = TypeVar("T", bound=Value)

_SECTIONS = ("links", "mpi", "nic", "node", "router", "shape")

Values = dict[str, object]
"""Counts, choices, and sequences, by the name of the parameter."""


def build(description: Description) -> _core.Machine:
    """Build the machine that a file describes.

    Parameters
    ----------
    description
        The file, checked.

    Raises
    ------
    UserError
        The numbers don't fit each other: too few ports, too small a buffer, a link without its
        reverse.
    """
    _check_buffers(description)
    _check_order(description)
    _check_memory(description)
    _check_protocols(description)
    _check_comparison(description)
    values = _READERS.get(description.family, _as_given)(description)
    classes = [_link_class(description, name) for name in description.link_classes]
    try:
        return _core.make_machine(description.family, _basics(description), values, classes)
    except UserError as error:
        raise UserError(
            error.what,
            value=error.value,
            allowed=error.allowed,
            where=_where(description, error.what),
        ) from None


def _where(d: Description, what: str) -> str:
    """Return the place of the key that an error of a builder begins with, or of the shape."""
    key = re.match(r"[\w.]*", what)[0]  # type: ignore[index]
    key = key if key.split(".")[0] in _SECTIONS else "shape"
    number = d.numbers.get(key)
    return d.document.where(key) if number is None else number.where


def _check_buffers(description: Description) -> None:
    """Refuse buffers that can't take a packet whole: it would never pass."""
    numbers = description.numbers
    payload = _get(description, "nic.packet_bytes", int)
    packet = payload + _get(description, "nic.header_bytes", int)
    for name in description.link_classes:
        buffer = numbers.get(f"links.{name}.buffer")
        if buffer is not None and _get(description, buffer.key, int) < packet:
            raise UserError(
                f"{buffer.key}: smaller than a packet with its header",
                value=buffer.text,
                allowed=f"{packet} B or more",
                where=buffer.where,
            )
    for key in ("nic.window", "nic.congestion_window"):
        window = numbers.get(key)
        if window is not None and 0 < _get(description, key, int) < payload:
            raise UserError(
                f"{key}: smaller than a packet",
                value=window.text,
                allowed="0 B (no limit), or a packet or more",
                where=window.where,
            )


def _check_order(description: Description) -> None:
    """Refuse turns beside congestion control, whose gates have turns of their own."""
    order = description.numbers.get("nic.order")
    limit = _get(description, "nic.congestion_window", int, 0)
    if order is not None and order.text == "turns" and limit > 0:
        raise UserError(
            "nic.order: not with nic.congestion_window",
            value=order.text,
            allowed="first-come, or a congestion window of 0 B",
            where=order.where,
        )


def _check_memory(description: Description) -> None:
    """Refuse a memory that is slower than one of its messages."""
    memory = description.numbers.get("node.memory_bandwidth")
    copying = description.numbers["node.bandwidth"]
    if memory is not None and _get(description, memory.key, int) < _get(
        description, copying.key, int
    ):
        raise UserError(
            "node.memory_bandwidth: smaller than node.bandwidth",
            value=memory.text,
            allowed=f"{copying.text} or more",
            where=memory.where,
        )


def _check_protocols(description: Description) -> None:
    """Refuse costs of a protocol that no message has."""
    numbers = description.numbers
    for threshold, costs in _PROTOCOLS.items():
        given = (numbers[key] for key in costs if key in numbers)
        lonely = next((number for number in given if number.value), None)
        if threshold not in numbers and lonely is not None:
            raise UserError(
                f"{lonely.key}: no message costs this without {threshold}",
                value=lonely.text,
                allowed=f"beside {threshold}",
                where=lonely.where,
            )


def _check_comparison(description: Description) -> None:
    """Refuse half of a comparison with measurements."""
    numbers = description.numbers
    given = [key for key in numbers if key.startswith("checked.")]
    missing = [key for key in _COMPARISON if key not in numbers]
    if given and missing:
        raise UserError(
            f"{missing[0]}: missing beside {given[0]}",
            allowed=", ".join(_COMPARISON),
            where=numbers[given[0]].where,
        )


_COMPARISON = ("checked.cases", "checked.median_error", "checked.factor")
"""Numbers of a comparison with measurements, which go together."""

_PROTOCOLS = {
    "mpi.short_threshold": (
        "mpi.eager_overhead",
        "mpi.eager_overhead_per_byte",
        "mpi.fetch_latency",
    ),
    "mpi.long_threshold": ("mpi.long_overhead_per_byte",),
}
"""Thresholds, and costs that begin beyond them."""


def _as_given(d: Description) -> Values:
    """Return the values of the table ``[shape]``; files are read by `_READERS`."""
    given = ((name, d.numbers.get(f"shape.{name}")) for name in family_named(d.family).shape)
    return {name: number.value for name, number in given if number is not None}


def _aries(d: Description) -> Values:
    values = _as_given(d)
    file = values.pop("blue_wiring", None)
    if file is None and _get(d, "shape.groups", int) > 1 and "blue_links" not in values:
        where = d.numbers["shape.groups"].where
        raise UserError("shape.blue_links: missing (or shape.blue_wiring, a file)", where=where)
    return values if file is None else values | {"blue_wiring": _blue_links(d, str(file))}


def _blue_links(d: Description, file: str) -> list[list[int]]:
    wiring = machine.read_wiring(d.path(file))
    shape = (wiring.groups, wiring.rows, wiring.columns)
    wanted = tuple(_get(d, f"shape.{key}", int) for key in ("groups", "rows", "columns"))
    if shape != wanted or len(wiring.routers) != prod(shape):
        raise UserError(
            "shape.blue_wiring: the file is of another shape",
            value=f"{len(wiring.routers)} routers, groups x rows x columns {shape}",
            allowed=f"{prod(wanted)} routers, {wanted}",
            where=d.numbers["shape.blue_wiring"].where,
        )
    links: list[list[int]] = wiring.coloured("blue").tolist()
    return links


def _graph(d: Description) -> Values:
    sources = [key for key in _GRAPH_KEYS if f"shape.{key}" in d.numbers]
    if len(sources) != 1:
        given = ", ".join(f"shape.{key}" for key in sources) or None
        raise UserError(
            "shape: a graph needs one list of links",
            value=given,
            allowed="one of shape.links (with shape.node_router), shape.fabric, shape.edges, "
            "shape.wiring",
            where=d.document.where("shape"),
        )
    if sources[0] == "fabric":
        return _fabric(d)
    if "shape.routes" in d.numbers:
        where = d.numbers["shape.routes"].where
        raise UserError("shape.routes: given without shape.fabric", where=where)
    edges = _GRAPH_SOURCES[sources[0]](d)
    classes = {name: i for i, name in enumerate(d.link_classes)}
    for from_router, to_router, name in edges.links:
        if classes.get(name, 0) < 2:
            raise UserError(
                f"links.{name}: missing, link {from_router} -> {to_router} is of this class",
                where=d.numbers[f"shape.{sources[0]}"].where,
            )
    links = [(a, b, classes[name]) for a, b, name in edges.links]
    ends = [*edges.node_router, *(end for link in links for end in link[:2])]
    listed = ("node_ports", "port_links")
    more = {key: d.numbers[f"shape.{key}"].value for key in listed if f"shape.{key}" in d.numbers}
    return more | {
        "routers": _get(d, "shape.routers", int, 1 + max(ends, default=0)),
        "node_router": edges.node_router,
        "links": links,
    }


def _fabric(d: Description) -> Values:
    from odonata.machine.fabric.fabric import USUAL, links_of, read_fabric  # for fabrics alone

    fabric = read_fabric(d.path(_get(d, "shape.fabric", str)))
    where = d.numbers["shape.fabric"].where
    classes = {name: i for i, name in enumerate(d.link_classes)} | {
        f"injection-{USUAL}": 0,
        f"ejection-{USUAL}": 1,
    }

    def number(name: str) -> int:
        if name not in classes:
            raise UserError(f"links.{name}: missing, the fabric has such links", where=where)
        return classes[name]

    given = ("lanes", "addresses")
    values: Values = {
        key: d.numbers[f"shape.{key}"].value for key in given if f"shape.{key}" in d.numbers
    }
    ends = ("injection", "ejection")
    values |= {
        "routers": len(fabric.switches),
        "node_router": [adapter.switch for adapter in fabric.adapters],
        "node_ports": fabric.ports_of_hosts(),
        "port_links": [number(f"{end}-{a.kind}") for a in fabric.adapters for end in ends],
        "links": [(a, b, number(kind)) for a, b, kind in links_of(fabric)],
    }
    if "shape.routes" in d.numbers:
        from odonata.machine.fabric.routes_file import read_routes  # imports NumPy

        path = d.path(_get(d, "shape.routes", str))
        values["routes"] = read_routes(path, fabric, d.numbers["shape.routes"].where)
    return values


def _listed(d: Description) -> machine.EdgeList:
    if "shape.node_router" not in d.numbers:
        raise UserError("shape.node_router: missing", where=d.numbers["shape.links"].where)
    links = _get(d, "shape.links", tuple)
    return machine.EdgeList(_get(d, "shape.node_router", tuple), links)


def _edges(d: Description) -> machine.EdgeList:
    return machine.read_edges(d.path(_get(d, "shape.edges", str)))


def _wired(d: Description) -> machine.EdgeList:
    from odonata.machine.wiring import COLOURS  # imports NumPy

    if "shape.nodes_per_router" not in d.numbers:
        raise UserError("shape.nodes_per_router: missing", where=d.numbers["shape.wiring"].where)
    nodes_per_router = _get(d, "shape.nodes_per_router", int)
    wiring = machine.read_wiring(d.path(_get(d, "shape.wiring", str)))
    links = tuple((int(a), int(b), COLOURS[c]) for a, b, c in wiring.links)
    nodes = tuple(r for r in range(len(wiring.routers)) for _ in range(nodes_per_router))
    return machine.EdgeList(nodes, links)


_GRAPH_KEYS = ("links", "edges", "wiring", "fabric")

_GRAPH_SOURCES: Mapping[str, Callable[[Description], machine.EdgeList]] = {
    "links": _listed,
    "edges": _edges,
    "wiring": _wired,
}


def _cells(d: Description) -> Values:
    values = _as_given(d)
    file = values.pop("node_map", None)
    if file is None:
        return values
    for key in ("nodes_per_leaf", "leaf_of_node"):
        if key in values:
            where = d.numbers[f"shape.{key}"].where
            raise UserError(f"shape.{key}: given beside shape.node_map", where=where)
    found = read_node_map(d.path(str(file)))
    wanted = _get(d, "shape.leaves_per_cell", tuple)
    if len(wanted) == 1:
        wanted *= _get(d, "shape.cells", int)
    if found.leaves_per_cell != wanted:
        raise UserError(
            "shape.node_map: the file is of another shape",
            value=f"leaves of its cells {_shown(found.leaves_per_cell)}",
            allowed=_shown(wanted),
            where=d.numbers["shape.node_map"].where,
        )
    return values | {"leaf_of_node": list(found.leaf_of_node)}


def _shown(counts: tuple[object, ...]) -> str:
    """Return counts as a list that says how often each one follows."""
    runs = [(value, len(list(same))) for value, same in groupby(counts)]
    return ", ".join(f"{value}" if times == 1 else f"{times} x {value}" for value, times in runs)


_READERS: Mapping[str, Callable[[Description], Values]] = {
    "aries": _aries,
    "dragonfly-plus": _cells,
    "graph": _graph,
}
"""The families whose values may be in other files."""


def _basics(d: Description) -> _core.Basics:
    return _core.Basics(
        name=d.name,
        cores_per_node=_get(d, "node.cores", int),
        router_delay=_get(d, "router.delay", int),
        node_latency=_get(d, "node.latency", int),
        node_bandwidth=_get(d, "node.bandwidth", int),
        memory_bandwidth=_get(d, "node.memory_bandwidth", int, 0),
        ports=_ports(d),
    )


def _ports(d: Description) -> _core.Ports:
    stripe = d.numbers.get("nic.stripe_from")
    return _core.Ports(
        _get(d, "nic.ports", int, 1),
        _get(d, "nic.routers", int, 1),
        _get(d, "nic.binding", str, "blocks"),
        None if stripe is None else _get(d, stripe.key, int),
    )


def _link_class(d: Description, name: str) -> _core.LinkClass:
    return _core.LinkClass(
        name=name,
        bandwidth=_get(d, f"links.{name}.bandwidth", int),
        latency=_get(d, f"links.{name}.latency", int),
        buffer=_get(d, f"links.{name}.buffer", int, 0),
        credit_delay=_get(d, f"links.{name}.credit_delay", int, 0),
    )


def _get(d: Description, key: str, kind: type[T], default: T | None = None) -> T:
    """Return the value of a key, which the schema has made one of this type."""
    if key not in d.numbers and default is not None:
        return default
    value = d.numbers[key].value
    assert isinstance(value, kind), key
    return value
