"""Time-independent traces of SimGrid: a list of actions for each rank, in text."""

from __future__ import annotations

import re
import tempfile
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from odonata.errors import ReadError, UserError
from odonata.files import read_beginning
from odonata.interchange.mending import trace_source, write_mended
from odonata.interchange.report import Conversion
from odonata.interchange.ti_types import BYTE, DOUBLE, SIZES
from odonata.trace import Block, Call, Collective, Header, Receive, Send, Writer, function_names
from odonata.trace.views import ANY, NOBODY, Exchange

__all__ = ["is_ti", "read_ti"]

FLOPS = 10**9
"""Operations that take a second: SimGrid gives work in operations, and a platform their rate."""

MOST_BYTES = 2**31
"""Longest file that is read [B]."""

MOST_CHARACTERS = 2**25
MOST_TAG = 2**31 - 1
MOST_WORK = 2**60
"""Most compute time before a call [ns]."""

MOST_RANKS = 2**20
PIECE = 2**15
"""Most calls and words that are held before they are written."""

Key = tuple[int, int, int]
"""Source, destination and tag of a message."""

_FIRST = re.compile(rb"\s*(?:#[^\n]*\n\s*)*(\d+|p\d+) init\b")
_RANK = re.compile(r"p?\d{1,9}")
_NUMBER = re.compile(r"\d{1,15}(?:\.\d*)?(?:[eE][+]?\d{1,2})?")


def is_ti(path: Path) -> bool:
    """Whether a file begins as a time-independent trace does, or lists files that do."""
    return path.is_file() and (_starts(path) or any(map(_starts, _listed(path))))


def _starts(path: Path) -> bool:
    return _FIRST.match(read_beginning(path, 4096)) is not None


def _listed(path: Path) -> list[Path]:
    """Return the files that a file lists, one a line; none if it is something else."""
    try:
        lines = read_beginning(path, 2**20).decode("utf-8", "strict").split("\n")
    except UnicodeDecodeError:
        return []
    names = [line.strip() for line in lines if line.strip()]
    if not names or len(names) > MOST_RANKS or any(" " in name or "\0" in name for name in names):
        return []
    files = [path.parent / name for name in names]
    return files if all(file.is_file() for file in files[:1]) else []


@dataclass
class _Rank:
    """A rank so far: work before its next call, default datatype, open requests by their keys."""

    number: int
    compute: int = 0
    datatype: str = BYTE
    requests: dict[Key, deque[int]] = field(default_factory=dict)
    free: list[int] = field(default_factory=list)
    most: int = 0

    def open(self, key: Key) -> int:
        """Return the number of a new request."""
        if not self.free:
            self.most += 1
            self.free.append(self.most)
        number = self.free.pop()
        self.requests.setdefault(key, deque()).append(number)
        return number

    def find(self, key: Key) -> Key | None:
        """Return the key of an open request for a message; a receive may take it from anybody."""
        source, target, tag = key
        keys = (key, (ANY, target, tag), (source, target, ANY), (ANY, target, ANY))
        return next((one for one in keys if one in self.requests), None)

    def close(self, key: Key) -> int:
        """Return the number of the oldest open request of a key, which is closed."""
        number = self.requests[key].popleft()
        if not self.requests[key]:
            del self.requests[key]
        self.free.append(number)
        return number

    def close_all(self) -> list[int]:
        """Return the numbers of all open requests, which are closed."""
        done = [number for numbers in self.requests.values() for number in numbers]
        self.requests.clear()
        self.free += done
        return done


class _Calls:
    """Calls on their way to a trace: a block at a time is held."""

    def __init__(self, writer: Writer, ranks: int) -> None:
        self.ranks = ranks
        self._writer = writer
        self._calls: list[Call] = []
        self._words = 0

    def add(self, rank: _Rank, name: str, operation: str, **more: Any) -> None:
        """Append a call of a rank, with the work before it."""
        call = Call(rank.number, f"MPI_{name}", operation, compute=rank.compute, **more)
        rank.compute = 0
        if self._calls and self._words + len(call.words) > PIECE:
            self.flush()
        self._calls.append(call)
        self._words += 1 + len(call.words)

    def flush(self) -> None:
        """Write the calls held so far."""
        self._writer.write(Block.of(self._calls, function_names()))
        self._calls, self._words = [], 0


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
    files = [path] if _starts(path) else _listed(path)
    account = Conversion("ti", ranks=_num_ranks(path, files))
    account.notes.append("10^9 operations of work were taken as a second")
    header = Header(ranks=account.ranks, compute="recorded", options={"format": "ti"})
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.trace"
        with Writer(plain, header) as writer:
            calls = _Calls(writer, account.ranks)
            ranks = [_Rank(number) for number in range(account.ranks)]
            for where, words in _lines(files):
                _Action(ranks[_rank(words[0])], calls, words, where, account).do()
            calls.flush()
        _note_unsized(account)
        write_mended(target, header, lambda: trace_source(plain, account.ranks), account)
    return account


