"""Parts of a trace: calls, their outcomes, and blocks of them as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "ANSWERED",
    "ANY",
    "CALL",
    "COLLECTIVES",
    "MATCH",
    "MODES",
    "MORE",
    "NOBODY",
    "OPERATIONS",
    "OUTCOME",
    "SUCCEEDED",
    "UNKNOWN",
    "Block",
    "Call",
    "Outcome",
]

OPERATIONS = (
    *("local", "send", "recv", "sendrecv", "isend", "irecv", "wait", "wait_any", "wait_some"),
    *("test", "test_any", "test_some", "probe", "iprobe", "mprobe", "improbe", "mrecv", "imrecv"),
    *("cancel", "collective", "icollective", "communicator", "clock", "phase", "abort"),
    "finalize",
)
"""Effects of calls on the network, by number."""

COLLECTIVES = (
    *("barrier", "bcast", "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv"),
    *("alltoall", "alltoallv", "reduce", "allreduce", "reduce_scatter", "reduce_scatter_block"),
    *("scan", "exscan", "neighbor_allgather", "neighbor_alltoall"),
)
"""Collective operations, by number."""

MODES = ("standard", "buffered", "synchronous", "ready")
"""How a message is sent, by number."""

ANY = -1
"""Any source or tag of a receive."""

NOBODY = -2
"""No rank: nothing is sent."""

UNKNOWN, ANSWERED, SUCCEEDED = 0, 1, 2
"""Findings of a call: it did not ask, its flag was off, or its flag was on."""

MORE = 2
"""Flag of a record that belongs to the same call of a function as the record before."""

CALL = np.dtype(
    [
        ("function", "<u2"),
        ("operation", "u1"),
        ("mode", "u1"),
        ("collective", "u1"),
        ("flags", "u1"),
        ("reserved", "<u2"),
        ("peer", "<i4"),
        ("tag", "<i4"),
        ("comm", "<u4"),
        ("request", "<u4"),
        ("request2", "<u4"),
        ("num_words", "<u4"),
        ("bytes", "<i8"),
        ("compute", "<i8"),
        ("peer2", "<i4"),
        ("tag2", "<i4"),
    ],
    align=True,
)
"""A call: `bytes` in B, `compute` in ns since the rank's last call."""

OUTCOME = np.dtype(
    [
        ("index", "<u4"),
        ("source", "<i4"),
        ("tag", "<i4"),
        ("serial", "<u4"),
        ("bytes", "<i8"),
        ("cancelled", "<u4"),
        ("reserved", "<u4"),
    ],
    align=True,
)
"""Outcome of a request, a probe or a test; `source` is a rank of the job."""

MATCH = np.dtype([("rank", "<i4"), ("source", "<i4"), ("call", "<i8")], align=True)
"""Where a receive from any source, call number `call` of its rank, got its message from."""


@dataclass(frozen=True)
class Outcome:
    """Outcome of one request of a call; see `OUTCOME`."""

    index: int = 0
    source: int = NOBODY
    tag: int = 0
    serial: int = 0
    bytes: int = 0
    cancelled: int = 0


@dataclass(frozen=True)
class Call:
    """One call of one rank.

    Parameters
    ----------
    rank
        Who called.
    function
        Name of the function, such as ``MPI_Send``.
    operation
        One of `OPERATIONS`.
    collective, mode
        One of `COLLECTIVES`, of `MODES`.
    peer, tag, peer2, tag2
        Ranks are those of the communicator.
    comm
        Its number at this rank: 0 world, 1 self, then in order of creation.
    request, request2
        Numbers of requests, from 1; 0: none.
    bytes
        Size [B].
    compute
        Processor time since the rank's last call [ns].
    words
        What doesn't fit: requests, members, sizes.
    flag
        What a test found; None if the call did not ask.
    outcomes
        What became of its requests.

    Examples
    --------
    >>> Call(0, "MPI_Send", "send", peer=1, bytes=64).bytes
    64
    """

    rank: int
    function: str
    operation: str
    collective: str = "barrier"
    mode: str = "standard"
    flags: int = 0
    peer: int = NOBODY
    tag: int = 0
    comm: int = 0
    request: int = 0
    request2: int = 0
    bytes: int = 0
    compute: int = 0
    peer2: int = NOBODY
    tag2: int = 0
    words: tuple[int, ...] = ()
    flag: bool | None = None
    outcomes: tuple[Outcome, ...] = ()


_PLAIN = (
    "flags",
    "peer",
    "tag",
    "comm",
    "request",
    "request2",
    "bytes",
    "compute",
    "peer2",
    "tag2",
)


