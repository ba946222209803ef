"""Reads the results of other benchmarks: HPCC, Intel's MPI benchmarks, OSU's."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from odonata.errors import UserError
from odonata.files import read_bytes

__all__ = ["Benchmark", "Reported", "read_benchmark"]

MOST_BYTES = 16 * 2**20
"""Largest file that is read."""

MOST_SIZE = 2**40
"""Largest message [B]."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,18}\.?[0-9]{0,18}|\.[0-9]{1,18})(?:[eE][+-]?[0-9]{1,3})?")
_WHOLE = re.compile(r"[0-9]{1,13}")


@dataclass(frozen=True)
class Reported:
    """A number of a file.

    Parameters
    ----------
    value
        In seconds, or bytes a second.
    where
        ``file:line``.
    what
        Name that the file has for it.
    """

    value: float
    where: str
    what: str


@dataclass(frozen=True)
class Benchmark:
    """Contents of a file; None and () where it has no such thing.

    Parameters
    ----------
    program
        The benchmark that wrote it.
    path
        The file.
    least_latency, largest_latency
        Latencies of about 8 bytes [s]; they are the same where only one pair was measured.
    best_bandwidth
        Bandwidth of long messages [B/s].
    rings
        HPCC's rings by name: latencies [s] and bandwidths [B/s].
    triad
        STREAM Triad of one process, while the others wait [B/s].
    sizes, seconds
        A latency curve: sizes that rise [B], time of each [s].
    """

    program: str
    path: str
    least_latency: Reported | None = None
    largest_latency: Reported | None = None
    best_bandwidth: Reported | None = None
    rings: tuple[Reported, ...] = ()
    triad: Reported | None = None
    sizes: tuple[int, ...] = ()
    seconds: tuple[float, ...] = ()


@dataclass(frozen=True)
class _Text:
    path: str
    lines: tuple[str, ...]

    def where(self, index: int) -> str:
        return f"{self.path}:{min(index + 1, max(1, len(self.lines)))}"


def read_benchmark(path: str | Path) -> Benchmark:
    """Read the output of HPCC, IMB-MPI1 or OSU's latency and bandwidth tests.

    Parameters
    ----------
    path
        The file; the benchmark is recognized by its contents.

    Raises
    ------
    UserError
        It has another format or is damaged; says where.
    ReadError
        It cannot be read.
    """
    text = _without_labels(_load(Path(path)))
    for sign, read in _READERS.items():
        if any(re.search(sign, line) for line in text.lines):
            return read(text)
    for index, line in enumerate(text.lines):
        if title := _OTHER_OSU.match(line):
            raise UserError(
                "file: another test than a ping-pong",
                value=title[1],
                allowed="OSU MPI Latency Test, Multi Latency Test or Bandwidth Test",
                where=text.where(index),
            )
    raise UserError(
        "file: not recognized",
        allowed="hpccoutf.txt of HPCC; output of IMB-MPI1 PingPong, osu_latency or osu_bw",
        where=text.where(0),
    )


def _load(path: Path) -> _Text:
    data = read_bytes(path, MOST_BYTES, what="file")
    try:
        return _Text(_printable(path), tuple(data.decode().splitlines()))
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise UserError("file: not UTF-8 text", where=f"{path}:{line}") from error


_LABEL = re.compile(r"\s*(?:\[[^\]\s]*\](?:<std\w+>)?:?|\d+:)\s?")
"""Rank in front of a line: `[1,0]<stdout>:` of Open MPI, `[0] ` of Hydra, `0: ` of srun."""


def _without_labels(text: _Text) -> _Text:
    """Return a text without the rank that a launcher has put in front of its lines, if it has."""
    bare = tuple(_LABEL.sub("", line, count=1) for line in text.lines)
    signs = [re.compile(sign) for sign in (*_READERS, _OTHER_OSU.pattern)]
    for whole, line in zip(text.lines, bare, strict=True):
        if whole != line and any(sign.match(line) for sign in signs):
            return _Text(text.path, bare)
    return text


def _printable(path: Path) -> str:
    """Return the name of a file, which need not be text, for tables and machine files."""
    return os.fsencode(path).decode(errors="backslashreplace")


# ---- HPCC: key=value between two lines

