"""Traces of ours as time-independent traces of SimGrid, which know one communicator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from odonata.errors import UserError
from odonata.files import NewFile
from odonata.interchange.report import NO_MARKS, SOURCES, Conversion
from odonata.interchange.ti import ANYBODY, FORMS
from odonata.trace import Call, Collective, Reader, Receive, Send, function_names
from odonata.trace.views import ANY, NOBODY, Communicator, Exchange

__all__ = ["write_ti"]

ANY_SOURCE, ANY_TAG = map(int, ANYBODY)
BYTE = 6
"""SimGrid's numbers of any source, of any tag, and of a datatype of one byte."""

OWN_TAGS = 2**29
"""First tag of messages in communicators other than the world."""

PIECE = 2**20
"""Characters that are held before they are written."""

NO_GROUPS = "collectives of communicators that do not have all ranks in their order"
NO_NEIGHBORS = "collectives with neighbours"
NO_POLLS = "tests and probes that found nothing, but for tests of one request"

OTHERWISE = {
    "blocking": "collectives that do not wait were written as ones that do",
    "modes": "synchronous, buffered and ready sends were written as plain ones",
    "exchanges": "exchanges (MPI_Sendrecv) were written as two messages and two waits each",
    "tags": "sends and receives in other communicators than the world were written with tags from "
    f"{OWN_TAGS} on",
    "work": "reductions were written without their work, which is not known here",
    "blocks": "reductions scattered in equal blocks, and alltoallw, were written with their sizes",
    "sources": SOURCES,
}
"""Reasons for which a file differs from the trace, by a key."""

THEIRS = {
    "reduce_scatter": "reducescatter",
    "reduce_scatter_block": "reducescatter",
    "alltoallw": "alltoallv",
}
"""SimGrid's names of collectives."""

NEIGHBORS = ("neighbor_allgather", "neighbor_alltoall")


@dataclass
class _Comm:
    members: tuple[int, ...]
    identity: int | None  # None: the world, or the rank alone


@dataclass
class _Rank:
    """State of a rank: its open requests have the words of their waits."""

    number: int
    comms: dict[int, _Comm]
    compute: int = 0
    calls: int = 0
    requests: dict[int, str] = field(default_factory=dict)
    ended: bool = False


def write_ti(path: Path, target: str | Path) -> Conversion:
    """Write a trace of ours as a time-independent trace: all ranks in one file.

    A second of compute time becomes 10^9 operations, a message from any source one from the source
    that it came from, and a message in a communicator one between ranks of the world.

    Parameters
    ----------
    path
        The trace.
    target
        The file.

    Returns
    -------
    Conversion
        The account: properties that the format cannot express.

    Raises
    ------
    UserError
        The trace is damaged, or its end is missing; or it has communicators between two groups.
    WriteError
        The file could not be written.
    """
    account = Conversion("odonata", "ti")
    with Reader(path) as reader:
        reader.require_calls()
        made = NewFile(target)
        try:
            _Export(path, reader, account, made).run()
        except BaseException:
            if not made.closed:
                made.discard()
            raise
    made.finish()
    return account


