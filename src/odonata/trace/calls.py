"""Parts of a trace: calls, their outcomes, and blocks of them as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from odonata import _core
from odonata.trace.views import NOBODY, VIEWS, View, from_numbers, to_numbers

__all__ = [
    "ANSWERED",
    "CALL",
    "HEAD",
    "MATCH",
    "MORE",
    "OPERATIONS",
    "OUTCOME",
    "SUCCEEDED",
    "UNKNOWN",
    "VIEW_OF",
    "Block",
    "Call",
    "Outcome",
    "Places",
]

VIEW_OF = dict(_core.call_operations())
"""View of the calls of each operation (see `odonata.trace.views`); ``plain``: they have none."""

OPERATIONS = tuple(VIEW_OF)
_CLOCK = OPERATIONS.index("clock")
"""Effects of calls on the network, by number."""

UNKNOWN, ANSWERED, SUCCEEDED = 0, 1, 2
"""Findings of a call: it did not ask, its flag was off, or its flag was on."""

MORE = 2
"""Flag of a record that belongs to the same call of a function as the record before."""


def _layout(view: str) -> np.dtype[np.void]:
    """Return the fields of a view, or the fields of all calls, with the core's offsets."""
    own = [field for field in _core.call_fields() if field[0] == view]
    names = [name for _, name, *_ in own]
    formats: list[DTypeLike] = [f"<{'i' if sign else 'u'}{size}" for *_, size, sign in own]
    offsets = [place for _, _, place, *_ in own]
    start, end = (offsets[0], offsets[-1] + own[-1][3]) if view else (0, _core.call_bytes)
    if not view:
        names += VIEWS
        formats += [_layout(name) for name in VIEWS]
        offsets += [next(f[2] for f in _core.call_fields() if f[0] == name) for name in VIEWS]
    return np.dtype(
        {
            "names": names,
            "formats": formats,
            "offsets": [place - start for place in offsets],
            "itemsize": end - start,
        }
    )


CALL = _layout("")
"""A call: common fields, `compute` in ns since the rank's last call, and its views, which lie over
each other: ``calls["send"]["bytes"]`` means something where the operation has that view."""

