"""Routes of a fabric as the engine reads them: tables of the ways out, and lanes.

The file begins with ``ODONATA ROUTES 1`` and eight numbers of 32 bits: a checksum of the fabric,
routers, ports, addresses of a port, lanes, rows of lanes, and whether service levels and rows by
port follow. Then come the tables, which ``cpp/odonata/machine/families/graph/routes.hpp`` explains.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from odonata.errors import UserError
from odonata.files import read_bytes
from odonata.machine.fabric.fabric import Fabric
from odonata.machine.fabric.forwarding import Forwarding
from odonata.machine.fabric.lanes import LEVELS, LaneMaps

__all__ = ["Tables", "encode", "read_routes", "tables_of"]

MAGIC = b"ODONATA ROUTES 1\n"
HEAD = struct.Struct("<8I")

NONE, DELIVERS = 0xFFFF, 0xFFFE

MOST_BYTES = 2**30
"""Bytes of a file of routes."""

MOST_PATHS = 128
"""Addresses of a port: LMC 7."""

MOST_SWITCH_PORT = 256


@dataclass(frozen=True)
class Tables:
    """Routes of a fabric, and the gaps of the files that they were made of.

    Parameters
    ----------
    out
        Way out of each switch for each address, shape (switches, adapters * paths).
    paths
        Addresses of each adapter.
    levels
        Service level of each pair of adapters, or None.
    lanes
        Lanes of service levels, or None.
    missing_switches, missing_adapters
        Names of switches without a table, and of adapters without an address.
    missing_levels
        Pairs of adapters without a service level, which then is 0.
    """

    out: NDArray[np.uint16]
    paths: int
    levels: NDArray[np.uint8] | None
    lanes: LaneMaps | None
    missing_switches: tuple[str, ...]
    missing_adapters: tuple[str, ...]
    missing_levels: int


def tables_of(
    fabric: Fabric,
    forwarding: Forwarding,
    levels: NDArray[np.uint16] | None = None,
    lanes: LaneMaps | None = None,
) -> Tables:
    """Return the routes that the tables of switches make on a fabric.

    Parameters
    ----------
    fabric
        The fabric.
    forwarding
        Ports of addresses.
    levels
        Rows of source, destination and service level.
    lanes
        Lanes of service levels.

    Raises
    ------
    UserError
        No switch of the fabric has a table, or adapters have no addresses.
    """
    own = [switch.guid for switch in fabric.switches]
    missing = tuple(s.name for s in fabric.switches if s.guid not in forwarding.tables)
    if len(missing) == len(own):
        raise UserError(
            "routes: of another fabric: no switch of the fabric has a table",
            value=f"{next(iter(forwarding.tables)):#x}",
            allowed=f"GUIDs such as {own[0]:#x}",
        )
    addresses, paths = _addresses(fabric, forwarding)
    out = np.full((len(own), addresses.size), NONE, np.uint16)
    ways, deliver = _ways(fabric)
    columns = np.repeat(np.arange(len(fabric.adapters)), paths)
    for number, guid in enumerate(own):
        if guid not in forwarding.tables:
            continue
        ports = forwarding.table(guid)[addresses.ravel()]
        ends = deliver[number, ports]
        last = np.where(ends == columns, DELIVERS, NONE)  # at another adapter the route is lost
        out[number] = np.where(ends >= 0, last, ways[number, ports])
    table, gaps = _levels(addresses, levels)
    lost = tuple(
        f"{adapter.host} {adapter.label}"
        for adapter, address in zip(fabric.adapters, addresses[:, 0], strict=True)
        if address == 0
    )
    return Tables(out, paths, table, lanes, missing, lost, gaps)


def _addresses(fabric: Fabric, forwarding: Forwarding) -> tuple[NDArray[np.int64], int]:
    """Return the addresses of each adapter, shape (adapters, paths)."""
    known = forwarding.addresses()
    found = [known.get(a.guid, [a.lid] if a.lid else []) for a in fabric.adapters]
    if not any(found):
        raise UserError("routes: no adapter has an address in the tables or in the fabric")
    paths = min(len(lids) for lids in found if lids)
    if paths > MOST_PATHS:
        raise UserError("routes: addresses of a port", value=paths, allowed=f"up to {MOST_PATHS}")
    nowhere = [0] * paths  # an address to which no table has a way
    return np.array([(lids or nowhere)[:paths] for lids in found], np.int64), paths


def _ways(fabric: Fabric) -> tuple[NDArray[np.uint16], NDArray[np.int32]]:
    """Return the way out by switch and port, and the adapter at the port or -1."""
    shape = len(fabric.switches), MOST_SWITCH_PORT
    ways, deliver = np.full(shape, NONE, np.uint16), np.full(shape, -1, np.int32)
    next_way: dict[int, int] = {}
    for switch, port, _, _, _ in fabric.ends():
        way = next_way.get(switch, 0)
        next_way[switch] = way + 1
        if port < MOST_SWITCH_PORT:
            ways[switch, port] = way
    for number, adapter in enumerate(fabric.adapters):
        if adapter.port < MOST_SWITCH_PORT:
            deliver[adapter.switch, adapter.port] = number
    return ways, deliver


def _levels(
    addresses: NDArray[np.int64], levels: NDArray[np.uint16] | None
) -> tuple[NDArray[np.uint8] | None, int]:
    """Return the service level of each pair of adapters, and how many have none."""
    if levels is None:
        return None, 0
    count = len(addresses)
    adapter_of = np.full(1 + max(int(addresses.max()), int(levels[:, :2].max(initial=0))), -1)
    adapter_of[addresses[:, 0]] = np.arange(count)
    table = np.zeros((count, count), np.uint8)
    known = np.zeros((count, count), bool)
    ends = adapter_of[levels[:, 0]], adapter_of[levels[:, 1]]
    there = (ends[0] >= 0) & (ends[1] >= 0)
    table[ends[0][there], ends[1][there]] = levels[there, 2]
    known[ends[0][there], ends[1][there]] = True
    np.fill_diagonal(known, True)
    return table, int((~known).sum())


def encode(fabric: Fabric, tables: Tables) -> bytes:
    """Return the content of the file of routes.

    Parameters
    ----------
    fabric
        The fabric.
    tables
        Its routes.
    """
    maps: list[tuple[int, ...]] = [tuple(range(LEVELS))]
    by_port = b""
    if tables.lanes is not None:
        maps = tables.lanes.maps
        if len(maps) > 1:
            by_port = _by_port(fabric, tables.lanes)
    used = [0] if tables.levels is None else [int(level) for level in np.unique(tables.levels)]
    lanes = 1 + max((row[at] for row in maps for at in used if row[at] < LEVELS - 1), default=0)
    switches, columns = tables.out.shape
    head = HEAD.pack(
        fabric.checksum(),
        switches,
        columns // tables.paths,
        tables.paths,
        lanes,
        len(maps),
        tables.levels is not None,
        bool(by_port),
    )
    levels = b"" if tables.levels is None else tables.levels.tobytes()
    rows = np.array(maps, np.uint8).tobytes()
    return MAGIC + head + tables.out.astype("<u2").tobytes() + rows + levels + by_port


def _by_port(fabric: Fabric, lanes: LaneMaps) -> bytes:
    """Return the way in of each link at its far end, and the row of each pair of ways."""
    ports: list[list[int]] = [[] for _ in fabric.switches]
    way: dict[tuple[int, int], int] = {}
    for switch, port, _, _, _ in fabric.ends():
        way[switch, port] = len(ports[switch])
        ports[switch].append(port)
    for adapter in fabric.adapters:
        ports[adapter.switch].append(adapter.port)
    way_in = [way[b, b_port] for _, _, b, b_port, _ in fabric.ends()]
    parts = [np.array(way_in, "<u2").tobytes()]
    for known, its in zip(fabric.switches, ports, strict=True):
        rows: Mapping[tuple[int, int], int] = lanes.rows.get(known.guid, {})
        parts.append(np.array([rows.get((a, b), 0) for a in its for b in its], "<u2").tobytes())
    return b"".join(parts)


def read_routes(path: Path, fabric: Fabric, where: str) -> bytes:
    """Return the content of a file of routes that belongs to a fabric.

    Parameters
    ----------
    path
        The file.
    fabric
        The fabric.
    where
        Place of its name, for errors.

    Raises
    ------
    UserError
        It is no such file, or belongs to another fabric.
    """
    content = read_bytes(path, MOST_BYTES, what="routes")
    if not content.startswith(MAGIC) or len(content) < len(MAGIC) + HEAD.size:
        raise UserError("shape.routes: not a file of routes", value=str(path), where=where)
    head: Sequence[int] = HEAD.unpack_from(content, len(MAGIC))
    if head[0] != fabric.checksum():
        raise UserError(
            "shape.routes: the routes belong to another fabric",
            value=str(path),
            allowed="the routes that were imported with the fabric; import again after a change",
            where=where,
        )
    return content
