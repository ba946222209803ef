"""Files of a profile: a folder with a file for each rank, which its recorder has mapped.

::

    functions        names of functions by number, one a line
    rank-<rank>.odp  head of 4096 bytes, then, where the head says, cells of 32 bytes
    rank-<rank>.odl  at trace depth: the calls of the rank, until `trace` is made of them
    trace            at trace depth: the calls of all ranks

`cpp/odonata/profile/layout.hpp` has the layout. The same files come from a simulated run.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from odonata import _core
from odonata.errors import UserError, WriteError
from odonata.files import open_regular, write_whole
from odonata.profile.counters import Cells, tables
from odonata.profile.tables import Profile
from odonata.text import for_file
from odonata.trace import function_names

__all__ = ["head_levels", "head_ticks", "ranks_of_hosts", "read_folder", "write_folder"]

HEAD_BYTES = 4096
MAGIC = b"\x89ODP\r\n\x1a\n"
VERSION = 1
MOST_PHASES = 256
MOST_CELLS = 2**26
MOST_NAMES = 2**16
MOST_LEVELS = 4096
"""Levels of the phases of all ranks together; a rank may have `MOST_PHASES`."""
MOST_MISSING, MISSING_A_FILE = 4096, 64
"""Ranks of a run without a file, in all and for each file that is there."""

HEAD = np.dtype(
    [
        ("magic", "V8"),
        ("version", "<u4"),
        ("state", "<u4"),
        ("rank", "<i4"),
        ("ranks", "<i4"),
        ("table", "<u8"),
        ("capacity", "<u8"),
        ("used", "<u8"),
        ("lost", "<u8"),
        ("seconds_per_tick", "<f8"),
        ("start", "<u8"),
        ("latest", "<u8"),
        ("phase_start", "<u8"),
        ("phase", "<u4"),
        ("num_phases", "<u4"),
        ("library", "S16"),
        ("host", "S256"),
        ("program", "S2048"),
        ("phases", "<i4", (MOST_PHASES,)),
    ]
)
CELL_BYTES = 32
RUNNING, ENDED = 0, 1

_NAME = re.compile(r"rank-(\d+)\.od[pl]")
_SIMULATED = b"simulated"


@dataclass(frozen=True)
class _RankFile:
    """Contents of a rank's file."""

    head: np.void
    cells: NDArray[np.uint64]


def read_folder(folder: Path) -> Profile:
    """Return the profile that a folder holds; ranks may still run, or have crashed.

    Parameters
    ----------
    folder
        The folder.

    Raises
    ------
    UserError
        It holds no profile, or a damaged one.
    """
    paths = sorted(path for path in folder.glob("*.odp") if _NAME.fullmatch(path.name))
    if not paths:
        raise UserError(f"{folder}: no profile: no file rank-0.odp is in it")
    names = _read_names(folder / "functions")
    files = [_read(path) for path in paths]
    heads = np.array([file.head for file in files], dtype=HEAD)
    if len(set(heads["ranks"].tolist())) > 1 or len(set(heads["rank"].tolist())) < len(heads):
        raise UserError(f"{folder}: ranks of different runs; remove the folder and record again")
    # Ranks may meet phases in different orders: the first rank's order counts, then the second's.
    levels = {level: at for at, level in enumerate(dict.fromkeys(_levels(heads)))}
    _check_claims(folder, heads, len(levels))
    cells = [
        Cells(
            rank=int(file.head["rank"]),
            phases=np.array([levels[at] for at in _levels([file.head])]),
            cells=file.cells,
            seconds_per_tick=float(file.head["seconds_per_tick"]),
            wall_ticks=int(file.head["latest"]) - int(file.head["start"]),
            phase=int(file.head["phase"]),
            phase_ticks=int(file.head["latest"]) - int(file.head["phase_start"]),
            ended=int(file.head["state"]) == ENDED,
        )
        for file in files
    ]
    first = heads[0]
    library = bytes(first["library"])
    whole = Profile(
        ranks=int(first["ranks"]),
        source="simulated" if library == _SIMULATED else "recorded",
        program=bytes(first["program"]).decode("utf-8", "replace"),
        library=_where(first),
        functions=names,
        phases=tuple(levels),
        lost=int(heads["lost"].sum()),
    )
    return tables(cells, whole, str(folder))


