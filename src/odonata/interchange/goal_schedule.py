"""GOAL schedules, as LogGOPSim has them: sends, receives and work of each rank, and their order.

A schedule is read from text or from LogGOPSim's binary form, and written as either.
"""

from __future__ import annotations

import re
import struct
import tempfile
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import IO, Protocol

import numpy as np
from numpy.typing import NDArray

from odonata.errors import ReadError, UserError, WriteError
from odonata.files import NewFile, read_beginning

__all__ = [
    "CALC",
    "RECV",
    "SEND",
    "Operation",
    "Rank",
    "Ranks",
    "hold",
    "is_goal",
    "is_goal_binary",
    "read_goal",
    "write_goal",
]

SEND, RECV, CALC = 1, 2, 3
"""Kinds of operations, as in the binary form."""

ANY = 2**32 - 1
"""Any source or tag, in the binary form."""

COOKIE = 4223
SPOILT = 2342
"""First number of a binary file, and of one that a run of LogGOPSim has used up."""

NODE = np.dtype(
    [
        ("waits_for", "<u4"),
        ("kind", "u1"),
        ("peer", "<u4"),
        ("size", "<u8"),
        ("tag", "<u4"),
        ("cpu", "u1"),
        ("nic", "u1"),
        ("num_followers", "<u4"),
        ("followers", "<u4"),
        ("num_starters", "<u4"),
        ("starters", "<u4"),
    ]
)
"""An operation in a binary file; followers wait for its end, or for its start."""

_PLAIN = ("waits_for", "kind", "peer", "size", "tag", "cpu", "nic")

MOST = {SEND: 2**40, RECV: 2**40, CALC: 10**15}
"""Largest size of a message [B], longest computation [ns]."""

MOST_TAG = 2**31 - 1
MOST_RANKS = 2**20
MOST_IDLE = 4096
"""Ranks that do nothing and need not be listed."""

MOST_BYTES = 2**31
"""Longest text that is read [B]."""

PIECE, PIECE_BYTES = 2**12, 2**20
"""Operations of a rank, and bytes of the binary form, that are written at once."""