@dataclass(frozen=True)
class Block:
    """Calls of many ranks, each rank's in order.

    Parameters
    ----------
    ranks
        Shape (n,): who called.
    calls
        Shape (n,), of `CALL`.
    words
        Shape (sum of ``num_words``,): what each call has besides.
    found
        Shape (n,): `UNKNOWN`, `ANSWERED` or `SUCCEEDED`.
    num_outcomes
        Shape (n,).
    outcomes
        Shape (sum of `num_outcomes`,), of `OUTCOME`.
    matches
        Records of `MATCH`: sources of the messages that receives from any source got.
    """

    ranks: NDArray[np.int32]
    calls: NDArray[np.void]
    words: NDArray[np.uint64]
    found: NDArray[np.uint8]
    num_outcomes: NDArray[np.uint32]
    outcomes: NDArray[np.void]
    matches: NDArray[np.void] = field(default_factory=lambda: np.empty(0, dtype=MATCH))

    def __len__(self) -> int:
        return len(self.calls)

    @classmethod
    def of(cls, calls: Iterable[Call], functions: Iterable[str]) -> Block:
        """Make a block of single calls.

        Parameters
        ----------
        calls
            The calls.
        functions
            Names of functions, by number.
        """
        given = list(calls)
        number = {name: at for at, name in enumerate(functions)}
        made = np.zeros(len(given), dtype=CALL)
        for row, call in zip(made, given, strict=True):
            row["function"] = number[call.function]
            row["operation"] = OPERATIONS.index(call.operation)
            row["collective"] = COLLECTIVES.index(call.collective)
            row["mode"] = MODES.index(call.mode)
            row["num_words"] = len(call.words)
            for name in _PLAIN:
                row[name] = getattr(call, name)
        found = [UNKNOWN if c.flag is None else SUCCEEDED if c.flag else ANSWERED for c in given]
        outcomes = [
            (o.index, o.source, o.tag, o.serial, o.bytes, o.cancelled, 0)
            for call in given
            for o in call.outcomes
        ]
        return cls(
            ranks=np.array([call.rank for call in given], dtype=np.int32),
            calls=made,
            words=np.array([word for call in given for word in call.words], dtype=np.uint64),
            found=np.array(found, dtype=np.uint8),
            num_outcomes=np.array([len(call.outcomes) for call in given], dtype=np.uint32),
            outcomes=np.array(outcomes, dtype=OUTCOME),
        )

    def each(self, functions: tuple[str, ...]) -> Iterator[Call]:
        """Yield the calls one by one.

        Parameters
        ----------
        functions
            Names of functions, by number.
        """
        word = outcome = 0
        for at, row in enumerate(self.calls):
            words = self.words[word : word + int(row["num_words"])]
            rows = self.outcomes[outcome : outcome + int(self.num_outcomes[at])]
            word, outcome = word + len(words), outcome + len(rows)
            yield Call(
                rank=int(self.ranks[at]),
                function=functions[row["function"]],
                operation=OPERATIONS[row["operation"]],
                collective=COLLECTIVES[row["collective"]],
                mode=MODES[row["mode"]],
                **{name: int(row[name]) for name in _PLAIN},
                words=tuple(words.tolist()),
                flag=None if self.found[at] == UNKNOWN else bool(self.found[at] == SUCCEEDED),
                outcomes=tuple(Outcome(*row.tolist()[:6]) for row in rows),
            )

    def as_bytes(self) -> tuple[NDArray[np.uint8], ...]:
        """Return its arrays but `matches` as the extension module takes them."""
        columns: tuple[NDArray[np.generic], ...] = (
            self.ranks,
            self.calls,
            self.words,
            self.found,
            self.num_outcomes,
            self.outcomes,
        )
        return tuple(np.ascontiguousarray(column).view(np.uint8) for column in columns)

    def by_rank(self) -> Block:
        """Return the same calls, rank by rank."""
        if bool(np.all(self.ranks[1:] >= self.ranks[:-1])):
            return self
        order = np.argsort(self.ranks, kind="stable")
        return Block(
            ranks=self.ranks[order],
            calls=self.calls[order],
            words=self.words[_pieces(self.calls["num_words"], order)],
            found=self.found[order],
            num_outcomes=self.num_outcomes[order],
            outcomes=self.outcomes[_pieces(self.num_outcomes, order)],
            matches=self.matches,
        )


def _pieces(sizes: NDArray[np.uint32], order: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return the positions of ragged pieces that are put in another order."""
    lengths = sizes.astype(np.int64)
    begins = np.cumsum(lengths) - lengths
    new = lengths[order]
    new_begins = np.cumsum(new) - new
    shifts: NDArray[np.int64] = np.repeat(begins[order] - new_begins, new)
    return shifts + np.arange(len(shifts), dtype=np.int64)
