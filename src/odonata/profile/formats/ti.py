"""Time-independent traces of SimGrid: a list of actions for each rank, in text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from odonata import _core
from odonata.errors import ReadError, UserError
from odonata.profile.formats.mending import write_mended
from odonata.profile.formats.report import Conversion
from odonata.trace import (
    MATCH,
    NOBODY,
    Block,
    Call,
    Collective,
    Header,
    Receive,
    Send,
    function_names,
)

__all__ = ["is_ti", "read_ti"]

SIZES = {"0": 8, "1": 4, "2": 1, "3": 2, "4": 8, "5": 4, "6": 1}
"""Bytes of datatypes by SimGrid's numbers: double, int, char, short, long, float, byte."""

FLOPS = 10**9
"""Operations that take a second: SimGrid gives work in operations, and a platform their rate."""

MOST_BYTES = 2**31
"""Longest file that is read [B]."""

MOST_RANKS = 2**20
MOST_HELD = 2**34
PIECE = 2**15

_FIRST = re.compile(rb"\s*(?:#[^\n]*\n\s*)*(\d+|p\d+) init\b")
_NUMBER = re.compile(r"\d{1,15}(?:\.\d*)?(?:[eE][+]?\d{1,2})?")


def is_ti(path: Path) -> bool:
    """Whether a file begins as a time-independent trace does, or lists files that do."""
    return path.is_file() and (_starts(path) or any(map(_starts, _listed(path))))