_LATENCY_FACTOR = 1e-6
_BANDWIDTH_FACTOR = 1e9
_RINGS = (
    "NaturallyOrderedRingLatency_usec",
    "RandomlyOrderedRingLatency_usec",
    "NaturallyOrderedRingBandwidth_GBytes",
    "RandomlyOrderedRingBandwidth_GBytes",
)


def _read_hpcc(text: _Text) -> Benchmark:
    """Read all runs of a file: of each number the last one, if its test was run."""
    keys, last = _summary(text)

    def get(key: str) -> Reported | None:
        if key not in keys:
            raise UserError(f"HPCC: no {key} in the summary", where=text.where(last))
        i = keys[key]
        given = text.lines[i].partition("=")[2].strip()
        if _was_not_run(given):
            return None
        factor = _LATENCY_FACTOR if key.endswith("_usec") else _BANDWIDTH_FACTOR
        return Reported(_positive(text, i, given, key) * factor, text.where(i), key)

    found = Benchmark(
        "HPCC",
        text.path,
        least_latency=get("MinPingPongLatency_usec"),
        largest_latency=get("MaxPingPongLatency_usec"),
        best_bandwidth=get("MaxPingPongBandwidth_GBytes"),
        rings=tuple(ring for key in _RINGS if (ring := get(key)) is not None),
        triad=get("SingleSTREAM_Triad") if "SingleSTREAM_Triad" in keys else None,
    )
    if found == Benchmark("HPCC", text.path):
        raise UserError(
            "HPCC: neither latency and bandwidth nor STREAM were run",
            allowed=f"{_PING_PONG}, SingleSTREAM_Triad and others above 0",
            where=text.where(keys.get(_PING_PONG, 0)),
        )
    return found


def _summary(text: _Text) -> tuple[dict[str, int], int]:
    """Return the lines of the numbers of all summaries, and where the last one begins."""
    keys: dict[str, int] = {}
    inside, last = False, 0
    for i, line in enumerate(text.lines):
        if line.startswith(_SUMMARY):
            inside, last = True, i
        elif line.startswith("End of Summary section"):
            inside = False
        elif inside and "=" in line:
            key, _, value = line.partition("=")
            if key not in keys or not _was_not_run(value):
                keys[key] = i
    if inside or not keys:
        raise UserError(
            "HPCC: the file ends before its summary does", where=text.where(len(text.lines))
        )
    return keys, last


_PING_PONG = "MinPingPongLatency_usec"


def _was_not_run(value: str) -> bool:
    """Whether a number stands for a test that was not run: -1."""
    return re.fullmatch(r"-1(?:\.0*)?", value.strip()) is not None


# ---- tables of sizes and times


def _read_imb(text: _Text) -> Benchmark:
    begin = next(
        (i for i, x in enumerate(text.lines) if re.match(r"# Benchmarking PingPong\s*$", x)), None
    )
    if begin is None:
        found = [x.split()[2] for x in text.lines if re.match(r"# Benchmarking \S", x)]
        there = ", ".join(dict.fromkeys(found)) or None
        raise UserError("IMB: no table of PingPong", value=there, where=text.where(0))
    head = next((i for i in range(begin, len(text.lines)) if "#bytes" in text.lines[i]), None)
    if head is None or "t[usec]" not in text.lines[head]:
        raise UserError("IMB: PingPong without its table", where=text.where(begin))
    column = text.lines[head].split().index("t[usec]")
    rows = list(_rows(text, head + 1, column, 1e-6))
    last = rows[-1][0] if rows else head
    if all(line.strip() for line in text.lines[last + 1 :]):
        where = text.where(len(text.lines))
        raise UserError("IMB: the file ends within the table of PingPong", where=where)
    return _curve("IMB-MPI1 PingPong", text, head, rows)


def _read_osu_latency(text: _Text) -> Benchmark:
    head = _head(text, "Latency")
    return _curve("OSU latency", text, head, list(_rows(text, head + 1, 1, 1e-6)))


