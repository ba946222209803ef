"""Views of a profile: the numbers that `odonata profile show` prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from odonata.errors import UserError
from odonata.profile.tables import NO_CLASS, Profile, is_send, upper_bound
from odonata.trace.matrix import Collectives, Matrix
from odonata.trace.moved import moved_bytes
from odonata.trace.phases import RunPhase
from odonata.trace.views import COLLECTIVES
from odonata.units import exact_sum

__all__ = ["PAPER_BINS", "CallView", "SizeBin", "Views", "select_phases"]

Numbers = NDArray[np.int64]
Seconds = NDArray[np.float64]
Table = NDArray[np.void]

PAPER_BINS = (64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304)
"""Largest sizes of the bins in AMG2013 Performance Benchmark and Profiling [B]; a last bin has all
that are larger."""

NOTHING_FOUND = 1
"""Finding of a test or probe; see `odonata.profile.CALLS`."""

ROUNDING = 1e-9
"""Part of a sum of times that may be rounding."""


@dataclass(frozen=True)
class CallView:
    """Calls of one function.

    Parameters
    ----------
    count
        How many, of all ranks.
    share
        Their share of all calls.
    bytes
        Bytes of the messages that they send, and of the blocks of collectives [B].
    seconds
        Time in them, of all ranks [s]; None: unknown.
    mpi_share
        Its share of the time in MPI.
    mean_seconds, longest_rank_seconds
        Of a rank [s]; their ratio is the imbalance.
    nothing_found
        Tests and probes that found nothing.
    share_without_polls
        Share of all calls, except polls that found nothing.
    """

    count: int
    share: float
    bytes: int
    seconds: float | None
    mpi_share: float | None
    mean_seconds: float | None
    longest_rank_seconds: float | None
    nothing_found: int
    share_without_polls: float


@dataclass(frozen=True)
class SizeBin:
    """Messages of some sizes.

    Parameters
    ----------
    least, most
        Smallest and largest size [B]; None: no limit is known.
    messages
        How many; blocks of collectives count as messages.
    bytes
        Their sum [B].
    """

    least: int | None
    most: int | None
    messages: int
    bytes: int

    def plain(self) -> dict[str, int | None]:
        """Return it as plain data."""
        return {"from": self.least, "to": self.most, "messages": self.messages, "bytes": self.bytes}


def select_phases(profile: Profile, names: list[str]) -> Profile:
    """Return the profile of some phases alone.

    Parameters
    ----------
    profile
        The profile.
    names
        Names of phases as they are shown; none: all.

    Raises
    ------
    UserError
        There is no such phase.
    """
    if not names:
        return profile
    known = [str(RunPhase.of(level)) for level in profile.phases]
    for name in names:
        if name not in known:
            raise UserError("--phase: no such phase", value=name, allowed=", ".join(known))
    chosen = [at for at, name in enumerate(known) if name in names]
    tables = {
        name: table[np.isin(table["phase"], chosen)]
        for name, table in vars(profile).items()
        if name in ("calls", "sizes", "pairs", "collectives", "phase_times")
    }
    return replace(profile, waiting=None, **tables)


class Views:
    """Views of a profile.

    Parameters
    ----------
    profile
        The profile.
    """

    def __init__(self, profile: Profile) -> None:
        self.profile = profile

    @cached_property
    def calls(self) -> dict[str, CallView]:
        """Calls by function, the most frequent first."""
        table, sizes = self.profile.calls, self.profile.sizes
        n = len(self.profile.functions)
        count = _sums(table["function"], table["count"], n)
        empty = table["found"] == NOTHING_FOUND
        nothing = _sums(table["function"][empty], table["count"][empty], n)
        size = _sums(sizes["function"], sizes["bytes"], n)
        used = np.flatnonzero(count)
        times = np.zeros((len(used), self.profile.ranks))
        np.add.at(
            times, (np.searchsorted(used, table["function"]), table["rank"]), table["seconds"]
        )
        total, in_mpi = int(count.sum()), float(times.sum())
        without, by_rank = total - int(nothing.sum()), self.profile.by_rank
        views = {}
        for at in sorted(used.tolist(), key=lambda at: (-count[at], at)):
            own = times[np.searchsorted(used, at)]
            seconds = float(own.sum())
            views[self.profile.functions[at]] = CallView(
                count=int(count[at]),
                share=int(count[at]) / total,
                bytes=int(size[at]),
                seconds=self._timed(seconds),
                mpi_share=self._timed(seconds / in_mpi if in_mpi else 0.0),
                mean_seconds=self._timed(float(own.mean())),
                longest_rank_seconds=self._timed(float(own.max())) if by_rank else None,
                nothing_found=int(nothing[at]),
                share_without_polls=int(count[at] - nothing[at]) / without if without else 0.0,
            )
        return views

    @cached_property
    def mpi_seconds(self) -> Seconds:
        """Time in MPI of each rank [s]; shape (ranks,)."""
        table = self.profile.calls
        found = np.zeros(self.profile.ranks)
        np.add.at(found, table["rank"], table["seconds"])
        return found

    def waiting(self) -> Mapping[str, Any] | None:
        """Return waiting apart from transfer as plain data; None: it is not known."""
        if self.profile.waiting is None:
            return None
        seconds = {name: float(call.seconds or 0) for name, call in self.calls.items()}
        return self.profile.waiting.plain(seconds, self.mpi_seconds)

    @cached_property
    def wall_seconds(self) -> Seconds:
        """Time of each rank from the beginning of MPI_Init to the end [s]; shape (ranks,)."""
        found = np.zeros(self.profile.ranks)
        found[self.profile.rank_times["rank"]] = self.profile.rank_times["wall_seconds"]
        return found

    @cached_property
    def outside_seconds(self) -> Seconds:
        """Time of each rank outside of MPI [s], zero where it is rounding; shape (ranks,)."""
        outside = self.wall_seconds - self.mpi_seconds
        return np.where(outside > ROUNDING * self.wall_seconds, outside, 0.0)

    @cached_property
    def sent_bytes(self) -> Numbers:
        """Bytes of the messages of each rank [B]; shape (ranks,)."""
        table = self.profile.pairs if self.profile.has_pairs else self._sizes_where(is_send)
        return _sums(table["rank"], table["bytes"], self.profile.ranks)

    def sizes(self, function: str | None = None) -> list[SizeBin]:
        """Return sizes of messages in powers of two.

        Parameters
        ----------
        function
            Function that sends them; None: all.
        """
        table = self._sizes_of(function)
        classes = table["size"] - NO_CLASS
        messages, size = _sums(classes, table["count"]), _sums(classes, table["bytes"])
        return [
            _class_bin(at + NO_CLASS, int(messages[at]), int(size[at]))
            for at in np.flatnonzero(messages).tolist()
        ]

    def paper_sizes(self, function: str | None = None) -> list[SizeBin]:
        """Return sizes of messages in the bins of the paper.

        Parameters
        ----------
        function
            Function that sends them; None: all.
        """
        known = [(one.most, one) for one in self.sizes(function) if one.most is not None]
        limits = [*PAPER_BINS, None]
        bins, least = [], 0
        for most in limits:
            inside = [one for top, one in known if least <= top and (most is None or top <= most)]
            messages = sum(one.messages for one in inside)
            bins.append(SizeBin(least, most, messages, sum(one.bytes for one in inside)))
            least = (most or 0) + 1
        return bins

    @cached_property
    def collectives(self) -> dict[str, Collectives]:
        """Collectives: calls, and bytes that move from rank to rank, whatever the algorithm."""
        return self._collectives_in(self.profile.collectives)

    @cached_property
    def matrix(self) -> Matrix:
        """Messages from rank to rank, in all phases."""
        return self._matrix(RunPhase(""), self.profile.pairs, self.profile.collectives)

    @cached_property
    def matrices(self) -> list[Matrix]:
        """Messages from rank to rank by phase; messages outside of phases come first."""
        found = []
        for at, level in enumerate(self.profile.phases):
            pairs = self.profile.pairs[self.profile.pairs["phase"] == at]
            calls = self.profile.collectives[self.profile.collectives["phase"] == at]
            if len(pairs) or len(calls):
                found.append(self._matrix(RunPhase.of(level), pairs, calls))
        return found

    @property
    def message_bytes(self) -> int:
        """Bytes of all messages [B]."""
        return exact_sum(self.sent_bytes)

    @property
    def collective_bytes(self) -> int:
        """Bytes that collectives move from rank to rank; of a report, its sum of blocks [B]."""
        if not self.profile.has_collectives:
            return exact_sum(self._sizes_where(lambda name: not is_send(name))["bytes"])
        return sum(one.bytes for one in self.collectives.values())

    @property
    def total_bytes(self) -> int:
        """Bytes that go from rank to rank [B]."""
        return self.message_bytes + self.collective_bytes

    def imbalance(self, of: Seconds | Numbers) -> float | None:
        """Return the largest value of a rank over the mean; None if all are zero, or unknown.

        Parameters
        ----------
        of
            A value for each rank.
        """
        mean = float(of.mean()) if self.profile.by_rank else 0.0
        return float(of.max()) / mean if mean else None

    def _timed(self, seconds: float) -> float | None:
        return seconds if self.profile.timed else None

    def _sizes_of(self, function: str | None) -> Table:
        table = self.profile.sizes
        if function is None:
            return table
        own: Table = table[table["function"] == list(self.profile.functions).index(function)]
        return own

    def _sizes_where(self, wanted: Callable[[str], bool]) -> Table:
        """Return the sizes of the functions with some names."""
        chosen = [at for at, name in enumerate(self.profile.functions) if wanted(name)]
        own: Table = self.profile.sizes[np.isin(self.profile.sizes["function"], chosen)]
        return own

    def _collectives_in(self, table: Table) -> dict[str, Collectives]:
        found = {}
        for at in np.unique(table["operation"]).tolist():
            own = table[table["operation"] == at]
            moved = moved_bytes(at, own["ranks"], own["root"], own["bytes"])
            found[COLLECTIVES[at]] = Collectives(int(own["calls"].sum()), moved)
        return found

    def _matrix(self, phase: RunPhase, pairs: Table, collectives: Table) -> Matrix:
        ranks = self.profile.ranks
        keys = pairs["rank"].astype(np.int64) * ranks + pairs["peer"]
        known, places = np.unique(keys, return_inverse=True)
        return Matrix(
            phase=phase,
            ranks=ranks,
            source=known // ranks,
            target=known % ranks,
            messages=_sums(places, pairs["messages"], len(known)),
            bytes=_sums(places, pairs["bytes"], len(known)),
            collectives=self._collectives_in(collectives),
        )

    def plain(self) -> dict[str, Any]:
        """Return all views as plain data, as ``odonata profile show --json`` prints them."""
        matrix, coverage = self.matrix, self.profile.coverage
        columns = (matrix.source, matrix.target, matrix.messages, matrix.bytes)
        names = ("source", "target", "messages", "bytes")
        return {
            "ranks": self.profile.ranks,
            "program": self.profile.program,
            "source": self.profile.source,
            "library": self.profile.library,
            "complete": self.profile.complete,
            "lost": self.profile.lost,
            "notes": list(self.profile.notes),
            "unknown": dict(self.profile.unknown),
            "coverage": coverage and coverage.plain(),
            "calls": {name: vars(view) for name, view in self.calls.items()},
            "polling": self._polling(),
            "waiting": self.waiting(),
            "time": self._times(),
            "sizes": {
                "paper": [one.plain() for one in self.paper_sizes()],
                "powers_of_two": [one.plain() for one in self.sizes()],
                "by_call": {
                    name: [one.plain() for one in self.sizes(name)]
                    for name in self.calls
                    if self.calls[name].bytes or self.sizes(name)
                },
            },
            "matrix": [
                dict(zip(names, row, strict=True)) for row in np.stack(columns, axis=1).tolist()
            ],
            "collectives": {name: vars(one) for name, one in self.collectives.items()},
            "message_bytes": self.message_bytes,
            "collective_bytes": self.collective_bytes,
            "total_bytes": self.total_bytes,
            "phases": self._phases(),
        }

    def _polling(self) -> Mapping[str, object]:
        calls = sum(view.count for view in self.calls.values())
        nothing = sum(view.nothing_found for view in self.calls.values())
        return {"calls": calls, "nothing_found": nothing, "calls_without": calls - nothing}

    def _times(self) -> Mapping[str, object] | None:
        if not self.profile.timed:
            return None
        share = _ratio(float(self.mpi_seconds.sum()), float(self.wall_seconds.sum()))
        if not self.profile.by_rank:
            return {"wall_seconds": None, "mpi_seconds": None, "mpi_share": share}
        return {
            "wall_seconds": self.wall_seconds.tolist(),
            "mpi_seconds": self.mpi_seconds.tolist(),
            "mpi_share": share,
            "imbalance": {
                "mpi_seconds": self.imbalance(self.mpi_seconds),
                "outside_mpi_seconds": self.imbalance(self.outside_seconds),
                "sent_bytes": self.imbalance(self.sent_bytes),
            },
        }

    def _phases(self) -> list[dict[str, object]]:
        times, calls = self.profile.phase_times, self.profile.calls
        n = len(self.profile.phases)
        wall = np.bincount(times["phase"], times["seconds"], minlength=n)
        in_mpi = np.bincount(calls["phase"], calls["seconds"], minlength=n)
        count = _sums(calls["phase"], calls["count"], n)
        sent = _sums(self.profile.pairs["phase"], self.profile.pairs["bytes"], n)
        return [
            {
                "phase": RunPhase.of(level).name,
                "level": RunPhase.of(level).level,
                "calls": int(count[at]),
                "seconds": self._timed(float(wall[at])),
                "mpi_seconds": self._timed(float(in_mpi[at])),
                "message_bytes": int(sent[at]),
            }
            for at, level in enumerate(self.profile.phases)
        ]


def _sums(places: Numbers, numbers: Numbers, size: int = 0) -> Numbers:
    """Return sums of whole numbers by place, exactly."""
    found = np.zeros(max(size, int(places.max()) + 1 if len(places) else 0), dtype=np.int64)
    np.add.at(found, places, numbers)
    return found


def _class_bin(size_class: int, messages: int, size: int) -> SizeBin:
    if size_class == NO_CLASS:
        return SizeBin(None, None, messages, size)
    least = upper_bound(size_class - 1) + 1 if size_class else 0
    return SizeBin(least, upper_bound(size_class), messages, size)


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None
