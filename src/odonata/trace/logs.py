"""Logs of the ranks of a real run, which become one trace.

::

    rank-<rank>.odl  the calls of a rank, written while it ran
    trace            the trace of all ranks
    trace.part       the same of a run that has not come to its end

`cpp/odonata/trace/rank_log.hpp` has the layout of a log.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import cast

from odonata import _core
from odonata.errors import UserError
from odonata.trace.calls import Block
from odonata.trace.format import Header
from odonata.trace.write import Writer

__all__ = ["TRACE", "find_logs", "find_trace", "has_trace", "merge_logs"]

TRACE = "trace"
"""Name of the trace in the folder of a run."""

PART = "trace.part"

_LOG = re.compile(r"rank-(\d+)\.odl")


def find_logs(folder: Path) -> list[Path]:
    """Return the logs that a folder holds.

    Parameters
    ----------
    folder
        The folder.
    """
    return sorted(path for path in folder.iterdir() if _LOG.fullmatch(path.name))


def has_trace(folder: Path) -> bool:
    """Return whether a folder holds the calls of a run.

    Parameters
    ----------
    folder
        The folder.
    """
    return any((folder / name).is_file() for name in (TRACE, PART)) or bool(find_logs(folder))


def find_trace(folder: Path) -> Path:
    """Return the trace in a folder, which is made of the logs of its ranks if it is not there.

    Parameters
    ----------
    folder
        Folder of a run that was recorded at trace depth.

    Raises
    ------
    UserError
        It holds no trace, or damaged logs.
    """
    logs = find_logs(folder)
    if logs:
        return merge_logs(folder, logs)
    for name in (TRACE, PART):
        if (folder / name).is_file():
            return folder / name
    what = f"{folder}: holds no trace"
    raise UserError(f"{what}: record one with odonata profile --depth trace -o {folder} -- ...")


def merge_logs(folder: Path, logs: list[Path]) -> Path:
    """Make one trace of the logs of all ranks; return its name.

    The logs of a complete run are removed. Logs of a run without an end stay, since it may still
    run, and the trace is incomplete.

    Parameters
    ----------
    folder
        Where the trace goes.
    logs
        The logs.

    Raises
    ------
    UserError
        A log is damaged, or they are of different runs.
    WriteError
        The trace could not be written.
    """
    part = folder / PART
    if part.is_file() and all(part.stat().st_mtime > log.stat().st_mtime for log in logs):
        return part
    merged = _core.RankLogs([str(log) for log in logs])
    program = merged.program.decode("utf-8", "replace")
    header = Header(ranks=merged.num_ranks, program=program, compute="measured")
    target = folder / TRACE
    with Writer(target, header) as writer:
        while (columns := merged.next()) is not None:
            writer.write(Block.of_bytes(cast("tuple[memoryview, ...]", columns)))
        if not merged.complete:
            left = writer.leave()
            assert left is not None
            return left
    for log in logs:
        log.unlink()
    part.unlink(missing_ok=True)
    return target
