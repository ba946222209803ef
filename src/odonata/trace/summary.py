"""Contents of a trace in a few numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from odonata.trace.calls import OPERATIONS, Block, Places
from odonata.trace.format import function_names
from odonata.trace.moved import Moved, sent_blocks
from odonata.trace.read import Reader
from odonata.units import exact_sum

__all__ = ["FunctionSummary", "Summary", "summarize"]

_SENDS = [OPERATIONS.index(name) for name in ("send", "isend", "sendrecv")]
_PLACES = Places()
_SIZED = ("send", "exchange", "collective")
"""Views of calls that move data."""

_COMMUNICATOR = OPERATIONS.index("communicator")


@dataclass(frozen=True)
class FunctionSummary:
    """Calls of one function, of all ranks.

    Parameters
    ----------
    calls
        How many.
    bytes
        Bytes of its messages, or of the blocks of its collectives; of alltoallv, alltoallw and
        their forms for neighbours, all that a rank sends [B].
    compute_seconds
        Processor time before them [s].
    """

    calls: int
    bytes: int
    compute_seconds: float


@dataclass(frozen=True)
class Summary:
    """Contents of a trace.

    Parameters
    ----------
    complete
        Whether its end is there.
    ranks
        Number of ranks.
    program, machine, compute, odonata
        See `odonata.trace.Header`.
    calls
        Calls that are there, of all ranks.
    functions
        Calls by function, the most frequent first.
    sent_bytes
        Bytes of all messages from one rank to another, except in collectives [B].
    collective_bytes
        That collectives move from rank to rank, whatever their algorithm (see
        `odonata.trace.moved`) [B].
    communicators
        The most that any rank has, the world and itself included.
    compute_seconds
        Processor time between calls: of all ranks, and of the rank that computes longest [s].
    longest_compute_seconds
        See `compute_seconds`.
    simulated_seconds
        How long the recorded run took [s]; None: unknown.
    calls_made
        Calls that the program made, recorded or not, where the trace of another tool said so.
    """

    complete: bool
    ranks: int
    program: str
    machine: str
    compute: str
    odonata: str
    calls: int
    functions: dict[str, FunctionSummary]
    sent_bytes: int
    collective_bytes: int
    communicators: int
    compute_seconds: float
    longest_compute_seconds: float
    simulated_seconds: float | None
    calls_made: int | None = None

    def plain(self) -> dict[str, object]:
        """Return it as plain data."""
        return asdict(self)


class _Sums:
    """Sums over blocks."""

    def __init__(self, ranks: int) -> None:
        self.calls: Counter[int] = Counter()
        self.bytes: Counter[int] = Counter()
        self.compute: Counter[int] = Counter()
        self.sent = 0
        self.moved = Moved(ranks)
        self.constructors: set[int] = set()
        self.rank_compute = np.zeros(ranks)
        self.rank_communicators = np.full(ranks, 2)

    def add(self, block: Block) -> None:
        calls = block.calls
        functions, places = np.unique(calls["function"], return_inverse=True)
        sizes = _sizes(block)
        times = block.times_called
        for at, number in enumerate(functions.tolist()):
            own = places == at
            self.calls[number] += int(times[own].sum())
            self.bytes[number] += exact_sum(sizes[own])
            self.compute[number] += exact_sum(calls["compute"][own])
        self.sent += exact_sum(sizes[np.isin(calls["operation"], _SENDS)])
        self.moved.add(block)
        np.add.at(self.rank_compute, block.ranks, calls["compute"] / 1e9)
        made = calls["operation"] == _COMMUNICATOR
        np.add.at(self.rank_communicators, block.ranks[made], 1)
        self.constructors.update(calls["function"][made].tolist())

    def bytes_of(self, function: int) -> int:
        """Return the bytes of a function; constructors of communicators move no program's data."""
        return 0 if function in self.constructors else self.bytes[function]


def _sizes(block: Block) -> NDArray[np.int64]:
    """Return the bytes that each call sends, or of its block, else 0 [B]."""
    calls = block.calls
    sizes = np.zeros(len(calls), dtype=np.int64)
    for view in _SIZED:
        places = _PLACES.of(view, calls)
        sizes[places] = calls[view]["bytes"][places]
    for at, size in sent_blocks(block):
        sizes[at] = size
    return sizes


def summarize(path: str | Path) -> Summary:
    """Return the contents of a trace in numbers; it may be cut off.

    Parameters
    ----------
    path
        The trace.

    Raises
    ------
    UserError
        The trace isn't there, is no trace, or damaged.
    """
    with Reader(path) as reader:
        sums = _Sums(reader.header.ranks)
        for block in reader.blocks():
            sums.add(block)
        header, totals = reader.header, reader.totals
    names = function_names()
    made = header.options.get("calls_made")
    functions = {
        names[number]: FunctionSummary(calls, sums.bytes_of(number), sums.compute[number] / 1e9)
        for number, calls in sums.calls.most_common()
    }
    return Summary(
        complete=totals is not None,
        ranks=header.ranks,
        program=header.program,
        machine=header.machine,
        compute=header.compute,
        odonata=header.odonata,
        calls=sums.calls.total(),
        functions=functions,
        sent_bytes=sums.sent,
        collective_bytes=sums.moved.bytes,
        communicators=int(sums.rank_communicators.max()),
        compute_seconds=float(sums.rank_compute.sum()),
        longest_compute_seconds=float(sums.rank_compute.max()),
        simulated_seconds=None if totals is None or totals.end is None else totals.end / 1e12,
        calls_made=made if isinstance(made, int) else None,
    )
