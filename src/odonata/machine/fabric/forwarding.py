"""Forwarding tables as ``dump_lfts``, ``dump_fts`` and OpenSM (``opensm-lfts.dump``) print them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from odonata.errors import UserError
from odonata.machine.fabric.raw_lines import raw_chunks

__all__ = ["NO_PORT", "Forwarding", "read_forwarding"]

NO_PORT = 255
"""Port of an address to which a table has no way."""

MOST_LID = 0xBFFF
MOST_SWITCHES = 20_000
_HEAD = re.compile(rb"Unicast lids \[[^\]]*\] of switch .*?guid 0x([0-9a-fA-F]{1,16})\b.*")
_ENTRY = re.compile(
    rb"0x([0-9a-fA-F]{4,5}) +(\d{1,3}|UNREACHABLE)\b *"
    rb"(?:[:#] *(?:\(?[A-Za-z0-9#: ]*portguid 0x([0-9a-fA-F]{1,16}))?.*)?"
)
_ENTRIES = re.compile(
    rb"^0x([0-9a-fA-F]{4}) (\d{3})(?: [:#] \(?(?:Switch|Channel Adapter|Router|"
    rb"path #\d+ out of \d+:) portguid "
    rb"0x([0-9a-fA-F]{16})[^\r\n]*)?[ \t\r]*$",
    re.MULTILINE,
)
_OTHER = re.compile(
    rb"\s*|\s*Lid +Out.*|\s*Port +Info.*|\d+ (?:valid )?(?:lids|mlids) dumped.*|#.*|"
    rb"[*]{3} WARNING.*"
)
_OTHER_LINES = re.compile(rb"^(?!0x)[^\n]+", re.MULTILINE)
FORM = (
    "lines 'Unicast lids [...] of switch ... guid 0x<GUID> (...)' and '0x<LID> <port> : (...)', "
    "as dump_lfts, dump_fts and OpenSM print them"
)


@dataclass
class Forwarding:
    """Tables of switches.

    Parameters
    ----------
    tables
        Port of each address (LID), by the GUID of the switch; `NO_PORT`: none.
    ports
        GUID of the port that has an address, by the address, as far as the file says it.
    """

    tables: dict[int, NDArray[np.uint8]] = field(default_factory=dict)
    ports: dict[int, int] = field(default_factory=dict)

    def addresses(self) -> dict[int, list[int]]:
        """Return the addresses of each port, in order, by its GUID."""
        found: dict[int, list[int]] = {}
        for lid in sorted(self.ports):
            found.setdefault(self.ports[lid], []).append(lid)
        return found


def read_forwarding(path: Path) -> Forwarding:
    """Read the tables of a fabric.

    Parameters
    ----------
    path
        The file; it may be compressed by gzip.

    Raises
    ------
    UserError
        A line is not understood, a switch or an address is there twice, or an address belongs to
        two ports.
    """
    reader = _Reader(path)
    for first, chunk in raw_chunks(path, what="routes"):
        reader.take(first, chunk)
    if not reader.found.tables:
        raise UserError("routes: no tables in the file", allowed=FORM, where=str(path))
    return reader.found


class _Reader:
    """The tables so far."""

    def __init__(self, path: Path) -> None:
        self.found = Forwarding()
        self._path = path
        self._now: NDArray[np.uint8] | None = None
        self._named: list[tuple[bytes, bytes]] = []
        self._lids = np.zeros(0, np.int64)

    def take(self, first: int, chunk: bytes) -> None:
        """Take some lines."""
        at = 0
        for head in _HEAD.finditer(chunk):
            self._take_lines(first, chunk, at, head.start())
            number = first + chunk.count(b"\n", 0, head.start())
            self._begin(head, f"{self._path}:{number}")
            at = head.end()
        self._take_lines(first, chunk, at, len(chunk))

    def _begin(self, head: re.Match[bytes], where: str) -> None:
        guid = int(head[1], 16)
        if guid in self.found.tables:
            raise UserError("routes: the switch is there twice", value=f"{guid:#x}", where=where)
        if len(self.found.tables) >= MOST_SWITCHES:
            raise UserError("routes: too many switches", allowed=str(MOST_SWITCHES), where=where)
        self._now = self.found.tables[guid] = np.full(MOST_LID + 1, NO_PORT, np.uint8)

    def _take_lines(self, first: int, chunk: bytes, begin: int, end: int) -> None:
        """Take the entries between two places: all at once if they have the usual form."""
        lines = chunk[begin:end]
        entries = _ENTRIES.findall(lines)
        usual = lines.count(b"\n0x") + lines.startswith(b"0x") == len(entries)
        if entries and usual and self._take_usual(entries):
            for line in _OTHER_LINES.finditer(lines):
                number = first + chunk.count(b"\n", 0, begin + line.start())
                self._take_line(line[0].strip(), f"{self._path}:{number}")
            return
        number = first + chunk.count(b"\n", 0, begin)
        for each in lines.split(b"\n"):
            if each:
                self._take_line(each.strip(), f"{self._path}:{number}")
            number += 1

    def _take_usual(self, entries: list[tuple[bytes, bytes, bytes]]) -> bool:
        """Take entries whose addresses and ports are in range; False: they are left alone."""
        now = self._now
        named = [(lid, guid) for lid, _, guid in entries]
        if named != self._named and not self._learn(named):
            return False
        ports = np.array([port for _, port, _ in entries]).astype(np.int64)
        if now is None or ports.max() >= NO_PORT or (now[self._lids] != NO_PORT).any():
            return False
        now[self._lids] = ports
        return True

    def _learn(self, named: list[tuple[bytes, bytes]]) -> bool:
        """Take addresses and their ports, which most switches have in common; False: some wrong."""
        lids = np.array([int(lid, 16) for lid, _ in named])
        if lids.max() > MOST_LID or lids.min() < 1 or len(np.unique(lids)) < len(lids):
            return False
        new = {int(lid, 16): int(guid, 16) for lid, guid in named if guid}
        if any(self.found.ports.get(lid, guid) != guid for lid, guid in new.items()):
            return False
        self.found.ports.update(new)
        self._named, self._lids = named, lids
        return True

    def _take_line(self, line: bytes, where: str) -> None:
        """Take a line of any form."""
        if _OTHER.fullmatch(line):
            return
        found = _ENTRY.fullmatch(line)
        shown = line[:200].decode("utf-8", "replace")
        if found is None:
            raise UserError("routes: line not understood", value=shown, allowed=FORM, where=where)
        if self._now is None:
            raise UserError("routes: an address before any switch", value=shown, where=where)
        lid = int(found[1], 16)
        if not 1 <= lid <= MOST_LID:
            allowed = f"0x0001 to {MOST_LID:#x}"
            raise UserError("routes: LID out of range", value=shown, allowed=allowed, where=where)
        if self._now[lid] != NO_PORT:
            raise UserError("routes: the address is there twice", value=shown, where=where)
        port = NO_PORT if found[2] == b"UNREACHABLE" else int(found[2])
        if port > NO_PORT:
            allowed = f"0 to {NO_PORT}"
            raise UserError("routes: port out of range", value=shown, allowed=allowed, where=where)
        self._now[lid] = port
        if found[3]:
            guid = int(found[3], 16)
            if self.found.ports.setdefault(lid, guid) != guid:
                raise UserError("routes: the address has two ports", value=shown, where=where)
