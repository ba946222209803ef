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
    rb"^0x([0-9a-fA-F]{4}) +(\d{1,3}|UNREACHABLE)(?: *[:#] *"
    rb"(?:\(?[A-Za-z0-9#: ]*portguid 0x([0-9a-fA-F]{1,16}))?[^\r\n]*)?[ \t\r]*$",
    re.MULTILINE,
)
_OTHER = (
    rb"[^\S\n]*(?:|Lid +Out.*|Port +Info.*|\d+ (?:valid )?(?:lids|mlids) dumped.*|#.*|"
    rb"[*]{3} WARNING.*)"
)
_LINES = re.compile(rb"^(?!" + _OTHER + rb"$)[^\n]+", re.MULTILINE)
_UNUSUAL_LINES = re.compile(rb"^(?!0x|" + _OTHER + rb"$)[^\n]+", re.MULTILINE)
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
        Addresses (LIDs) and the port of each, shape (2, entries), by the GUID of the switch;
        `NO_PORT`: no way.
    ports
        GUID of the port that has an address, by the address, as far as the file says it.
    """

    tables: dict[int, NDArray[np.uint16]] = field(default_factory=dict)
    ports: dict[int, int] = field(default_factory=dict)

    def table(self, guid: int) -> NDArray[np.uint8]:
        """Return the port of every address at a switch.

        Parameters
        ----------
        guid
            GUID of the switch.
        """
        ports = np.full(MOST_LID + 1, NO_PORT, np.uint8)
        ports[self.tables[guid][0]] = self.tables[guid][1]
        return ports

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
    reader.end()
    if not reader.found.tables:
        raise UserError("routes: no tables in the file", allowed=FORM, where=str(path))
    return reader.found


class _Reader:
    """The tables so far."""

    def __init__(self, path: Path) -> None:
        self.found = Forwarding()
        self._path = path
        self._switch: int | None = None
        self._now = np.full(MOST_LID + 1, NO_PORT, np.uint8)
        self._seen = np.zeros(MOST_LID + 1, bool)
        self._named: tuple[tuple[bytes, ...], tuple[bytes, ...]] = (), ()
        self._lids = np.zeros(0, np.int64)

    def take(self, first: int, chunk: bytes) -> None:
        """Take some lines."""
        at = 0
        for head in _HEAD.finditer(chunk):
            first = self._take_lines(first, chunk[at : head.start()])
            self._begin(head, f"{self._path}:{first}")
            at = head.end()
        self._take_lines(first, chunk[at:])

    def _begin(self, head: re.Match[bytes], where: str) -> None:
        guid = int(head[1], 16)
        self.end()
        if guid in self.found.tables:
            raise UserError("routes: the switch is there twice", value=f"{guid:#x}", where=where)
        if len(self.found.tables) >= MOST_SWITCHES:
            raise UserError("routes: too many switches", allowed=str(MOST_SWITCHES), where=where)
        self._switch = guid

    def end(self) -> None:
        """Keep the table of the switch whose lines have ended."""
        if self._switch is None:
            return
        lids = np.flatnonzero(self._seen)
        self.found.tables[self._switch] = np.array([lids, self._now[lids]], np.uint16)
        self._now[lids] = NO_PORT
        self._seen[lids] = False

    def _take_lines(self, first: int, lines: bytes) -> int:
        """Take entries, all at once if they have the usual form; return the number of the end."""
        entries = _ENTRIES.findall(lines)
        usual = lines.count(b"\n0x") + lines.startswith(b"0x") == len(entries)
        done = bool(entries) and usual and self._take_usual(*zip(*entries, strict=True))
        number, at = first, 0
        for line in (_UNUSUAL_LINES if done else _LINES).finditer(lines):
            number += lines.count(b"\n", at, line.start())
            at = line.start()
            self._take_line(line[0].strip(), f"{self._path}:{number}")
        return number + lines.count(b"\n", at)

    def _take_usual(
        self, lids: tuple[bytes, ...], ports: tuple[bytes, ...], guids: tuple[bytes, ...]
    ) -> bool:
        """Take entries whose addresses and ports are in range; False: they are left alone."""
        if (lids, guids) != self._named and not self._learn(lids, guids):
            return False
        digits = b" ".join(ports).replace(b"UNREACHABLE", str(NO_PORT).encode())
        numbers = np.fromstring(digits, np.int64, sep=" ")
        if self._switch is None or numbers.max() > NO_PORT or self._seen[self._lids].any():
            return False
        self._now[self._lids] = numbers
        self._seen[self._lids] = True
        return True

    def _learn(self, lids: tuple[bytes, ...], guids: tuple[bytes, ...]) -> bool:
        """Take addresses and their ports, which most switches have in common; False: some wrong."""
        digits = b"".join(lids).decode()  # four of each
        numbers = np.frombuffer(bytes.fromhex(digits), ">u2").astype(np.int64)
        counts = np.bincount(numbers)
        if len(counts) > MOST_LID + 1 or counts[0] > 0 or counts.max() > 1:
            return False
        known = zip(numbers.tolist(), guids, strict=True)
        new = {lid: int(guid, 16) for lid, guid in known if guid}
        if any(self.found.ports.get(lid, guid) != guid for lid, guid in new.items()):
            return False
        self.found.ports.update(new)
        self._named, self._lids = (lids, guids), numbers
        return True

    def _take_line(self, line: bytes, where: str) -> None:
        """Take a line of any form."""
        if re.fullmatch(_OTHER, line):
            return
        found = _ENTRY.fullmatch(line)
        shown = line[:200].decode("utf-8", "replace")
        if found is None:
            raise UserError("routes: line not understood", value=shown, allowed=FORM, where=where)
        if self._switch is None:
            raise UserError("routes: an address before any switch", value=shown, where=where)
        lid = int(found[1], 16)
        if not 1 <= lid <= MOST_LID:
            allowed = f"0x0001 to {MOST_LID:#x}"
            raise UserError("routes: LID out of range", value=shown, allowed=allowed, where=where)
        if self._seen[lid]:
            raise UserError("routes: the address is there twice", value=shown, where=where)
        port = NO_PORT if found[2] == b"UNREACHABLE" else int(found[2])
        if port > NO_PORT:
            allowed = f"0 to {NO_PORT}"
            raise UserError("routes: port out of range", value=shown, allowed=allowed, where=where)
        self._now[lid], self._seen[lid] = port, True
        if found[3]:
            guid = int(found[3], 16)
            if self.found.ports.setdefault(lid, guid) != guid:
                raise UserError("routes: the address has two ports", value=shown, where=where)