def _read_osu_bandwidth(text: _Text) -> Benchmark:
    head = _head(text, "Bandwidth")
    rows = list(_rows(text, head + 1, 1, 1e6))
    if not rows:
        raise UserError("OSU: an empty table", where=text.where(head))
    index, _, rate = max(rows, key=lambda row: row[2])
    if rate <= 0:
        raise UserError("OSU: no bandwidth above 0", where=text.where(index))
    return Benchmark(
        "OSU bandwidth",
        text.path,
        best_bandwidth=Reported(rate, text.where(index), "the best bandwidth"),
    )


def _head(text: _Text, what: str) -> int:
    head = next((i for i, x in enumerate(text.lines) if re.match(rf"# Size\b.*{what}", x)), None)
    if head is None:
        raise UserError(f"OSU: no table of sizes and {what.lower()}", where=text.where(0))
    return head


_Row = tuple[int, int, float]


def _rows(text: _Text, begin: int, column: int, factor: float) -> Iterator[_Row]:
    """Yield line, size and value of each row, up to an empty line, a comment or the end.

    Messages of libraries and launchers between the rows and behind them are passed over.
    """
    last = -1
    for i in range(begin, len(text.lines)):
        cells = text.lines[i].split()
        if not cells or cells[0].startswith("#"):
            return
        if _is_message(cells, column):
            continue
        if len(cells) <= column or not _WHOLE.fullmatch(cells[0]):
            raise UserError("table: not a row", value=text.lines[i], where=text.where(i))
        size = int(cells[0])
        if not last < size <= MOST_SIZE:
            raise UserError("table: sizes must rise", value=size, where=text.where(i))
        last = size
        yield i, size, _number(text, i, cells[column], "table") * factor


def _is_message(cells: list[str], column: int) -> bool:
    """Whether a line is text: it begins with no digit, or has no number where a row has one."""
    if not cells[0][0].isdigit():
        return True
    return len(cells) > column > 0 and not _BEGINS_A_NUMBER.match(cells[column])


_BEGINS_A_NUMBER = re.compile(r"[+-]?\.?\d|nan|inf|-nan|-inf", re.IGNORECASE)


def _curve(program: str, text: _Text, head: int, rows: list[_Row]) -> Benchmark:
    """Return the curve of a table of latencies."""
    rows = [row for row in rows if row[1] > 0]
    for i, _, seconds in rows:
        if seconds <= 0:
            raise UserError("table: a time is not above 0", where=text.where(i))
    short = next((row for row in rows if 8 <= row[1] <= 64), None)
    if short is None:
        raise UserError("table: no message of 8 to 64 bytes", where=text.where(head))
    index, size, seconds = short
    latency = Reported(seconds, text.where(index), f"{size} bytes")
    index, size, seconds = max(rows, key=lambda row: row[1] / row[2])
    return Benchmark(
        program,
        text.path,
        least_latency=latency,
        largest_latency=latency,
        best_bandwidth=Reported(size / seconds, text.where(index), f"{size} bytes by their time"),
        sizes=tuple(row[1] for row in rows),
        seconds=tuple(row[2] for row in rows),
    )


def _positive(text: _Text, index: int, given: str, what: str) -> float:
    value = _number(text, index, given, what)
    if value <= 0:
        raise UserError(
            f"{what}: not above 0: it was not run", value=given, where=text.where(index)
        )
    return value


def _number(text: _Text, index: int, given: str, what: str) -> float:
    value = float(given) if _NUMBER.fullmatch(given) else math.nan
    if not 0 <= value < 1e15:
        raise UserError(f"{what}: not a number in range", value=given, where=text.where(index))
    return value


_SUMMARY = "Begin of Summary section"

_READERS: Mapping[str, Callable[[_Text], Benchmark]] = {
    rf"^{_SUMMARY}": _read_hpcc,
    r"^This is the DARPA/DOE HPC Challenge Benchmark": _read_hpcc,
    r"Intel\(R\) MPI Benchmarks": _read_imb,
    r"^# Benchmarking ": _read_imb,
    r"^# OSU MPI(?:-\w+)? (?:Multi )?Latency Test": _read_osu_latency,
    r"^# OSU MPI(?:-\w+)? Bandwidth Test": _read_osu_bandwidth,
}
"""Readers of files by a line that the file has; `-CUDA` and the like name the memory of buffers."""

_OTHER_OSU = re.compile(r"^# (OSU .+?)(?: v[0-9.]+)?\s*$")
