"""A writer of DUMPI files, which shares nothing with the reader."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

MAGIC = b"\xff\xaa\xddDUMPI"
NUMBERS = {
    **{"Send": 0, "Recv": 1, "Ssend": 4, "Isend": 8, "Irecv": 12, "Wait": 13, "Test": 14},
    **{"Waitany": 16, "Waitall": 18, "Testall": 19, "Waitsome": 20, "Iprobe": 22, "Probe": 23},
    **{"Send_init": 26, "Recv_init": 30, "Startall": 32, "Sendrecv": 33, "Type_contiguous": 35},
    **{"Barrier": 52, "Bcast": 53, "Gather": 54, "Gatherv": 55, "Allgather": 58, "Alltoallv": 61},
    **{"Allreduce": 65, "Comm_rank": 82, "Comm_dup": 84, "Comm_split": 86, "Cart_create": 99},
    **{"Cart_sub": 111, "Init": 124, "Finalize": 125, "Pcontrol": 128},
}
FUNCTIONS = 291
WORLD = 2
INT, DOUBLE = 9, 14


def i4(*numbers: int) -> bytes:
    return struct.pack(f">{len(numbers)}i", *numbers)


def u2(number: int) -> bytes:
    return struct.pack(">H", number)


def array(numbers: Sequence[int]) -> bytes:
    return i4(len(numbers), *numbers)


def status(source: int = 0, tag: int = 0, size: int = 0, *, cancelled: int = 0) -> bytes:
    return i4(size, source) + bytes([cancelled, 0]) + i4(tag)


def statuses(*some: bytes) -> bytes:
    return i4(len(some)) + b"".join(some)


def text(characters: str) -> bytes:
    return i4(len(characters)) + characters.encode()


def message(count: int, peer: int, tag: int = 0, *, kind: int = INT, comm: int = WORLD) -> bytes:
    return i4(count) + u2(kind) + i4(peer, tag) + u2(comm)


@dataclass
class RankFile:
    """The file of one rank: calls are appended in order."""

    version: tuple[int, int, int] = (1, 0, 0)
    sizes: tuple[int, ...] = (0, 0, 1, 1, 1, 1, 4, 2, 2, 4, 4, 8, 8, 4, 8, 16, 0, 8, 8, 1)
    body: bytes = b""
    clock: int = 0
    called: dict[str, int] = field(default_factory=dict)
    ignored: dict[str, int] = field(default_factory=dict)

    def call(
        self,
        name: str,
        fields: bytes = b"",
        *,
        after: int = 1000,
        takes: int = 100,
        mask: int = 0x4B,
    ) -> RankFile:
        """Append a call: `after` is the time since the previous call [ns], `takes` its own [ns]."""
        begin = self.clock + after
        self.clock = begin + takes
        self.body += u2(NUMBERS[name]) + bytes([mask])
        self.body += u2(0) if mask & 0x40 else b""
        for clock in (0x04, 0x08):
            if mask & clock:
                for time in (begin, self.clock):
                    self.body += u2(time // 10**9 % 65_536) + i4(time % 10**9)
        self.body += fields
        self.called[name] = self.called.get(name, 0) + 1
        return self

    def ignore(self, name: str, count: int) -> RankFile:
        """Count calls that were made and not recorded."""
        self.called[name] = self.called.get(name, 0) + count
        self.ignored[name] = self.ignored.get(name, 0) + count
        return self

    def bytes(self) -> bytes:
        """Return the whole file."""
        out = MAGIC + i4(0, 1000) + self.body + u2(293)
        places = {"body": len(MAGIC), "header": len(out)}
        out += bytes(self.version) + struct.pack(">Q", 1)
        for word in ("host", "user"):
            out += u2(len(word)) + word.encode()
        out += array([]) + array([])
        places["footer"] = len(out)
        out += struct.pack(">Q", 0xF007FEE7)
        for counts in (self.called, self.ignored):
            row = [0] * FUNCTIONS
            for name, count in counts.items():
                row[NUMBERS[name]] = count
            out += i4(*row)
        places["keys"] = len(out)
        out += i4(0)
        places["sizes"] = len(out)
        out += array(self.sizes)
        order = ("sizes", "", "", "header", "body", "footer", "keys")
        return out + MAGIC + struct.pack(">7Q", *(places.get(name, 0) for name in order))


def write(folder: Path, ranks: Sequence[RankFile], *, prefix: str = "dumpi-test") -> Path:
    """Write the files of a trace and return the folder."""
    folder.mkdir(exist_ok=True)
    for rank, file in enumerate(ranks):
        (folder / f"{prefix}-{rank:04}.bin").write_bytes(file.bytes())
    (folder / f"{prefix}.meta").write_text(f"hostname=h\nnumprocs={len(ranks)}\n")
    return folder


def starting(count: int) -> list[RankFile]:
    """Return the files of ranks that have called MPI_Init."""
    return [RankFile().call("Init", i4(1) + text("./app")) for _ in range(count)]


def ended(ranks: Sequence[RankFile]) -> list[RankFile]:
    """Let all ranks call MPI_Finalize."""
    return [rank.call("Finalize") for rank in ranks]