def _note_unsized(account: Conversion) -> None:
    """Replace counts of datatypes without a known size by a sentence."""
    unsized = [name for name in account.unknown if name.startswith(DATATYPE)]
    for name in sorted(unsized):
        count, number = account.unknown.pop(name), name.removeprefix(DATATYPE)
        account.notes.append(
            f"{count} uses of datatype {number}, whose size the trace does not tell: "
            "each element was taken as a byte"
        )


def _num_ranks(path: Path, files: list[Path]) -> int:
    """Return the number of ranks, all of which have actions."""
    known: set[int] = set()
    for where, words in _lines(files):
        number = _rank(words[0])
        if number not in known and number >= MOST_RANKS:
            raise UserError("rank: out of range", value=number, where=where)
        known.add(number)
    missing = max(known, default=0) + 1 - len(known)
    if not known or missing:
        raise UserError(f"{path}: ranks without actions", value=missing, allowed="0")
    return len(known)


def _rank(word: str) -> int:
    return int(word.lstrip("p"))


def _lines(files: list[Path]) -> Iterator[tuple[str, list[str]]]:
    """Yield the actions of files: the place, and the words."""
    for file in files:
        try:
            size = file.stat().st_size
            if size > MOST_BYTES:
                raise UserError(f"{file}: bytes", value=size, allowed=f"up to {MOST_BYTES}")
            with file.open(encoding="utf-8", errors="replace") as text:
                for number, line in enumerate(iter(partial(text.readline, MOST_CHARACTERS), ""), 1):
                    words = line.partition("#")[0].split()
                    if words:
                        yield _checked(words, line, f"{file}:{number}"), words
        except OSError as error:
            raise ReadError.of(error, file) from error


def _checked(words: list[str], line: str, where: str) -> str:
    """Return the place of an action."""
    if len(line) >= MOST_CHARACTERS:
        allowed = f"up to {MOST_CHARACTERS}"
        raise UserError("characters of a line", value=len(line), allowed=allowed, where=where)
    if len(words) < 2 or not _RANK.fullmatch(words[0]):
        text = " ".join(words)[:60]
        raise UserError("not an action", value=text, allowed="RANK ACTION ...", where=where)
    return where


FORMS = {
    "barrier": "",
    "bcast": "block root type",
    "reduce": "block work root type",
    "allreduce": "block work type",
    "scan": "block work type",
    "exscan": "block work type",
    "gather": "block other root type type",
    "scatter": "block other root type type",
    "allgather": "block other type type",
    "alltoall": "block other type type",
    "gatherv": "block sizes root type type",
    "scatterv": "sizes block root type type",
    "allgatherv": "block sizes type type",
    "reducescatter": "sizes work type",
    "alltoallv": "other sizes other sizes type type",
}
"""Numbers of each collective in their order: `sizes` are as many as ranks; those from the root or
the first type on may be absent."""

OURS = {"reducescatter": "reduce_scatter"}
"""Names of ours that are others."""

LOCAL = {"comm_size", "comm_split", "comm_dup", "location"}
"""Actions of one rank alone, which take no time."""

DATATYPE = "datatype "

ANYBODY = {"-555": ANY, "-444": ANY}
"""SimGrid's numbers of any source and any tag."""

WORK = "work inside reductions is the replay's: the trace's work was ignored"


