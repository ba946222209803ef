"""Calls of another format written as a trace of ours, so that it can be played."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from odonata import _core
from odonata.interchange.report import Conversion
from odonata.trace import Block, Header, Reader, Writer
from odonata.trace.calls import MATCH

__all__ = ["trace_source", "write_mended"]

MOST_HELD = 2**34
"""Most bytes of calls that a player of a trace holds for its ranks."""

REASONS = {
    "sends": "messages that no recorded call receives",
    "receives": "receives of messages that no recorded call sends",
    "probes": "probes for messages that no recorded call sends",
    "collectives": "collectives that not all members of the communicator have recorded alike",
}


def write_mended(
    path: str | Path,
    header: Header,
    source: Callable[[], _core.TraceSource],
    account: Conversion,
) -> None:
    """Write a trace of the calls of a source; those without a counterpart become local calls.

    Parameters
    ----------
    path
        The trace.
    header
        Its description; its functions are ours.
    source
        Gives the calls from the beginning, each time that it is called.
    account
        Takes the numbers of calls that were left out.

    Raises
    ------
    UserError
        The calls are damaged.
    WriteError
        The trace could not be written; nothing is left behind.
    """
    repair = _core.Repair(header.ranks)
    repair.count(source())
    repair.match(source())
    with Writer(path, header) as writer:

        def write(columns: Iterable[memoryview]) -> None:
            block = Block.of_bytes(columns)
            account.calls += block.num_calls
            writer.write(block)

        repair.write(source(), write)
    for name, reason in REASONS.items():
        account.leave_out(reason, getattr(repair.repaired, name))
    if repair.repaired.named:
        account.notes.append(
            f"{repair.repaired.named} receives from any source or of any tag got the first message "
            "that was there: the trace does not say which"
        )
    if repair.repaired.buffered:
        account.notes.append(
            f"{repair.repaired.buffered} synchronous or large sends do not wait for their receive: "
            "calls without which ranks would wait for each other are not in the trace"
        )


def trace_source(path: Path, ranks: int) -> _core.TraceSource:
    """Return the calls of a trace of ours from the beginning."""
    empty = np.empty(0, dtype=MATCH).view(np.uint8)
    blocks = _blocks(path)
    return _core.Recorded(ranks, empty, lambda: next(blocks, None), MOST_HELD)


def _blocks(path: Path) -> Iterator[tuple[NDArray[np.uint8], ...]]:
    with Reader(path) as reader:
        reader.require_calls()
        for block in reader.blocks():
            yield block.as_bytes()
