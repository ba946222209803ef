"""Logs of IPM in XML: calls, times, sizes and partners of each rank.

Logs of IPM 2.0.6 are read piece by piece; document types, and with them entities, are refused.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from xml.parsers import expat

from odonata.errors import ReadError, UserError
from odonata.files import read_beginning
from odonata.profile.reports.summing import MOST_RANKS, Sums, sends_data
from odonata.profile.tables import Profile, class_of, is_send

__all__ = ["is_ipm", "read_ipm"]

MOST_BYTES = 2**32
MOST_PENDING = 2**24
"""Most bytes of a piece of the log that has no end yet [B]."""

MOST_TEXT = 2**12
MOST_DEPTH = 64
PIECE = 2**16

KNOWN = {
    *("ipm_job_profile", "calltable", "section", "entry", "task", "taskcopy", "job", "host"),
    *("modules", "module", "switch", "cmdline", "env", "ldmap", "ru_s_ti", "ru_s_tf", "ru_c_ti"),
    *(
        "perf",
        "ru_c_tf",
        "call_mask",
        "regions",
        "region",
        "hpm",
        "counter",
        "pmon",
        "device",
        "func",
    ),
    *("perf", "ptrtable", "ptr", "hash", "hent", "internal"),
}
"""Elements of a log."""

CALLS_ONLY = "The log has no table of sizes and partners (IPM_LOG=full writes it)"
BLOCKS = "Bytes of collectives as IPM counts them: the contribution of each rank"
OTHERS = "Calls of other modules than MPI were left out"

_START = re.compile(rb"\s*(<\?xml[^>]*\?>)?\s*(<!--.*?-->\s*)*<ipm_job_profile\b", re.DOTALL)


def is_ipm(path: Path) -> bool:
    """Whether a file is a log of IPM in XML."""
    return _START.match(read_beginning(path, 4096)) is not None


def read_ipm(path: Path) -> Profile:
    """Return the profile of a log.

    Parameters
    ----------
    path
        The log, ``user.12345.ipm.xml``.

    Raises
    ------
    UserError
        It is damaged or cut off, or has a document type; the message has the file and the line.
    """
    return _Reading(path).read()


class _Reading:
    """Takes the elements of a log as they come."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._sums = Sums(str(path))
        self._open: list[str] = []
        self._text: list[str] = []
        self._attributes: Mapping[str, str] = {}
        self._command = ""
        self._ranks = 0
        self._rank = -1
        self._copies = 0
        self._others: Counter[str] = Counter()
        self._hashed: set[int] = set()
        self._functions: list[tuple[str, int, int, float]] = []  # of the task: func elements
        self._entries: dict[str, list[float]] = {}  # of the task: counts and times of hent elements
        self._parser = self._make_parser()

    def read(self) -> Profile:
        try:
            if self._path.stat().st_size > MOST_BYTES:
                raise UserError(f"{self._path}: bytes", allowed=f"up to {MOST_BYTES}")
            with self._path.open("rb") as file:
                self._feed(file)
        except OSError as error:
            raise ReadError.of(error, self._path) from error
        except (expat.ExpatError, LookupError, ValueError) as error:  # the latter: its encoding
            what = f"{self._path}: cut off, or not a document in XML"
            raise UserError(f"{what}: {error}") from error
        if not self._sums.walls:
            raise UserError(f"{self._path}: no task in the log")
        self._note()
        return self._sums.profile(
            ranks=self._ranks, source="IPM", program=self._command, by_rank=True
        )

    def _feed(self, file: object) -> None:
        fed = 0
        while piece := file.read(PIECE):  # type: ignore[attr-defined]
            self._parser.Parse(piece, False)
            fed += len(piece)
            if fed - max(self._parser.CurrentByteIndex, 0) > MOST_PENDING:
                raise self._error("an element or text that is too long", "")
        self._parser.Parse(b"", True)

    def _note(self) -> None:
        self._sums.notes.append(BLOCKS)
        if len(self._hashed) < len(self._sums.walls):
            self._sums.notes.append(CALLS_ONLY)
        if self._copies:
            self._sums.notes.append(
                f"{self._copies} ranks are like others: the log leaves them out"
            )
        if self._others:
            some = ", ".join(f"{name} {count}" for name, count in self._others.most_common(8))
            self._sums.notes.append(f"{OTHERS}: {some}")

    def _make_parser(self) -> expat.XMLParserType:
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._refuse
        parser.EntityDeclHandler = self._refuse
        parser.buffer_text = True
        return parser

    def _refuse(self, *_: object) -> None:
        raise self._error("a document type, which a log of IPM does not have", "DOCTYPE")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if not self._open and name != "ipm_job_profile":
            raise self._error("not a log of IPM", name)
        if len(self._open) >= MOST_DEPTH:
            raise self._error("elements inside each other", str(len(self._open)))
        if name not in KNOWN:
            self._sums.unknown[f"element {name[:60]}"] += 1
        if name == "task":
            self._begin_task(attributes)
        elif name == "perf" and self._rank >= 0:
            self._sums.walls[self._rank] = self._number(attributes, "wtime")
        elif name == "taskcopy":
            self._copies += 1
        self._open.append(name)
        self._attributes, self._text = attributes, []

    def _characters(self, text: str) -> None:
        if sum(map(len, self._text)) < MOST_TEXT:
            self._text.append(text[:MOST_TEXT])

    def _end(self, name: str) -> None:
        self._open.pop()
        if name == "func" and self._open.count("region") == 1:
            self._function(self._attributes)
        elif name == "hent":
            self._entry(self._attributes)
        elif name == "cmdline" and not self._command:
            self._command = "".join(self._text).strip()
        elif name == "task":
            self._end_task()

    def _begin_task(self, attributes: Mapping[str, str]) -> None:
        size, rank = self._whole(attributes, "mpi_size"), self._whole(attributes, "mpi_rank")
        if not 1 <= size <= MOST_RANKS or (self._ranks and size != self._ranks):
            raise self._error("mpi_size", str(size))
        if rank >= size or rank in self._sums.walls or self._rank >= 0:
            raise self._error("mpi_rank", f"{rank} of {size}")
        self._ranks, self._rank = size, rank
        self._sums.walls[rank] = 0.0
        self._functions, self._entries = [], {}

    def _end_task(self) -> None:
        """Add the calls of a rank, from its regions or else from its table."""
        rank = self._rank
        for name, count, _, seconds in self._functions:
            self._sums.add_calls(rank, name, count, seconds)
        if not self._functions:
            for name, (calls, time) in self._entries.items():
                self._sums.add_calls(rank, name, int(calls), time)
        if self._entries:
            self._hashed.add(rank)
        else:
            for name, count, size, _ in self._functions:
                if sends_data(name):
                    self._sums.add_sizes(rank, name, count, size)
        self._rank = -1

    def _function(self, attributes: Mapping[str, str]) -> None:
        """Take ``<func name= count= bytes= > seconds </func>``."""
        name = attributes.get("name", "")
        count, seconds = self._whole(attributes, "count"), self._seconds()
        if self._is_mpi(name, count):
            size = round(self._number(attributes, "bytes"))
            self._functions.append((name, count, size, seconds))

    def _entry(self, attributes: Mapping[str, str]) -> None:
        """Take ``<hent call= bytes= orank= count= ...>total shortest longest</hent>``."""
        name, count = attributes.get("call", ""), self._whole(attributes, "count")
        if self._rank < 0:
            raise self._error("hent outside of a task", name)
        if not name.startswith("MPI_"):
            return
        entry = self._entries.setdefault(name, [0, 0.0])
        entry[0] += count
        entry[1] += self._seconds()
        if not sends_data(name):
            return
        size = self._whole(attributes, "bytes")
        self._sums.add_sizes(self._rank, name, count, count * size, class_of(size))
        if is_send(name):
            peer = self._whole(attributes, "orank")
            if peer >= self._ranks:
                raise self._error(f"orank, allowed: 0 to {self._ranks - 1}", str(peer))
            self._sums.add_pair(self._rank, peer, count, count * size)

    def _is_mpi(self, name: str, count: int) -> bool:
        if self._rank < 0:
            raise self._error("func outside of a task", name)
        if not name.startswith("MPI_"):
            if len(self._others) < MOST_TEXT:
                self._others[name[:60]] += count
            return False
        return True

    def _seconds(self) -> float:
        words = "".join(self._text).split()
        return self._number({"time": words[0] if words else ""}, "time")

    def _whole(self, attributes: Mapping[str, str], name: str) -> int:
        text = attributes.get(name, "")
        if not re.fullmatch(r"\d{1,15}", text):
            raise self._error(f"{name}: not a whole number", text)
        return int(text)

    def _number(self, attributes: Mapping[str, str], name: str) -> float:
        text = attributes.get(name, "")
        if not re.fullmatch(r"-?\d{1,18}(\.\d{1,12})?([eE][+-]?\d{1,2})?", text):
            raise self._error(f"{name}: not a number", text)
        return min(max(float(text), 0.0), 1e18)

    def _error(self, what: str, value: str) -> UserError:
        line = self._parser.CurrentLineNumber
        return UserError(what, value=value[:80], where=f"{self._path}:{line}")