def write_folder(
    folder: Path, profiler: _core.Profiler, ranks: int, *, program: str, machine: str
) -> None:
    """Write the profile of a simulated run.

    Parameters
    ----------
    folder
        The folder; it is made.
    profiler
        Counts of all ranks.
    ranks
        How many there are.
    program
        Command line of the program.
    machine
        Name of the machine.

    Raises
    ------
    WriteError
        A file could not be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError.of(error, folder) from error
    write_whole(folder / "functions", "".join(f"{name}\n" for name in function_names()).encode())
    for rank in range(ranks):
        head = np.frombuffer(profiler.head(rank), dtype=np.uint8).copy()
        fields = head[: HEAD.itemsize].view(HEAD)
        cells = np.asarray(profiler.cells(rank))
        fields["library"] = _SIMULATED
        fields["host"] = machine.encode()[:255]
        fields["program"] = for_file(program).encode()[:2047]
        fields["table"] = HEAD_BYTES
        fields["capacity"] = fields["used"] = len(cells)
        write_whole(folder / f"rank-{rank}.odp", head.tobytes() + cells.tobytes())


def ranks_of_hosts(folder: Path) -> Counter[str]:
    """Return how many ranks of a profile ran on each host.

    Parameters
    ----------
    folder
        The folder.

    Raises
    ------
    UserError
        A file is damaged.
    """
    heads = [_read(path).head for path in folder.glob("*.odp") if _NAME.fullmatch(path.name)]
    return Counter(bytes(head["host"]).decode("utf-8", "replace") for head in heads)


def head_levels(head: bytes) -> list[int]:
    """Return the levels of the phases of a rank.

    Parameters
    ----------
    head
        Head of its file.
    """
    return _levels([np.frombuffer(head[: HEAD.itemsize], dtype=HEAD)[0]])


def head_ticks(head: bytes) -> int:
    """Return the time of a rank from its first call to the end of its latest one [ticks].

    Parameters
    ----------
    head
        Head of its file.
    """
    fields = np.frombuffer(head[: HEAD.itemsize], dtype=HEAD)[0]
    return int(fields["latest"]) - int(fields["start"])


def _check_claims(folder: Path, heads: NDArray[np.void], levels: int) -> None:
    """Compare the ranks and phases of a run with its files, before memory is taken for them."""
    ranks = int(heads[0]["ranks"])
    most = len(heads) * (1 + MISSING_A_FILE) + MOST_MISSING
    if ranks > most:
        what = f"{folder}: ranks of the run, of which {len(heads)} have a file"
        raise UserError(what, value=ranks, allowed=f"up to {most}")
    if levels > MOST_LEVELS:
        raise UserError(f"{folder}: phases of all ranks", value=levels,
                        allowed=f"up to {MOST_LEVELS}")  # fmt: skip


def _where(head: np.void) -> str:
    library, host = (bytes(head[name]).decode("utf-8", "replace") for name in ("library", "host"))
    return host if library == _SIMULATED.decode() else library


def _levels(heads: Iterable[np.void]) -> list[int]:
    """Return the levels of the phases of ranks, in their order."""
    return [
        level
        for head in heads
        for level in np.asarray(head["phases"])[: int(head["num_phases"])].tolist()
    ]


def _read_names(path: Path) -> Sequence[str]:
    with open_regular(path) as file:
        text = file.read(64 * MOST_NAMES)
    names = text.decode("utf-8", "replace").splitlines()
    if not 1 <= len(names) <= MOST_NAMES:
        raise UserError(f"{path}: number of names", value=len(names), allowed=f"1 to {MOST_NAMES}")
    return names


def _read(path: Path) -> _RankFile:
    with open_regular(path) as file:
        start = file.read(HEAD_BYTES)
        if start[: len(MAGIC)] != MAGIC:
            raise UserError(f"{path}: not the profile of a rank")
        if len(start) < HEAD_BYTES:
            raise UserError(f"{path}: cut off in its head")
        head = np.frombuffer(start[: HEAD.itemsize], dtype=HEAD)[0]
        _check(path, head)
        capacity, table = int(head["capacity"]), int(head["table"])
        file.seek(0, 2)
        if capacity > MOST_CELLS or table + capacity * CELL_BYTES > file.tell():
            raise UserError(f"{path}: cut off: it holds fewer cells than it says", value=capacity)
        file.seek(table)
        cells = np.frombuffer(file.read(capacity * CELL_BYTES), dtype="<u8").reshape(-1, 4)
    return _RankFile(head, cells[cells[:, 0] != 0])


def _check(path: Path, head: np.void) -> None:
    if int(head["version"]) != VERSION:
        what = f"{path}: a profile in a format of another version of Odonata"
        raise UserError(what, value=int(head["version"]), allowed=f"{VERSION}")
    ranks, rank = int(head["ranks"]), int(head["rank"])
    if not 1 <= ranks <= 2**24 or not 0 <= rank < ranks or path.name != f"rank-{rank}.odp":
        raise UserError(f"{path}: damaged: rank", value=f"{rank} of {ranks}")
    if not 1 <= int(head["num_phases"]) <= MOST_PHASES or int(head["phase"]) >= MOST_PHASES:
        raise UserError(f"{path}: damaged: number of phases", value=int(head["num_phases"]))
    tick = float(head["seconds_per_tick"])
    if not 0 < tick < 1 or int(head["latest"]) < int(head["start"]):
        raise UserError(f"{path}: damaged: length of a tick [s]", value=tick)
