"""Reports of mpiP: calls, times and bytes by call site and rank, in text.

Reports of mpiP 3.5 have sections that begin with ``@---``, and rows of words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from odonata.errors import ReadError, UserError
from odonata.files import read_beginning
from odonata.profile.reports.summing import MOST_RANKS, Sums
from odonata.profile.tables import NO_CLASS, Profile, class_of

__all__ = ["is_mpip", "read_mpip"]

MOST_BYTES = 2**31
MOST_CHARACTERS = 2**16
DIGITS = 4
"""Significant digits of bytes in a report."""

ROUNDED = "Reports of mpiP are rounded: times to three digits, bytes of messages to four"
BLOCKS = "Bytes of collectives as the report counts them: the contribution of each rank"
HIDDEN = (
    "are in the report's sums and not in its rows: they are below the threshold with which it was "
    "written"
)
FEW = "A concise report has sums of all ranks, and counts of its twenty longest call sites alone"

ALL = "*"
"""Rank of a row that has the sums of all ranks."""

PASSED_OVER = (
    *("Callsites", "Aggregate Collective Time", "Aggregate Point-To-Point Sent"),
    *("Aggregate I/O Size", "Aggregate RMA Origin Size", "Callsite I/O", "Callsite RMA"),
    "Callsite Message Sent statistics (all callsites",
    "Callsite Time statistics (all callsites",
)
"""Sections, by their beginnings, whose numbers are no part of a profile, or are in others."""


def is_mpip(path: Path) -> bool:
    """Whether a file is a report of mpiP."""
    return re.match(rb"\s*@ mpiP\s", read_beginning(path, 4096)) is not None


def read_mpip(path: Path) -> Profile:
    """Return the profile of a report.

    Parameters
    ----------
    path
        The report, ``program.8.1234.1.mpiP``.

    Raises
    ------
    UserError
        It is damaged or cut off; the message has the file and the line.
    """
    return _Reading(path).read()


class _Reading:
    """Reads a report, line by line."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._line = 0
        self._sums = Sums(str(path))
        self._section = ""
        self._command = ""
        self._hosts = 0
        self._ended = False
        self._few: list[tuple[str, int, float]] = []
        self._few_bytes: list[tuple[str, int, int]] = []
        self._mean_seconds = self._total_seconds = 0.0
        self._hidden = 0

    def read(self) -> Profile:
        for text in self._lines():
            if text.startswith("@---"):
                self._begin(text)
            elif text.startswith("@"):
                self._head(text)
            else:
                self._row(text.split())
        if not self._ended:
            raise UserError(f"{self._path}: cut off: its End of Report is missing")
        ranks = max(len(self._sums.walls), self._hosts)
        if not ranks and self._mean_seconds:  # a concise report has their sum and mean alone
            ranks = round(min(self._total_seconds / self._mean_seconds, MOST_RANKS))
        if not ranks:
            raise UserError(f"{self._path}: no tasks in its table of MPI Time")
        by_rank = bool(self._sums.calls) or not self._few
        if not by_rank:
            self._add_few()
        self._sums.notes[:0] = [ROUNDED, BLOCKS]
        if self._hidden:
            self._sums.notes.append(f"{self._hidden} calls {HIDDEN}")
        self._check_ranks(ranks)
        return self._sums.profile(
            ranks=ranks, source="mpiP", program=self._command, by_rank=by_rank
        )

    def _lines(self) -> Iterator[str]:
        try:
            size = self._path.stat().st_size
            if size > MOST_BYTES:
                raise UserError(f"{self._path}: bytes", value=size, allowed=f"up to {MOST_BYTES}")
            with self._path.open(encoding="utf-8", errors="replace") as file:
                while line := file.readline(MOST_CHARACTERS):
                    self._line += 1
                    if len(line) == MOST_CHARACTERS:
                        raise self._error("a line that is too long", line[:40])
                    yield line.rstrip()
        except OSError as error:
            raise ReadError.of(error, self._path) from error

    def _head(self, text: str) -> None:
        name, _, value = text[1:].partition(":")
        if name.strip() == "Command":
            self._command = value.strip()
        elif name.strip() == "MPI Task Assignment":
            self._hosts += 1

    def _begin(self, text: str) -> None:
        self._section = text.strip("@- ")
        self._ended = self._ended or self._section.startswith("End of Report")

    def _row(self, words: list[str]) -> None:
        """Take a row of the section; headings and lines between rows have no numbers."""
        if len(words) < 2 or not any(word[0].isdigit() for word in words):
            return
        section = self._section
        if section.startswith("MPI Time (seconds)"):
            self._task(words)
        elif section.startswith("Task Time Statistics"):
            self._statistics(words)
        elif section.startswith(PASSED_OVER) or not section:
            return
        elif section.startswith("Callsite Time statistics (all,"):
            self._time(words)
        elif section.startswith("Callsite Message Sent statistics (all,"):
            self._sent(words)
        elif section.startswith("Aggregate Time"):
            self._few.append((words[0], self._whole(words, 5), self._number(words, 2) / 1000))
        elif section.startswith("Aggregate Sent Message Size"):
            if words[0] != "Total":
                size = round(self._number(words, 3))
                self._few_bytes.append((words[0], self._whole(words, 2), size))
        else:
            self._sums.unknown[f"section {section[:60]!r}"] += 1

    def _task(self, words: list[str]) -> None:
        if words[0] != ALL:
            rank = self._whole(words, 0)
            if rank in self._sums.walls or rank >= MOST_RANKS:
                raise self._error("task", str(rank))
            self._sums.walls[rank] = self._number(words, 1)

    def _statistics(self, words: list[str]) -> None:
        if words[0] == "Mean":
            self._mean_seconds = self._number(words, 1)
        elif words[0] == "Aggregate":
            self._total_seconds = self._number(words, 1)

    def _time(self, words: list[str]) -> None:
        """Add ``name site rank count max mean min app% mpi%``."""
        count = self._whole(words, 3)
        if words[2] == ALL:
            self._hidden += count
            return
        self._hidden -= count
        seconds = self._number(words, 5) / 1000 * count
        self._sums.add_calls(self._whole(words, 2), f"MPI_{words[0]}", count, seconds)

    def _sent(self, words: list[str]) -> None:
        """Add ``name site rank count max mean min sum``."""
        if words[2:3] == [ALL]:
            return
        rank, count = self._whole(words, 2), self._whole(words, 3)
        most, least, total = (self._number(words, at) for at in (4, 6, 7))
        alike = most == least
        exact = alike and most < 10**DIGITS
        size = round(most) * count if exact else round(total)
        classes = {_class(least), _class(most)}
        name = f"MPI_{words[0]}"
        self._sums.add_sizes(
            rank, name, count, size, classes.pop() if len(classes) == 1 else NO_CLASS
        )

    def _add_few(self) -> None:
        """Take the sums of the longest call sites, where a short report has nothing else."""
        self._sums.notes.append(FEW)
        for name, count, seconds in self._few:
            self._sums.add_calls(0, f"MPI_{name}", count, seconds)
        for name, count, size in self._few_bytes:
            self._sums.add_sizes(0, f"MPI_{name}", count, size)
        if self._total_seconds:
            self._sums.walls = {0: self._total_seconds}

    def _check_ranks(self, ranks: int) -> None:
        named = {key[0] for key in (*self._sums.calls, *self._sums.sizes)} | {*self._sums.walls}
        most = max(named, default=0)
        if most >= ranks:
            raise UserError(f"{self._path}: rank", value=most, allowed=f"0 to {ranks - 1}")

    def _whole(self, words: list[str], at: int) -> int:
        if at >= len(words) or not re.fullmatch(r"\d{1,15}", words[at]):
            raise self._error(f"column {at + 1}: not a whole number", " ".join(words))
        return int(words[at])

    def _number(self, words: list[str], at: int) -> float:
        text = words[at] if at < len(words) else ""
        if not re.fullmatch(r"\d{1,18}(\.\d{1,12})?([eE][+-]?\d{1,2})?", text):
            raise self._error(f"column {at + 1}: not a number", " ".join(words))
        return min(float(text), 1e18)

    def _error(self, what: str, value: str) -> UserError:
        where = f"{self._path}:{self._line}"
        return UserError(f"{self._section or 'report'}: {what}", value=value[:80], where=where)


def _class(size: float) -> int:
    """Return the class of a rounded size: of a power of two that rounds to it, or its own."""
    power = 2 ** max(0, round(size) - 1).bit_length()
    for near in (power // 2, power):
        if float(f"{near:.{DIGITS}g}") == size:
            return class_of(near)
    return class_of(round(size))