def _starts(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return _FIRST.match(file.read(4096)) is not None
    except OSError:
        return False


def _listed(path: Path) -> list[Path]:
    """Return the files that a file lists, one a line; none if it is something else."""
    try:
        with path.open("rb") as file:
            lines = file.read(2**20).decode("utf-8", "strict").split("\n")
    except (OSError, UnicodeDecodeError):
        return []
    names = [line.strip() for line in lines if line.strip()]
    if not names or len(names) > MOST_RANKS or any(" " in name or "\0" in name for name in names):
        return []
    files = [path.parent / name for name in names]
    return files if all(file.is_file() for file in files[:1]) else []


@dataclass
class _Rank:
    """The calls of a rank so far, and its open requests by source, destination and tag."""

    number: int
    calls: list[Call] = field(default_factory=list)
    requests: list[tuple[tuple[int, int, int], int]] = field(default_factory=list)
    free: list[int] = field(default_factory=list)
    most: int = 0
    compute: int = 0

    def add(self, name: str, operation: str, view: object = None, **more: object) -> None:
        self.calls.append(
            Call(self.number, f"MPI_{name}", operation, view, compute=self.compute, **more)  # type: ignore[arg-type]
        )
        self.compute = 0

    def open(self, key: tuple[int, int, int]) -> int:
        if self.free:
            number = self.free.pop()
        else:
            self.most += 1
            number = self.most
        self.requests.append((key, number))
        return number

    def close(self, wanted: Callable[[tuple[int, int, int]], bool], *, first: bool) -> list[int]:
        done = [entry for entry in self.requests if wanted(entry[0])]
        done = done[:1] if first else done
        self.requests = [entry for entry in self.requests if entry not in done]
        self.free += [number for _, number in done]
        return [number for _, number in done]


def read_ti(path: Path, target: str | Path) -> Conversion:
    """Write a time-independent trace as a trace of ours.

    Parameters
    ----------
    path
        A file with the actions of all ranks, or one that lists a file for each rank.
    target
        The trace. Work of 10^9 operations becomes a second.

    Raises
    ------
    UserError
        The trace is damaged; the message has the file and the line.
    WriteError
        The trace could not be written.
    """
    account = Conversion("ti")
    ranks: dict[int, _Rank] = {}
    for file in [path] if _starts(path) else _listed(path):
        for line, words in _lines(file):
            number = int(words[0].lstrip("p"))
            if number >= MOST_RANKS:
                raise UserError("rank: out of range", value=number, where=f"{file}:{line}")
            _Action(ranks.setdefault(number, _Rank(number)), words, f"{file}:{line}", account).do()
    size = max(ranks, default=-1) + 1
    missing = [number for number in range(size) if number not in ranks]
    if not size or missing:
        raise UserError(f"{path}: ranks without actions", value=len(missing), allowed="0")
    account.ranks = size
    account.notes.append("10^9 operations of work were taken as a second")
    blocks = [
        Block.of(ranks[number].calls[begin : begin + PIECE], function_names())
        for number in range(size)
        for begin in range(0, len(ranks[number].calls), PIECE)
    ]

    def source() -> _core.TraceSource:
        left = iter(blocks)
        empty = np.empty(0, dtype=MATCH).view(np.uint8)
        return _core.Recorded(
            size, empty, lambda: next((b.as_bytes() for b in left), None), MOST_HELD
        )

    write_mended(
        target, Header(ranks=size, compute="recorded", options={"format": "ti"}), source, account
    )
    return account


def _lines(file: Path) -> Iterator[tuple[int, list[str]]]:
    try:
        size = file.stat().st_size
        if size > MOST_BYTES:
            raise UserError(f"{file}: bytes", value=size, allowed=f"up to {MOST_BYTES}")
        with file.open(encoding="utf-8", errors="replace") as lines:
            for number, line in enumerate(lines, 1):
                words = line.split("#")[0].split()
                if not words:
                    continue
                if not re.fullmatch(r"p?\d{1,9}", words[0]) or len(words) < 2:
                    raise UserError(
                        "not an action",
                        value=line[:60],
                        allowed="RANK ACTION ...",
                        where=f"{file}:{number}",
                    )
                yield number, words
    except OSError as error:
        raise ReadError.of(error, file) from error


ROOTED = {"bcast": 1, "reduce": 2, "gather": 2, "scatter": 2}
"""Position of the root among the numbers of an action."""

NUMBERS = {
    **{"bcast": 1, "reduce": 2, "allreduce": 2, "gather": 2, "scatter": 2, "allgather": 2},
    **{"alltoall": 2, "scan": 2, "exscan": 2, "barrier": 0},
}
"""Numbers that an action has before its root and its datatype."""

IGNORED = {"init", "comm_size", "comm_split", "comm_dup", "location", "test"}


class _Action:
    """One line of a trace."""

    def __init__(self, rank: _Rank, words: list[str], where: str, account: Conversion) -> None:
        self._rank, self._words, self._where, self._account = rank, words, where, account

    def do(self) -> None:
        """Append its calls to the rank's."""
        name = self._words[1].lower()
        if name in ("compute", "sleep"):
            rate = 1 if name == "compute" else FLOPS
            self._rank.compute += round(self._number(2) * rate * 10**9 / FLOPS)
        elif name in ("send", "isend", "recv", "irecv"):
            self._message(name)
        elif name in ("wait", "waitall"):
            self._wait(name)
        elif name in NUMBERS:
            self._collective(name)
        elif name == "finalize":
            self._rank.add("Finalize", "finalize")
        elif name in IGNORED:
            self._rank.add("Init" if name == "init" else "Comm_size", "local")
        else:
            self._account.unknown[name] = self._account.unknown.get(name, 0) + 1

    def _message(self, name: str) -> None:
        peer, tag = int(self._number(2)), int(self._number(3))
        size = round(self._number(4)) * self._datatype(5)
        own = self._rank.number
        if name.endswith("send"):
            request = self._rank.open((own, peer, tag)) if name == "isend" else 0
            view: Send | Receive = Send(peer, tag, size)
        else:
            request = self._rank.open((peer, own, tag)) if name == "irecv" else 0
            view = Receive(peer, tag, size)
        self._rank.add(name.capitalize(), name, view, request=request)

    def _wait(self, name: str) -> None:
        if name == "wait":
            key = tuple(int(self._number(at)) for at in (2, 3, 4))
            done = self._rank.close(lambda other: other == key, first=True)
        else:
            done = self._rank.close(lambda _: True, first=False)
        if done:
            self._rank.add(name.capitalize(), "wait", words=tuple(done))
        else:
            self._account.leave_out("waits for requests that no action has opened", 1)

    def _collective(self, name: str) -> None:
        count = NUMBERS[name]
        numbers = [self._number(2 + at) for at in range(count)]
        root, datatype = NOBODY, 2 + count
        if name in ROOTED:
            root = int(self._number(2 + count)) if len(self._words) > 2 + count else 0
            datatype += 1
        size = round(numbers[0]) * self._datatype(datatype) if numbers else 0
        if name in ("reduce", "allreduce", "scan", "exscan"):
            self._account_work(numbers[1])
        view = Collective(bytes=size, root=root, operation=name)
        self._rank.add(name.capitalize(), "collective", view)

    def _account_work(self, operations: float) -> None:
        if operations and WORK not in self._account.notes:
            self._account.notes.append(WORK)

    def _number(self, at: int) -> float:
        text = self._words[at] if at < len(self._words) else ""
        if not _NUMBER.fullmatch(text) or float(text) > 10**15:
            raise UserError("not a number", value=text, allowed="0 to 1e15", where=self._where)
        return float(text)

    def _datatype(self, at: int) -> int:
        return SIZES.get(self._words[at], 1) if at < len(self._words) else 1


WORK = "work inside reductions is the replay's: that of the trace was ignored"