_TOKEN = re.compile(
    r"\s*(?:(?P<word>[A-Za-z]\w*)|(?P<size>\d+)b\b|(?P<number>-?\d+)|(?P<sign>[:{}]))"
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
KINDS = {"send": SEND, "recv": RECV, "calc": CALC}


@dataclass(slots=True)
class Operation:
    """One operation of a rank.

    Parameters
    ----------
    kind
        `SEND`, `RECV` or `CALC`.
    size
        Bytes of a message, or nanoseconds of a computation.
    peer, tag
        Of a message; -1: any.
    cpu, nic
        Numbers of the processor and of the adapter.
    after
        Operations of the rank that must have ended before it starts, by number.
    after_start
        Operations that must have started.
    """

    kind: int
    size: int
    peer: int = 0
    tag: int = 0
    cpu: int = 0
    nic: int = 0
    after: list[int] = field(default_factory=list)
    after_start: list[int] = field(default_factory=list)


Rank = list[Operation]
"""The operations of a rank, by number."""


class Ranks(Protocol):
    """Schedules of all ranks, one after the other."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Iterable[Operation]]: ...


def is_goal(path: Path) -> bool:
    """Whether a file begins as a schedule in text does."""
    if not path.is_file():
        return False
    start = read_beginning(path, 4096).decode("utf-8", "replace")
    return re.match(r"\s*num_ranks\s+\d", _COMMENT.sub(" ", start)) is not None


def is_goal_binary(path: Path) -> bool:
    """Whether a file begins as a binary schedule does."""
    if not path.is_file():
        return False
    start = read_beginning(path, 8)
    return len(start) == 8 and struct.unpack("<Q", start)[0] in (COOKIE, SPOILT)


def read_goal(path: Path) -> list[Rank]:
    """Read a schedule, in text or binary.

    Raises
    ------
    UserError
        It is damaged; the message has the place.
    """
    try:
        if is_goal_binary(path):
            return _Binary(path).read()
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise UserError(f"{path}: bytes", value=size, allowed=f"up to {MOST_BYTES}")
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ReadError.of(error, path) from error
    return _Text(path, text).read()


class _Text:
    """Reads a schedule in text."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._text = _COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), text)
        self._at = 0

    def read(self) -> list[Rank]:
        self._expect("num_ranks")
        count = self._number()
        if not 1 <= count <= MOST_RANKS:
            raise self._error("num_ranks: out of range", count, f"1 to {MOST_RANKS}")
        most = MOST_IDLE + len(self._text) // len("rank 0{}")
        if count > most:
            raise self._error("num_ranks: more than a file so short lists", count, f"1 to {most}")
        ranks: list[Rank | None] = [None] * count
        while (word := self._word()) is not None:
            if word != "rank":
                raise self._error("not understood", word, "rank")
            number = self._number()
            if not 0 <= number < count or ranks[number] is not None:
                raise self._error("rank: out of range, or there twice", number, f"0 to {count - 1}")
            ranks[number] = self._rank(count)
        return [rank if rank is not None else [] for rank in ranks]

    def _rank(self, count: int) -> Rank:
        self._expect("{")
        made: Rank = []
        labels: dict[str, int] = {}
        while (word := self._word()) != "}":
            if word is None:
                raise self._error("the file ends in a rank", None, "}")
            if word in KINDS:
                made.append(self._operation(KINDS[word], count))
                continue
            following = self._word()
            if following == ":":
                if word in labels:
                    raise self._error("label: there twice", word, None)
                labels[word] = len(made)
                kind = self._word()
                if kind not in KINDS:
                    raise self._error("operation: unknown", kind, ", ".join(KINDS))
                made.append(self._operation(KINDS[kind], count))
            elif following in ("requires", "irequires"):
                one, other = (self._label(labels, name) for name in (word, self._word()))
                where = made[one].after if following == "requires" else made[one].after_start
                where.append(other)
            else:
                raise self._error("not understood", following, ":, requires or irequires")
        return made

    def _label(self, labels: dict[str, int], name: str | None) -> int:
        if name not in labels:
            raise self._error("label: not defined before", name, None)
        return labels[name]

    def _operation(self, kind: int, count: int) -> Operation:
        made = Operation(kind, self._number(in_bytes=kind != CALC))
        if not 0 <= made.size <= MOST[kind]:
            raise self._error("size: out of range", made.size, f"0 to {MOST[kind]}")
        if kind != CALC:
            self._expect("to" if kind == SEND else "from")
            made.peer = self._number()
            least = 0 if kind == SEND else -1
            if not least <= made.peer < count:
                raise self._error("rank: out of range", made.peer, f"0 to {count - 1}")
        while (place := self._at) is not None and (word := self._word()) in ("tag", "cpu", "nic"):
            number = self._number()
            least, most = (-1, MOST_TAG) if word == "tag" else (0, 255)
            if not least <= number <= most:
                raise self._error(f"{word}: out of range", number, f"{least} to {most}")
            setattr(made, word, number)
        self._at = place
        return made

    def _next(self) -> re.Match[str] | None:
        found = _TOKEN.match(self._text, self._at)
        if found is None:
            if self._text[self._at :].strip():
                raise self._error("not understood", self._text[self._at :].split()[0][:40], None)
            return None
        self._at = found.end()
        return found

    def _word(self) -> str | None:
        found = self._next()
        return None if found is None else found[0].strip()

    def _number(self, *, in_bytes: bool = False) -> int:
        found = self._next()
        text = None if found is None else found["size" if in_bytes else "number"]
        if text is None or len(text) > 18:
            wanted = "a number of bytes, such as 8b" if in_bytes else "a number"
            raise self._error("not understood", None if found is None else found[0].strip(), wanted)
        return int(text)

    def _expect(self, wanted: str) -> None:
        found = self._word()
        if found != wanted:
            raise self._error("not understood", found, wanted)

    def _error(self, what: str, value: object, allowed: str | None) -> UserError:
        line = self._text.count("\n", 0, self._at) + 1
        return UserError(what, value=value, allowed=allowed, where=f"{self._path}:{line}")


class _Binary:
    """Reads a binary schedule; all that its ranks claim together is compared with its length."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._content = np.memmap(path, dtype=np.uint8, mode="r")
        self._left = len(self._content)  # [B] no byte is of two ranks or operations

    def read(self) -> list[Rank]:
        cookie, count, _, _ = self._unpack("<QIBB", 0)
        if cookie == SPOILT:
            raise self._error("used up by a run of LogGOPSim with --save-mem")
        if not 1 <= count <= MOST_RANKS:
            raise self._error("ranks: out of range", count)
        return [
            self._rank(self._unpack("<QQ", 14 + 16 * rank)[0] + 8, count) for rank in range(count)
        ]

    def _rank(self, place: int, count: int) -> Rank:
        num_nodes, num_roots = self._unpack("<II", place)
        begin = place + 8 + 4 * num_roots
        nodes = self._array(begin, num_nodes, NODE)
        appendix = begin + num_nodes * NODE.itemsize
        made = []
        for node in nodes.tolist():
            _, kind, peer, size, tag, cpu, nic, *_ = node
            if kind not in (SEND, RECV, CALC) or (kind != CALC and peer >= count and peer != ANY):
                raise self._error("unknown operation", kind)
            if size > MOST[kind] or (tag > MOST_TAG and tag != ANY):
                raise self._error("size or tag: out of range", f"{size}, {tag}")
            made.append(Operation(kind, size, _signed(peer), _signed(tag), cpu, nic))
        for one, node in enumerate(nodes):
            for ended, which in ((True, "followers"), (False, "starters")):
                number = int(node[f"num_{which}"])
                start = appendix + 4 * int(node[which]) if number else appendix
                for other in self._array(start, number, np.dtype("<u4")).tolist():
                    if other >= num_nodes:
                        raise self._error("an operation that is not there", other)
                    (made[other].after if ended else made[other].after_start).append(one)
        return made

    def _unpack(self, form: str, place: int) -> tuple[int, ...]:
        return struct.unpack(
            form, self._array(place, struct.calcsize(form), np.dtype("u1")).tobytes()
        )

    def _array(self, place: int, count: int, kind: np.dtype[np.generic]) -> NDArray[np.generic]:
        end = place + count * kind.itemsize
        if end > len(self._content):
            raise self._error("cut off, or damaged", f"{end} B of {len(self._content)} B")
        self._left -= end - place
        if self._left < 0:
            raise self._error("damaged: its ranks or operations lie over each other", f"{place} B")
        return np.frombuffer(self._content[place:end].tobytes(), dtype=kind)

    def _error(self, what: str, value: object = None) -> UserError:
        return UserError(f"{self._path}: {what}", value=value)


def _signed(number: int) -> int:
    return -1 if number == ANY else number


def write_goal(path: str | Path, ranks: Ranks, *, binary: bool = False) -> None:
    """Write a schedule.

    Parameters
    ----------
    path
        The file.
    ranks
        Operations of each rank.
    binary
        In LogGOPSim's binary form.

    Raises
    ------
    WriteError
        The file could not be written; nothing is left behind.
    """
    file = NewFile(path)
    try:
        for piece in _binary(ranks) if binary else _text(ranks):
            file.write(piece)
    except BaseException:
        if not file.closed:
            file.discard()
        raise
    file.finish()


def hold(file: IO[bytes], content: bytes) -> int:
    """Append to a temporary file without a buffer; return how many bytes these are.

    Raises
    ------
    WriteError
        They could not be written.
    """
    rest = memoryview(content)
    try:
        while rest:
            rest = rest[file.write(rest) :]
    except OSError as error:
        raise WriteError.of(error, tempfile.gettempdir()) from error
    return len(content)


def _text(ranks: Ranks) -> Iterator[bytes]:
    yield f"num_ranks {len(ranks)}\n".encode()
    for number, rank in enumerate(ranks):
        yield f"\nrank {number} {{\n".encode()
        numbered = enumerate(rank)
        while piece := [_lines(at, made) for at, made in islice(numbered, PIECE)]:
            yield "".join(piece).encode()
        yield b"}\n"


def _lines(at: int, made: Operation) -> str:
    """Return the lines of an operation: itself, and the operations before it."""
    extras = f" cpu {made.cpu}" if made.cpu else ""
    extras += f" nic {made.nic}" if made.nic else ""
    if made.kind == CALC:
        lines = f"l{at}: calc {made.size}{extras}\n"
    elif made.kind == SEND:
        lines = f"l{at}: send {made.size}b to {made.peer} tag {made.tag}{extras}\n"
    else:
        lines = f"l{at}: recv {made.size}b from {made.peer} tag {made.tag}{extras}\n"
    if made.after:
        begin = f"l{at} requires l"
        lines += begin + f"\n{begin}".join(map(str, made.after)) + "\n"
    for other in made.after_start:
        lines += f"l{at} irequires l{other}\n"
    return lines


def _binary(ranks: Ranks) -> Iterator[bytes]:
    """Yield the parts of a file: cookie, ranks, processors, places of the ranks, the ranks."""
    cpus = nics = 0
    sizes = []
    with tempfile.TemporaryFile(buffering=0) as held:
        for rank in ranks:
            head, roots, nodes, followers = _binary_rank(rank)
            parts = (head, roots, nodes, followers)
            sizes.append(sum(hold(held, part.tobytes()) for part in parts))
            cpus = max(cpus, int(nodes["cpu"].max(initial=0)))
            nics = max(nics, int(nodes["nic"].max(initial=0)))
        yield struct.pack("<QIBB", COOKIE, len(ranks), cpus, nics)
        place = 6 + 16 * len(ranks)  # after the cookie
        for size in sizes:
            yield struct.pack("<QQ", place, place + size)
            place += size
        held.seek(0)
        while piece := held.read(PIECE_BYTES):
            yield piece


def _binary_rank(rank: Iterable[Operation]) -> tuple[NDArray[np.void], ...]:
    """Return the parts of a rank in their order: numbers, roots, operations, followers."""
    plain, edges = array("q"), array("q")
    for at, made in enumerate(rank):
        waits_for = len(made.after) + len(made.after_start)
        plain.extend((waits_for, made.kind, made.peer, made.size, made.tag, made.cpu, made.nic))
        for is_start, others in enumerate((made.after, made.after_start)):
            for other in others:
                edges.extend((2 * other + is_start, at))
    columns = np.frombuffer(plain, dtype=np.int64).reshape(-1, len(_PLAIN))
    nodes = np.zeros(len(columns), dtype=NODE)
    for name, column in zip(_PLAIN, columns.T, strict=True):
        nodes[name] = column.astype(NODE[name])  # -1 becomes the largest number
    before, after = np.frombuffer(edges, dtype=np.int64).reshape(-1, 2).T
    counts = np.bincount(before, minlength=2 * len(nodes)).reshape(-1, 2)
    begins = np.cumsum(counts).reshape(-1, 2) - counts
    for at, name in enumerate(("followers", "starters")):
        nodes[name], nodes[f"num_{name}"] = begins[:, at], counts[:, at]
    roots = np.flatnonzero(nodes["waits_for"] == 0)
    numbers = (np.array([len(nodes), len(roots)]), roots, after[np.argsort(before, kind="stable")])
    head, first, followers = (part.astype("<u4") for part in numbers)
    return head, first, nodes, followers