HEAD = tuple(name for name in CALL.names or () if name not in VIEWS)
"""Fields that all calls have."""

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
"""Source of the message of a receive from any source, call number `call` of its rank."""


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
    view
        The numbers particular to such a call: the view that `VIEW_OF` names, or None.
    comm
        Number of the communicator at this rank: 0 world, 1 self, then in order of creation.
    request
        Number of the request that the call opens, completes or cancels, from 1; 0: none.
    compute
        Processor time since the rank's last call [ns].
    flags
        See `MORE`.
    words
        Further numbers: requests, members, sizes.
    flag
        Outcome of a test; None if the call did not ask.
    outcomes
        Outcomes of its requests.

    Examples
    --------
    >>> from odonata.trace.views import Send
    >>> Call(0, "MPI_Send", "send", Send(to=1, bytes=64)).view.bytes
    64
    """

    rank: int
    function: str
    operation: str
    view: View | None = None
    comm: int = 0
    request: int = 0
    compute: int = 0
    flags: int = 0
    words: tuple[int, ...] = ()
    flag: bool | None = None
    outcomes: tuple[Outcome, ...] = ()


_PLAIN = ("comm", "request", "compute", "flags")
_FLAGS = {UNKNOWN: None, ANSWERED: False, SUCCEEDED: True}


class Places:
    """Places of the calls that have a view.

    Parameters
    ----------
    operations
        Names of the operations, by number.
    """

    def __init__(self, operations: Sequence[str] = OPERATIONS) -> None:
        self._has = {
            view: np.array([VIEW_OF.get(name) == view for name in operations], dtype=np.bool_)
            for view in VIEWS
        }

    def of(self, view: str, calls: NDArray[np.void]) -> NDArray[np.intp]:
        """Return the places of some calls that have a view.

        Parameters
        ----------
        view
            Its name, one of `odonata.trace.views.VIEWS`.
        calls
            Shape (n,), of `CALL`.
        """
        return np.flatnonzero(self._has[view][calls["operation"]])


_PLACES = Places()


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
        Shape (sum of ``num_words``,): further numbers of each call.
    found
        Shape (n,): `UNKNOWN`, `ANSWERED` or `SUCCEEDED`.
    num_outcomes
        Shape (n,).
    outcomes
        Shape (sum of `num_outcomes`,), of `OUTCOME`.
    matches
        Records of `MATCH`: sources of the messages that receives from any source got.
    times
        Shape (n, 2): when each call began and ended, since the first rank began [ns]; (0, 2): the
        trace has no times.
    """

    ranks: NDArray[np.int32]
    calls: NDArray[np.void]
    words: NDArray[np.uint64]
    found: NDArray[np.uint8]
    num_outcomes: NDArray[np.uint32]
    outcomes: NDArray[np.void]
    matches: NDArray[np.void] = field(default_factory=lambda: np.empty(0, dtype=MATCH))
    times: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 2), dtype=np.int64))

    def __len__(self) -> int:
        return len(self.calls)

    @property
    def num_calls(self) -> int:
        """Number of calls of functions, some of which have several records; see `MORE`."""
        return int(self.times_called.sum())

    @property
    def times_called(self) -> NDArray[np.int64]:
        """Calls of functions of MPI that each record stands for, shape (n,).

        Questions for the time that have the same answer share a record, and a clock of the C
        library is no function of MPI.
        """
        calls = self.calls
        times: NDArray[np.int64] = ((calls["flags"] & MORE) == 0).astype(np.int64)
        clocks = calls["operation"] == _CLOCK
        asked = calls["clock"][clocks]
        times[clocks] *= np.where(asked["asker"] == 0, 1 + asked["again"].astype(np.int64), 0)
        return times

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
            row["num_words"] = len(call.words)
            name = VIEW_OF[call.operation]
            if name in VIEWS:
                view = VIEWS[name]() if call.view is None else call.view
                row[name] = to_numbers(name, view)
            elif call.view is not None:
                raise TypeError(f"a call of {call.operation} has no view: {call.view}")
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

    @classmethod
    def of_bytes(cls, columns: Iterable[memoryview]) -> Block:
        """Make a block of its arrays as the extension module gives them.

        Parameters
        ----------
        columns
            Bytes of `ranks` to `matches` in this order; then when the calls began and when they
            ended, if this is known.
        """
        ranks, calls, words, found, num_outcomes, outcomes, matches, *times = map(
            np.asarray, columns
        )
        clocks = [column.view(np.int64) for column in times] or [np.empty(0, dtype=np.int64)] * 2
        return cls(
            ranks=ranks.view(np.int32),
            calls=calls.view(CALL),
            words=words.view(np.uint64),
            found=found,
            num_outcomes=num_outcomes.view(np.uint32),
            outcomes=outcomes.view(OUTCOME),
            matches=matches.view(MATCH),
            times=np.stack(clocks).T,
        )

    def each(
        self, functions: tuple[str, ...], places: NDArray[np.intp] | None = None
    ) -> Iterator[Call]:
        """Yield the calls one by one.

        Parameters
        ----------
        functions
            Names of functions, by number.
        places
            Places of the calls that are wanted; None: all.
        """
        at = np.arange(len(self)) if places is None else places
        calls = self._calls_at(at)
        columns = zip(
            self.ranks[at].tolist(),
            map(functions.__getitem__, calls["function"].tolist()),
            map(OPERATIONS.__getitem__, calls["operation"].tolist()),
            _views(calls),
            *(calls[name].tolist() for name in _PLAIN),
            map(tuple, _ragged(self.words, self.calls["num_words"], at)),
            map(_FLAGS.__getitem__, self.found[at].tolist()),
            map(_outcomes, _ragged(self.outcomes, self.num_outcomes, at)),
            strict=True,
        )
        for column in columns:
            yield Call(*column)

    def _calls_at(self, places: NDArray[np.intp]) -> NDArray[np.void]:
        """Return some calls, byte by byte, since their views lie over each other."""
        return self.calls.view((np.void, CALL.itemsize))[places].view(CALL)

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

    def times_as_bytes(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Return when the calls began and when they ended, as the extension module takes them."""
        begins, ends = (np.ascontiguousarray(self.times[:, at]) for at in (0, 1))
        return begins.view(np.uint8), ends.view(np.uint8)

    def by_rank(self) -> Block:
        """Return the same calls, rank by rank."""
        if bool(np.all(self.ranks[1:] >= self.ranks[:-1])):
            return self
        order = np.argsort(self.ranks, kind="stable")
        return Block(
            ranks=self.ranks[order],
            calls=self._calls_at(order),
            words=self.words[_pieces(self.calls["num_words"], order)],
            found=self.found[order],
            num_outcomes=self.num_outcomes[order],
            outcomes=self.outcomes[_pieces(self.num_outcomes, order)],
            matches=self.matches,
            times=self.times[order] if len(self.times) else self.times,
        )


def _views(calls: NDArray[np.void]) -> list[View | None]:
    """Return the view of each call; equal ones are one."""
    found: list[View | None] = [None] * len(calls)
    for name in VIEWS:
        places = _PLACES.of(name, calls)
        made: dict[tuple[int, ...], View] = {}
        for at, numbers in zip(places.tolist(), calls[name][places].tolist(), strict=True):
            if numbers not in made:
                made[numbers] = from_numbers(name, numbers)
            found[at] = made[numbers]
    return found


def _ragged(
    values: NDArray[np.generic], sizes: NDArray[np.uint32], at: NDArray[np.intp]
) -> Iterator[list[Any]]:
    """Yield the values of the calls at some places, where calls have different numbers of them."""
    ends = np.cumsum(sizes, dtype=np.int64)
    begins = ends - sizes
    for begin, end in zip(begins[at].tolist(), ends[at].tolist(), strict=True):
        yield values[begin:end].tolist() if end > begin else []


def _outcomes(rows: list[Any]) -> tuple[Outcome, ...]:
    return tuple(Outcome(*row[:6]) for row in rows) if rows else ()


def _pieces(sizes: NDArray[np.uint32], order: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return the positions of ragged pieces that are put in another order."""
    lengths = sizes.astype(np.int64)
    begins = np.cumsum(lengths) - lengths
    new = lengths[order]
    new_begins = np.cumsum(new) - new
    shifts: NDArray[np.int64] = np.repeat(begins[order] - new_begins, new)
    return shifts + np.arange(len(shifts), dtype=np.int64)
