"""Service levels of pairs of addresses, and virtual lanes of service levels (SL2VL)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from odonata.errors import UserError
from odonata.machine.fabric.raw_lines import raw_chunks, raw_lines

__all__ = ["MOST_ROWS", "LaneMaps", "read_lane_maps", "read_service_levels"]

LEVELS = 16
"""Service levels, and virtual lanes."""

MOST_LID = 0xBFFF
MOST_ROWS = 5_000_000
"""Most pairs of addresses with a service level."""

_NODE = re.compile(r"(Switch|Channel Adapter|Router) 0x([0-9a-fA-F]{1,16})\b.*")
_ROW = re.compile(r"(\d{1,3})\s+(\d{1,3})\s*:((?:\s+\d{1,2}){16})")
_OTHER = re.compile(r"\s*|#.*|SL2VL.*")
_LEVELS = re.compile(rb"(?:\d{1,5},\d{1,5},\d{1,2}\n)*")
_LEVEL = re.compile(r"(\d{1,5}),(\d{1,5}),(\d{1,2})")


@dataclass
class LaneMaps:
    """Lanes of service levels.

    Parameters
    ----------
    maps
        Different rows of lanes, one a service level.
    rows
        Number of the row by the GUID of the switch, then by the ports in and out.
    """

    maps: list[tuple[int, ...]] = field(default_factory=list)
    rows: dict[int, dict[tuple[int, int], int]] = field(default_factory=dict)


def read_lane_maps(path: Path) -> LaneMaps:
    """Read ``opensm-sl2vl.dump``; rows of adapters are left out, since each has one link.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    UserError
        A line is not understood, or a switch or a row is there twice.
    """
    found = LaneMaps()
    numbers: dict[tuple[int, ...], int] = {}
    now: dict[tuple[int, int], int] | None = None
    skips = False
    for number, line in raw_lines(path, what="sl2vl"):
        where = f"{path}:{number}"
        if node := _NODE.fullmatch(line):
            skips, now = node[1] != "Switch", {}
            guid = int(node[2], 16)
            if not skips and found.rows.setdefault(guid, now) is not now:
                raise UserError("sl2vl: the switch is there twice", value=line, where=where)
        elif row := _ROW.fullmatch(line.strip()):
            lanes = tuple(int(lane) for lane in row[3].split())
            ports = int(row[1]), int(row[2])
            if now is None or ports in now or max(lanes) >= LEVELS:
                allowed = f"after a line of a node; each pair of ports once; lanes below {LEVELS}"
                raise UserError("sl2vl: wrong row", value=line, allowed=allowed, where=where)
            now[ports] = 0 if skips else numbers.setdefault(lanes, len(numbers))
        elif not _OTHER.fullmatch(line):
            allowed = "lines 'Switch 0x<GUID>, ...' and '<in> <out> : <16 lanes>'"
            raise UserError("sl2vl: line not understood", value=line, allowed=allowed, where=where)
    if not found.rows:
        raise UserError("sl2vl: no switches in the file", where=str(path))
    found.maps = list(numbers)
    return found


def read_service_levels(path: Path) -> NDArray[np.uint16]:
    """Read a table ``slid,dlid,sl`` of the service levels of path records.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    array
        Source, destination and level of each line, shape (lines, 3).

    Raises
    ------
    UserError
        A line is not understood, or an address or a level is out of range.
    """
    parts: list[NDArray[np.uint16]] = []
    rows = 0
    for first, chunk in raw_chunks(path, what="service levels"):
        usual = _LEVELS.fullmatch(chunk)
        found = _usual_levels(chunk) if usual else _odd_levels(chunk, first, path)
        outside = (found[:, :2] < 1) | (found[:, :2] > MOST_LID) | (found[:, 2:] >= LEVELS)
        if outside.any():
            at = int(np.argmax(outside.any(axis=1)))
            raise UserError(
                "service levels: out of range",
                value=",".join(map(str, found[at])),
                allowed=f"LIDs from 1 to {MOST_LID}, levels below {LEVELS}",
                where=f"{path}:{first + at}" if usual else str(path),
            )
        parts.append(found.astype(np.uint16))
        rows += len(found)
        if rows > MOST_ROWS:
            raise UserError("service levels: too many", allowed=str(MOST_ROWS), where=str(path))
    return np.concatenate(parts)


def _usual_levels(chunk: bytes) -> NDArray[np.int32]:
    """Return the rows of lines without anything else."""
    text = chunk.replace(b"\n", b",").rstrip(b",").decode("ascii")
    return np.fromstring(text, np.int32, sep=",").reshape(-1, 3)


def _odd_levels(chunk: bytes, first: int, path: Path) -> NDArray[np.int32]:
    """Return the rows of lines with comments, empty lines or a head between them."""
    rows = []
    for number, line in enumerate(chunk.decode("utf-8", "replace").splitlines(), first):
        content = line.partition("#")[0].strip()
        if not content or content.replace(" ", "").lower() == "slid,dlid,sl":
            continue
        found = _LEVEL.fullmatch(content)
        if found is None:
            raise UserError(
                "service levels: line not understood",
                value=line,
                allowed="lines '<slid>,<dlid>,<sl>'",
                where=f"{path}:{number}",
            )
        rows.append([int(number) for number in found.groups()])
    return np.array(rows, np.int32).reshape(-1, 3)