class _Export:
    """Turns the calls of a trace into actions, one after the other."""

    def __init__(self, path: Path, reader: Reader, account: Conversion, made: NewFile) -> None:
        self._path, self._reader, self._account, self._made = path, reader, account, made
        world = tuple(range(reader.header.ranks))
        self._world = world
        self._ranks = [
            _Rank(rank, {0: _Comm(world, None), 1: _Comm((rank,), None)}) for rank in world
        ]
        self._sources = {
            (int(match["rank"]), int(match["call"])): int(match["source"])
            for match in reader.matches()
        }
        self._tags: dict[tuple[int, int], int] = {}
        self._lines: list[str] = []
        self._held = 0

    def run(self) -> None:
        """Write all actions."""
        for rank in self._ranks:
            self._put(rank, "init")
        for block in self._reader.blocks():
            self._account.calls += block.num_calls
            for call in block.each(function_names()):
                rank = self._ranks[call.rank]
                rank.compute += call.compute
                self._add(rank, call)
                rank.calls += 1
        if self._reader.totals is None:
            raise UserError(f"{self._path}: the end of the trace is missing")
        for rank in self._ranks:
            if not rank.ended:
                self._put(rank, "finalize")
        self._flush()
        self._account.ranks = len(self._ranks)
        self._account.notes.append("a second of compute time was written as 10^9 operations")

    def _put(self, rank: _Rank, *words: object) -> None:
        """Append an action, and the work before it."""
        if rank.compute:
            self._append(f"{rank.number} compute {rank.compute}\n")
            rank.compute = 0
        self._append(f"{rank.number} {' '.join(map(str, words))}\n")

    def _append(self, line: str) -> None:
        self._lines.append(line)
        self._held += len(line)
        if self._held > PIECE:
            self._flush()

    def _flush(self) -> None:
        self._made.write("".join(self._lines).encode())
        self._lines, self._held = [], 0

    def _add(self, rank: _Rank, call: Call) -> None:
        view, operation = call.view, call.operation
        if isinstance(view, Communicator):
            self._communicator(rank, call, view)
        elif isinstance(view, Send):
            self._send(rank, call, view.to, view.tag, view.bytes, mode=view.mode)
        elif isinstance(view, Receive):
            source = self._source(rank, call, view.source)
            self._receive(rank, call, source, view.tag, view.bytes)
        elif isinstance(view, Exchange):
            self._exchange(rank, call, view)
        elif isinstance(view, Collective):
            self._collective(rank, call, view)
        elif operation.startswith(("wait", "test")):
            self._wait(rank, call)
        elif operation in ("iprobe", "improbe") and not call.flag:
            self._account.leave_out(NO_POLLS, 1)
        elif operation == "phase":
            self._account.leave_out(NO_MARKS, 1)
        elif operation == "finalize":
            self._put(rank, "finalize")
            rank.ended = True

    def _communicator(self, rank: _Rank, call: Call, view: Communicator) -> None:
        if view.num_local:
            what = "communicators between two groups have no time-independent form"
            raise UserError(f"{self._path}: {what}")
        members = call.words
        rank.comms[call.comm] = _Comm(members, view.identity)

    # ---- messages

    def _peer(self, rank: _Rank, call: Call, peer: int) -> int:
        if peer < 0:
            return NOBODY
        members = rank.comms[call.comm].members if call.comm in rank.comms else ()
        if peer >= len(members):
            raise UserError(f"{self._path}: damaged: rank of a communicator", value=peer)
        return members[peer]

    def _tag(self, rank: _Rank, call: Call, tag: int) -> int:
        if tag == ANY:
            return ANY_TAG
        comm = rank.comms[call.comm]
        if comm.identity is None:
            return tag
        self._account.change(OTHERWISE["tags"], 1)
        return self._tags.setdefault((comm.identity, tag), OWN_TAGS + len(self._tags))

    def _source(self, rank: _Rank, call: Call, source: int) -> int:
        """Return the rank of the world that a message comes from."""
        if source != ANY:
            return self._peer(rank, call, source)
        found = self._sources.get((rank.number, rank.calls), ANY)
        if found == ANY and call.outcomes:
            found = call.outcomes[0].source
        if found == ANY:
            return ANY_SOURCE
        self._account.change(OTHERWISE["sources"], int(found >= 0))
        return found

    def _send(
        self, rank: _Rank, call: Call, to: int, tag: int, size: int, *, mode: str = "standard"
    ) -> str | None:
        """Write a message; return the words of its wait, None if nothing is sent."""
        if to < 0:
            return None
        if mode != "standard":
            self._account.change(OTHERWISE["modes"], 1)
        peer, number = self._peer(rank, call, to), self._tag(rank, call, tag)
        waits = call.operation in ("isend", "sendrecv")
        self._put(rank, "isend" if waits else "send", peer, number, size, BYTE)
        words = f"{rank.number} {peer} {number}"
        if call.operation == "isend":
            rank.requests[call.request] = words
        return words

    def _receive(self, rank: _Rank, call: Call, source: int, tag: int, size: int) -> str | None:
        """Write a receive; return the words of its wait, None if nothing is received."""
        if source == NOBODY:
            return None
        number = self._tag(rank, call, tag)
        waits = call.operation in ("irecv", "imrecv", "sendrecv")
        self._put(rank, "irecv" if waits else "recv", source, number, size, BYTE)
        words = f"{source} {rank.number} {number}"
        if call.operation in ("irecv", "imrecv"):
            rank.requests[call.request] = words
        return words

    def _exchange(self, rank: _Rank, call: Call, view: Exchange) -> None:
        self._account.change(OTHERWISE["exchanges"], 1)
        source = self._source(rank, call, view.source)
        size = call.outcomes[0].bytes if call.outcomes else view.bytes
        ends = [
            self._receive(rank, call, source, view.receive_tag, size),
            self._send(rank, call, view.to, view.send_tag, view.bytes),
        ]
        for words in ends:
            if words is not None:
                self._put(rank, "wait", words)

    def _wait(self, rank: _Rank, call: Call) -> None:
        numbers: Sequence[int] = call.words or ((call.request,) if call.request else ())
        if call.operation.startswith("test") and not call.flag:
            if len(numbers) == 1 and numbers[0] in rank.requests:
                self._put(rank, "test", rank.requests[numbers[0]])
            else:
                self._account.leave_out(NO_POLLS, 1)
            return
        if call.operation.endswith(("any", "some")):
            numbers = [numbers[one.index] for one in call.outcomes if one.index < len(numbers)]
        done = [one for one in dict.fromkeys(numbers) if one in rank.requests]
        if len(done) > 1 and len(done) == len(rank.requests):
            self._put(rank, "waitall")
            rank.requests.clear()
        for one in done:
            if one in rank.requests:
                self._put(rank, "wait", rank.requests.pop(one))

    # ---- collectives

    def _collective(self, rank: _Rank, call: Call, view: Collective) -> None:
        members = rank.comms[call.comm].members if call.comm in rank.comms else ()
        if view.operation in NEIGHBORS:
            self._account.leave_out(NO_NEIGHBORS, 1)
        elif members != self._world:
            self._account.leave_out(NO_GROUPS, int(len(members) != 1))
        else:
            if call.operation == "icollective":
                self._account.change(OTHERWISE["blocking"], 1)
            self._put(rank, *self._action(rank, view, call.words))

    def _action(self, rank: _Rank, view: Collective, words: tuple[int, ...]) -> list[object]:
        """Return the words of a collective."""
        ranks = len(self._world)
        name = THEIRS.get(view.operation, view.operation)
        if name != view.operation and view.operation != "reduce_scatter":
            self._account.change(OTHERWISE["blocks"], 1)
        if view.operation == "reduce_scatter_block":
            words = (view.bytes,) * ranks
        sizes = list(words) or [0] * (2 * ranks)
        numbers = {"block": view.bytes, "work": 0, "type": BYTE, "other": view.bytes}
        numbers["root"] = rank.number if view.root == ANY else view.root
        made: list[object] = [name]
        for part in FORMS[name].split():
            if part == "sizes":
                made += sizes[:ranks]
                del sizes[:ranks]
            elif part == "other" and name == "alltoallv":
                made.append(sum(sizes[:ranks]))
            else:
                made.append(numbers[part])
            if part == "work":
                self._account.change(OTHERWISE["work"], 1)
        return made
