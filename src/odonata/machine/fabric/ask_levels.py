"""A program that asks a subnet manager for the service levels of all pairs of addresses.

``python ask_levels.py LIDS LEVELS``: LIDS has the manager's address, then one address a line;
LEVELS becomes a table ``slid,dlid,sl``, without pairs that have no path. The number of answers
is printed now and then. It uses OpenSM's library libibumad, which ibsim's library leads
to the simulated fabric; so it runs with that library preloaded, and imports nothing of Odonata.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Iterator
from itertools import islice, permutations
from pathlib import Path

MAD_BYTES = 256
HEAD = struct.Struct(">BBBBHHQHHI")
CLASS_AND_VERSION = 3, 2  # subnet administration
GET, PATH_RECORD = 0x01, 0x35
MASK_AT, RECORD_AT = 48, 56
DLID_AND_SLID = 0x30
LIDS_AT, LEVEL_AT = RECORD_AT + 40, RECORD_AT + 53
QKEY = 0x8001_0000

AT_ONCE = 16
"""Most questions that wait for their answers."""

PATIENCE_MS = 1_000
MOST_RETRIES = 10
EACH = 5_000
"""Answers after which their number is printed."""


class Manager:
    """Questions to a subnet manager.

    Parameters
    ----------
    address
        The manager's LID.
    """

    def __init__(self, address: int) -> None:
        self._umad = ctypes.CDLL("libibumad.so.3")
        self._address = address
        self._umad.umad_init()
        self._port = self._umad.umad_open_port(None, 0)
        self._agent = self._umad.umad_register(self._port, *CLASS_AND_VERSION, 0, None)
        if self._port < 0 or self._agent < 0:
            sys.exit("no port of an adapter")
        self._head = int(self._umad.umad_size())  # known when a port is open

    def send(self, number: int, source: int, destination: int) -> None:
        """Ask for the path of a pair; the answer has the same number."""
        packet = ctypes.create_string_buffer(self._head + MAD_BYTES)
        self._umad.umad_set_addr(packet, self._address, 1, 0, QKEY)
        at = self._head
        HEAD.pack_into(packet, at, 1, *CLASS_AND_VERSION, GET, 0, 0, number, PATH_RECORD, 0, 0)
        struct.pack_into(">Q", packet, at + MASK_AT, DLID_AND_SLID)
        struct.pack_into(">HH", packet, at + LIDS_AT, destination, source)
        self._umad.umad_send(self._port, self._agent, packet, MAD_BYTES, 0, 0)

    def receive(self) -> tuple[int, int] | None:
        """Return number and level of an answer, -1 without a path; None if none comes."""
        packet = ctypes.create_string_buffer(self._head + MAD_BYTES)
        length = ctypes.c_int(MAD_BYTES)
        agent = self._umad.umad_recv(self._port, packet, ctypes.byref(length), PATIENCE_MS)
        if agent < 0 or self._umad.umad_status(packet):
            return None
        head = HEAD.unpack_from(packet, self._head)
        level = struct.unpack_from(">B", packet, self._head + LEVEL_AT)[0] & 0xF
        return head[6] & 0xFFFF_FFFF, -1 if head[4] else level


def answers(manager: Manager, lids: list[int]) -> Iterator[tuple[int, int, int]]:
    """Yield source, destination and level of each pair, as the answers come."""
    questions = enumerate(permutations(lids, 2), 1)
    waiting: dict[int, tuple[int, int]] = {}
    retries = 0
    while True:
        for number, pair in islice(questions, AT_ONCE - len(waiting)):
            waiting[number] = pair
            manager.send(number, *pair)
        if not waiting:
            return
        answer = manager.receive()
        if answer is None:
            retries += 1
            if retries > MOST_RETRIES:
                sys.exit("the subnet manager does not answer")
            for number, pair in waiting.items():
                manager.send(number, *pair)
        elif answer[0] in waiting:
            retries = 0
            yield (*waiting.pop(answer[0]), answer[1])


def main(lids_file: str, levels_file: str) -> None:
    """Ask for all pairs of the addresses of a file."""
    manager, *lids = map(int, Path(lids_file).read_text(encoding="ascii").split())
    with open(levels_file, "w", encoding="ascii") as file:
        for done, (source, destination, level) in enumerate(answers(Manager(manager), lids), 1):
            if level >= 0:
                file.write(f"{source},{destination},{level}\n")
            if done % EACH == 0:
                print(done, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
