"""Contents of blocks as arrays, every number of them checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from odonata.trace.calls import CALL, HEAD, MATCH, OPERATIONS, OUTCOME, SUCCEEDED, Block, Places
from odonata.trace.columns import DamagedError, Words, decode
from odonata.trace.format import BlockHead, Header, Totals, function_names
from odonata.trace.views import COLLECTIVES, MODES, NAMES, NOBODY, VIEWS

__all__ = ["Unpacker"]

Numbers = NDArray[np.int64]

MOST_CALLS = 2**62
MOST_NANOSECONDS = 2**52
"""A run takes less than 52 days; picoseconds of it fit into 63 bits."""

SINCE = {("clock", "again"): 4}
"""Version of the format that a field came with; traces of older ones have zeros."""

Kind = TypeVar("Kind", bound=np.generic)


class Unpacker:
    """Reads the contents of a trace's blocks.

    Parameters
    ----------
    header
        Header of the trace; it has names for its numbers.
    version
        Version of its format.
    """

    def __init__(self, header: Header, version: int) -> None:
        self._absent = {field for field, since in SINCE.items() if version < since}
        self._ranks = header.ranks
        self._places = Places()
        self._numbers = {
            ("", "function"): _translation(header.functions, function_names()),
            ("", "operation"): _translation(header.operations, OPERATIONS),
            ("collective", "operation"): _translation(header.collectives, COLLECTIVES),
            ("send", "mode"): _translation(header.modes, MODES),
        }

    def calls(self, content: memoryview, head: BlockHead) -> Block:
        """Return the calls of a block.

        Raises
        ------
        DamagedError
            There are other columns than there must be, or numbers out of range.
        """
        columns = _Columns(content)
        ranks = columns.numbers(head.records, 0, self._ranks - 1, np.int32)
        if np.any(ranks[1:] < ranks[:-1]):
            raise DamagedError("ranks are not in order")
        calls = np.zeros(head.records, dtype=CALL)
        for name in HEAD:
            calls[name] = self._field(columns, "", name, head.records)
        self._fill_views(columns, calls)
        if calls["num_words"].sum(dtype=np.int64) != head.words:
            raise DamagedError("words are missing")
        words = columns.words(head.words)
        found = columns.numbers(head.records, 0, SUCCEEDED, np.uint8)
        num_outcomes = columns.numbers(head.records, 0, head.outcomes, np.uint32)
        if num_outcomes.sum(dtype=np.int64) != head.outcomes:
            raise DamagedError("outcomes are missing")
        outcomes = _structures(columns, OUTCOME, head.outcomes)
        columns.end()
        self._check_ranks(outcomes["source"])
        return Block(ranks, calls, words, found, num_outcomes, outcomes)

    def matches(self, content: memoryview, head: BlockHead) -> NDArray[np.void]:
        """Return the matches of a block.

        Raises
        ------
        DamagedError
            There are other columns than there must be, or numbers out of range.
        """
        columns = _Columns(content)
        made = np.zeros(head.records, dtype=MATCH)
        made["rank"] = columns.numbers(head.records, 0, self._ranks - 1, np.int32)
        made["source"] = columns.numbers(head.records, NOBODY, self._ranks - 1, np.int32)
        made["call"] = columns.numbers(head.records, 0, MOST_CALLS, np.int64)
        columns.end()
        return made

    def times(self, content: memoryview, head: BlockHead) -> Numbers:
        """Return when the calls of the block after it began and ended; shape (n, 2) [ns].

        Raises
        ------
        DamagedError
            There are other columns than there must be, or a call ends before it begins.
        """
        columns = _Columns(content)
        made = np.empty((2, head.records), dtype=np.int64).T  # begins and ends lie together
        for at in (0, 1):
            made[:, at] = columns.numbers(head.records, 0, MOST_NANOSECONDS, np.int64)
        columns.end()
        if np.any(made[:, 1] < made[:, 0]):
            raise DamagedError("a call ends before it begins")
        return made

    def totals(self, content: memoryview) -> Totals:
        """Return the totals at the end of a trace.

        Raises
        ------
        DamagedError
            It is something else.
        """
        try:
            totals = msgspec.json.decode(content, type=Totals)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            raise DamagedError(str(error)) from error
        if len(totals.ranks) != self._ranks or sum(totals.ranks) != totals.records:
            raise DamagedError("its totals don't add up")
        return totals

    def _fill_views(self, columns: _Columns, calls: NDArray[np.void]) -> None:
        for view in VIEWS:
            places = self._places.of(view, calls)
            for name in CALL[view].names or ():
                if (view, name) in self._absent:
                    continue
                calls[view][name][places] = self._field(columns, view, name, len(places))

    def _field(self, columns: _Columns, view: str, name: str, count: int) -> NDArray[np.generic]:
        kind = (CALL[view] if view else CALL)[name]
        if kind == np.uint64:
            return columns.words(count)
        if (view, name) in self._numbers:
            known = self._numbers[view, name]
            given = columns.numbers(count, 0, len(known) - 1, np.int64)
            translated: Numbers = known[given]
            if np.any(translated < 0):
                what = "collective" if view == "collective" else name
                raise DamagedError(f"it has a {what} that this version of Odonata doesn't know")
            return translated
        limits = np.iinfo(kind)
        least = 0 if name in ("bytes", "compute") else int(limits.min)
        most = len(NAMES[view, name]) - 1 if (view, name) in NAMES else int(limits.max)
        return columns.numbers(count, least, most, kind.type)

    def _check_ranks(self, sources: NDArray[np.int32]) -> None:
        if np.any(sources < NOBODY) or np.any(sources >= self._ranks):
            raise DamagedError("a rank is out of range")


class _Columns:
    """Columns that lie one behind the other."""

    def __init__(self, content: memoryview) -> None:
        self._rest = content

    def words(self, count: int) -> Words:
        """Return the next column as it is."""
        words, self._rest = decode(self._rest, count)
        return words

    def numbers(self, count: int, least: int, most: int, kind: type[Kind]) -> NDArray[Kind]:
        """Return the next column; all of its numbers must be in a range."""
        numbers = self.words(count).view(np.int64)
        if count and (int(numbers.min()) < least or int(numbers.max()) > most):
            raise DamagedError("a number is out of range")
        return numbers.astype(kind)

    def end(self) -> None:
        """Make sure that there is nothing left."""
        if len(self._rest):
            raise DamagedError("there is something after its columns")


def _structures(columns: _Columns, kind: np.dtype[np.void], count: int) -> NDArray[np.void]:
    made = np.zeros(count, dtype=kind)
    for name in kind.names or ():
        if name != "reserved":
            limits = np.iinfo(kind[name])
            made[name] = columns.numbers(count, int(limits.min), int(limits.max), kind[name].type)
    return made


def _translation(theirs: Sequence[str], ours: Sequence[str]) -> Numbers:
    """Return our number of each of their names; -1: we have no such name."""
    number = {name: at for at, name in enumerate(ours)}
    return np.array([number.get(name, -1) for name in theirs], dtype=np.int64)