class _Action:
    """One line of a trace."""

    def __init__(
        self, rank: _Rank, calls: _Calls, words: list[str], where: str, account: Conversion
    ) -> None:
        self._rank, self._calls, self._words = rank, calls, words
        self._where, self._account = where, account

    def do(self) -> None:
        """Append its calls to the rank's."""
        name = self._words[1].lower()
        if name in ("compute", "sleep"):
            rate = 1 if name == "compute" else FLOPS
            self._rank.compute += round(self._number(2) * rate * 10**9 / FLOPS)
            if self._rank.compute > MOST_WORK:
                raise UserError("work before a call", value=self._words[2], where=self._where)
        elif name in ("send", "isend", "recv", "irecv"):
            self._message(name)
        elif name == "sendrecv":
            self._exchange()
        elif name in ("wait", "waitall", "test"):
            self._wait(name)
        elif name in FORMS:
            self._collective(name)
        elif name == "finalize":
            self._calls.add(self._rank, "Finalize", "finalize")
        elif name == "init":
            self._rank.datatype = DOUBLE if len(self._words) > 2 else BYTE
            self._calls.add(self._rank, "Init", "local")
        elif name in LOCAL:
            self._calls.add(self._rank, "Comm_size", "local")
        else:
            self._account.unknown[name] = self._account.unknown.get(name, 0) + 1

    def _message(self, name: str) -> None:
        peer, tag = self._peer(2), self._peer(3)
        sends, own = name.endswith("send"), self._rank.number
        unknown = not sends and self._word(4).startswith("-")  # a receive of any size
        size = 0 if unknown else round(self._number(4)) * self._datatype(5)
        view = Send(peer, tag, size) if sends else Receive(peer, tag, size)
        key = (own, peer, tag) if sends else (peer, own, tag)
        request = self._rank.open(key) if name[0] == "i" else 0
        self._calls.add(self._rank, name.capitalize(), name, view=view, request=request)

    def _exchange(self) -> None:
        """Send and receive at once: count, target, count, source, and their types; the tag is 0."""
        sent = round(self._number(2)) * self._datatype(6)
        self._number(4)
        view = Exchange(self._peer(3), 0, sent, self._peer(5), 0)
        self._calls.add(self._rank, "Sendrecv", "sendrecv", view=view)

    def _wait(self, name: str) -> None:
        if name == "waitall":
            done = self._rank.close_all()
            if done:
                self._calls.add(self._rank, "Waitall", "wait", words=tuple(done))
            return
        key = self._rank.find((self._peer(2), self._peer(3), self._peer(4)))
        if key is None:
            self._account.leave_out(f"{name}s of requests that no action has opened", 1)
        elif name == "test":
            request = self._rank.requests[key][0]
            self._calls.add(self._rank, "Test", "test", request=request, flag=False)
        else:
            self._calls.add(self._rank, "Wait", "wait", words=(self._rank.close(key),))

    def _collective(self, name: str) -> None:
        at, block, root, lists, types = 2, 0, NOBODY, [], []
        for part in FORMS[name].split():
            if part == "sizes":
                lists.append([round(self._number(at + one)) for one in range(self._calls.ranks)])
                at += self._calls.ranks
                continue
            if part == "root":
                root = self._peer(at) if at < len(self._words) else 0
            elif part == "type":
                types.append(self._datatype(at if self._has_types(name) else len(self._words)))
            elif part == "block":
                block = round(self._number(at))
            elif part == "work":
                self._note_work(self._number(at))
            at += 1
        operation = OURS.get(name, name)
        block, words = self._sizes(name, block, root, lists, [*types, 1, 1])
        view = Collective(bytes=block, root=root, operation=operation)
        function = operation.capitalize()
        self._calls.add(self._rank, function, "collective", view=view, words=words)

    def _sizes(
        self, name: str, block: int, root: int, lists: list[list[int]], types: list[int]
    ) -> tuple[int, tuple[int, ...]]:
        """Return the block of a collective and the sizes of its blocks [B]."""
        rank = self._rank.number
        if name == "scatterv":
            return block * types[1], tuple(n * types[0] for n in lists[0] if rank == root)
        if name in ("gatherv", "allgatherv"):
            known = name == "allgatherv" or rank == root
            return block * types[0], tuple(n * types[1] for n in lists[0] if known)
        words = tuple(n * types[at] for at, sizes in enumerate(lists) for n in sizes)
        return (words[rank] if name == "reducescatter" else block * types[0]), words

    def _has_types(self, name: str) -> bool:
        """Whether the words behind the sizes are types: an allgatherv may have places alone."""
        behind = len(self._words) - 3 - self._calls.ranks
        return name != "allgatherv" or behind <= 2 or behind > self._calls.ranks

    def _note_work(self, operations: float) -> None:
        if operations and WORK not in self._account.notes:
            self._account.notes.append(WORK)

    def _peer(self, at: int) -> int:
        """Return a rank or a tag, either of which may be any."""
        text = self._word(at)
        number = ANYBODY[text] if text in ANYBODY else round(self._number(at))
        if number > MOST_TAG:
            allowed = f"up to {MOST_TAG}"
            raise UserError("rank or tag", value=text, allowed=allowed, where=self._where)
        return number

    def _word(self, at: int) -> str:
        return self._words[at] if at < len(self._words) else ""

    def _number(self, at: int) -> float:
        text = self._word(at)
        if not _NUMBER.fullmatch(text) or float(text) > 10**15:
            raise UserError("not a number", value=text, allowed="0 to 1e15", where=self._where)
        return float(text)

    def _datatype(self, at: int) -> int:
        """Return the size of an element: of the type at a word, or else of the rank's default."""
        number = self._word(at) or self._rank.datatype
        if number not in SIZES:
            name = f"{DATATYPE}{number[:20]}"
            self._account.unknown[name] = self._account.unknown.get(name, 0) + 1
        return SIZES.get(number, 1)
