"""OTF2 traces, as Score-P and others write them, by the ``otf2`` package."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from odonata import _core
from odonata.errors import UserError
from odonata.interchange.mending import write_mended
from odonata.interchange.report import Conversion
from odonata.quiet import errors_of_library
from odonata.trace import Block, Call, Collective, Header, Receive, Send, function_names
from odonata.trace.calls import MATCH, MORE
from odonata.trace.views import NOBODY, Communicator, Exchange

__all__ = ["is_otf2", "read_otf2"]

NANOSECONDS = 10**9
MOST_HELD = 2**34
"""Bytes of calls that are held while they are matched."""

PIECE = 2**15
"""Calls of a block."""

IGNORED = {
    *("Enter", "Leave", "MpiCollectiveBegin", "ProgramBegin", "ProgramEnd", "MeasurementOnOff"),
    *("BufferFlush", "Metric", "ParameterInt", "ParameterUnsignedInt", "ParameterString"),
    *("ThreadFork", "ThreadJoin", "ThreadTeamBegin", "ThreadTeamEnd", "CommCreate", "CommDestroy"),
}
"""Events that say nothing of messages."""

COLLECTIVES = {
    "BARRIER": "barrier",
    "BCAST": "bcast",
    "GATHER": "gather",
    "SCATTER": "scatter",
    "ALLGATHER": "allgather",
    "ALLTOALL": "alltoall",
    "ALLREDUCE": "allreduce",
    "REDUCE": "reduce",
    "REDUCE_SCATTER_BLOCK": "reduce_scatter_block",
    "SCAN": "scan",
    "EXSCAN": "exscan",
}
"""Our names of operations whose blocks are all alike."""

RAGGED = {
    "GATHERV": "gatherv",
    "SCATTERV": "scatterv",
    "ALLGATHERV": "allgatherv",
    "ALLTOALLV": "alltoallv",
    "ALLTOALLW": "alltoallw",
    "REDUCE_SCATTER": "reduce_scatter",
}
"""Names of those whose blocks differ: an event has their sum alone."""

_COMPLAINT = re.compile(r"\berror\b|Error\b", re.IGNORECASE)

RAGGED_NOTE = "of collectives whose blocks differ, the format has sums: blocks were taken alike"


def is_otf2(path: Path) -> bool:
    """Whether a path names an OTF2 anchor file, or a folder with one."""
    return _anchor(path) is not None


def _anchor(path: Path) -> Path | None:
    if path.is_file():
        return path if path.suffix == ".otf2" else None
    found = sorted(path.glob("*.otf2")) if path.is_dir() else []
    return found[0] if len(found) == 1 else None


def _package() -> Any:
    try:
        import otf2
    except ImportError as error:
        raise UserError(
            "otf2: the package that reads OTF2 traces is missing (pip install 'odonata[trace]')"
        ) from error
    return otf2


def read_otf2(path: Path, target: str | Path) -> Conversion:
    """Write an OTF2 trace as a trace of ours.

    Parameters
    ----------
    path
        Its anchor file (``traces.otf2``), or the folder of that.
    target
        The trace.

    Raises
    ------
    UserError
        The package ``otf2`` is missing, or the trace is damaged.
    WriteError
        The trace could not be written.
    """
    otf2 = _package()
    anchor = _anchor(path)
    if anchor is None:
        raise UserError(f"{path}: no anchor file of an OTF2 trace", allowed="traces.otf2")
    account = Conversion("otf2")
    ranks = _read(otf2, anchor, path, account)
    account.ranks = len(ranks)
    blocks = [block for rank in ranks for block in rank.blocks()]

    def source() -> _core.TraceSource:
        left = iter(blocks)
        empty = np.empty(0, dtype=MATCH).view(np.uint8)
        return _core.Recorded(
            len(ranks), empty, lambda: next((b.as_bytes() for b in left), None), MOST_HELD
        )

    header = Header(ranks=len(ranks), compute="measured", options={"format": "otf2"})
    write_mended(target, header, source, account)
    return account


def _read(otf2: Any, anchor: Path, path: Path, account: Conversion) -> list[_Rank]:
    """Return the calls of all ranks.

    An error in a function that the library calls is printed by the package, and the event lost:
    such a trace is refused as well.
    """
    said: list[str] = []
    try:
        with errors_of_library() as said, otf2.reader.open(str(anchor)) as trace:
            ranks = _read_ranks(trace, account)
    except UserError:
        raise
    except Exception as error:  # whatever the package raises for an unreadable file
        raise UserError(f"{path}: damaged: {type(error).__name__}: {error}") from error
    wrong = [line for line in said if _COMPLAINT.search(line)]
    if wrong:
        raise UserError(f"{path}: damaged: {wrong[-1].strip()}")
    return ranks


@dataclass
class _Comm:
    """A communicator of the trace: its members, as ranks of the world."""

    identity: int
    members: tuple[int, ...]
    alone: bool = False

    @property
    def size(self) -> int:
        return 1 if self.alone else len(self.members)


@dataclass
class _Region:
    """A call of MPI that has been entered."""

    name: str
    begin: int
    events: list[Any] = field(default_factory=list)


def _read_ranks(trace: Any, account: Conversion) -> list[_Rank]:
    places = _places(trace)
    comms = _communicators(trace, places)
    resolution = trace.timer_resolution
    ranks = [_Rank(rank, len(places), comms, account) for rank in range(len(places))]
    known = _known_events()
    for location, event in trace.events:
        rank = places.get(location)
        if rank is None:
            account.unknown["events of other threads and devices"] = (
                account.unknown.get("events of other threads and devices", 0) + 1
            )
            continue
        kind = type(event).__name__
        if kind not in known:
            account.unknown[kind] = account.unknown.get(kind, 0) + 1
            continue
        ranks[rank].take(kind, event, event.time * NANOSECONDS // resolution)
    for made in ranks:
        made.finish()
    return ranks


def _known_events() -> set[str]:
    return IGNORED | {
        *("MpiSend", "MpiRecv", "MpiIsend", "MpiIsendComplete", "MpiIrecvRequest", "MpiIrecv"),
        *("MpiRequestTest", "MpiRequestCancelled", "MpiCollectiveEnd"),
    }


def _places(trace: Any) -> dict[Any, int]:
    """Return the rank of each location that is one: the first thread of each process."""
    for group in trace.definitions.groups:
        if str(group.group_type) == "GroupType.COMM_LOCATIONS" and "MPI" in str(group.paradigm):
            return {location: rank for rank, location in enumerate(group.members)}
    raise UserError("the trace has no ranks of MPI")


def _communicators(trace: Any, places: dict[Any, int]) -> dict[Any, _Comm]:
    found: dict[Any, _Comm] = {}
    for number, comm in enumerate(trace.definitions.comms):
        group = getattr(comm, "group", None)
        if group is None:
            continue  # between two groups
        kind = str(group.group_type)
        if kind == "GroupType.COMM_SELF":
            found[comm] = _Comm(number + 1, (), alone=True)
        elif kind == "GroupType.COMM_GROUP" and all(member in places for member in group.members):
            found[comm] = _Comm(number + 1, tuple(places[member] for member in group.members))
    return found


class _Rank:
    """The calls of one rank, in order."""

    def __init__(self, rank: int, size: int, comms: dict[Any, _Comm], account: Conversion) -> None:
        self._rank, self._size, self._account = rank, size, account
        self._comms: dict[Any, tuple[int, _Comm]] = {}
        self._calls: list[Call] = []
        self._regions: list[_Region | None] = []
        self._left: int | None = None
        self._numbers = _Numbers()
        self._posted: dict[int, int] = {}  # place among the calls, by request
        self._known = set(function_names())
        self._made = self._number(comms)

    def _number(self, comms: dict[Any, _Comm]) -> list[Call]:
        """Give numbers to the communicators of the rank, and return the calls that make them."""
        made: list[Call] = []
        world = tuple(range(self._size))
        worlds = 0
        for comm, known in comms.items():
            if known.alone:
                self._comms[comm] = (1, known)
            elif known.members == world and not worlds:
                self._comms[comm] = (0, known)
                worlds = 1
            elif self._rank in known.members:
                number = 2 + len(made)
                self._comms[comm] = (number, known)
                view = Communicator(known.identity, known.members.index(self._rank), 0)
                made.append(
                    Call(
                        self._rank,
                        "MPI_Init",
                        "communicator",
                        view,
                        comm=number,
                        flags=MORE,
                        words=known.members,
                    )
                )
        return made

    def blocks(self) -> Iterator[Block]:
        """Yield the calls as blocks."""
        for begin in range(0, len(self._calls), PIECE):
            yield Block.of(self._calls[begin : begin + PIECE], function_names())

    def take(self, kind: str, event: Any, time: int) -> None:
        """Take the next event; `time` in ns."""
        if kind == "Enter":
            name = event.region.name
            self._regions.append(_Region(name, time) if name in self._known else None)
        elif kind == "Leave":
            region = self._regions.pop() if self._regions else None
            if region is not None:
                self._call(region, time)
        elif kind not in IGNORED:
            region = next((r for r in reversed(self._regions) if r is not None), None)
            if region is None:
                self._account.leave_out("messages outside of a call of MPI", 1)
            else:
                region.events.append((kind, event))

    def finish(self) -> None:
        """End the calls; calls that were entered and never left come last."""
        for region in self._regions:
            if region is not None:
                self._call(region, region.begin)
        if self._made:  # after the first call, since they have no time of their own
            self._calls[1:1] = self._made

    def _call(self, region: _Region, end: int) -> None:
        compute = max(0, region.begin - (self._left if self._left is not None else region.begin))
        self._left = end
        records = self._records(region) or [self._plain(region)]
        for at, record in enumerate(records):
            self._calls.append(
                replace(record, compute=compute if at == 0 else 0, flags=0 if at == 0 else MORE)
            )

    def _plain(self, region: _Region) -> Call:
        name = region.name
        if name == "MPI_Finalize":
            return Call(self._rank, name, "finalize")
        if name.startswith("MPI_I") and name[5:] in _NONBLOCKING:
            self._account.leave_out("nonblocking collectives, of which the trace has no events", 1)
        return Call(self._rank, name, "local")

    def _records(self, region: _Region) -> list[Call]:
        made: list[Call] = []
        done: list[int] = []
        tested: list[int] = []
        kinds = Counter(kind for kind, _ in region.events)
        if kinds["MpiSend"] == 1 and kinds["MpiRecv"] == 1:
            made += self._exchange(region)
        for kind, event in region.events:
            if kind in ("MpiSend", "MpiRecv") and made and made[0].operation == "sendrecv":
                continue
            if kind in ("MpiIsendComplete", "MpiIrecv", "MpiRequestCancelled"):
                self._complete(kind, event, done)
            elif kind == "MpiRequestTest":
                number = self._numbers.find(event.request_id)
                tested += [number] if number else []
            else:
                made += self._message(region.name, kind, event)
        if done:
            made.append(Call(self._rank, region.name, "wait", words=tuple(done)))
        elif tested:
            made.append(Call(self._rank, region.name, "test", words=tuple(tested), flag=False))
        return made

    def _message(self, name: str, kind: str, event: Any) -> list[Call]:
        comm = self._comms.get(event.communicator) if kind != "MpiIrecvRequest" else (0, None)
        if comm is None:
            self._account.leave_out("calls on communicators between two groups", 1)
            return []
        if kind == "MpiCollectiveEnd":
            return self._collective(name, event, *comm)
        if kind in ("MpiSend", "MpiIsend"):
            view = Send(
                event.receiver,
                event.msg_tag,
                event.msg_length,
                "synchronous" if name.endswith("ssend") else "standard",
            )
            request = self._numbers.open(event.request_id) if kind == "MpiIsend" else 0
            operation = "isend" if kind == "MpiIsend" else "send"
            return [Call(self._rank, name, operation, view, comm=comm[0], request=request)]
        if kind == "MpiRecv":
            got = Receive(event.sender, event.msg_tag, event.msg_length, 0)
            return [Call(self._rank, name, "recv", got, comm=comm[0])]
        request = self._numbers.open(event.request_id)
        # The place of the call is known when it is appended: after the calls of this region so far.
        self._posted[event.request_id] = len(self._calls)
        return [Call(self._rank, name, "irecv", Receive(NOBODY, 0, 0, 0), request=request)]

    def _exchange(self, region: _Region) -> list[Call]:
        send = next(event for kind, event in region.events if kind == "MpiSend")
        receive = next(event for kind, event in region.events if kind == "MpiRecv")
        comm = self._comms.get(send.communicator)
        if comm is None or send.communicator != receive.communicator:
            return []
        view = Exchange(
            send.receiver, send.msg_tag, send.msg_length, receive.sender, receive.msg_tag
        )
        return [Call(self._rank, region.name, "sendrecv", view, comm=comm[0])]

    def _complete(self, kind: str, event: Any, done: list[int]) -> None:
        number = self._numbers.close(event.request_id)
        if number == 0:
            self._account.leave_out("requests that no event has opened", 1)
            return
        if kind == "MpiIrecv":
            self._name(event)
        if kind != "MpiRequestCancelled":
            done.append(number)

    def _name(self, event: Any) -> None:
        """Give a receive the message that it got: its own event does not say which."""
        comm = self._comms.get(event.communicator)
        at = self._posted.pop(event.request_id, None)
        while at is not None and at < len(self._calls):
            call = self._calls[at]
            if call.operation == "irecv" and call.view == Receive(NOBODY, 0, 0, 0):
                break
            at += 1
        if comm is None or at is None or at >= len(self._calls):
            return
        view = Receive(event.sender, event.msg_tag, event.msg_length, 0)
        self._calls[at] = replace(self._calls[at], comm=comm[0], view=view)

    def _collective(self, name: str, event: Any, number: int, comm: _Comm) -> list[Call]:
        kind = str(event.collective_op).rpartition(".")[2]
        if kind in ("CREATE_HANDLE", "DESTROY_HANDLE"):
            return []
        operation = COLLECTIVES.get(kind, RAGGED.get(kind))
        if kind in RAGGED and RAGGED_NOTE not in self._account.notes:
            self._account.notes.append(RAGGED_NOTE)
        if operation is None:
            self._account.unknown[kind] = self._account.unknown.get(kind, 0) + 1
            return []
        rooted = {row.name: row.rooted for row in _core.collective_operations()}[operation]
        root = event.root if rooted else NOBODY
        block, words = _sizes(operation, event, comm, own=comm.alone or self._is_root(event, comm))
        view = Collective(bytes=block, root=root, operation=operation)
        return [Call(self._rank, name, "collective", view, comm=number, words=words)]

    def _is_root(self, event: Any, comm: _Comm) -> bool:
        root = event.root
        return root is not None and root < len(comm.members) and comm.members[root] == self._rank


_NONBLOCKING = {
    *("allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "barrier"),
    *("bcast", "gather", "gatherv", "reduce", "scan", "exscan", "scatter", "scatterv"),
    *("reduce_scatter", "reduce_scatter_block"),
}


def _sizes(operation: str, event: Any, comm: _Comm, *, own: bool) -> tuple[int, tuple[int, ...]]:
    """Return the block of an operation [B], and the sizes of all blocks if they may differ.

    Score-P counts the bytes that the whole operation brings a rank: a block is a share of it. Of
    blocks that differ only the sum is there, so they are taken as alike.
    """
    n, sent, received = comm.size, event.size_sent, event.size_received
    alike = {
        "barrier": 0,
        "bcast": received,
        "scatter": received,
        "gather": received // n if own else sent,
        "reduce": received // n if own else sent,
    }
    if operation in alike:
        return alike[operation], ()
    if operation == "gatherv":
        return (received // n if own else sent), ((received // n,) * n if own else ())
    if operation == "scatterv":
        return received, ((sent // n,) * n if own else ())
    if operation == "allgatherv":
        return sent // n, (received // n,) * n
    if operation == "reduce_scatter":
        return 0, (received // n,) * n
    if operation in ("alltoallv", "alltoallw"):
        return 0, (sent // n,) * n + (received // n,) * n
    return sent // n, ()


class _Numbers:
    """Our numbers of requests: from 1, taken again when free."""

    def __init__(self) -> None:
        self._open: dict[int, int] = {}
        self._free: list[int] = []
        self._most = 0

    def open(self, request: int) -> int:
        if self._free:
            number = self._free.pop()
        else:
            self._most += 1
            number = self._most
        self._open[request] = number
        return number

    def find(self, request: int) -> int:
        return self._open.get(request, 0)

    def close(self, request: int) -> int:
        number = self._open.pop(request, 0)
        if number:
            self._free.append(number)
        return number
