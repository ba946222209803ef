"""Banners of IPM, which it prints at the end of a run: sums of all ranks, in text.

Banners of IPM 2.0.6 are read; ``IPM_REPORT=full`` adds the table of calls. A banner may stand in
the output of a program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from odonata.errors import ReadError, UserError
from odonata.files import read_beginning
from odonata.profile.reports.summing import MOST_RANKS, Sums
from odonata.profile.tables import Profile

__all__ = ["is_banner", "read_banner"]

MOST_SEARCHED = 2**26
"""Bytes of a file in which a banner is looked for [B]."""

MOST_LINES = 2**20
ALL = "all of MPI"
"""Name of the calls of a banner that does not tell them apart."""

SUMS = "A banner has sums of all ranks: times of single ranks, sizes and partners are not known"
ROUNDED = "Times of a banner are rounded to 0.01 s"
SHORT = "The banner has no table of calls (IPM_REPORT=full prints it)"

KNOWN = re.compile(
    r"(command|start|stop|host|mpi_tasks|omp_thrds|files|mem \[GB\]|wallclock|MPI|OMP|OMP idle|I/O"
    r"|I/O \[GB\]|CUDA|CUBLAS|CUFFT|%wall|#calls|region|nesting|energy \(j\)|power \(w\)|kWh"
    r"|-cpu|-mem|-other|Per Node Energy Data|)"
)
"""Labels of a banner's lines."""

_FIRST = re.compile(rb"^##IPMv\S*?#*\s*$", re.MULTILINE)
_LAST = re.compile(r"#{40,}")
_ROW = re.compile(r"# (?P<name>\w{2,64})\s+(?P<time>\d+\.\d+)\s+(?P<count>\d+)\s+(?P<wall>[\d.]+)")
_LABEL = re.compile(r"#\s*(?P<label>[^:]*?)\s*:(?P<rest>.*)")
_TASKS = re.compile(r"\b(\d{1,7}) on (\d{1,7}) nodes")


def is_banner(path: Path) -> bool:
    """Whether a file has a banner of IPM in it."""
    return _FIRST.search(read_beginning(path, MOST_SEARCHED)) is not None


def read_banner(path: Path) -> Profile:
    """Return the profile of a banner, which has sums of all ranks.

    Parameters
    ----------
    path
        The output of a program that was run with IPM.

    Raises
    ------
    UserError
        There are several banners, or one is damaged or cut off.
    """
    return _Reading(path).read()


class _Reading:
    """Reads the lines of a banner."""

    def __init__(self, path: Path) -> None:
        self._path, self._line = path, 0
        self._sums = Sums(str(path))
        self._ranks = 0
        self._command = ""
        self._section = ""
        self._all = [0.0, 0.0]
        self._others: list[str] = []

    def read(self) -> Profile:
        closed = False
        for text in self._lines():
            row = _ROW.fullmatch(text.rstrip())
            closed = closed or _LAST.fullmatch(text.rstrip()) is not None
            if closed:  # single regions of the program follow: the sums have them
                continue
            if row is not None:
                self._call(row["name"], int(row["count"]), float(row["time"]))
            else:
                self._take_label(text)
        if not self._ranks:
            raise UserError(f"{self._path}: damaged: the banner has no number of mpi_tasks")
        if not self._sums.calls and self._all[0]:
            self._sums.add_calls(0, ALL, int(self._all[0]), float(self._all[1]))
            self._sums.notes.append(SHORT)
        self._sums.notes[:0] = [SUMS, ROUNDED]
        if self._others:
            some = ", ".join(self._others[:8])
            self._sums.notes.append(f"Calls of other modules than MPI were left out: {some}")
        return self._sums.profile(
            ranks=self._ranks, source="IPM", program=self._command, by_rank=False
        )

    def _lines(self) -> Iterator[str]:
        """Yield the lines of the banner between its first and its last."""
        try:
            with self._path.open("rb") as file:
                content = file.read(MOST_SEARCHED)
        except OSError as error:
            raise ReadError.of(error, self._path) from error
        starts = [match.start() for match in _FIRST.finditer(content)]
        if len(starts) != 1:
            raise UserError(f"{self._path}: banners of IPM", value=len(starts), allowed="1")
        self._line = content.count(b"\n", 0, starts[0]) + 1
        _, *lines = content[starts[0] :].decode("utf-8", "replace").splitlines()
        ended = False
        for text in lines:
            self._line += 1
            if not text.startswith("#"):
                break
            ended = _LAST.fullmatch(text.strip()) is not None
            yield text
        if not ended:
            raise UserError(f"{self._path}: cut off: the last line of the banner is missing")

    def _take_label(self, text: str) -> None:
        match = _LABEL.fullmatch(text)
        if match is None:
            return
        label, rest = match["label"], match["rest"]
        if not KNOWN.fullmatch(label):
            self._sums.unknown[f"line {label[:40]!r}"] += 1
        elif label == "command":
            self._command = rest.strip()
        elif label in ("%wall", "#calls"):
            self._section = label
        elif label == "wallclock":
            self._sums.walls[0] = self._first(rest)
        elif label == "MPI":
            self._mpi(rest)
        tasks = _TASKS.search(text) if label == "mpi_tasks" else None
        if tasks is not None:
            self._ranks = int(tasks[1])
            if not 1 <= self._ranks <= MOST_RANKS:
                raise self._error("mpi_tasks", tasks[1])

    def _mpi(self, rest: str) -> None:
        """Take a line of MPI: its time, its share of the wall, or its calls."""
        if self._section == "":
            self._all[1] = self._first(rest)
        elif self._section == "#calls":
            self._all[0] = self._first(rest)

    def _call(self, name: str, count: int, seconds: float) -> None:
        if name.startswith("MPI_"):
            self._sums.add_calls(0, name, count, seconds)
        elif len(self._others) < MOST_LINES:
            self._others.append(f"{name} {count}")

    def _first(self, rest: str) -> float:
        words = rest.split()
        if not words or not re.fullmatch(r"\d{1,15}(\.\d+)?", words[0]):
            raise self._error("not a number", rest.strip())
        return float(words[0])

    def _error(self, what: str, value: str) -> UserError:
        return UserError(what, value=value[:80], where=f"{self._path}:{self._line}")
